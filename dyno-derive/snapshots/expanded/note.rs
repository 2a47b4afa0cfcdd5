#[automatically_derived]
impl<T> ::dyno::Entity for Note<T>
where
    T: ::dyno::Attribute,
    T: 'static,
{
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = NoteFields<T>;
    type Tokens = ();
    type Version = ();
    type PutOutput = ();
    type DeleteOutput = ();
    const FIELDS: Self::Fields = NoteFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        body: ::dyno::__private::attribute::<T, _, _>("body"),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Note",
        table: ::core::option::Option::Some("notes"),
        partition: ::dyno::__private::KeyAttribute {
            name: "id",
            key_type: ::dyno::__private::key_type::<String>(),
            form: ::dyno::__private::KeyForm::Field(0usize),
        },
        key_fields: &["id"],
        key_types: ::dyno::__private::key_types(
            &[<String as ::dyno::Value>::__stored_type],
        ),
        attributes: &[Self::FIELDS.body.__stored("body")],
        tombstone: ::core::option::Option::Some(::dyno::__private::Tombstone {
            deleted: "deleted",
            ttl: "ttl",
            ttl_days: 7u32,
            mark: true,
        }),
        ttl: ::core::option::Option::Some(::dyno::__private::Ttl {
            attribute: "ttl",
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
        let mut item = ::dyno::__private::item(2usize);
        fields.id.__codec.put(&mut item, &self.id)?;
        fields.body.__codec.put(&mut item, &self.body)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            body: fields.body.__codec.take(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl<T> ::dyno::bound::Deletable for Note<T>
where
    T: ::dyno::Attribute,
    T: 'static,
{}
#[automatically_derived]
impl<T> ::dyno::bound::Updatable for Note<T>
where
    T: ::dyno::Attribute,
    T: 'static,
{}
#[automatically_derived]
impl<T> ::dyno::bound::Tombstoned for Note<T>
where
    T: ::dyno::Attribute,
    T: 'static,
{}
#[automatically_derived]
impl<T> ::dyno::bound::Purgeable for Note<T>
where
    T: ::dyno::Attribute,
    T: 'static,
{}
#[automatically_derived]
impl<T> ::dyno::bound::MayExpire for Note<T>
where
    T: ::dyno::Attribute,
    T: 'static,
{}
#[automatically_derived]
impl<T> ::dyno::bound::WithoutHistory for Note<T>
where
    T: ::dyno::Attribute,
    T: 'static,
{}
#[automatically_derived]
impl<T> ::dyno::bound::Replaceable for Note<T>
where
    T: ::dyno::Attribute,
    T: 'static,
{}
///The stored attributes of [`Note`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct NoteFields<T> {
    ///`id`
    pub id: ::dyno::Field<Note<T>, String, ::dyno::field::access::Key>,
    ///`body`
    pub body: ::dyno::Field<Note<T>, T>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl<T> Note<T>
where
    T: ::dyno::Attribute,
    T: 'static,
{
    /// The stored attributes, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> NoteFields<T> {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// The entity's key.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the item at this key. A tombstone, or an item past its TTL, counts as absent.
    ///
    /// One `GetItem`.
    #[inline]
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Demands, in a transaction, that a live item is at this key.
    ///
    /// One `ConditionCheck`, refused unless
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2`
    #[inline]
    pub fn check(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new(::dyno::value::IntoField::into_field(id))
    }
    /// Reads the items at these keys, in their order. A tombstone, or an item past its TTL, counts as absent.
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
    /// Reads all items of the table, in no order. A tombstone, or an item past its TTL, is passed over.
    ///
    /// One `Scan` a page, of at most 1 MB.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the item, whatever is there, a tombstone, too.
    ///
    /// One `PutItem`, unconditional.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Writes the item where there is none, or a tombstone, or one past its TTL.
    ///
    /// One `PutItem`, refused unless
    /// `attribute_not_exists(#id) OR #deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2`
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Writes the item over a live one.
    ///
    /// One `PutItem`, refused unless
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2`
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Writes the item over a tombstone.
    ///
    /// One `PutItem`, refused unless
    /// `#deleted = :deleted`
    #[inline]
    pub fn undelete(&self) -> ::dyno::command::Undelete<Self> {
        ::dyno::command::Undelete::new(self)
    }
    /// Changes attributes of the live item at this key: say which with `with`.
    ///
    /// One `UpdateItem`, refused unless
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2`
    #[inline]
    pub fn update(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Update<Self> {
        ::dyno::command::Update::new(::dyno::value::IntoField::into_field(id))
    }
    /// Leaves a tombstone at this key for 7 days. It keeps no write out: without a ratchet or a version nothing tells which write is older, so a write that arrives late brings the item back.
    ///
    /// One `PutItem`, unconditional.
    #[inline]
    pub fn delete(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(::dyno::value::IntoField::into_field(id), (), ())
    }
    /// Removes a tombstone, if it is still this one.
    ///
    /// One `DeleteItem`, refused unless
    /// `attribute_not_exists(#id) OR (#deleted = :deleted AND #ttl = :ttl)`
    #[inline]
    pub fn purge(tombstone: &::dyno::Tombstone<Self>) -> ::dyno::command::Purge<Self> {
        ::dyno::command::Purge::new(tombstone)
    }
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl<T> Note<T>
where
    T: ::dyno::Attribute,
    T: 'static,
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl<T> Note<T>
where
    T: ::dyno::Attribute,
    T: 'static,
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl<T> Note<T>
where
    T: ::dyno::Attribute,
    T: 'static,
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
