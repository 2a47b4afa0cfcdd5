#[automatically_derived]
impl ::dyno::Entity for Order {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = OrderFields;
    type Tokens = (EpochMillis,);
    type Version = u64;
    type PutOutput = ::dyno::Outcome<Self, u64>;
    type DeleteOutput = ::dyno::Outcome<Self, u64>;
    const FIELDS: Self::Fields = OrderFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        paid: ::dyno::__private::attribute::<bool, _, _>("paid"),
        paid_at: ::dyno::__private::attribute::<EpochMillis, _, _>("paid_at"),
        version: ::dyno::__private::attribute::<u64, _, _>("version")
            .__or(<u64 as ::core::default::Default>::default),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Order",
        table: ::core::option::Option::Some("orders"),
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
            Self::FIELDS.paid.__stored("paid"),
            Self::FIELDS.paid_at.__stored("paid_at"),
            Self::FIELDS.version.__stored("version"),
        ],
        ratchets: &[
            ::dyno::__private::Ratchet {
                attribute: "paid_at",
                tiebreak: ::core::option::Option::None,
                strict: false,
                max_ahead_secs: ::core::option::Option::None,
                guards: ::dyno::__private::guards(&["paid"]),
                inspect: ::dyno::__private::inspect::<EpochMillis>,
                shape: ::dyno::__private::shape::<EpochMillis>(),
                respell: ::dyno::__private::respell::<EpochMillis>,
            },
        ],
        tombstone: ::core::option::Option::Some(::dyno::__private::Tombstone {
            deleted: "deleted",
            ttl: "ttl",
            ttl_days: 7u32,
            mark: true,
        }),
        ttl: ::core::option::Option::Some(::dyno::__private::Ttl {
            attribute: "ttl",
        }),
        version: ::core::option::Option::Some(
            ::dyno::__private::version::<u64>("version"),
        ),
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
        fields.paid.__codec.put(&mut item, &self.paid)?;
        fields.paid_at.__codec.put(&mut item, &self.paid_at)?;
        fields.version.__codec.put(&mut item, &self.version)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            paid: fields.paid.__codec.take(item)?,
            paid_at: fields.paid_at.__codec.take_token(item)?,
            version: fields.version.__codec.take(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Order {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Order {}
#[automatically_derived]
impl ::dyno::bound::Tombstoned for Order {}
#[automatically_derived]
impl ::dyno::bound::Purgeable for Order {}
#[automatically_derived]
impl ::dyno::bound::MayExpire for Order {}
#[automatically_derived]
impl ::dyno::bound::Versioned for Order {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Order {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Order {}
#[automatically_derived]
impl ::dyno::bound::Hedgeable for Order {}
#[automatically_derived]
impl ::dyno::bound::HedgeableUpdate for Order {}
/// A handle for each stored attribute of [`Order`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct OrderFields {
    /// The key attribute `id`, which no update can change.
    pub id: ::dyno::Field<Order, String, ::dyno::field::access::Key>,
    /// The attribute `paid`, which is written only together with its ratchet `paid_at`.
    pub paid: ::dyno::Field<Order, bool, ::dyno::field::access::Guarded>,
    /// The ratchet attribute `paid_at`: each update of its group brings its own value.
    pub paid_at: ::dyno::Field<Order, EpochMillis, ::dyno::field::access::Guarded>,
    /// The version `version`, which dyno counts.
    pub version: ::dyno::Field<Order, u64, ::dyno::field::access::Counted>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Order {
    /// Returns a handle for each stored attribute of `Order`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> OrderFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Order`: its `id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Order` with this `id`.
    ///
    /// Sends one `GetItem`. Returns `None` if no item is stored, or only a tombstone. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Requires in a transaction that the live `Order` with this `id` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Order::check(id))`. A tombstone counts as no item.
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
    /// Reads each `Order` with one of these keys: `id`.
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
    /// Reads each `Order` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. A tombstone is skipped. Costs half a read unit per 4 KB of all rows read, including skipped ones, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Order` if its `version` is still the stored one, or, at 0, if none is stored.
    ///
    /// Stores the next `version`, which `applied()` of the outcome returns. A tombstone with the same `paid_at` refuses the write.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `NOT #ttl BETWEEN :ttl AND :ttl_2 AND #version = :version AND (attribute_not_exists(#paid_at) OR #paid_at <= :paid_at) AND NOT (#deleted = :deleted AND #paid_at = :paid_at)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// If the version is 0, the condition is:
    /// `attribute_not_exists(#id) AND (attribute_not_exists(#paid_at) OR #paid_at <= :paid_at) AND NOT (#deleted = :deleted AND #paid_at = :paid_at)`
    ///
    /// If the version is 0 and a tombstone or an expired item is stored, the write is sent once more, over it. The compared version is then that of the stored row:
    /// `(#deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2) AND #version = :version AND (attribute_not_exists(#paid_at) OR #paid_at <= :paid_at) AND NOT (#deleted = :deleted AND #paid_at = :paid_at)`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Exists` (a live item is stored), `Conflict` (another `version` is stored, or no item) or `Stale` (a newer `paid_at` is stored, or a tombstone with the same one). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, the error is `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Creates the `Order` if no live one is stored.
    ///
    /// An older tombstone counts as no item. Stores the next `version`, which `applied()` of the outcome returns. A tombstone with the same `paid_at` refuses the write.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_not_exists(#id) AND (attribute_not_exists(#paid_at) OR #paid_at <= :paid_at) AND NOT (#deleted = :deleted AND #paid_at = :paid_at)`
    ///
    /// If a tombstone or an expired item is stored, the write is sent once more, over it. `:version` is then its version, in the condition:
    /// `(#deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2) AND #version = :version AND (attribute_not_exists(#paid_at) OR #paid_at <= :paid_at) AND NOT (#deleted = :deleted AND #paid_at = :paid_at)`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Exists` (a live item is stored) or `Stale` (a newer `paid_at` is stored, or a tombstone with the same one). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, the error is `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Replaces the live `Order` if its `version` is still the stored one.
    ///
    /// Stores the next `version`, which `applied()` of the outcome returns.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND #version = :version AND (attribute_not_exists(#paid_at) OR #paid_at <= :paid_at)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored), `Conflict` (another `version` is stored) or `Stale` (a newer `paid_at` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, the error is `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Writes the `Order` over its tombstone, if the tombstone has the same `version`.
    ///
    /// First give it the `version` of the tombstone, which is the next after that of the deleted item. `get(…).include_deleted()` returns the tombstone. Stores the next `version`, which `applied()` of the outcome returns.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `#version = :version AND (attribute_not_exists(#paid_at) OR #paid_at < :paid_at) AND #deleted = :deleted`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `NotDeleted` (a live item is stored), `Missing` (the tombstone is gone: use `create`), `Conflict` (another `version` is stored) or `Stale` (the same or a newer `paid_at` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, the error is `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn undelete(&self) -> ::dyno::command::Undelete<Self> {
        ::dyno::command::Undelete::new(self)
    }
    /// Changes one group of fields of the live `Order` with this `id`.
    ///
    /// Choose the group by its ratchet, and then give all of its values: `Order::update(id).paid_at(paid_at).paid(paid)`. The ratchet's function documents the request.
    #[inline]
    pub fn update(id: impl ::dyno::value::IntoField<String>) -> OrderUpdate {
        OrderUpdate(
            ::dyno::command::Update::new(::dyno::value::IntoField::into_field(id)),
        )
    }
    /// Deletes the `Order` with this `id`, if it still has this `version`.
    ///
    /// Call it as `Order::delete(id, paid_at, version)`. Leaves a tombstone for 7 days, which refuses older writes that arrive late.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `NOT #ttl BETWEEN :ttl AND :ttl_2 AND #version = :version AND (attribute_not_exists(#paid_at) OR #paid_at <= :paid_at)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Deleted` (it is deleted already), `Conflict` (another `version` is stored, or no item) or `Stale` (a newer `paid_at` is stored, in an item or a tombstone). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, the error is `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn delete(
        id: impl ::dyno::value::IntoField<String>,
        paid_at: impl ::dyno::value::IntoField<EpochMillis>,
        version: impl ::dyno::value::IntoField<u64>,
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(
            ::dyno::value::IntoField::into_field(id),
            (::dyno::value::IntoField::into_field(paid_at),),
            ::dyno::value::IntoField::into_field(version),
        )
    }
    /// Removes this tombstone, if it is still stored unchanged.
    ///
    /// `get(…).include_deleted()` returns the tombstone. DynamoDB also removes it, by its TTL. After a purge, a create that arrives late brings the item back.
    ///
    /// Sends one `DeleteItem`. It is applied only if
    /// `attribute_not_exists(#id) OR (#deleted = :deleted AND #version = :version AND #paid_at = :paid_at AND #ttl = :ttl)`
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
    /// Loads the live `Order` with this `id`, runs the closure on it, and writes it back.
    ///
    /// Call it as `Order::modify(id, |item| { … })`. Attributes that the closure does not change stay as they are stored, also undeclared ones. If another writer changes the item in between, the closure runs again on the new item, up to 10 times in all (`.attempts(…)`); after that, `send` returns an error whose `is_contended()` is true.
    ///
    /// Sends one `GetItem`, and an `UpdateItem` of the changed attributes for each attempt. The write is applied only if the item still has the `version` and the attributes that were loaded. The second attempt takes the item from the first refusal, and each later one reads it again.
    ///
    /// A refusal is an `Outcome`, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored) or `Stale` (the closure sets an older token). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost and the item no longer shows whether the write was applied, the error is `OutcomeUnknown`: load the item and decide, because a second call can make the change twice.
    ///
    /// Costs 1 read unit per 4 KB of the item and 1 write unit per KB of the item, and each further attempt up to as much again.
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
impl Order
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Order
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
/// An update of [`Order`]: call `paid_at` next.
#[must_use = "nothing is set yet: go on with the name of a ratchet"]
pub struct OrderUpdate(::dyno::command::Update<Order>);
#[automatically_derived]
#[allow(dead_code, reason = "all groups are there, used or not")]
impl OrderUpdate {
    /// Sets `paid`, unless the item has a newer `paid_at`.
    ///
    /// Then give the value: `Order::update(id).paid_at(paid_at).paid(paid)`.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND #version = :version AND (attribute_not_exists(#paid_at) OR #paid_at <= :paid_at)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// With `.unchecked()` in place of `.version(…)`, the update accepts any stored version, and increments it. Its condition only refuses what is no version, or the last one:
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND (attribute_not_exists(#version) OR #version BETWEEN :version AND :version_2) AND (attribute_not_exists(#paid_at) OR #paid_at <= :paid_at)`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored), `Conflict` (another `version` is stored) or `Stale` (a newer `paid_at` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, the error is `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    pub fn paid_at(
        self,
        paid_at: impl ::dyno::value::IntoField<EpochMillis>,
    ) -> OrderUpdatePaidAt<0usize> {
        OrderUpdatePaidAt {
            update: self.0,
            token: ::dyno::value::IntoField::into_field(paid_at),
            changes: ::std::vec::Vec::new(),
        }
    }
}
/// An update of what `paid_at` guards, before all values are set; `SET` counts those that are.
#[must_use = "an update of a group sets all of its fields"]
pub struct OrderUpdatePaidAt<const SET: usize> {
    update: ::dyno::command::Update<Order>,
    token: EpochMillis,
    changes: ::std::vec::Vec<::dyno::Change<Order>>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all groups are there, used or not")]
impl OrderUpdatePaidAt<0usize> {
    /// Sets `paid` in the update of the fields that `paid_at` guards.
    ///
    /// The whole call is `Order::update(id).paid_at(paid_at).paid(paid)`. `paid_at` documents the request, and what a refusal means.
    pub fn paid(
        mut self,
        paid: impl ::dyno::value::IntoField<bool>,
    ) -> ::dyno::command::VersionedUpdate<Order> {
        let value: bool = ::dyno::value::IntoField::into_field(paid);
        self.changes.push(<Order as ::dyno::Entity>::FIELDS.paid.__set(&value));
        ::dyno::command::VersionedUpdate::__of(
            self.update.__group(0usize, &self.token, self.changes),
        )
    }
}
