#[automatically_derived]
impl ::dyno::Entity for Session {
    type Key = (String, u64);
    type Partition = String;
    type Sort = u64;
    type Fields = SessionFields;
    type Tokens = ();
    type Version = ();
    type PutOutput = ();
    type DeleteOutput = ();
    const FIELDS: Self::Fields = SessionFields {
        user: ::dyno::__private::attribute::<String, _, _>("user"),
        id: ::dyno::__private::attribute::<u64, _, _>("id"),
        note: ::dyno::__private::attribute::<String, _, _>("n")
            .__or(<String as ::core::default::Default>::default),
        expires: ::dyno::__private::attribute::<Option<EpochSeconds>, _, _>("expires"),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Session",
        table: ::core::option::Option::Some("sessions"),
        partition: ::dyno::__private::KeyAttribute {
            name: "user",
            key_type: ::dyno::__private::key_type::<String>(),
            form: ::dyno::__private::KeyForm::Field(0usize),
        },
        sort: ::core::option::Option::Some(::dyno::__private::KeyAttribute {
            name: "id",
            key_type: ::dyno::__private::key_type::<u64>(),
            form: ::dyno::__private::KeyForm::Field(1usize),
        }),
        key_fields: &["user", "id"],
        key_types: ::dyno::__private::key_types(
            &[
                <String as ::dyno::Value>::__stored_type,
                <u64 as ::dyno::Value>::__stored_type,
            ],
        ),
        attributes: &[
            Self::FIELDS.note.__stored("note"),
            Self::FIELDS.expires.__stored("expires"),
        ],
        ttl: ::core::option::Option::Some(
            ::dyno::__private::ttl::<Option<EpochSeconds>>("expires"),
        ),
        ..::dyno::__private::Schema::PLAIN
    };
    #[inline]
    fn key(&self) -> Self::Key {
        (::core::clone::Clone::clone(&self.user), ::core::clone::Clone::clone(&self.id))
    }
    #[inline]
    fn __encode(&self) -> ::core::result::Result<::dyno::Item, ::dyno::EncodeError> {
        let fields = &Self::FIELDS;
        let mut item = ::dyno::__private::item(4usize);
        fields.user.__codec.put(&mut item, &self.user)?;
        fields.id.__codec.put(&mut item, &self.id)?;
        fields.note.__codec.put(&mut item, &self.note)?;
        fields.expires.__codec.put(&mut item, &self.expires)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            note: fields.note.__codec.take(item)?,
            expires: fields.expires.__codec.take(item)?,
            user: fields.user.__codec.take_key::<String>(item)?,
            id: fields.id.__codec.take_key::<u64>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Session {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Session {}
#[automatically_derived]
impl ::dyno::bound::MayExpire for Session {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Session {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Session {}
#[automatically_derived]
impl ::dyno::bound::Batchable for Session {}
#[automatically_derived]
impl ::dyno::bound::Sorted for Session {}
#[automatically_derived]
#[allow(unused_lifetimes, reason = "it puts the question off to where it is asked")]
impl ::dyno::bound::SortOrdered for Session
where
    for<'__dyno> <u64 as ::dyno::Value>::Kind: ::dyno::value::kind::OrderedKind,
{}
/// A handle for each stored attribute of [`Session`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct SessionFields {
    /// The key attribute `user`, which no update can change.
    pub user: ::dyno::Field<Session, String, ::dyno::field::access::Key>,
    /// The key attribute `id`, which no update can change.
    pub id: ::dyno::Field<Session, u64, ::dyno::field::access::Key>,
    /// The field `note`, stored as the attribute `n`.
    pub note: ::dyno::Field<Session, String>,
    /// The TTL `expires`, after which the item counts as absent.
    pub expires: ::dyno::Field<Session, Option<EpochSeconds>>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Session {
    /// Returns a handle for each stored attribute of `Session`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> SessionFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Session`: its `user` and `id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Session` with this `(user, id)`.
    ///
    /// Sends one `GetItem`. The key is a tuple: `Session::get((user, id))`. Returns `None` if no item is stored, or only one past its TTL. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(
        (
            user,
            id,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<u64>),
    ) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new((
            ::dyno::value::IntoField::into_field(user),
            ::dyno::value::IntoField::into_field(id),
        ))
    }
    /// Requires in a transaction that the live `Session` with this `(user, id)` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Session::check((user, id)))`. An item past its TTL counts as no item.
    ///
    /// Sends one `ConditionCheck`. It holds only if
    /// `attribute_exists(#user) AND NOT #expires BETWEEN :expires AND :expires_2`
    ///
    /// `#expires BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// If the condition does not hold, the transaction is refused: `Missing` (no item is stored) or `Expired` (the item is past its TTL).
    ///
    /// Costs 2 write units per KB of the item.
    #[inline]
    pub fn check(
        (
            user,
            id,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<u64>),
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new((
            ::dyno::value::IntoField::into_field(user),
            ::dyno::value::IntoField::into_field(id),
        ))
    }
    /// Reads each `Session` with one of these keys: `(user, id)`.
    ///
    /// Returns the items in the order of the keys, with `None` for a key without an item, or only one past its TTL. Sends one `BatchGetItem` for every 100 keys, and further ones for keys that DynamoDB leaves unprocessed. Costs half a read unit per 4 KB of each item, twice that with `.consistent()`.
    #[inline]
    pub fn batch_get(
        keys: impl ::core::iter::IntoIterator<
            Item = (
                impl ::dyno::value::IntoField<String>,
                impl ::dyno::value::IntoField<u64>,
            ),
        >,
    ) -> ::dyno::command::BatchGet<Self> {
        ::dyno::command::BatchGet::new(
            ::core::iter::Iterator::map(
                ::core::iter::IntoIterator::into_iter(keys),
                |(user, id)| (
                    ::dyno::value::IntoField::into_field(user),
                    ::dyno::value::IntoField::into_field(id),
                ),
            ),
        )
    }
    /// Reads each `Session` with this `user`, in the order of the sort keys.
    ///
    /// Sends one `Query` for each page, of at most 1 MB: `send` reads one page, `stream` all. An item past its TTL is skipped. Costs half a read unit per 4 KB of all rows read, including skipped ones, twice that with `.consistent()`.
    #[inline]
    pub fn query(
        user: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Query<Self> {
        ::dyno::command::Query::new(::dyno::value::IntoField::into_field(user))
    }
    /// Reads each `Session` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. An item past its TTL is skipped. Costs half a read unit per 4 KB of all rows read, including skipped ones, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Session`, and replaces a stored one.
    ///
    /// Sends one `PutItem` without a condition.
    ///
    /// If the answer is lost, the request is sent again, and a write that came in between is lost.
    ///
    /// Costs 1 write unit per KB of the item.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Creates the `Session` if no live one is stored.
    ///
    /// An item past its TTL counts as no item.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_not_exists(#user) OR #expires BETWEEN :expires AND :expires_2`
    ///
    /// `#expires BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
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
    /// Replaces the `Session` if a live one is stored.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_exists(#user) AND NOT #expires BETWEEN :expires AND :expires_2`
    ///
    /// `#expires BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored) or `Expired` (the item is past its TTL). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, `send` returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Changes attributes of the live `Session` with this `(user, id)`.
    ///
    /// Name the changes with `with`; all other attributes stay as they are: `Session::update((user, id)).with(Session::fields().note.set(note))`.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#user) AND NOT #expires BETWEEN :expires AND :expires_2`
    ///
    /// `#expires BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored) or `Expired` (the item is past its TTL). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, unless it could change the item twice (`add`). If `send` cannot find out whether it was applied, it returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn update(
        (
            user,
            id,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<u64>),
    ) -> ::dyno::command::Update<Self> {
        ::dyno::command::Update::new((
            ::dyno::value::IntoField::into_field(user),
            ::dyno::value::IntoField::into_field(id),
        ))
    }
    /// Deletes the `Session` with this `(user, id)`.
    ///
    /// Call it as `Session::delete((user, id))`.
    ///
    /// Sends one `DeleteItem` without a condition.
    ///
    /// If the answer is lost, the request is sent again, and a write that came in between is lost.
    ///
    /// Costs 1 write unit per KB of the item.
    #[inline]
    pub fn delete(
        (
            user,
            id,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<u64>),
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(
            (
                ::dyno::value::IntoField::into_field(user),
                ::dyno::value::IntoField::into_field(id),
            ),
            (),
            (),
        )
    }
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Session
where
    for<'__dyno> Self: ::dyno::bound::Tombstoned,
{
    pub fn undelete(&self) {}
    pub fn purge() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Session
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Session
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
