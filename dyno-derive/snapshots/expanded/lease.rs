#[automatically_derived]
impl ::dyno::Entity for Lease {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = LeaseFields;
    type Tokens = (::dyno::__private::Tied<EpochMillis, String>,);
    type Version = ();
    type PutOutput = ::dyno::Outcome<Self>;
    type DeleteOutput = ::dyno::Outcome<Self>;
    const FIELDS: Self::Fields = LeaseFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        at: ::dyno::__private::attribute::<EpochMillis, _, _>("at"),
        writer: ::dyno::__private::attribute::<String, _, _>("writer"),
        expires: ::dyno::__private::attribute::<EpochSeconds, _, _>("expires"),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Lease",
        table: ::core::option::Option::Some("leases"),
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
            Self::FIELDS.at.__stored("at"),
            Self::FIELDS.writer.__stored("writer"),
            Self::FIELDS.expires.__stored("expires"),
        ],
        ratchets: &[
            ::dyno::__private::Ratchet {
                attribute: "at",
                tiebreak: ::core::option::Option::Some(
                    ::dyno::__private::tiebreak::<String>("writer"),
                ),
                strict: true,
                max_ahead_secs: ::core::option::Option::Some(60u32),
                guards: ::dyno::__private::guards(&[]),
                inspect: ::dyno::__private::inspect_time::<EpochMillis>,
                shape: ::dyno::__private::shape::<EpochMillis>(),
                respell: ::dyno::__private::respell::<EpochMillis>,
            },
        ],
        tombstone: ::core::option::Option::Some(::dyno::__private::Tombstone {
            deleted: "deleted",
            ttl: "expires",
            ttl_days: 1u32,
            mark: true,
        }),
        ttl: ::core::option::Option::Some(
            ::dyno::__private::ttl::<EpochSeconds>("expires"),
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
        fields.at.__codec.put(&mut item, &self.at)?;
        fields.writer.__codec.put(&mut item, &self.writer)?;
        fields.expires.__codec.put(&mut item, &self.expires)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            at: fields.at.__codec.take_token(item)?,
            writer: fields.writer.__codec.take(item)?,
            expires: fields.expires.__codec.take(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Lease {}
#[automatically_derived]
impl ::dyno::bound::Tombstoned for Lease {}
#[automatically_derived]
impl ::dyno::bound::Purgeable for Lease {}
#[automatically_derived]
impl ::dyno::bound::MayExpire for Lease {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Lease {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Lease {}
/// A handle for each stored attribute of [`Lease`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct LeaseFields {
    /// The key attribute `id`, which no update can change.
    pub id: ::dyno::Field<Lease, String, ::dyno::field::access::Key>,
    /// The ratchet attribute `at`: each write brings its own value.
    pub at: ::dyno::Field<Lease, EpochMillis, ::dyno::field::access::Guarded>,
    /// The attribute `writer`, which is written only together with its ratchet `at`.
    pub writer: ::dyno::Field<Lease, String, ::dyno::field::access::Guarded>,
    /// The TTL `expires`, after which the item counts as absent.
    pub expires: ::dyno::Field<Lease, EpochSeconds>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Lease {
    /// Returns a handle for each stored attribute of `Lease`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> LeaseFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Lease`: its `id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Lease` with this `id`.
    ///
    /// Sends one `GetItem`. Returns `None` if no item is stored, or only a tombstone or an item past its TTL. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Requires in a transaction that the live `Lease` with this `id` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Lease::check(id))`. A tombstone, or an item past its TTL, counts as no item.
    ///
    /// Sends one `ConditionCheck`. It holds only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #expires BETWEEN :expires AND :expires_2`
    ///
    /// `#expires BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// If the condition does not hold, the transaction is refused: `Missing` (no item is stored), `Deleted` (a tombstone is stored) or `Expired` (the item is past its TTL).
    ///
    /// Costs 2 write units per KB of the item.
    #[inline]
    pub fn check(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new(::dyno::value::IntoField::into_field(id))
    }
    /// Reads each `Lease` with one of these keys: `id`.
    ///
    /// Returns the items in the order of the keys, with `None` for a key without an item, or only a tombstone or an item past its TTL. Sends one `BatchGetItem` for every 100 keys, and further ones for keys that DynamoDB leaves unprocessed. Costs half a read unit per 4 KB of each item, twice that with `.consistent()`.
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
    /// Reads each `Lease` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. A tombstone, or an item past its TTL, is skipped. Costs half a read unit per 4 KB of all rows read, including skipped ones, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Lease`, unless the stored one has the same or a newer `at`.
    ///
    /// At the same `at`, the greater `writer` wins.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#at) OR #at < :at OR (#at = :at AND (attribute_not_exists(#writer) OR #writer < :writer))) AND NOT (#deleted = :deleted AND #at = :at AND (attribute_not_exists(#writer) OR #writer = :writer))`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Stale` (the same or a newer `at` is stored, in an item or a tombstone). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, and can be refused because the first attempt was applied: the stored item is then your own. `accept_stale()` on the outcome returns `Ok(None)` for it, and for a newer one.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Creates the `Lease` if no live one is stored.
    ///
    /// An older tombstone, or an item past its TTL, counts as no item. At the same `at`, the greater `writer` wins.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#id) OR #deleted = :deleted OR #expires BETWEEN :expires AND :expires_2) AND (attribute_not_exists(#at) OR #at < :at OR (#at = :at AND (attribute_not_exists(#writer) OR #writer < :writer))) AND NOT (#deleted = :deleted AND #at = :at AND (attribute_not_exists(#writer) OR #writer = :writer))`
    ///
    /// `#expires BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Exists` (a live item is stored) or `Stale` (the same or a newer `at` is stored, in an item or a tombstone). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, and can be refused because the first attempt was applied: the stored item is then your own. `accept_stale()` on the outcome returns `Ok(None)` for it, and for a newer one.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Replaces the live `Lease`, unless the stored one has the same or a newer `at`.
    ///
    /// At the same `at`, the greater `writer` wins.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #expires BETWEEN :expires AND :expires_2 AND (attribute_not_exists(#at) OR #at < :at OR (#at = :at AND (attribute_not_exists(#writer) OR #writer < :writer)))`
    ///
    /// `#expires BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored), `Expired` (the item is past its TTL) or `Stale` (the same or a newer `at` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, and can be refused because the first attempt was applied: the stored item is then your own. `accept_stale()` on the outcome returns `Ok(None)` for it, and for a newer one.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Writes the `Lease` over its tombstone, if the tombstone is older.
    ///
    /// At the same `at`, the greater `writer` wins.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#at) OR #at < :at OR (#at = :at AND #writer < :writer)) AND #deleted = :deleted`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `NotDeleted` (a live item is stored), `Missing` (the tombstone is gone: use `create`) or `Stale` (the same or a newer `at` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, and can be refused because the first attempt was applied: the stored item is then your own. `accept_stale()` on the outcome returns `Ok(None)` for it, and for a newer one.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn undelete(&self) -> ::dyno::command::Undelete<Self> {
        ::dyno::command::Undelete::new(self)
    }
    /// Not available, because the ratchet guards the whole item.
    ///
    /// Use `put`, or give the ratchet a group of fields: `#[ratchet(guards(…))]`.
    #[inline]
    pub fn update<__Command>(id: impl ::dyno::value::IntoField<String>) -> __Command
    where
        for<'__dyno> Self: ::dyno::bound::Updatable,
    {
        let _: ::dyno::command::Update<Self> = ::dyno::command::Update::new(
            ::dyno::value::IntoField::into_field(id),
        );
        ::dyno::__private::absent()
    }
    /// Deletes the `Lease` with this `id`, unless it has the same or a newer `at`.
    ///
    /// Call it as `Lease::delete(id, (at, writer))`. Leaves a tombstone for a day, which refuses older writes that arrive late. At the same `at`, the greater `writer` wins. If a tombstone with the same `at` and `writer` is stored, the delete counts as applied.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#at) OR #at < :at OR (#at = :at AND (attribute_not_exists(#writer) OR #writer < :writer))) AND NOT (#deleted = :deleted AND #at = :at AND (attribute_not_exists(#writer) OR #writer = :writer))`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Stale` (the same or a newer `at` is stored, or a tombstone with newer ones). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If it is refused then (`Stale`), it may have been applied before the newer write, which stands.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn delete(
        id: impl ::dyno::value::IntoField<String>,
        (
            at,
            writer,
        ): (
            impl ::dyno::value::IntoField<EpochMillis>,
            impl ::dyno::value::IntoField<String>,
        ),
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(
            ::dyno::value::IntoField::into_field(id),
            (
                ::dyno::__private::Tied(
                    ::dyno::value::IntoField::into_field(at),
                    ::dyno::value::IntoField::into_field(writer),
                ),
            ),
            (),
        )
    }
    /// Removes this tombstone, if it is still stored unchanged.
    ///
    /// `get(…).include_deleted()` returns the tombstone. DynamoDB also removes it, by its TTL. After a purge, an older write that arrives late brings the item back.
    ///
    /// Sends one `DeleteItem`. It is applied only if
    /// `attribute_not_exists(#id) OR (#deleted = :deleted AND #at = :at AND #writer = :writer AND #expires = :expires)`
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
impl Lease
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Lease
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Lease
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
