#[automatically_derived]
impl ::dyno::Entity for Review {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = ReviewFields;
    type Tokens = (EpochMillis, ::dyno::__private::Tied<EpochMillis, String>);
    type Version = ();
    type PutOutput = ::dyno::Outcome<Self>;
    type DeleteOutput = ::dyno::Outcome<Self>;
    const FIELDS: Self::Fields = ReviewFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        rating: ::dyno::__private::attribute::<u8, _, _>("rating"),
        comment: ::dyno::__private::attribute::<Option<String>, _, _>("comment"),
        rated_at: ::dyno::__private::attribute::<EpochMillis, _, _>("rated_at"),
        shipped: ::dyno::__private::attribute::<bool, _, _>("shipped"),
        shipped_at: ::dyno::__private::attribute::<EpochMillis, _, _>("shipped_at"),
        carrier: ::dyno::__private::attribute::<String, _, _>("carrier"),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Review",
        table: ::core::option::Option::Some("reviews"),
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
            Self::FIELDS.rating.__stored("rating"),
            Self::FIELDS.comment.__stored("comment"),
            Self::FIELDS.rated_at.__stored("rated_at"),
            Self::FIELDS.shipped.__stored("shipped"),
            Self::FIELDS.shipped_at.__stored("shipped_at"),
            Self::FIELDS.carrier.__stored("carrier"),
        ],
        ratchets: &[
            ::dyno::__private::Ratchet {
                attribute: "rated_at",
                tiebreak: ::core::option::Option::None,
                strict: false,
                max_ahead_secs: ::core::option::Option::None,
                guards: ::dyno::__private::guards(&["rating", "comment"]),
                inspect: ::dyno::__private::inspect::<EpochMillis>,
                shape: ::dyno::__private::shape::<EpochMillis>(),
                respell: ::dyno::__private::respell::<EpochMillis>,
            },
            ::dyno::__private::Ratchet {
                attribute: "shipped_at",
                tiebreak: ::core::option::Option::Some(
                    ::dyno::__private::tiebreak::<String>("carrier"),
                ),
                strict: false,
                max_ahead_secs: ::core::option::Option::None,
                guards: ::dyno::__private::guards(&["shipped"]),
                inspect: ::dyno::__private::inspect::<EpochMillis>,
                shape: ::dyno::__private::shape::<EpochMillis>(),
                respell: ::dyno::__private::respell::<EpochMillis>,
            },
        ],
        tombstone: ::core::option::Option::Some(::dyno::__private::Tombstone {
            deleted: "deleted",
            ttl: "ttl",
            ttl_days: 30u32,
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
        let mut item = ::dyno::__private::item(7usize);
        fields.id.__codec.put(&mut item, &self.id)?;
        fields.rating.__codec.put(&mut item, &self.rating)?;
        fields.comment.__codec.put(&mut item, &self.comment)?;
        fields.rated_at.__codec.put(&mut item, &self.rated_at)?;
        fields.shipped.__codec.put(&mut item, &self.shipped)?;
        fields.shipped_at.__codec.put(&mut item, &self.shipped_at)?;
        fields.carrier.__codec.put(&mut item, &self.carrier)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            rating: fields.rating.__codec.take(item)?,
            comment: fields.comment.__codec.take(item)?,
            rated_at: fields.rated_at.__codec.take_token(item)?,
            shipped: fields.shipped.__codec.take(item)?,
            shipped_at: fields.shipped_at.__codec.take_token(item)?,
            carrier: fields.carrier.__codec.take(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Review {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Review {}
#[automatically_derived]
impl ::dyno::bound::Tombstoned for Review {}
#[automatically_derived]
impl ::dyno::bound::Purgeable for Review {}
#[automatically_derived]
impl ::dyno::bound::MayExpire for Review {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Review {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Review {}
#[automatically_derived]
impl ::dyno::bound::Hedgeable for Review {}
#[automatically_derived]
impl ::dyno::bound::HedgeableUpdate for Review {}
/// A handle for each stored attribute of [`Review`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub(crate) struct ReviewFields {
    /// The key attribute `id`, which no update can change.
    pub(crate) id: ::dyno::Field<Review, String, ::dyno::field::access::Key>,
    /// The attribute `rating`, which is written only together with its ratchet `rated_at`.
    pub(crate) rating: ::dyno::Field<Review, u8, ::dyno::field::access::Guarded>,
    /// The attribute `comment`, which is written only together with its ratchet `rated_at`.
    pub(crate) comment: ::dyno::Field<
        Review,
        Option<String>,
        ::dyno::field::access::Guarded,
    >,
    /// The ratchet attribute `rated_at`: each update of its group brings its own value.
    pub(crate) rated_at: ::dyno::Field<
        Review,
        EpochMillis,
        ::dyno::field::access::Guarded,
    >,
    /// The attribute `shipped`, which is written only together with its ratchet `shipped_at`.
    pub(crate) shipped: ::dyno::Field<Review, bool, ::dyno::field::access::Guarded>,
    /// The ratchet attribute `shipped_at`: each update of its group brings its own value.
    pub(crate) shipped_at: ::dyno::Field<
        Review,
        EpochMillis,
        ::dyno::field::access::Guarded,
    >,
    /// The attribute `carrier`, which is written only together with its ratchet `shipped_at`.
    pub(crate) carrier: ::dyno::Field<Review, String, ::dyno::field::access::Guarded>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Review {
    /// Returns a handle for each stored attribute of `Review`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> ReviewFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Review`: its `id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Review` with this `id`.
    ///
    /// Sends one `GetItem`. Returns `None` if no item is stored, or only a tombstone. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Requires in a transaction that the live `Review` with this `id` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Review::check(id))`. A tombstone counts as no item.
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
    /// Reads each `Review` with one of these keys: `id`.
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
    /// Reads each `Review` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. A tombstone is skipped. Costs half a read unit per 4 KB of all rows read, including skipped ones, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Review`, unless the stored one has a newer `rated_at` or a newer `shipped_at`.
    ///
    /// At the same `shipped_at`, the greater `carrier` wins. A tombstone with the same `rated_at`, `shipped_at` and `carrier` refuses the write.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#rated_at) OR #rated_at <= :rated_at) AND (attribute_not_exists(#shipped_at) OR #shipped_at < :shipped_at OR (#shipped_at = :shipped_at AND (attribute_not_exists(#carrier) OR #carrier <= :carrier))) AND NOT (#deleted = :deleted AND #rated_at = :rated_at AND #shipped_at = :shipped_at AND (attribute_not_exists(#carrier) OR #carrier = :carrier))`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Stale` (a newer `rated_at` or a newer `shipped_at` is stored, or a tombstone with the same ones). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If it is refused then (`Stale`), it may have been applied before the newer write, which stands.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Creates the `Review` if no live one is stored.
    ///
    /// An older tombstone counts as no item. At the same `shipped_at`, the greater `carrier` wins. A tombstone with the same `rated_at`, `shipped_at` and `carrier` refuses the write.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#id) OR #deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2) AND (attribute_not_exists(#rated_at) OR #rated_at <= :rated_at) AND (attribute_not_exists(#shipped_at) OR #shipped_at < :shipped_at OR (#shipped_at = :shipped_at AND (attribute_not_exists(#carrier) OR #carrier <= :carrier))) AND NOT (#deleted = :deleted AND #rated_at = :rated_at AND #shipped_at = :shipped_at AND (attribute_not_exists(#carrier) OR #carrier = :carrier))`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Exists` (a live item is stored) or `Stale` (a newer `rated_at` or a newer `shipped_at` is stored, or a tombstone with the same ones). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, and can be refused because the first attempt was applied: the stored item is then your own. `accept_stale()` on the outcome returns `Ok(None)` for it, and for a newer one.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Replaces the live `Review`, unless the stored one has a newer `rated_at` or a newer `shipped_at`.
    ///
    /// At the same `shipped_at`, the greater `carrier` wins.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND (attribute_not_exists(#rated_at) OR #rated_at <= :rated_at) AND (attribute_not_exists(#shipped_at) OR #shipped_at < :shipped_at OR (#shipped_at = :shipped_at AND (attribute_not_exists(#carrier) OR #carrier <= :carrier)))`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored) or `Stale` (a newer `rated_at` or a newer `shipped_at` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If it is refused then (`Stale`), it may have been applied before the newer write, which stands. If another rule refuses it, `send` returns an error for which `may_be_applied()` is true.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Writes the `Review` over its tombstone, if the tombstone is older.
    ///
    /// At the same `shipped_at`, the greater `carrier` wins.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#rated_at) OR #rated_at < :rated_at) AND (attribute_not_exists(#shipped_at) OR #shipped_at < :shipped_at OR (#shipped_at = :shipped_at AND #carrier < :carrier)) AND #deleted = :deleted`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `NotDeleted` (a live item is stored), `Missing` (the tombstone is gone: use `create`) or `Stale` (the same or a newer `rated_at` or the same or a newer `shipped_at` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, and can be refused because the first attempt was applied: the stored item is then your own. `accept_stale()` on the outcome returns `Ok(None)` for it, and for a newer one.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn undelete(&self) -> ::dyno::command::Undelete<Self> {
        ::dyno::command::Undelete::new(self)
    }
    /// Changes one group of fields of the live `Review` with this `id`.
    ///
    /// Choose the group by its ratchet, and then give all of its values: `Review::update(id).rated_at(rated_at).rating(rating).comment(comment)` or `Review::update(id).shipped_at((shipped_at, carrier)).shipped(shipped)`. The ratchet's function documents the request.
    #[inline]
    pub fn update(id: impl ::dyno::value::IntoField<String>) -> ReviewUpdate {
        ReviewUpdate(
            ::dyno::command::Update::new(::dyno::value::IntoField::into_field(id)),
        )
    }
    /// Deletes the `Review` with this `id`, unless it has a newer `rated_at` or a newer `shipped_at`.
    ///
    /// Call it as `Review::delete(id, rated_at, (shipped_at, carrier))`. Leaves a tombstone for 30 days, which refuses older writes that arrive late. At the same `shipped_at`, the greater `carrier` wins. If a tombstone with the same `rated_at`, `shipped_at` and `carrier` is stored, the delete counts as applied.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#rated_at) OR #rated_at <= :rated_at) AND (attribute_not_exists(#shipped_at) OR #shipped_at < :shipped_at OR (#shipped_at = :shipped_at AND (attribute_not_exists(#carrier) OR #carrier <= :carrier))) AND NOT (#deleted = :deleted AND #rated_at = :rated_at AND #shipped_at = :shipped_at AND (attribute_not_exists(#carrier) OR #carrier = :carrier))`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Stale` (a newer `rated_at` or a newer `shipped_at` is stored, in an item or a tombstone). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If it is refused then (`Stale`), it may have been applied before the newer write, which stands.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn delete(
        id: impl ::dyno::value::IntoField<String>,
        rated_at: impl ::dyno::value::IntoField<EpochMillis>,
        (
            shipped_at,
            carrier,
        ): (
            impl ::dyno::value::IntoField<EpochMillis>,
            impl ::dyno::value::IntoField<String>,
        ),
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(
            ::dyno::value::IntoField::into_field(id),
            (
                ::dyno::value::IntoField::into_field(rated_at),
                ::dyno::__private::Tied(
                    ::dyno::value::IntoField::into_field(shipped_at),
                    ::dyno::value::IntoField::into_field(carrier),
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
    /// `attribute_not_exists(#id) OR (#deleted = :deleted AND #rated_at = :rated_at AND #shipped_at = :shipped_at AND #carrier = :carrier AND #ttl = :ttl)`
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
impl Review
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Review
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Review
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
/// An update of [`Review`]: call `rated_at` or `shipped_at` next.
#[must_use = "nothing is set yet: go on with the name of a ratchet"]
pub(crate) struct ReviewUpdate(::dyno::command::Update<Review>);
#[automatically_derived]
#[allow(dead_code, reason = "all groups are there, used or not")]
impl ReviewUpdate {
    /// Sets `rating` and `comment`, unless the item has a newer `rated_at`.
    ///
    /// Give all values, in this order: `Review::update(id).rated_at(rated_at).rating(rating).comment(comment)`.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND (attribute_not_exists(#rated_at) OR #rated_at <= :rated_at)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored) or `Stale` (a newer `rated_at` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If it is refused then (`Stale`), it may have been applied before the newer write, which stands. If another rule refuses it, `send` returns an error for which `may_be_applied()` is true.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    pub fn rated_at(
        self,
        rated_at: impl ::dyno::value::IntoField<EpochMillis>,
    ) -> ReviewUpdateRatedAt<0usize> {
        ReviewUpdateRatedAt {
            update: self.0,
            token: ::dyno::value::IntoField::into_field(rated_at),
            changes: ::std::vec::Vec::new(),
        }
    }
    /// Sets `shipped`, unless the item has a newer `shipped_at`.
    ///
    /// Then give the value: `Review::update(id).shipped_at((shipped_at, carrier)).shipped(shipped)`. At the same `shipped_at`, the greater `carrier` wins.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND (attribute_not_exists(#shipped_at) OR #shipped_at < :shipped_at OR (#shipped_at = :shipped_at AND (attribute_not_exists(#carrier) OR #carrier <= :carrier)))`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored) or `Stale` (a newer `shipped_at` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If it is refused then (`Stale`), it may have been applied before the newer write, which stands. If another rule refuses it, `send` returns an error for which `may_be_applied()` is true.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    pub fn shipped_at(
        self,
        (
            shipped_at,
            carrier,
        ): (
            impl ::dyno::value::IntoField<EpochMillis>,
            impl ::dyno::value::IntoField<String>,
        ),
    ) -> ReviewUpdateShippedAt<0usize> {
        ReviewUpdateShippedAt {
            update: self.0,
            token: ::dyno::__private::Tied(
                ::dyno::value::IntoField::into_field(shipped_at),
                ::dyno::value::IntoField::into_field(carrier),
            ),
            changes: ::std::vec::Vec::new(),
        }
    }
}
/// An update of what `rated_at` guards, before all values are set; `SET` counts those that are.
#[must_use = "an update of a group sets all of its fields"]
pub(crate) struct ReviewUpdateRatedAt<const SET: usize> {
    update: ::dyno::command::Update<Review>,
    token: EpochMillis,
    changes: ::std::vec::Vec<::dyno::Change<Review>>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all groups are there, used or not")]
impl ReviewUpdateRatedAt<0usize> {
    /// Sets `rating` in the update of the fields that `rated_at` guards.
    ///
    /// The whole call is `Review::update(id).rated_at(rated_at).rating(rating).comment(comment)`. `rated_at` documents the request, and what a refusal means.
    pub fn rating(
        mut self,
        rating: impl ::dyno::value::IntoField<u8>,
    ) -> ReviewUpdateRatedAt<1usize> {
        let value: u8 = ::dyno::value::IntoField::into_field(rating);
        self.changes.push(<Review as ::dyno::Entity>::FIELDS.rating.__set(&value));
        ReviewUpdateRatedAt {
            update: self.update,
            token: self.token,
            changes: self.changes,
        }
    }
}
#[automatically_derived]
#[allow(dead_code, reason = "all groups are there, used or not")]
impl ReviewUpdateRatedAt<1usize> {
    /// Sets `comment` in the update of the fields that `rated_at` guards.
    ///
    /// The whole call is `Review::update(id).rated_at(rated_at).rating(rating).comment(comment)`. `rated_at` documents the request, and what a refusal means.
    pub fn comment(
        mut self,
        comment: impl ::dyno::value::IntoField<Option<String>>,
    ) -> ::dyno::command::Update<Review> {
        let value: Option<String> = ::dyno::value::IntoField::into_field(comment);
        self.changes.push(<Review as ::dyno::Entity>::FIELDS.comment.__set(&value));
        self.update.__group(0usize, &self.token, self.changes)
    }
}
/// An update of what `shipped_at` guards, before all values are set; `SET` counts those that are.
#[must_use = "an update of a group sets all of its fields"]
pub(crate) struct ReviewUpdateShippedAt<const SET: usize> {
    update: ::dyno::command::Update<Review>,
    token: ::dyno::__private::Tied<EpochMillis, String>,
    changes: ::std::vec::Vec<::dyno::Change<Review>>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all groups are there, used or not")]
impl ReviewUpdateShippedAt<0usize> {
    /// Sets `shipped` in the update of the fields that `shipped_at` guards.
    ///
    /// The whole call is `Review::update(id).shipped_at((shipped_at, carrier)).shipped(shipped)`. `shipped_at` documents the request, and what a refusal means.
    pub fn shipped(
        mut self,
        shipped: impl ::dyno::value::IntoField<bool>,
    ) -> ::dyno::command::Update<Review> {
        let value: bool = ::dyno::value::IntoField::into_field(shipped);
        self.changes.push(<Review as ::dyno::Entity>::FIELDS.shipped.__set(&value));
        self.update.__group(1usize, &self.token, self.changes)
    }
}
