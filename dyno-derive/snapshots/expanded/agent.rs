#[automatically_derived]
impl ::dyno::Entity for Agent {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = AgentFields;
    type Tokens = ();
    type Version = ();
    type PutOutput = ();
    type DeleteOutput = ();
    const FIELDS: Self::Fields = AgentFields {
        name: ::dyno::field::KeyField::<_, String>::__new(0usize),
        phone: ::dyno::__private::attribute::<String, _, _>("phone"),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Agent",
        table: ::core::option::Option::Some("desk"),
        partition: ::dyno::__private::KeyAttribute {
            name: "id",
            key_type: ::dyno::__private::key_type::<::std::string::String>(),
            form: ::dyno::__private::KeyForm::Template(
                &[
                    ::dyno::__private::Segment::Literal("Agent#"),
                    ::dyno::__private::hole::<String>(0usize),
                ],
            ),
        },
        key_fields: &["name"],
        key_types: ::dyno::__private::key_types(
            &[<String as ::dyno::Value>::__stored_type],
        ),
        entity_type: ::core::option::Option::Some(::dyno::__private::EntityType {
            attribute: "_type",
            name: "agent",
        }),
        attributes: &[Self::FIELDS.phone.__stored("phone")],
        ..::dyno::__private::Schema::PLAIN
    };
    #[inline]
    fn key(&self) -> Self::Key {
        ::core::clone::Clone::clone(&self.name)
    }
    #[inline]
    fn __encode(&self) -> ::core::result::Result<::dyno::Item, ::dyno::EncodeError> {
        let fields = &Self::FIELDS;
        let mut item = ::dyno::__private::item(3usize);
        ::dyno::__private::encode_templates(
            Self::SCHEMA,
            &[::dyno::__private::key_field::<String>(&self.name)],
            &mut item,
        )?;
        fields.phone.__codec.put(&mut item, &self.phone)?;
        ::dyno::__private::mark(Self::SCHEMA, &mut item);
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        let entity = Self {
            phone: fields.phone.__codec.take(item)?,
            name: ::dyno::__private::decode_key::<String>(Self::SCHEMA, item, 0usize)?,
        };
        ::dyno::__private::check_templates(
            Self::SCHEMA,
            &[::dyno::__private::key_field::<String>(&entity.name)],
            item,
        )?;
        ::core::result::Result::Ok(entity)
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Agent {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Agent {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Agent {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Agent {}
#[automatically_derived]
impl ::dyno::bound::Batchable for Agent {}
/// A handle for each stored attribute of [`Agent`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct AgentFields {
    /// The key field `name`, which no update can change.
    pub name: ::dyno::field::KeyField<Agent, String>,
    /// The attribute `phone`.
    pub phone: ::dyno::Field<Agent, String>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Agent {
    /// Returns a handle for each stored attribute of `Agent`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> AgentFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Agent`: its `name`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Agent` with this `name`.
    ///
    /// Sends one `GetItem`. Returns `None` if no item is stored. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(
        name: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(name))
    }
    /// Requires in a transaction that the `Agent` with this `name` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Agent::check(name))`.
    ///
    /// Sends one `ConditionCheck`. It holds only if
    /// `attribute_exists(#id) AND (attribute_not_exists(#_type) OR #_type = :_type)`
    ///
    /// If the condition does not hold, the transaction is refused: `Missing` (no item is stored).
    ///
    /// Costs 2 write units per KB of the item.
    #[inline]
    pub fn check(
        name: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new(::dyno::value::IntoField::into_field(name))
    }
    /// Reads each `Agent` with one of these keys: `name`.
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
                |name| ::dyno::value::IntoField::into_field(name),
            ),
        )
    }
    /// Reads each `Agent` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. Costs half a read unit per 4 KB of all rows read, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Agent`, and replaces a stored one.
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
    /// Creates the `Agent` if none is stored.
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
    /// Replaces the `Agent` if one is stored.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_exists(#id) AND (attribute_not_exists(#_type) OR #_type = :_type)`
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
    /// Changes attributes of the `Agent` with this `name`.
    ///
    /// Name the changes with `with`; all other attributes stay as they are: `Agent::update(name).with(Agent::fields().phone.set(phone))`.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#id) AND (attribute_not_exists(#_type) OR #_type = :_type)`
    ///
    /// A refusal is an `Outcome`, not an error: `Missing` (no item is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, unless it could change the item twice (`add`). If `send` cannot find out whether it was applied, it returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused.
    #[inline]
    pub fn update(
        name: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Update<Self> {
        ::dyno::command::Update::new(::dyno::value::IntoField::into_field(name))
    }
    /// Deletes the `Agent` with this `name`.
    ///
    /// Sends one `DeleteItem` without a condition.
    ///
    /// If the answer is lost, the request is sent again, and a write that came in between is lost.
    ///
    /// Costs 1 write unit per KB of the item.
    #[inline]
    pub fn delete(
        name: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(::dyno::value::IntoField::into_field(name), (), ())
    }
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Agent
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Agent
where
    for<'__dyno> Self: ::dyno::bound::Tombstoned,
{
    pub fn undelete(&self) {}
    pub fn purge() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Agent
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Agent
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
