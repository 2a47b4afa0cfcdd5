#[automatically_derived]
impl ::dyno::Entity for Contract {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = ContractFields;
    type Tokens = ();
    type Version = ();
    type PutOutput = ::dyno::Outcome<Self>;
    type DeleteOutput = ();
    const FIELDS: Self::Fields = ContractFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        client: ::dyno::__private::attribute::<String, _, _>("client"),
        agent: ::dyno::__private::attribute::<Option<String>, _, _>("agent"),
        text: ::dyno::__private::attribute::<String, _, _>("text"),
        made: ::dyno::__private::attribute::<EpochMillis, _, _>("made"),
        changed: ::dyno::__private::attribute::<Option<EpochSeconds>, _, _>("changed"),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Contract",
        table: ::core::option::Option::Some("contracts"),
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
            Self::FIELDS.client.__stored("client"),
            Self::FIELDS.agent.__stored("agent"),
            Self::FIELDS.text.__stored("text"),
            Self::FIELDS.made.__stored("made"),
            Self::FIELDS.changed.__stored("changed"),
        ],
        immutable: &["client", "agent"],
        created: ::core::option::Option::Some(
            ::dyno::__private::time::<EpochMillis>("made"),
        ),
        updated: ::core::option::Option::Some(
            ::dyno::__private::time::<Option<EpochSeconds>>("changed"),
        ),
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
        let mut item = ::dyno::__private::item(6usize);
        fields.id.__codec.put(&mut item, &self.id)?;
        fields.client.__codec.put(&mut item, &self.client)?;
        fields.agent.__codec.put(&mut item, &self.agent)?;
        fields.text.__codec.put(&mut item, &self.text)?;
        fields.made.__codec.put(&mut item, &self.made)?;
        fields.changed.__codec.put(&mut item, &self.changed)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            client: fields.client.__codec.take(item)?,
            agent: fields.agent.__codec.take(item)?,
            text: fields.text.__codec.take(item)?,
            made: fields.made.__codec.take(item)?,
            changed: fields.changed.__codec.take(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Contract {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Contract {}
#[automatically_derived]
impl ::dyno::bound::Tombstoned for Contract {}
#[automatically_derived]
impl ::dyno::bound::Purgeable for Contract {}
#[automatically_derived]
impl ::dyno::bound::MayExpire for Contract {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Contract {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Contract {}
///The stored attributes of [`Contract`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct ContractFields {
    ///`id`
    pub id: ::dyno::Field<Contract, String, ::dyno::field::access::Key>,
    ///`client`
    pub client: ::dyno::Field<Contract, String, ::dyno::field::access::Immutable>,
    ///`agent`
    pub agent: ::dyno::Field<Contract, Option<String>, ::dyno::field::access::Immutable>,
    ///`text`
    pub text: ::dyno::Field<Contract, String>,
    ///`made`
    pub made: ::dyno::Field<Contract, EpochMillis, ::dyno::field::access::Kept>,
    ///`changed`
    pub changed: ::dyno::Field<
        Contract,
        Option<EpochSeconds>,
        ::dyno::field::access::Kept,
    >,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Contract {
    /// The stored attributes, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> ContractFields {
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
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Demands, in a transaction, that a live item is at this key.
    ///
    /// One `ConditionCheck`, refused unless
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2`
    #[inline]
    pub fn check(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new(::dyno::value::IntoField::into_field(id))
    }
    /// Reads the items at these keys, in their order. A tombstone, or an item past its TTL, counts as absent.
    ///
    /// One `BatchGetItem` for every 100 keys, and again what it leaves unprocessed.
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
    /// Reads all items of the table, in no order. A tombstone, or an item past its TTL, is passed over.
    ///
    /// One `Scan` a page, of at most 1 MB.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the item, whatever is there, a tombstone, too. A live item keeps its values of `client`, `agent`.
    ///
    /// One `PutItem`, refused unless
    /// `#deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2 OR ((attribute_not_exists(#client) OR #client = :client) AND (attribute_not_exists(#agent) OR attribute_type(#agent, :agent) OR #agent = :agent_2))`
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Writes the item where there is none, or a tombstone, or one past its TTL.
    ///
    /// One `PutItem`, refused unless
    /// `attribute_not_exists(#id) OR #deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2`
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Writes the item over a live one. A live item keeps its values of `client`, `agent`.
    ///
    /// One `PutItem`, refused unless
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND (attribute_not_exists(#client) OR #client = :client) AND (attribute_not_exists(#agent) OR attribute_type(#agent, :agent) OR #agent = :agent_2)`
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Writes the item over a tombstone.
    ///
    /// One `PutItem`, refused unless
    /// `#deleted = :deleted`
    #[inline]
    pub fn undelete(&self) -> ::dyno::command::Undelete<Self> {
        ::dyno::command::Undelete::new(self)
    }
    /// Changes attributes of the live item at this key: say which with `with`.
    ///
    /// One `UpdateItem`, refused unless
    /// `attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2`
    #[inline]
    pub fn update(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Update<Self> {
        ::dyno::command::Update::new(::dyno::value::IntoField::into_field(id))
    }
    /// Leaves a tombstone at this key for 7 days. It keeps no write out: without a ratchet or a version nothing tells which write is older, so a write that arrives late brings the item back.
    ///
    /// One `PutItem`, unconditional.
    #[inline]
    pub fn delete(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(::dyno::value::IntoField::into_field(id), (), ())
    }
    /// Removes a tombstone, if it is still this one.
    ///
    /// One `DeleteItem`, refused unless
    /// `attribute_not_exists(#id) OR (#deleted = :deleted AND #ttl = :ttl)`
    #[inline]
    pub fn purge(tombstone: &::dyno::Tombstone<Self>) -> ::dyno::command::Purge<Self> {
        ::dyno::command::Purge::new(tombstone)
    }
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Contract
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Contract
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Contract
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
