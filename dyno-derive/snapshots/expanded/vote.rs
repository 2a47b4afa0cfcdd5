#[automatically_derived]
impl ::dyno::Entity for Vote {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = VoteFields;
    type Tokens = (EpochMillis,);
    type Version = ();
    type PutOutput = ::dyno::Outcome<Self>;
    type DeleteOutput = ::dyno::Outcome<Self>;
    const FIELDS: Self::Fields = VoteFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        voter: ::dyno::__private::attribute::<String, _, _>("voter"),
        choice: ::dyno::__private::attribute::<u32, _, _>("choice"),
        at: ::dyno::__private::attribute::<EpochMillis, _, _>("at"),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Vote",
        table: ::core::option::Option::Some("votes"),
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
            Self::FIELDS.voter.__stored("voter"),
            Self::FIELDS.choice.__stored("choice"),
            Self::FIELDS.at.__stored("at"),
        ],
        ratchets: &[
            ::dyno::__private::Ratchet {
                attribute: "at",
                tiebreak: ::core::option::Option::None,
                strict: false,
                max_ahead_secs: ::core::option::Option::None,
                guards: ::dyno::__private::guards(&["voter", "choice"]),
                inspect: ::dyno::__private::inspect::<EpochMillis>,
                shape: ::dyno::__private::shape::<EpochMillis>(),
                respell: ::dyno::__private::respell::<EpochMillis>,
            },
        ],
        immutable: &["voter"],
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
        let mut item = ::dyno::__private::item(4usize);
        fields.id.__codec.put(&mut item, &self.id)?;
        fields.voter.__codec.put(&mut item, &self.voter)?;
        fields.choice.__codec.put(&mut item, &self.choice)?;
        fields.at.__codec.put(&mut item, &self.at)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            voter: fields.voter.__codec.take(item)?,
            choice: fields.choice.__codec.take(item)?,
            at: fields.at.__codec.take_token(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Vote {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Vote {}
#[automatically_derived]
impl ::dyno::bound::Tombstoned for Vote {}
#[automatically_derived]
impl ::dyno::bound::Purgeable for Vote {}
#[automatically_derived]
impl ::dyno::bound::MayExpire for Vote {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Vote {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Vote {}
#[automatically_derived]
impl ::dyno::bound::Hedgeable for Vote {}
#[automatically_derived]
impl ::dyno::bound::HedgeableUpdate for Vote {}
/// A handle for each stored attribute of [`Vote`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct VoteFields {
    /// The key attribute `id`, which no update can change.
    pub id: ::dyno::Field<Vote, String, ::dyno::field::access::Key>,
    /// The attribute `voter`, which is written only together with its ratchet `at`.
    pub voter: ::dyno::Field<Vote, String, ::dyno::field::access::Guarded>,
    /// The attribute `choice`, which is written only together with its ratchet `at`.
    pub choice: ::dyno::Field<Vote, u32, ::dyno::field::access::Guarded>,
    /// The ratchet attribute `at`: each update of its group brings its own value.
    pub at: ::dyno::Field<Vote, EpochMillis, ::dyno::field::access::Guarded>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Vote {
    /// Returns a handle for each stored attribute of `Vote`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> VoteFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Vote`: its `id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Vote` with this `id`.
    ///
    /// Sends one `GetItem`. Returns `None` if no item is stored, or only a tombstone. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Requires in a transaction that the live `Vote` with this `id` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Vote::check(id))`. A tombstone counts as no item.
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
    /// Reads each `Vote` with one of these keys: `id`.
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
    /// Reads each `Vote` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. A tombstone is skipped. Costs half a read unit per 4 KB of all rows read, including skipped ones, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Vote`, unless the stored one has a newer `at`.
    ///
    /// Refused if a live item has another value in `voter`. A tombstone with the same `at` refuses the write.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#at) OR #at <= :at) AND (#deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2 OR (attribute_not_exists(#voter) OR #voter = :voter)) AND NOT (#deleted = :deleted AND #at = :at)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Stale` (a newer `at` is stored, or a tombstone with the same one) or `Immutable` (another `voter` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If it is refused then (`Stale`), it may have been applied before the newer write, which stands. If another rule refuses it, `send` returns an error for which `may_be_applied()` is true.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Creates the `Vote` if no live one is stored.
    ///
    /// An older tombstone counts as no item. A tombstone with the same `at` refuses the write.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#id) OR #deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2) AND (attribute_not_exists(#at) OR #at <= :at) AND NOT (#deleted = :deleted AND #at = :at)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Exists` (a live item is stored) or `Stale` (a newer `at` is stored, or a tombstone with the same one). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, and can be refused because the first attempt was applied: the stored item is then your own. `accept_stale()` on the outcome returns `Ok(None)` for it, and for a newer one.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Replaces the live `Vote`, unless the stored one has a newer `at`.
    ///
    /// Refused if a live item has another value in `voter`.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND (attribute_not_exists(#at) OR #at <= :at) AND (attribute_not_exists(#voter) OR #voter = :voter)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored), `Stale` (a newer `at` is stored) or `Immutable` (another `voter` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If it is refused then (`Stale`), it may have been applied before the newer write, which stands. If another rule refuses it, `send` returns an error for which `may_be_applied()` is true.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Writes the `Vote` over its tombstone, if the tombstone is older.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#at) OR #at < :at) AND #deleted = :deleted`
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
    /// Changes one group of fields of the live `Vote` with this `id`.
    ///
    /// Choose the group by its ratchet, and then give all of its values: `Vote::update(id).at(at).voter(voter).choice(choice)`. The ratchet's function documents the request.
    #[inline]
    pub fn update(id: impl ::dyno::value::IntoField<String>) -> VoteUpdate {
        VoteUpdate(
            ::dyno::command::Update::new(::dyno::value::IntoField::into_field(id)),
        )
    }
    /// Deletes the `Vote` with this `id`, unless it has a newer `at`.
    ///
    /// Call it as `Vote::delete(id, at)`. Leaves a tombstone for 7 days, which refuses older writes that arrive late. If a tombstone with the same `at` is stored, the delete counts as applied.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#at) OR #at <= :at) AND NOT (#deleted = :deleted AND #at = :at)`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Stale` (a newer `at` is stored, in an item or a tombstone). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If it is refused then (`Stale`), it may have been applied before the newer write, which stands.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn delete(
        id: impl ::dyno::value::IntoField<String>,
        at: impl ::dyno::value::IntoField<EpochMillis>,
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(
            ::dyno::value::IntoField::into_field(id),
            (::dyno::value::IntoField::into_field(at),),
            (),
        )
    }
    /// Removes this tombstone, if it is still stored unchanged.
    ///
    /// `get(…).include_deleted()` returns the tombstone. DynamoDB also removes it, by its TTL. After a purge, an older write that arrives late brings the item back.
    ///
    /// Sends one `DeleteItem`. It is applied only if
    /// `attribute_not_exists(#id) OR (#deleted = :deleted AND #at = :at AND #ttl = :ttl)`
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
impl Vote
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Vote
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Vote
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
/// An update of [`Vote`]: call `at` next.
#[must_use = "nothing is set yet: go on with the name of a ratchet"]
pub struct VoteUpdate(::dyno::command::Update<Vote>);
#[automatically_derived]
#[allow(dead_code, reason = "all groups are there, used or not")]
impl VoteUpdate {
    /// Sets `voter` and `choice`, unless the item has a newer `at`.
    ///
    /// Give all values, in this order: `Vote::update(id).at(at).voter(voter).choice(choice)`.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND (attribute_not_exists(#at) OR #at <= :at) AND (attribute_not_exists(#voter) OR #voter = :voter)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored) or `Stale` (a newer `at` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If it is refused then (`Stale`), it may have been applied before the newer write, which stands. If another rule refuses it, `send` returns an error for which `may_be_applied()` is true.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    pub fn at(
        self,
        at: impl ::dyno::value::IntoField<EpochMillis>,
    ) -> VoteUpdateAt<0usize> {
        VoteUpdateAt {
            update: self.0,
            token: ::dyno::value::IntoField::into_field(at),
            changes: ::std::vec::Vec::new(),
        }
    }
}
/// An update of what `at` guards, before all values are set; `SET` counts those that are.
#[must_use = "an update of a group sets all of its fields"]
pub struct VoteUpdateAt<const SET: usize> {
    update: ::dyno::command::Update<Vote>,
    token: EpochMillis,
    changes: ::std::vec::Vec<::dyno::Change<Vote>>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all groups are there, used or not")]
impl VoteUpdateAt<0usize> {
    /// Sets `voter` in the update of the fields that `at` guards.
    ///
    /// The whole call is `Vote::update(id).at(at).voter(voter).choice(choice)`. `at` documents the request, and what a refusal means.
    pub fn voter(
        mut self,
        voter: impl ::dyno::value::IntoField<String>,
    ) -> VoteUpdateAt<1usize> {
        let value: String = ::dyno::value::IntoField::into_field(voter);
        self.changes.push(<Vote as ::dyno::Entity>::FIELDS.voter.__set(&value));
        VoteUpdateAt {
            update: self.update,
            token: self.token,
            changes: self.changes,
        }
    }
}
#[automatically_derived]
#[allow(dead_code, reason = "all groups are there, used or not")]
impl VoteUpdateAt<1usize> {
    /// Sets `choice` in the update of the fields that `at` guards.
    ///
    /// The whole call is `Vote::update(id).at(at).voter(voter).choice(choice)`. `at` documents the request, and what a refusal means.
    pub fn choice(
        mut self,
        choice: impl ::dyno::value::IntoField<u32>,
    ) -> ::dyno::command::Update<Vote> {
        let value: u32 = ::dyno::value::IntoField::into_field(choice);
        self.changes.push(<Vote as ::dyno::Entity>::FIELDS.choice.__set(&value));
        self.update.__group(0usize, &self.token, self.changes)
    }
}
