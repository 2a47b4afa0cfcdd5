#[automatically_derived]
impl ::dyno::Entity for Rating {
    type Key = (String, String);
    type Partition = String;
    type Sort = String;
    type Fields = RatingFields;
    type Tokens = (EpochMillis,);
    type Version = ();
    type PutOutput = ::dyno::Outcome<Self>;
    type DeleteOutput = ::dyno::Outcome<Self>;
    const FIELDS: Self::Fields = RatingFields {
        user_id: ::dyno::field::KeyField::<_, String>::__new(0usize),
        movie_id: ::dyno::field::KeyField::<_, String>::__new(1usize),
        rating: ::dyno::__private::attribute::<u8, _, _>("Rating"),
        timestamp: ::dyno::__private::attribute::<EpochMillis, _, _>("Timestamp"),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Rating",
        table: ::core::option::Option::Some("ratings"),
        partition: ::dyno::__private::KeyAttribute {
            name: "PK",
            key_type: ::dyno::__private::key_type::<::std::string::String>(),
            form: ::dyno::__private::KeyForm::Template(
                &[
                    ::dyno::__private::Segment::Literal("User#"),
                    ::dyno::__private::hole::<String>(0usize),
                ],
            ),
        },
        sort: ::core::option::Option::Some(::dyno::__private::KeyAttribute {
            name: "SK",
            key_type: ::dyno::__private::key_type::<::std::string::String>(),
            form: ::dyno::__private::KeyForm::Template(
                &[
                    ::dyno::__private::Segment::Literal("Movie#"),
                    ::dyno::__private::hole::<String>(1usize),
                ],
            ),
        }),
        key_fields: &["user_id", "movie_id"],
        key_types: ::dyno::__private::key_types(
            &[
                <String as ::dyno::Value>::__stored_type,
                <String as ::dyno::Value>::__stored_type,
            ],
        ),
        attributes: &[
            Self::FIELDS.rating.__stored("rating"),
            Self::FIELDS.timestamp.__stored("timestamp"),
        ],
        ratchets: &[
            ::dyno::__private::Ratchet {
                attribute: "Timestamp",
                tiebreak: ::core::option::Option::None,
                strict: false,
                max_ahead_secs: ::core::option::Option::None,
                guards: ::dyno::__private::guards(&[]),
                inspect: ::dyno::__private::inspect::<EpochMillis>,
                shape: ::dyno::__private::shape::<EpochMillis>(),
                respell: ::dyno::__private::respell::<EpochMillis>,
            },
        ],
        tombstone: ::core::option::Option::Some(::dyno::__private::Tombstone {
            deleted: "Deleted",
            ttl: "TTL",
            ttl_days: 7u32,
            mark: true,
        }),
        ttl: ::core::option::Option::Some(::dyno::__private::Ttl {
            attribute: "TTL",
        }),
        ..::dyno::__private::Schema::PLAIN
    };
    #[inline]
    fn key(&self) -> Self::Key {
        (
            ::core::clone::Clone::clone(&self.user_id),
            ::core::clone::Clone::clone(&self.movie_id),
        )
    }
    #[inline]
    fn __encode(&self) -> ::core::result::Result<::dyno::Item, ::dyno::EncodeError> {
        let fields = &Self::FIELDS;
        let mut item = ::dyno::__private::item(4usize);
        ::dyno::__private::encode_templates(
            Self::SCHEMA,
            &[
                ::dyno::__private::key_field::<String>(&self.user_id),
                ::dyno::__private::key_field::<String>(&self.movie_id),
            ],
            &mut item,
        )?;
        fields.rating.__codec.put(&mut item, &self.rating)?;
        fields.timestamp.__codec.put(&mut item, &self.timestamp)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        let entity = Self {
            rating: fields.rating.__codec.take(item)?,
            timestamp: fields.timestamp.__codec.take_token(item)?,
            user_id: ::dyno::__private::decode_key::<
                String,
            >(Self::SCHEMA, item, 0usize)?,
            movie_id: ::dyno::__private::decode_key::<
                String,
            >(Self::SCHEMA, item, 1usize)?,
        };
        ::dyno::__private::check_templates(
            Self::SCHEMA,
            &[
                ::dyno::__private::key_field::<String>(&entity.user_id),
                ::dyno::__private::key_field::<String>(&entity.movie_id),
            ],
            item,
        )?;
        ::core::result::Result::Ok(entity)
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Rating {}
#[automatically_derived]
impl ::dyno::bound::Tombstoned for Rating {}
#[automatically_derived]
impl ::dyno::bound::Purgeable for Rating {}
#[automatically_derived]
impl ::dyno::bound::MayExpire for Rating {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Rating {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Rating {}
#[automatically_derived]
impl ::dyno::bound::Hedgeable for Rating {}
#[automatically_derived]
impl ::dyno::bound::HedgeableUpdate for Rating {}
#[automatically_derived]
impl ::dyno::bound::Sorted for Rating {}
#[automatically_derived]
#[allow(unused_lifetimes, reason = "it puts the question off to where it is asked")]
impl ::dyno::bound::SortOrdered for Rating
where
    for<'__dyno> <String as ::dyno::Value>::Kind: ::dyno::value::kind::OrderedText,
{}
/// A handle for each stored attribute of [`Rating`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct RatingFields {
    /// The key field `user_id`, which no update can change.
    pub user_id: ::dyno::field::KeyField<Rating, String>,
    /// The key field `movie_id`, which no update can change.
    pub movie_id: ::dyno::field::KeyField<Rating, String>,
    /// The field `rating`, stored as the attribute `Rating`.
    pub rating: ::dyno::Field<Rating, u8>,
    /// The ratchet attribute `Timestamp`: each write brings its own value.
    pub timestamp: ::dyno::Field<Rating, EpochMillis, ::dyno::field::access::Guarded>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Rating {
    /// Returns a handle for each stored attribute of `Rating`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> RatingFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Rating`: its `user_id` and `movie_id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Rating` with this `(user_id, movie_id)`.
    ///
    /// Sends one `GetItem`. The key is a tuple: `Rating::get((user_id, movie_id))`. Returns `None` if no item is stored, or only a tombstone. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(
        (
            user_id,
            movie_id,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<String>),
    ) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new((
            ::dyno::value::IntoField::into_field(user_id),
            ::dyno::value::IntoField::into_field(movie_id),
        ))
    }
    /// Requires in a transaction that the live `Rating` with this `(user_id, movie_id)` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Rating::check((user_id, movie_id)))`. A tombstone counts as no item.
    ///
    /// Sends one `ConditionCheck`. It holds only if
    /// `attribute_exists(#PK) AND NOT #Deleted = :Deleted AND NOT #TTL BETWEEN :TTL AND :TTL_2`
    ///
    /// `#TTL BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// If the condition does not hold, the transaction is refused: `Missing` (no item is stored) or `Deleted` (a tombstone is stored).
    ///
    /// Costs 2 write units per KB of the item.
    #[inline]
    pub fn check(
        (
            user_id,
            movie_id,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<String>),
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new((
            ::dyno::value::IntoField::into_field(user_id),
            ::dyno::value::IntoField::into_field(movie_id),
        ))
    }
    /// Reads each `Rating` with one of these keys: `(user_id, movie_id)`.
    ///
    /// Returns the items in the order of the keys, with `None` for a key without an item, or only a tombstone. Sends one `BatchGetItem` for every 100 keys, and further ones for keys that DynamoDB leaves unprocessed. Costs half a read unit per 4 KB of each item, twice that with `.consistent()`.
    #[inline]
    pub fn batch_get(
        keys: impl ::core::iter::IntoIterator<
            Item = (
                impl ::dyno::value::IntoField<String>,
                impl ::dyno::value::IntoField<String>,
            ),
        >,
    ) -> ::dyno::command::BatchGet<Self> {
        ::dyno::command::BatchGet::new(
            ::core::iter::Iterator::map(
                ::core::iter::IntoIterator::into_iter(keys),
                |(user_id, movie_id)| (
                    ::dyno::value::IntoField::into_field(user_id),
                    ::dyno::value::IntoField::into_field(movie_id),
                ),
            ),
        )
    }
    /// Reads each `Rating` with this `user_id`, in the order of the sort keys.
    ///
    /// Sends one `Query` for each page, of at most 1 MB: `send` reads one page, `stream` all. A tombstone is skipped. Costs half a read unit per 4 KB of all rows read, including skipped ones, twice that with `.consistent()`.
    #[inline]
    pub fn query(
        user_id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Query<Self> {
        ::dyno::command::Query::new(::dyno::value::IntoField::into_field(user_id))
    }
    /// Reads each `Rating` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. A tombstone is skipped. Costs half a read unit per 4 KB of all rows read, including skipped ones, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Rating`, unless the stored one has a newer `timestamp`.
    ///
    /// A tombstone with the same `timestamp` refuses the write.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#Timestamp) OR #Timestamp <= :Timestamp) AND NOT (#Deleted = :Deleted AND #Timestamp = :Timestamp)`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Stale` (a newer `timestamp` is stored, or a tombstone with the same one). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If it is refused then (`Stale`), it may have been applied before the newer write, which stands.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Creates the `Rating` if no live one is stored.
    ///
    /// An older tombstone counts as no item. A tombstone with the same `timestamp` refuses the write.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#PK) OR #Deleted = :Deleted OR #TTL BETWEEN :TTL AND :TTL_2) AND (attribute_not_exists(#Timestamp) OR #Timestamp <= :Timestamp) AND NOT (#Deleted = :Deleted AND #Timestamp = :Timestamp)`
    ///
    /// `#TTL BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Exists` (a live item is stored) or `Stale` (a newer `timestamp` is stored, or a tombstone with the same one). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, and can be refused because the first attempt was applied: the stored item is then your own. `accept_stale()` on the outcome returns `Ok(None)` for it, and for a newer one.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Replaces the live `Rating`, unless the stored one has a newer `timestamp`.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_exists(#PK) AND NOT #Deleted = :Deleted AND NOT #TTL BETWEEN :TTL AND :TTL_2 AND (attribute_not_exists(#Timestamp) OR #Timestamp <= :Timestamp)`
    ///
    /// `#TTL BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored) or `Stale` (a newer `timestamp` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If it is refused then (`Stale`), it may have been applied before the newer write, which stands. If another rule refuses it, `send` returns an error for which `may_be_applied()` is true.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Writes the `Rating` over its tombstone, if the tombstone is older.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#Timestamp) OR #Timestamp < :Timestamp) AND #Deleted = :Deleted`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `NotDeleted` (a live item is stored), `Missing` (the tombstone is gone: use `create`) or `Stale` (the same or a newer `timestamp` is stored). `Reason` lists rarer reasons.
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
    pub fn update<__Command>(
        (
            user_id,
            movie_id,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<String>),
    ) -> __Command
    where
        for<'__dyno> Self: ::dyno::bound::Updatable,
    {
        let _: ::dyno::command::Update<Self> = ::dyno::command::Update::new((
            ::dyno::value::IntoField::into_field(user_id),
            ::dyno::value::IntoField::into_field(movie_id),
        ));
        ::dyno::__private::absent()
    }
    /// Deletes the `Rating` with this `(user_id, movie_id)`, unless it has a newer `timestamp`.
    ///
    /// Call it as `Rating::delete((user_id, movie_id), timestamp)`. Leaves a tombstone for 7 days, which refuses older writes that arrive late. If a tombstone with the same `timestamp` is stored, the delete counts as applied.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `(attribute_not_exists(#Timestamp) OR #Timestamp <= :Timestamp) AND NOT (#Deleted = :Deleted AND #Timestamp = :Timestamp)`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Stale` (a newer `timestamp` is stored, in an item or a tombstone). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If it is refused then (`Stale`), it may have been applied before the newer write, which stands.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn delete(
        (
            user_id,
            movie_id,
        ): (
            impl ::dyno::value::IntoField<String>,
            impl ::dyno::value::IntoField<String>,
        ),
        timestamp: impl ::dyno::value::IntoField<EpochMillis>,
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(
            (
                ::dyno::value::IntoField::into_field(user_id),
                ::dyno::value::IntoField::into_field(movie_id),
            ),
            (::dyno::value::IntoField::into_field(timestamp),),
            (),
        )
    }
    /// Removes this tombstone, if it is still stored unchanged.
    ///
    /// `get(…).include_deleted()` returns the tombstone. DynamoDB also removes it, by its TTL. After a purge, an older write that arrives late brings the item back.
    ///
    /// Sends one `DeleteItem`. It is applied only if
    /// `attribute_not_exists(#PK) OR (#Deleted = :Deleted AND #Timestamp = :Timestamp AND #TTL = :TTL)`
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
impl Rating
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Rating
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
