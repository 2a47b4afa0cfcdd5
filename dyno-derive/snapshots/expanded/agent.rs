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
///The stored attributes of [`Agent`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct AgentFields {
    ///`name`, which stands in the key
    pub name: ::dyno::field::KeyField<Agent, String>,
    ///`phone`
    pub phone: ::dyno::Field<Agent, String>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Agent {
    /// The stored attributes, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> AgentFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// The entity's key.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the item at this key.
    ///
    /// One `GetItem`.
    #[inline]
    pub fn get(
        name: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(name))
    }
    /// Demands, in a transaction, that an item is at this key.
    ///
    /// One `ConditionCheck`, refused unless
    /// `attribute_exists(#id) AND (attribute_not_exists(#_type) OR #_type = :_type)`
    #[inline]
    pub fn check(
        name: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new(::dyno::value::IntoField::into_field(name))
    }
    /// Reads the items at these keys, in their order.
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
                |name| ::dyno::value::IntoField::into_field(name),
            ),
        )
    }
    /// Reads all items of the table, in no order.
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
    /// Writes the item where there is none.
    ///
    /// One `PutItem`, refused unless
    /// `attribute_not_exists(#id)`
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Writes the item over the one that is there.
    ///
    /// One `PutItem`, refused unless
    /// `attribute_exists(#id) AND (attribute_not_exists(#_type) OR #_type = :_type)`
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Changes attributes of the item at this key: say which with `with`.
    ///
    /// One `UpdateItem`, refused unless
    /// `attribute_exists(#id) AND (attribute_not_exists(#_type) OR #_type = :_type)`
    #[inline]
    pub fn update(
        name: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Update<Self> {
        ::dyno::command::Update::new(::dyno::value::IntoField::into_field(name))
    }
    /// Removes the item at this key.
    ///
    /// One `DeleteItem`, unconditional.
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
