#[automatically_derived]
impl ::dyno::Entity for Contract {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = ContractFields;
    type Tokens = ();
    type Version = ();
    type PutOutput = ::dyno::Outcome<Self>;
    type DeleteOutput = ();
    const FIELDS: Self::Fields = ContractFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        client: ::dyno::__private::attribute::<String, _, _>("client"),
        agent: ::dyno::__private::attribute::<Option<String>, _, _>("agent"),
        text: ::dyno::__private::attribute::<String, _, _>("text"),
        made: ::dyno::__private::attribute::<EpochMillis, _, _>("made"),
        changed: ::dyno::__private::attribute::<Option<EpochSeconds>, _, _>("changed"),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Contract",
        table: ::core::option::Option::Some("contracts"),
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
            Self::FIELDS.client.__stored("client"),
            Self::FIELDS.agent.__stored("agent"),
            Self::FIELDS.text.__stored("text"),
            Self::FIELDS.made.__stored("made"),
            Self::FIELDS.changed.__stored("changed"),
        ],
        immutable: &["client", "agent"],
        created: ::core::option::Option::Some(
            ::dyno::__private::time::<EpochMillis>("made"),
        ),
        updated: ::core::option::Option::Some(
            ::dyno::__private::time::<Option<EpochSeconds>>("changed"),
        ),
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
        let mut item = ::dyno::__private::item(6usize);
        fields.id.__codec.put(&mut item, &self.id)?;
        fields.client.__codec.put(&mut item, &self.client)?;
        fields.agent.__codec.put(&mut item, &self.agent)?;
        fields.text.__codec.put(&mut item, &self.text)?;
        fields.made.__codec.put(&mut item, &self.made)?;
        fields.changed.__codec.put(&mut item, &self.changed)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            client: fields.client.__codec.take(item)?,
            agent: fields.agent.__codec.take(item)?,
            text: fields.text.__codec.take(item)?,
            made: fields.made.__codec.take(item)?,
            changed: fields.changed.__codec.take(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Contract {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Contract {}
#[automatically_derived]
impl ::dyno::bound::Tombstoned for Contract {}
#[automatically_derived]
impl ::dyno::bound::Purgeable for Contract {}
#[automatically_derived]
impl ::dyno::bound::MayExpire for Contract {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Contract {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Contract {}
/// A handle for each stored attribute of [`Contract`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct ContractFields {
    /// The key attribute `id`, which no update can change.
    pub id: ::dyno::Field<Contract, String, ::dyno::field::access::Key>,
    /// The immutable attribute `client`: an update can set it only if it is absent.
    pub client: ::dyno::Field<Contract, String, ::dyno::field::access::Immutable>,
    /// The immutable attribute `agent`: an update can set it only if it is absent.
    pub agent: ::dyno::Field<Contract, Option<String>, ::dyno::field::access::Immutable>,
    /// The attribute `text`.
    pub text: ::dyno::Field<Contract, String>,
    /// The time `made` of the first write, which dyno sets.
    pub made: ::dyno::Field<Contract, EpochMillis, ::dyno::field::access::Kept>,
    /// The time `changed` of the last write, which dyno sets.
    pub changed: ::dyno::Field<
        Contract,
        Option<EpochSeconds>,
        ::dyno::field::access::Kept,
    >,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Contract {
    /// Returns a handle for each stored attribute of `Contract`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> ContractFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Contract`: its `id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Contract` with this `id`.
    ///
    /// Sends one `GetItem`. Returns `None` if no item is stored, or only a tombstone. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Requires in a transaction that the live `Contract` with this `id` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Contract::check(id))`. A tombstone counts as no item.
    ///
    /// Sends one `ConditionCheck`. It holds only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// If the condition does not hold, the transaction is refused: `Missing` (no item is stored) or `Deleted` (a tombstone is stored).
    ///
    /// Costs 2 write units per KB of the item.
    #[inline]
    pub fn check(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new(::dyno::value::IntoField::into_field(id))
    }
    /// Reads each `Contract` with one of these keys: `id`.
    ///
    /// Returns the items in the order of the keys, with `None` for a key without an item, or only a tombstone. Sends one `BatchGetItem` for every 100 keys, and further ones for keys that DynamoDB leaves unprocessed. Costs half a read unit per 4 KB of each item, twice that with `.consistent()`.
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
    /// Reads each `Contract` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. A tombstone is skipped. Costs half a read unit per 4 KB of all rows read, including skipped ones, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Contract`, and replaces a stored one or its tombstone.
    ///
    /// Refused if a live item has another value in `client` or `agent`.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `#deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2 OR ((attribute_not_exists(#client) OR #client = :client) AND (attribute_not_exists(#agent) OR attribute_type(#agent, :agent) OR #agent = :agent_2))`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Immutable` (another `client` or `agent` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, `send` returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Creates the `Contract` if no live one is stored.
    ///
    /// A tombstone counts as no item. So a create that arrives late brings the item back.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_not_exists(#id) OR #deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Exists` (a live item is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, `send` returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Replaces the `Contract` if a live one is stored.
    ///
    /// Refused if a live item has another value in `client` or `agent`.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND (attribute_not_exists(#client) OR #client = :client) AND (attribute_not_exists(#agent) OR attribute_type(#agent, :agent) OR #agent = :agent_2)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored) or `Immutable` (another `client` or `agent` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, `send` returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Writes the `Contract` over its tombstone.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `#deleted = :deleted`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `NotDeleted` (a live item is stored) or `Missing` (the tombstone is gone: use `create`). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, `send` returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn undelete(&self) -> ::dyno::command::Undelete<Self> {
        ::dyno::command::Undelete::new(self)
    }
    /// Changes attributes of the live `Contract` with this `id`.
    ///
    /// Name the changes with `with`; all other attributes stay as they are: `Contract::update(id).with(Contract::fields().text.set(text))`.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored) or `Deleted` (a tombstone is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, unless it could change the item twice (`add`). If `send` cannot find out whether it was applied, it returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn update(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Update<Self> {
        ::dyno::command::Update::new(::dyno::value::IntoField::into_field(id))
    }
    /// Deletes the `Contract` with this `id`.
    ///
    /// Leaves a tombstone for 7 days, for readers of the table's stream. A late put or create brings the item back, because without a ratchet or a version, dyno cannot tell which write is older.
    ///
    /// Sends one `PutItem` without a condition.
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
    /// Removes this tombstone, if it is still stored unchanged.
    ///
    /// `get(…).include_deleted()` returns the tombstone. DynamoDB also removes it, by its TTL. After a purge, an older write that arrives late brings the item back.
    ///
    /// Sends one `DeleteItem`. It is applied only if
    /// `attribute_not_exists(#id) OR (#deleted = :deleted AND #ttl = :ttl)`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Changed` (another item or tombstone is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, and succeeds if the tombstone no longer exists.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn purge(tombstone: &::dyno::Tombstone<Self>) -> ::dyno::command::Purge<Self> {
        ::dyno::command::Purge::new(tombstone)
    }
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Contract
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Contract
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Contract
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
