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
///The stored attributes of [`Document`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct DocumentFields {
    ///`folder`, which stands in the key
    pub folder: ::dyno::field::KeyField<Document, String>,
    ///`name`, which stands in the key
    pub name: ::dyno::field::KeyField<Document, String>,
    ///`body`
    pub body: ::dyno::Field<Document, String>,
    ///`edited_at`
    pub edited_at: ::dyno::Field<Document, EpochMillis, ::dyno::field::access::Guarded>,
    ///`revision`
    pub revision: ::dyno::Field<Document, u32, ::dyno::field::access::Counted>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Document {
    /// The stored attributes, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> DocumentFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// The entity's key.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the item at this key. A tombstone, or an item past its TTL, counts as absent.
    ///
    /// One `GetItem`.
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
    /// Demands, in a transaction, that a live item is at this key.
    ///
    /// One `ConditionCheck`, refused unless
    /// `attribute_exists(#PK) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2`
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
    /// Reads the items at these keys, in their order. A tombstone, or an item past its TTL, counts as absent.
    ///
    /// One `BatchGetItem` for every 100 keys, and again what it leaves unprocessed.
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
    /// Reads the items of this partition, in the order of their sort keys. A tombstone, or an item past its TTL, is passed over.
    ///
    /// One `Query` a page, of at most 1 MB.
    #[inline]
    pub fn query(
        folder: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Query<Self> {
        ::dyno::command::Query::new(::dyno::value::IntoField::into_field(folder))
    }
    /// Reads all items of the table, in no order. A tombstone, or an item past its TTL, is passed over.
    ///
    /// One `Scan` a page, of at most 1 MB.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the item over the version it was loaded as; with version 0, where there is none.
    ///
    /// One `PutItem` behind the `PutItem` of the revision that it supersedes, refused unless
    /// `NOT #ttl BETWEEN :ttl AND :ttl_2 AND #revision = :revision AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at) AND NOT (#deleted = :deleted AND #edited_at = :edited_at)`
    ///
    /// Of version 0:
    /// `attribute_not_exists(#PK) AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at) AND NOT (#deleted = :deleted AND #edited_at = :edited_at)`
    ///
    /// And if that finds what counts as absent, once more:
    /// `(#deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2) AND #revision = :revision AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at) AND NOT (#deleted = :deleted AND #edited_at = :edited_at)`
    ///
    /// Of version 0, a `Query` of the history comes first, since there may have been an item before, and the item goes with the `PutItem` of its revision in one `TransactWriteItems`.
    ///
    /// A `GetItem` of what is superseded comes first, unless `over` says what that is.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Writes the item where there is none, or a tombstone, or one past its TTL.
    ///
    /// One `PutItem` and the `PutItem` of its revision in one `TransactWriteItems`, refused unless
    /// `attribute_not_exists(#PK) AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at) AND NOT (#deleted = :deleted AND #edited_at = :edited_at)`
    ///
    /// And if that finds what counts as absent, once more:
    /// `(#deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2) AND #revision = :revision AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at) AND NOT (#deleted = :deleted AND #edited_at = :edited_at)`
    ///
    /// A `Query` of the history comes first: there may have been an item before.
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Writes the item over the version it was loaded as.
    ///
    /// One `PutItem` behind the `PutItem` of the revision that it supersedes, refused unless
    /// `attribute_exists(#PK) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND #revision = :revision AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at)`
    ///
    /// A `GetItem` of what is superseded comes first, unless `over` says what that is.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Writes the item over the tombstone of its version.
    ///
    /// One `PutItem` behind the `PutItem` of the revision that it supersedes, refused unless
    /// `#revision = :revision AND (attribute_not_exists(#edited_at) OR #edited_at < :edited_at) AND #deleted = :deleted`
    ///
    /// A `GetItem` of what is superseded comes first, unless `over` says what that is.
    #[inline]
    pub fn undelete(&self) -> ::dyno::command::Undelete<Self> {
        ::dyno::command::Undelete::new(self)
    }
    /// Not available: a revision is a whole item. See `modify`.
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
    /// Leaves a tombstone at this key for 30 days, if the item is still of this version. It keeps older writes out.
    ///
    /// One `PutItem` behind the `PutItem` of the revision that it supersedes, refused unless
    /// `NOT #ttl BETWEEN :ttl AND :ttl_2 AND #revision = :revision AND (attribute_not_exists(#edited_at) OR #edited_at <= :edited_at)`
    ///
    /// A `GetItem` of what is superseded comes first, unless `over` says what that is.
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
    /// Removes a tombstone, if it is still this one.
    ///
    /// One `DeleteItem`, refused unless
    /// `attribute_not_exists(#PK) OR (#deleted = :deleted AND #revision = :revision AND #write = :write AND #edited_at = :edited_at AND #ttl = :ttl)`
    #[inline]
    pub fn purge(tombstone: &::dyno::Tombstone<Self>) -> ::dyno::command::Purge<Self> {
        ::dyno::command::Purge::new(tombstone)
    }
    /// Loads the live item at this key, changes it, and writes it back; again, if another writer has been there since.
    /// What the closure does not change stays as it is stored, also what the entity does not declare.
    ///
    /// One `GetItem`, and a `replace` for each attempt.
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
    /// Reads the versions that the item at this key has had, newest first.
    ///
    /// One `GetItem`, and one `Query` of the history a page, of at most 1 MB.
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
    /// Reads one version that the item at this key has had, or has.
    ///
    /// One `GetItem` of the history, and of the item if the version is not there.
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
    /// Writes what the item at this key was in an earlier version, as a new one.
    ///
    /// The requests of `revision`, one `GetItem`, and those of `put` for each attempt.
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
    /// Brings the item at this key back, if it is deleted: writes its last revision, as a new version.
    ///
    /// Three `GetItem`, a `Query` of the history, and the requests of `put`; again, if another writer was there.
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
    /// Gives the item at this key a number behind its history's, where that refuses every write (`Recorded`), or where its version is none.
    ///
    /// One `GetItem` and one `Query`; if the item gets a number, one `TransactWriteItems` of its `UpdateItem` and the `PutItem` of its revision.
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
