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
/// A handle for each stored attribute of [`Customer`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct CustomerFields {
    /// The key attribute `id`, which no update can change.
    pub id: ::dyno::Field<Customer, String, ::dyno::field::access::Key>,
    /// The unique attribute `email`: a write that sets it claims the value.
    pub email: ::dyno::Field<Customer, Option<String>, ::dyno::field::access::Indexed>,
    /// The attribute `tenant`, which an update sets by the handle `tenant_and_handle`.
    pub tenant: ::dyno::Field<Customer, String, ::dyno::field::access::Joint>,
    /// The attribute `handle`, which an update sets by the handle `tenant_and_handle`.
    pub handle: ::dyno::Field<Customer, String, ::dyno::field::access::Joint>,
    /// The fields `tenant`, `handle`, set together because they are unique together.
    ///
    /// In an update: `.with(Customer::fields().tenant_and_handle.set((tenant, handle)))`.
    pub tenant_and_handle: ::dyno::field::Joint<Customer, (String, String)>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Customer {
    /// Returns a handle for each stored attribute of `Customer`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> CustomerFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Customer`: its `id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Customer` with this `id`.
    ///
    /// Sends one `GetItem`. Returns `None` if no item is stored. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Requires in a transaction that the `Customer` with this `id` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Customer::check(id))`.
    ///
    /// Sends one `ConditionCheck`. It holds only if
    /// `attribute_exists(#id)`
    ///
    /// If the condition does not hold, the transaction is refused: `Missing` (no item is stored).
    ///
    /// Costs 2 write units per KB of the item.
    #[inline]
    pub fn check(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new(::dyno::value::IntoField::into_field(id))
    }
    /// Reads each `Customer` with one of these keys: `id`.
    ///
    /// Returns the items in the order of the keys, with `None` for a key without an item. Sends one `BatchGetItem` for every 100 keys, and further ones for keys that DynamoDB leaves unprocessed. Costs half a read unit per 4 KB of each item, twice that with `.consistent()`.
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
    /// Reads each `Customer` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. Costs half a read unit per 4 KB of all rows read, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Customer`, and replaces a stored one.
    ///
    /// Sends one `PutItem` without a condition and the `PutItem` of a guard row for each unique value, in one `TransactWriteItems`.
    ///
    /// Unique: `email` and `handle`. A guard row is written only if no other live item has the value; otherwise the write is refused (`Taken`). A value that an item no longer has is free at once.
    ///
    /// A refusal is an `Outcome`, not an error: `Taken` (another live item has the `email` or `handle`). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, `send` returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 2 write units per KB of the item, and 2 for each unique value, also if it is refused.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Creates the `Customer` if none is stored.
    ///
    /// Sends one `PutItem` and the `PutItem` of a guard row for each unique value, in one `TransactWriteItems`. It is applied only if
    /// `attribute_not_exists(#id)`
    ///
    /// Unique: `email` and `handle`. A guard row is written only if no other live item has the value; otherwise the write is refused (`Taken`). A value that an item no longer has is free at once.
    ///
    /// A refusal is an `Outcome`, not an error: `Exists` (a live item is stored) or `Taken` (another live item has the `email` or `handle`). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, `send` returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 2 write units per KB of the item, and 2 for each unique value, also if it is refused.
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Replaces the `Customer` if one is stored.
    ///
    /// Sends one `PutItem` and the `PutItem` of a guard row for each unique value, in one `TransactWriteItems`. It is applied only if
    /// `attribute_exists(#id)`
    ///
    /// Unique: `email` and `handle`. A guard row is written only if no other live item has the value; otherwise the write is refused (`Taken`). A value that an item no longer has is free at once.
    ///
    /// A refusal is an `Outcome`, not an error: `Missing` (no item is stored) or `Taken` (another live item has the `email` or `handle`). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, `send` returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 2 write units per KB of the item, and 2 for each unique value, also if it is refused.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Changes attributes of the `Customer` with this `id`.
    ///
    /// Name the changes with `with`; all other attributes stay as they are: `Customer::update(id).with(change)`.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#id)`
    ///
    /// Unique: `email` and `handle`. If it sets one of them, one `TransactWriteItems` sends it with the `PutItem` of a guard row for each value. A guard row is written only if no other live item has the value; otherwise the write is refused (`Taken`). A value that an item no longer has is free at once.
    ///
    /// A refusal is an `Outcome`, not an error: `Missing` (no item is stored) or `Taken` (another live item has the `email` or `handle`). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, unless it could change the item twice (`add`). If `send` cannot find out whether it was applied, it returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, or 2 if it sets a unique value, and 2 for each such value, also if it is refused.
    #[inline]
    pub fn update(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Update<Self> {
        ::dyno::command::Update::new(::dyno::value::IntoField::into_field(id))
    }
    /// Deletes the `Customer` with this `id`.
    ///
    /// Other items can take its unique values at once. The old guard rows stay until then, or until `SweepGuards` (feature `bulk`) removes them.
    ///
    /// Sends one `DeleteItem` without a condition.
    ///
    /// If the answer is lost, the request is sent again, and a write that came in between is lost.
    ///
    /// Costs 1 write unit per KB of the item.
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
    /// Reads the `Customer` with this unique `email`, consistently.
    ///
    /// Sends two `GetItem`: of the value's guard row, which has the item's key, and of the item. Returns `None` if no item has the value. Each `GetItem` costs one read unit per 4 KB.
    pub fn get_by_email(
        email: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::GetByUnique<Self> {
        ::dyno::command::GetByUnique::__new(
            0usize,
            &::dyno::value::IntoField::<String>::into_field(email),
        )
    }
    /// Reads the `Customer` with this unique `tenant` and `handle`, consistently.
    ///
    /// Sends two `GetItem`: of the value's guard row, which has the item's key, and of the item. Returns `None` if no item has the value. Each `GetItem` costs one read unit per 4 KB.
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
