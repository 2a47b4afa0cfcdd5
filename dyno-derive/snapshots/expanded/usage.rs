#[automatically_derived]
impl ::dyno::Entity for Usage {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = UsageFields;
    type Tokens = ();
    type Version = ();
    type PutOutput = ();
    type DeleteOutput = ();
    const FIELDS: Self::Fields = UsageFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        calls: ::dyno::__private::attribute::<u64, _, _>("calls"),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Usage",
        table: ::core::option::Option::Some("usages"),
        partition: ::dyno::__private::KeyAttribute {
            name: "id",
            key_type: ::dyno::__private::key_type::<String>(),
            form: ::dyno::__private::KeyForm::Field(0usize),
        },
        key_fields: &["id"],
        key_types: ::dyno::__private::key_types(
            &[<String as ::dyno::Value>::__stored_type],
        ),
        attributes: &[Self::FIELDS.calls.__stored("calls")],
        tombstone: ::core::option::Option::Some(::dyno::__private::Tombstone {
            deleted: "deleted",
            ttl: "ttl",
            ttl_days: 7u32,
            mark: true,
        }),
        ttl: ::core::option::Option::Some(::dyno::__private::Ttl {
            attribute: "ttl",
        }),
        idempotency: ::core::option::Option::Some(::dyno::__private::Idempotency {
            store: ::dyno::__private::Store::Time {
                window: ::dyno::__private::TimeWindow {
                    window_secs: 60u32,
                    max_skew_secs: 10u32,
                    key_bytes: 16u32,
                    body_bytes: 100u32,
                },
                attributes: &[
                    "_k0",
                    "_k1",
                    "_k2",
                    "_k3",
                    "_k4",
                    "_k5",
                    "_k6",
                    "_k7",
                    "_k8",
                    "_k9",
                    "_k10",
                    "_k11",
                    "_k12",
                    "_k13",
                    "_k14",
                    "_k15",
                    "_k16",
                    "_k17",
                    "_k18",
                    "_k19",
                    "_k20",
                    "_k21",
                    "_k22",
                    "_k23",
                    "_k24",
                    "_k25",
                ],
            },
            keys: ::dyno::__private::Keys::Hashed(16usize),
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
        fields.calls.__codec.put(&mut item, &self.calls)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            calls: fields.calls.__codec.take(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Usage {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Usage {}
#[automatically_derived]
impl ::dyno::bound::Tombstoned for Usage {}
#[automatically_derived]
impl ::dyno::bound::Purgeable for Usage {}
#[automatically_derived]
impl ::dyno::bound::MayExpire for Usage {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Usage {}
#[automatically_derived]
impl ::dyno::bound::Idempotent for Usage {}
#[automatically_derived]
impl ::dyno::bound::HedgeableUpdate for Usage {}
/// A handle for each stored attribute of [`Usage`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct UsageFields {
    /// The key attribute `id`, which no update can change.
    pub id: ::dyno::Field<Usage, String, ::dyno::field::access::Key>,
    /// The attribute `calls`.
    pub calls: ::dyno::Field<Usage, u64>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Usage {
    /// Returns a handle for each stored attribute of `Usage`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> UsageFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Usage`: its `id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Usage` with this `id`.
    ///
    /// Sends one `GetItem`. Returns `None` if no item is stored, or only a tombstone. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Requires in a transaction that the live `Usage` with this `id` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Usage::check(id))`. A tombstone counts as no item.
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
    /// Reads each `Usage` with one of these keys: `id`.
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
    /// Reads each `Usage` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. A tombstone is skipped. Costs half a read unit per 4 KB of all rows read, including skipped ones, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Not available, because it would delete the idempotency keys that the item holds.
    ///
    /// Use `create` or `update`.
    #[inline]
    pub fn put<__Command>(&self) -> __Command
    where
        for<'__dyno> Self: ::dyno::bound::Replaceable,
    {
        let _: ::dyno::command::Put<Self> = ::dyno::command::Put::new(self);
        ::dyno::__private::absent()
    }
    /// Creates the `Usage` if no live one is stored.
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
    /// Not available, because it would delete the idempotency keys that the item holds.
    ///
    /// Use `create` or `update`.
    #[inline]
    pub fn replace<__Command>(&self) -> __Command
    where
        for<'__dyno> Self: ::dyno::bound::Replaceable,
    {
        let _: ::dyno::command::Replace<Self> = ::dyno::command::Replace::new(self);
        ::dyno::__private::absent()
    }
    /// Writes the `Usage` over its tombstone.
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
    /// Changes attributes of the live `Usage` with this `id`.
    ///
    /// Name the changes with `with`; all other attributes stay as they are: `Usage::update(id).with(Usage::fields().calls.set(calls))`.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// With `.idempotency_key(…)`, a second update with the same key is refused (`Duplicate`), because the first one was applied: the item holds the key for 60 s, in one of its sets `_k0` to `_k25`, which are used in turn. Clocks may differ by 10 s.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored) or `Duplicate` (an update with this idempotency key was applied before). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, unless it could change the item twice (`add` without an idempotency key). If `send` cannot find out whether it was applied, it returns an error for which `may_be_applied()` is true: load the item and decide, or send it again with the same key.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn update(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Update<Self> {
        ::dyno::command::Update::new(::dyno::value::IntoField::into_field(id))
    }
    /// Deletes the `Usage` with this `id`.
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
impl Usage
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Usage
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Usage
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
const _: () = ::dyno::__private::check_time_window(
    ::dyno::__private::TimeWindow {
        window_secs: 60u32,
        max_skew_secs: 10u32,
        key_bytes: 16u32,
        body_bytes: 100u32,
    },
    20u64,
);
