#[automatically_derived]
impl ::dyno::Entity for Customer {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = CustomerFields;
    type Tokens = ();
    type Version = ();
    type PutOutput = ::dyno::Outcome<Self>;
    type DeleteOutput = ();
    const FIELDS: Self::Fields = CustomerFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        email: ::dyno::__private::attribute::<Option<String>, _, _>("email"),
        tenant: ::dyno::__private::attribute::<String, _, _>("tenant"),
        handle: ::dyno::__private::attribute::<String, _, _>("handle"),
        tenant_and_handle: ::dyno::field::Joint::__new(|
            (tenant, handle): &(String, String)|
        {
            ::std::vec![
                < Self as ::dyno::Entity > ::FIELDS.tenant.__set(tenant), < Self as
                ::dyno::Entity > ::FIELDS.handle.__set(handle)
            ]
        }),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Customer",
        table: ::core::option::Option::Some("customers"),
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
            Self::FIELDS.email.__stored("email"),
            Self::FIELDS.tenant.__stored("tenant"),
            Self::FIELDS.handle.__stored("handle"),
        ],
        unique: &[
            ::dyno::__private::Unique {
                name: "email",
                attributes: &[::dyno::__private::unique_attribute::<String>("email")],
            },
            ::dyno::__private::Unique {
                name: "handle",
                attributes: &[
                    ::dyno::__private::unique_attribute::<String>("tenant"),
                    ::dyno::__private::unique_attribute::<String>("handle"),
                ],
            },
        ],
        ..::dyno::__private::Schema::PLAIN
    };
    #[inline]
    fn key(&self) -> Self::Key {
        ::core::clone::Clone::clone(&self.id)
    }
    #[inline]
    fn __encode(&self) -> ::core::result::Result<::dyno::Item, ::dyno::EncodeError> {
        let fields = &Self::FIELDS;
        let mut item = ::dyno::__private::item(4usize);
        fields.id.__codec.put(&mut item, &self.id)?;
        fields.email.__codec.put(&mut item, &self.email)?;
        fields.tenant.__codec.put(&mut item, &self.tenant)?;
        fields.handle.__codec.put(&mut item, &self.handle)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            email: fields.email.__codec.take(item)?,
            tenant: fields.tenant.__codec.take(item)?,
            handle: fields.handle.__codec.take(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Customer {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Customer {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Customer {}
#[automatically_derived]
impl ::dyno::bound::WithUniqueValues for Customer {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Customer {}
///The stored attributes of [`Customer`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct CustomerFields {
    ///`id`
    pub id: ::dyno::Field<Customer, String, ::dyno::field::access::Key>,
    ///`email`
    pub email: ::dyno::Field<Customer, Option<String>, ::dyno::field::access::Indexed>,
    ///`tenant`
    pub tenant: ::dyno::Field<Customer, String, ::dyno::field::access::Joint>,
    ///`handle`
    pub handle: ::dyno::Field<Customer, String, ::dyno::field::access::Joint>,
    ///`tenant`, `handle`, which are unique together
    pub tenant_and_handle: ::dyno::field::Joint<Customer, (String, String)>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Customer {
    /// The stored attributes, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> CustomerFields {
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
    /// Writes the item, whatever is there.
    ///
    /// One `PutItem`, unconditional.
    ///
    /// Unique: `email`, `handle`. It goes with the `PutItem` of a row for each value in one `TransactWriteItems`, and is refused if another live item has the value.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Writes the item where there is none.
    ///
    /// One `PutItem`, refused unless
    /// `attribute_not_exists(#id)`
    ///
    /// Unique: `email`, `handle`. It goes with the `PutItem` of a row for each value in one `TransactWriteItems`, and is refused if another live item has the value.
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Writes the item over the one that is there.
    ///
    /// One `PutItem`, refused unless
    /// `attribute_exists(#id)`
    ///
    /// Unique: `email`, `handle`. It goes with the `PutItem` of a row for each value in one `TransactWriteItems`, and is refused if another live item has the value.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Changes attributes of the item at this key: say which with `with`.
    ///
    /// One `UpdateItem`, refused unless
    /// `attribute_exists(#id)`
    ///
    /// Unique: `email`, `handle`. If it sets one of them, it goes with the `PutItem` of a row for each value in one `TransactWriteItems`, and is refused if another live item has the value.
    #[inline]
    pub fn update(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Update<Self> {
        ::dyno::command::Update::new(::dyno::value::IntoField::into_field(id))
    }
    /// Removes the item at this key.
    ///
    /// One `DeleteItem`, unconditional.
    #[inline]
    pub fn delete(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(::dyno::value::IntoField::into_field(id), (), ())
    }
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Customer
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Customer
where
    for<'__dyno> Self: ::dyno::bound::Tombstoned,
{
    pub fn undelete(&self) {}
    pub fn purge() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Customer
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Customer
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
#[automatically_derived]
#[allow(dead_code, reason = "all reads are there, used or not")]
impl Customer {
    /// Reads the item with this `email`, consistently: no other live item has it.
    ///
    /// Two `GetItem`: of the value's guard, and of the item.
    pub fn get_by_email(
        email: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::GetByUnique<Self> {
        ::dyno::command::GetByUnique::__new(
            0usize,
            &::dyno::value::IntoField::<String>::into_field(email),
        )
    }
    /// Reads the item with this `tenant` and `handle`, consistently: no other live item has it.
    ///
    /// Two `GetItem`: of the value's guard, and of the item.
    pub fn get_by_handle(
        tenant: impl ::dyno::value::IntoField<String>,
        handle: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::GetByUnique<Self> {
        ::dyno::command::GetByUnique::__new(
            1usize,
            &(
                ::dyno::value::IntoField::<String>::into_field(tenant),
                ::dyno::value::IntoField::<String>::into_field(handle),
            ),
        )
    }
}
