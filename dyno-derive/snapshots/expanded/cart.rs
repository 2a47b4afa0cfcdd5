#[automatically_derived]
impl ::dyno::Entity for Cart {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = CartFields;
    type Tokens = ();
    type Version = u64;
    type PutOutput = ::dyno::Outcome<Self, u64>;
    type DeleteOutput = ::dyno::Outcome<Self, u64>;
    const FIELDS: Self::Fields = CartFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        lines: ::dyno::__private::attribute::<Vec<String>, _, _>("lines"),
        version: ::dyno::__private::attribute::<u64, _, _>("version")
            .__or(<u64 as ::core::default::Default>::default),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Cart",
        table: ::core::option::Option::Some("carts"),
        partition: ::dyno::__private::KeyAttribute {
            name: "id",
            key_type: ::dyno::__private::key_type::<String>(),
            form: ::dyno::__private::KeyForm::Field(0usize),
        },
        key_fields: &["id"],
        key_types: ::dyno::__private::key_types(
            &[<String as ::dyno::Value>::__stored_type],
        ),
        attributes: &[
            Self::FIELDS.lines.__stored("lines"),
            Self::FIELDS.version.__stored("version"),
        ],
        version: ::core::option::Option::Some(
            ::dyno::__private::version::<u64>("version"),
        ),
        write_id: ::core::option::Option::Some(::dyno::__private::WriteId {
            attribute: "_w",
        }),
        ..::dyno::__private::Schema::PLAIN
    };
    #[inline]
    fn key(&self) -> Self::Key {
        ::core::clone::Clone::clone(&self.id)
    }
    #[inline]
    fn __encode(&self) -> ::core::result::Result<::dyno::Item, ::dyno::EncodeError> {
        let fields = &Self::FIELDS;
        let mut item = ::dyno::__private::item(3usize);
        fields.id.__codec.put(&mut item, &self.id)?;
        fields.lines.__codec.put(&mut item, &self.lines)?;
        fields.version.__codec.put(&mut item, &self.version)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            lines: fields.lines.__codec.take(item)?,
            version: fields.version.__codec.take(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Cart {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Cart {}
#[automatically_derived]
impl ::dyno::bound::Versioned for Cart {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Cart {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Cart {}
///The stored attributes of [`Cart`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct CartFields {
    ///`id`
    pub id: ::dyno::Field<Cart, String, ::dyno::field::access::Key>,
    ///`lines`
    pub lines: ::dyno::Field<Cart, Vec<String>>,
    ///`version`
    pub version: ::dyno::Field<Cart, u64, ::dyno::field::access::Counted>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Cart {
    /// The stored attributes, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> CartFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// The entity's key.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the item at this key.
    ///
    /// One `GetItem`.
    #[inline]
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Demands, in a transaction, that an item is at this key.
    ///
    /// One `ConditionCheck`, refused unless
    /// `attribute_exists(#id)`
    #[inline]
    pub fn check(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new(::dyno::value::IntoField::into_field(id))
    }
    /// Reads the items at these keys, in their order.
    ///
    /// One `BatchGetItem` for every 100 keys, and again what it leaves unprocessed.
    #[inline]
    pub fn batch_get(
        keys: impl ::core::iter::IntoIterator<
            Item = impl ::dyno::value::IntoField<String>,
        >,
    ) -> ::dyno::command::BatchGet<Self> {
        ::dyno::command::BatchGet::new(
            ::core::iter::Iterator::map(
                ::core::iter::IntoIterator::into_iter(keys),
                |id| ::dyno::value::IntoField::into_field(id),
            ),
        )
    }
    /// Reads all items of the table, in no order.
    ///
    /// One `Scan` a page, of at most 1 MB.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the item over the version it was loaded as; with version 0, where there is none.
    ///
    /// One `PutItem`, refused unless
    /// `#version = :version`
    ///
    /// Of version 0:
    /// `attribute_not_exists(#id)`
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Writes the item where there is none.
    ///
    /// One `PutItem`, refused unless
    /// `attribute_not_exists(#id)`
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Writes the item over the version it was loaded as.
    ///
    /// One `PutItem`, refused unless
    /// `attribute_exists(#id) AND #version = :version`
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Changes attributes of the item at this key: say which with `with`.
    ///
    /// One `UpdateItem`, refused unless
    /// `attribute_exists(#id) AND #version = :version`
    ///
    /// With `.unchecked()`:
    /// `attribute_exists(#id) AND (attribute_not_exists(#version) OR #version BETWEEN :version AND :version_2)`
    #[inline]
    pub fn update(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::VersionedUpdate<Self> {
        ::dyno::command::VersionedUpdate::__of(
            ::dyno::command::Update::new(::dyno::value::IntoField::into_field(id)),
        )
    }
    /// Removes the item at this key, if it is still of this version.
    ///
    /// One `DeleteItem`, refused unless
    /// `#version = :version`
    #[inline]
    pub fn delete(
        id: impl ::dyno::value::IntoField<String>,
        version: impl ::dyno::value::IntoField<u64>,
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(
            ::dyno::value::IntoField::into_field(id),
            (),
            ::dyno::value::IntoField::into_field(version),
        )
    }
    /// Loads the live item at this key, changes it, and writes it back; again, if another writer has been there since.
    /// What the closure does not change stays as it is stored, also what the entity does not declare.
    ///
    /// One `GetItem`, and an `UpdateItem` of what differs for each attempt.
    #[inline]
    pub fn modify<__Edit, __EditResult>(
        id: impl ::dyno::value::IntoField<String>,
        __edit: __Edit,
    ) -> ::dyno::command::Modify<Self, __Edit>
    where
        __Edit: ::core::ops::FnMut(&mut Self) -> __EditResult + ::core::marker::Send,
        __EditResult: ::dyno::command::EditResult,
    {
        ::dyno::command::Modify::new(::dyno::value::IntoField::into_field(id), __edit)
    }
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Cart
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Cart
where
    for<'__dyno> Self: ::dyno::bound::Tombstoned,
{
    pub fn undelete(&self) {}
    pub fn purge() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Cart
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
