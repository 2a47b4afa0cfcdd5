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
///The stored attributes of [`Session`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct SessionFields {
    ///`user`
    pub user: ::dyno::Field<Session, String, ::dyno::field::access::Key>,
    ///`id`
    pub id: ::dyno::Field<Session, u64, ::dyno::field::access::Key>,
    ///`n`
    pub note: ::dyno::Field<Session, String>,
    ///`expires`
    pub expires: ::dyno::Field<Session, Option<EpochSeconds>>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Session {
    /// The stored attributes, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> SessionFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// The entity's key.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the item at this key. An item past its TTL counts as absent.
    ///
    /// One `GetItem`.
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
    /// Demands, in a transaction, that a live item is at this key.
    ///
    /// One `ConditionCheck`, refused unless
    /// `attribute_exists(#user) AND NOT #expires BETWEEN :expires AND :expires_2`
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
    /// Reads the items at these keys, in their order. An item past its TTL counts as absent.
    ///
    /// One `BatchGetItem` for every 100 keys, and again what it leaves unprocessed.
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
    /// Reads the items of this partition, in the order of their sort keys. An item past its TTL is passed over.
    ///
    /// One `Query` a page, of at most 1 MB.
    #[inline]
    pub fn query(
        user: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Query<Self> {
        ::dyno::command::Query::new(::dyno::value::IntoField::into_field(user))
    }
    /// Reads all items of the table, in no order. An item past its TTL is passed over.
    ///
    /// One `Scan` a page, of at most 1 MB.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the item, whatever is there.
    ///
    /// One `PutItem`, unconditional.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Writes the item where there is none, or one past its TTL.
    ///
    /// One `PutItem`, refused unless
    /// `attribute_not_exists(#user) OR #expires BETWEEN :expires AND :expires_2`
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Writes the item over a live one.
    ///
    /// One `PutItem`, refused unless
    /// `attribute_exists(#user) AND NOT #expires BETWEEN :expires AND :expires_2`
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Changes attributes of the live item at this key: say which with `with`.
    ///
    /// One `UpdateItem`, refused unless
    /// `attribute_exists(#user) AND NOT #expires BETWEEN :expires AND :expires_2`
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
    /// Removes the item at this key.
    ///
    /// One `DeleteItem`, unconditional.
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
