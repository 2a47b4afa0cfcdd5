#[automatically_derived]
impl ::dyno::Entity for Document {
    type Key = (String, String);
    type Partition = String;
    type Sort = String;
    type Fields = DocumentFields;
    type Tokens = (EpochMillis,);
    type Version = u32;
    type PutOutput = ::dyno::Outcome<Self, u32>;
    type DeleteOutput = ::dyno::Outcome<Self, u32>;
    const FIELDS: Self::Fields = DocumentFields {
        folder: ::dyno::field::KeyField::<_, String>::__new(0usize),
        name: ::dyno::field::KeyField::<_, String>::__new(1usize),
        body: ::dyno::__private::attribute::<String, _, _>("body"),
        edited_at: ::dyno::__private::attribute::<EpochMillis, _, _>("edited_at"),
        revision: ::dyno::__private::attribute::<u32, _, _>("revision")
            .__or(<u32 as ::core::default::Default>::default),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Document",
        table: ::core::option::Option::Some("documents"),
        partition: ::dyno::__private::KeyAttribute {
            name: "PK",
            key_type: ::dyno::__private::key_type::<::std::string::String>(),
            form: ::dyno::__private::KeyForm::Template(
                &[
                    ::dyno::__private::Segment::Literal("Folder#"),
                    ::dyno::__private::hole::<String>(0usize),
                ],
            ),
        },
        sort: ::core::option::Option::Some(::dyno::__private::KeyAttribute {
            name: "SK",
            key_type: ::dyno::__private::key_type::<::std::string::String>(),
            form: ::dyno::__private::KeyForm::Template(
                &[
                    ::dyno::__private::Segment::Literal("Document#"),
                    ::dyno::__private::hole::<String>(1usize),
                ],
            ),
        }),
        key_fields: &["folder", "name"],
        key_types: ::dyno::__private::key_types(
            &[
                <String as ::dyno::Value>::__stored_type,
                <String as ::dyno::Value>::__stored_type,
            ],
        ),
        attributes: &[
            Self::FIELDS.body.__stored("body"),
            Self::FIELDS.edited_at.__stored("edited_at"),
            Self::FIELDS.revision.__stored("revision"),
        ],
        ratchets: &[
            ::dyno::__private::Ratchet {
                attribute: "edited_at",
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
            deleted: "deleted",
            ttl: "ttl",
            ttl_days: 30u32,
            mark: true,
        }),
        ttl: ::core::option::Option::Some(::dyno::__private::Ttl {
            attribute: "ttl",
        }),
        version: ::core::option::Option::Some(
            ::dyno::__private::version::<u32>("revision"),
        ),
        write_id: ::core::option::Option::Some(::dyno::__private::WriteId {
            attribute: "write",
        }),
        history: ::core::option::Option::Some(::dyno::__private::History {
            mode: ::dyno::__private::Mode::Ordered,
            layout: ::dyno::__private::Layout::SameTable,
            ttl_days: ::core::option::Option::Some(365u32),
        }),
        ..::dyno::__private::Schema::PLAIN
    };
    #[inline]
    fn key(&self) -> Self::Key {
        (
            ::core::clone::Clone::clone(&self.folder),
            ::core::clone::Clone::clone(&self.name),
        )
    }
    #[inline]
    fn __encode(&self) -> ::core::result::Result<::dyno::Item, ::dyno::EncodeError> {
        let fields = &Self::FIELDS;
        let mut item = ::dyno::__private::item(5usize);
        ::dyno::__private::encode_templates(
            Self::SCHEMA,
            &[
                ::dyno::__private::key_field::<String>(&self.folder),
                ::dyno::__private::key_field::<String>(&self.name),
            ],
            &mut item,
        )?;
        fields.body.__codec.put(&mut item, &self.body)?;
        fields.edited_at.__codec.put(&mut item, &self.edited_at)?;
        fields.revision.__codec.put(&mut item, &self.revision)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        let entity = Self {
            body: fields.body.__codec.take(item)?,
            edited_at: fields.edited_at.__codec.take_token(item)?,
            revision: fields.revision.__codec.take(item)?,
            folder: ::dyno::__private::decode_key::<String>(Self::SCHEMA, item, 0usize)?,
            name: ::dyno::__private::decode_key::<String>(Self::SCHEMA, item, 1usize)?,
        };
        ::dyno::__private::check_templates(
            Self::SCHEMA,
            &[
                ::dyno::__private::key_field::<String>(&entity.folder),
                ::dyno::__private::key_field::<String>(&entity.name),
            ],
            item,
        )?;
        ::core::result::Result::Ok(entity)
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Document {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Document {}
#[automatically_derived]
impl ::dyno::bound::Tombstoned for Document {}
#[automatically_derived]
impl ::dyno::bound::Purgeable for Document {}
#[automatically_derived]
impl ::dyno::bound::MayExpire for Document {}
#[automatically_derived]
impl ::dyno::bound::Versioned for Document {}
#[automatically_derived]
impl ::dyno::bound::WithHistory for Document {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Document {}
#[automatically_derived]
impl ::dyno::bound::Hedgeable for Document {}
#[automatically_derived]
impl ::dyno::bound::HedgeableUpdate for Document {}
#[automatically_derived]
impl ::dyno::bound::Sorted for Document {}
#[automatically_derived]
#[allow(unused_lifetimes, reason = "it puts the question off to where it is asked")]
impl ::dyno::bound::SortOrdered for Document
where
    for<'__dyno> <String as ::dyno::Value>::Kind: ::dyno::value::kind::OrderedText,
{}
/// A handle for each stored attribute of [`Document`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct DocumentFields {
    /// The key field `folder`, which no update can change.
    pub folder: ::dyno::field::KeyField<Document, String>,
    /// The key field `name`, which no update can change.
    pub name: ::dyno::field::KeyField<Document, String>,
    /// The attribute `body`.
    pub body: ::dyno::Field<Document, String>,
    /// The ratchet attribute `edited_at`: each write brings its own value.
    pub edited_at: ::dyno::Field<Document, EpochMillis, ::dyno::field::access::Guarded>,
    /// The version `revision`, which dyno counts.
    pub revision: ::dyno::Field<Document, u32, ::dyno::field::access::Counted>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Document {
    /// Returns a handle for each stored attribute of `Document`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> DocumentFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Document`: its `folder` and `name`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Document` with this `(folder, name)`.
    ///
    /// Sends one `GetItem`. The key is a tuple: `Document::get((folder, name))`. Returns `None` if no item is stored, or only a tombstone. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(
        (
            folder,
            name,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<String>),
    ) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new((
            ::dyno::value::IntoField::into_field(folder),
            ::dyno::value::IntoField::into_field(name),
        ))
    }
    /// Requires in a transaction that the live `Document` with this `(folder, name)` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Document::check((folder, name)))`. A tombstone counts as no item.
    ///
    /// Sends one `ConditionCheck`. It holds only if
    /// `attribute_exists(#PK) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// If the condition does not hold, the transaction is refused: `Missing` (no item is stored) or `Deleted` (a tombstone is stored).
    ///
    /// Costs 2 write units per KB of the item.
    #[inline]
    pub fn check(
        (
            folder,
            name,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<String>),
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new((
            ::dyno::value::IntoField::into_field(folder),
            ::dyno::value::IntoField::into_field(name),
        ))
    }
    /// Reads each `Document` with one of these keys: `(folder, name)`.
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
                |(folder, name)| (
                    ::dyno::value::IntoField::into_field(folder),
                    ::dyno::value::IntoField::into_field(name),
                ),
            ),
        )
    }
    /// Reads each `Document` with this `folder`, in the order of the sort keys.
    ///
    /// Sends one `Query` for each page, of at most 1 MB: `send` reads one page, `stream` all. A tombstone is skipped. Costs half a read unit per 4 KB of all rows read, including skipped ones, twice that with `.consistent()`.
    #[inline]
    pub fn query(
        folder: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Query<Self> {
        ::dyno::command::Query::new(::dyno::value::IntoField::into_field(folder))
    }
    /// Reads each `Document` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. A tombstone is skipped. Costs half a read unit per 4 KB of all rows read, including skipped ones, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Document` if its `revision` is still the stored one, or, at 0, if none is stored.
    ///
    /// Stores the next `revision`, which `applied()` of the outcome returns. A tombstone with the same `edited_at` refuses the write.
    ///
    /// Sends one `PutItem`, after a `PutItem` that copies the replaced version into the history. It is applied only if
    /// `NOT #ttl BETWEEN :ttl AND :ttl_2 AND #revision = :revision AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at) AND NOT (#deleted = :deleted AND #edited_at = :edited_at)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// If the version is 0, the condition is:
    /// `attribute_not_exists(#PK) AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at) AND NOT (#deleted = :deleted AND #edited_at = :edited_at)`
    ///
    /// If the version is 0 and a tombstone or an expired item is stored, the write is sent once more, over it. The compared version is then that of the stored row:
    /// `(#deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2) AND #revision = :revision AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at) AND NOT (#deleted = :deleted AND #edited_at = :edited_at)`
    ///
    /// At version 0, a `Query` of the history comes first, because an earlier item with this key may have left revisions. The item then goes with the `PutItem` of its revision in one `TransactWriteItems`.
    ///
    /// A `GetItem` of the replaced version comes first, unless you pass it by `.over(&loaded)`.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Exists` (a live item is stored), `Conflict` (another `revision` is stored, or no item) or `Stale` (a newer `edited_at` is stored, or a tombstone with the same one). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, `send` finds out by the item's write id whether the write was applied. If another writer has changed the item since, the error can be `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item and of its revision, or 2 at version 0.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Creates the `Document` if no live one is stored.
    ///
    /// An older tombstone counts as no item. Stores the next `revision`, which `applied()` of the outcome returns. A tombstone with the same `edited_at` refuses the write.
    ///
    /// Sends one `PutItem` and the `PutItem` of its revision in one `TransactWriteItems`. It is applied only if
    /// `attribute_not_exists(#PK) AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at) AND NOT (#deleted = :deleted AND #edited_at = :edited_at)`
    ///
    /// If a tombstone or an expired item is stored, the write is sent once more, over it. `:version` is then its version, in the condition:
    /// `(#deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2) AND #revision = :revision AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at) AND NOT (#deleted = :deleted AND #edited_at = :edited_at)`
    ///
    /// Before it, a `Query` of the history comes first, because an earlier item with this key may have left revisions.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Exists` (a live item is stored) or `Stale` (a newer `edited_at` is stored, or a tombstone with the same one). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, `send` finds out by the item's write id whether the write was applied. If another writer has changed the item since, the error can be `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 2 write units per KB of the item and of its revision.
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Replaces the live `Document` if its `revision` is still the stored one.
    ///
    /// Stores the next `revision`, which `applied()` of the outcome returns.
    ///
    /// Sends one `PutItem`, after a `PutItem` that copies the replaced version into the history. It is applied only if
    /// `attribute_exists(#PK) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND #revision = :revision AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A `GetItem` of the replaced version comes first, unless you pass it by `.over(&loaded)`.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored), `Conflict` (another `revision` is stored) or `Stale` (a newer `edited_at` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, `send` finds out by the item's write id whether the write was applied. If another writer has changed the item since, the error can be `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item and of its revision.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Writes the `Document` over its tombstone, if the tombstone has the same `revision`.
    ///
    /// First give it the `revision` of the tombstone, which is the next after that of the deleted item. `get(…).include_deleted()` returns the tombstone. Stores the next `revision`, which `applied()` of the outcome returns.
    ///
    /// Sends one `PutItem`, after a `PutItem` that copies the replaced version into the history. It is applied only if
    /// `#revision = :revision AND (attribute_not_exists(#edited_at) OR #edited_at < :edited_at) AND #deleted = :deleted`
    ///
    /// A `GetItem` of the tombstone comes first.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `NotDeleted` (a live item is stored), `Missing` (the tombstone is gone: use `create`), `Conflict` (another `revision` is stored) or `Stale` (the same or a newer `edited_at` is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, `send` finds out by the item's write id whether the write was applied. If another writer has changed the item since, the error can be `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item and of its revision.
    #[inline]
    pub fn undelete(&self) -> ::dyno::command::Undelete<Self> {
        ::dyno::command::Undelete::new(self)
    }
    /// Not available, because each revision in the history is a whole item.
    ///
    /// Use `modify`.
    #[inline]
    pub fn update<__Command>(
        (
            folder,
            name,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<String>),
    ) -> __Command
    where
        for<'__dyno> Self: ::dyno::bound::WithoutHistory,
    {
        let _: ::dyno::command::VersionedUpdate<Self> = ::dyno::command::VersionedUpdate::__of(
            ::dyno::command::Update::new((
                ::dyno::value::IntoField::into_field(folder),
                ::dyno::value::IntoField::into_field(name),
            )),
        );
        ::dyno::__private::absent()
    }
    /// Deletes the `Document` with this `(folder, name)`, if it still has this `revision`.
    ///
    /// Call it as `Document::delete((folder, name), edited_at, revision)`. Leaves a tombstone for 30 days, which refuses older writes that arrive late.
    ///
    /// Sends one `PutItem`, after a `PutItem` that copies the replaced version into the history. It is applied only if
    /// `NOT #ttl BETWEEN :ttl AND :ttl_2 AND #revision = :revision AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at)`
    ///
    /// `#ttl BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later.
    ///
    /// A `GetItem` of the replaced version comes first, unless you pass it by `.over(&loaded)`.
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Deleted` (it is deleted already), `Conflict` (another `revision` is stored, or no item) or `Stale` (a newer `edited_at` is stored, in an item or a tombstone). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, `send` finds out by the item's write id whether the write was applied. If another writer has changed the item since, the error can be `OutcomeUnknown`: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item and of its revision.
    #[inline]
    pub fn delete(
        (
            folder,
            name,
        ): (
            impl ::dyno::value::IntoField<String>,
            impl ::dyno::value::IntoField<String>,
        ),
        edited_at: impl ::dyno::value::IntoField<EpochMillis>,
        revision: impl ::dyno::value::IntoField<u32>,
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(
            (
                ::dyno::value::IntoField::into_field(folder),
                ::dyno::value::IntoField::into_field(name),
            ),
            (::dyno::value::IntoField::into_field(edited_at),),
            ::dyno::value::IntoField::into_field(revision),
        )
    }
    /// Removes this tombstone, if it is still stored unchanged.
    ///
    /// `get(…).include_deleted()` returns the tombstone. DynamoDB also removes it, by its TTL. After a purge, a create that arrives late brings the item back.
    ///
    /// Sends one `DeleteItem`. It is applied only if
    /// `attribute_not_exists(#PK) OR (#deleted = :deleted AND #revision = :revision AND #write = :write AND #edited_at = :edited_at AND #ttl = :ttl)`
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
    /// Loads the live `Document` with this `(folder, name)`, runs the closure on it, and writes it back.
    ///
    /// Call it as `Document::modify((folder, name), |item| { … })`. Attributes that the closure does not change stay as they are stored, also undeclared ones. If another writer changes the item in between, the closure runs again on the new item, up to 10 times in all (`.attempts(…)`); after that, `send` returns an error whose `is_contended()` is true.
    ///
    /// Sends one `GetItem`, and a `PutItem` of the whole item, with its revision, for each attempt. The write is applied only if the item still has the `revision` and the attributes that were loaded. The second attempt takes the item from the first refusal, and each later one reads it again.
    ///
    /// A refusal is an `Outcome`, not an error: `Missing` (no item is stored), `Deleted` (a tombstone is stored) or `Stale` (the closure sets an older token). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost and the item no longer shows whether the write was applied, the error is `OutcomeUnknown`: load the item and decide, because a second call can make the change twice.
    ///
    /// Costs 1 read unit per 4 KB of the item and what a `replace` costs, and each further attempt up to as much again.
    #[inline]
    pub fn modify<__Edit, __EditResult>(
        (
            folder,
            name,
        ): (
            impl ::dyno::value::IntoField<String>,
            impl ::dyno::value::IntoField<String>,
        ),
        __edit: __Edit,
    ) -> ::dyno::command::Modify<Self, __Edit>
    where
        __Edit: ::core::ops::FnMut(&mut Self) -> __EditResult + ::core::marker::Send,
        __EditResult: ::dyno::command::EditResult,
    {
        ::dyno::command::Modify::new(
            (
                ::dyno::value::IntoField::into_field(folder),
                ::dyno::value::IntoField::into_field(name),
            ),
            __edit,
        )
    }
    /// Reads all versions of the `Document` with this `(folder, name)`, newest first.
    ///
    /// `send` reads one page, of at most 1 MB, `stream` all. Sends one `GetItem` of the item, whose version comes first, and one `Query` of the history for each page. Costs 1 read unit per 4 KB of the item, and of all revisions of a page.
    #[inline]
    pub fn revisions(
        (
            folder,
            name,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<String>),
    ) -> ::dyno::command::Revisions<Self> {
        ::dyno::command::Revisions::new((
            ::dyno::value::IntoField::into_field(folder),
            ::dyno::value::IntoField::into_field(name),
        ))
    }
    /// Reads one version, present or past, of the `Document` with this `(folder, name)`.
    ///
    /// Call it as `Document::revision((folder, name), revision)`. Sends one `GetItem` of the history, and one of the item if the history lacks this version. Each costs 1 read unit per 4 KB. Returns `None` if neither has it. The revision of a deletion has no item.
    #[inline]
    pub fn revision(
        (
            folder,
            name,
        ): (
            impl ::dyno::value::IntoField<String>,
            impl ::dyno::value::IntoField<String>,
        ),
        revision: impl ::dyno::value::IntoField<u32>,
    ) -> ::dyno::command::GetRevision<Self> {
        ::dyno::command::GetRevision::new(
            (
                ::dyno::value::IntoField::into_field(folder),
                ::dyno::value::IntoField::into_field(name),
            ),
            ::dyno::value::IntoField::into_field(revision),
        )
    }
    /// Writes an earlier version of the `Document` with this `(folder, name)` as a new version.
    ///
    /// The history keeps all versions. A deleted item is brought back: `Document::rollback((folder, name), revision, edited_at)`. You give `edited_at` of the new version. If the stored row has a newer one, the write is refused (`Stale`).
    ///
    /// Sends the reads of `revision`, and then for each attempt one `GetItem` of the item and the requests of a `put`.
    ///
    /// A refusal is an `Outcome`, not an error: `NoRevision` (the history lacks that version, or it is a deletion). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost and the item no longer shows whether the write was applied, the error is `OutcomeUnknown`: load the item and decide, because a second call can make the change twice.
    ///
    /// Costs 1 read unit per 4 KB of each item and revision that it reads, and what the item's `put` costs.
    #[inline]
    pub fn rollback(
        (
            folder,
            name,
        ): (
            impl ::dyno::value::IntoField<String>,
            impl ::dyno::value::IntoField<String>,
        ),
        revision: impl ::dyno::value::IntoField<u32>,
        edited_at: impl ::dyno::value::IntoField<EpochMillis>,
    ) -> ::dyno::command::Rollback<Self> {
        ::dyno::command::Rollback::new(
            (
                ::dyno::value::IntoField::into_field(folder),
                ::dyno::value::IntoField::into_field(name),
            ),
            ::dyno::value::IntoField::into_field(revision),
            (::dyno::value::IntoField::into_field(edited_at),),
        )
    }
    /// Brings the deleted `Document` with this `(folder, name)` back from its history.
    ///
    /// Writes the last revision that is no deletion, as a new version: `Document::restore((folder, name), edited_at)`. You give `edited_at` of the new version. If the stored row has a newer one, the write is refused (`Stale`).
    ///
    /// Sends three `GetItem`, a `Query` of the history, and the requests of `put`; again, if another writer changes the item in between.
    ///
    /// A refusal is an `Outcome`, not an error: `Exists` (the item is live), `Missing` or `Deleted` (the history has nothing to restore). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, you can send a new `restore`, which is refused with `Exists` if the first one was applied.
    ///
    /// Costs 1 read unit per 4 KB of each item and revision that it reads, and what the item's `put` costs.
    #[inline]
    pub fn restore(
        (
            folder,
            name,
        ): (
            impl ::dyno::value::IntoField<String>,
            impl ::dyno::value::IntoField<String>,
        ),
        edited_at: impl ::dyno::value::IntoField<EpochMillis>,
    ) -> ::dyno::command::Restore<Self> {
        ::dyno::command::Restore::new(
            (
                ::dyno::value::IntoField::into_field(folder),
                ::dyno::value::IntoField::into_field(name),
            ),
            (::dyno::value::IntoField::into_field(edited_at),),
        )
    }
    /// Makes the `Document` with this `(folder, name)` writable again if its history refuses every write.
    ///
    /// Use it if writes are refused with `Recorded`, because the history already has their version, for example after the table was restored from a backup without its history; or with `Corrupt`, because the stored version is not valid. The item gets the version after the newest revision, and the history a revision with it. Nothing else changes.
    ///
    /// Sends one `GetItem` and one `Query`; if the item needs a new version, also one `TransactWriteItems` of its `UpdateItem` and the `PutItem` of its revision. After an error or a lost answer, send it again: it does what is left to do.
    ///
    /// Costs 1 read unit per 4 KB of the item and of the newest revision, and 2 write units per KB of the item and of its revision if the item needs a new version.
    #[inline]
    pub fn repair(
        (
            folder,
            name,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<String>),
    ) -> ::dyno::command::Repair<Self> {
        ::dyno::command::Repair::new((
            ::dyno::value::IntoField::into_field(folder),
            ::dyno::value::IntoField::into_field(name),
        ))
    }
}
