#[automatically_derived]
impl ::dyno::Entity for Profile {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = ProfileFields;
    type Tokens = ();
    type Version = ();
    type PutOutput = ();
    type DeleteOutput = ();
    const FIELDS: Self::Fields = ProfileFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        name: ::dyno::__private::attribute::<String, _, _>("name")
            .__also(&["nick", "nickname"]),
        visits: ::dyno::__private::attribute::<u32, _, _>("visits")
            .__also(&["hits"])
            .__or(<u32 as ::core::default::Default>::default),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Profile",
        table: ::core::option::Option::Some("profiles"),
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
            Self::FIELDS.name.__stored("name"),
            Self::FIELDS.visits.__stored("visits"),
        ],
        schema_version: ::core::option::Option::Some(::dyno::__private::SchemaVersion {
            attribute: "_v",
            current: 2u32,
            upgrade: ::core::option::Option::Some(|item, from| ::dyno::__private::upgrade_by(
                item,
                from,
                Self::upgrade,
            )),
        }),
        has_rest: true,
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
        fields.name.__codec.put(&mut item, &self.name)?;
        fields.visits.__codec.put(&mut item, &self.visits)?;
        ::dyno::__private::encode_schema_version(Self::SCHEMA, &mut item);
        ::dyno::__private::put_rest(Self::SCHEMA, &self.rest, &mut item)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::dyno::__private::upgrade(Self::SCHEMA, item)?;
        ::core::result::Result::Ok(Self {
            name: fields.name.__codec.take(item)?,
            visits: fields.visits.__codec.take(item)?,
            rest: ::dyno::__private::take_rest::<::dyno::Item>(Self::SCHEMA, item),
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Profile {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Profile {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Profile {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Profile {}
#[automatically_derived]
impl ::dyno::bound::Batchable for Profile {}
/// A handle for each stored attribute of [`Profile`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct ProfileFields {
    /// The key attribute `id`, which no update can change.
    pub id: ::dyno::Field<Profile, String, ::dyno::field::access::Key>,
    /// The attribute `name`.
    pub name: ::dyno::Field<Profile, String>,
    /// The attribute `visits`.
    pub visits: ::dyno::Field<Profile, u32>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Profile {
    /// Returns a handle for each stored attribute of `Profile`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> ProfileFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Profile`: its `id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Profile` with this `id`.
    ///
    /// Sends one `GetItem`. Returns `None` if no item is stored. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Requires in a transaction that the `Profile` with this `id` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Profile::check(id))`.
    ///
    /// Sends one `ConditionCheck`. It holds only if
    /// `attribute_exists(#id)`
    ///
    /// If the condition does not hold, the transaction is refused: `Missing` (no item is stored).
    ///
    /// Costs 2 write units per KB of the item.
    #[inline]
    pub fn check(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new(::dyno::value::IntoField::into_field(id))
    }
    /// Reads each `Profile` with one of these keys: `id`.
    ///
    /// Returns the items in the order of the keys, with `None` for a key without an item. Sends one `BatchGetItem` for every 100 keys, and further ones for keys that DynamoDB leaves unprocessed. Costs half a read unit per 4 KB of each item, twice that with `.consistent()`.
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
    /// Reads each `Profile` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. Costs half a read unit per 4 KB of all rows read, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Profile`, and replaces a stored one.
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
    /// Creates the `Profile` if none is stored.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_not_exists(#id)`
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
    /// Replaces the `Profile` if one is stored.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_exists(#id) AND (attribute_not_exists(#_v) OR #_v <= :_v)`
    ///
    /// A refusal is an `Outcome`, not an error: `Missing` (no item is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, `send` returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Changes attributes of the `Profile` with this `id`.
    ///
    /// Name the changes with `with`; all other attributes stay as they are: `Profile::update(id).with(Profile::fields().name.set(name))`.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#id) AND #_v = :_v`
    ///
    /// A refusal is an `Outcome`, not an error: `Missing` (no item is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, unless it could change the item twice (`add`). If `send` cannot find out whether it was applied, it returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn update(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Update<Self> {
        ::dyno::command::Update::new(::dyno::value::IntoField::into_field(id))
    }
    /// Deletes the `Profile` with this `id`.
    ///
    /// Sends one `DeleteItem` without a condition.
    ///
    /// If the answer is lost, the request is sent again, and a write that came in between is lost.
    ///
    /// Costs 1 write unit per KB of the item.
    #[inline]
    pub fn delete(
        id: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(::dyno::value::IntoField::into_field(id), (), ())
    }
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Profile
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Profile
where
    for<'__dyno> Self: ::dyno::bound::Tombstoned,
{
    pub fn undelete(&self) {}
    pub fn purge() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Profile
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Profile
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
