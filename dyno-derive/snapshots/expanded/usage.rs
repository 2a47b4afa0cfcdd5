#[automatically_derived]
impl ::dyno::Entity for Usage {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = UsageFields;
    type Tokens = ();
    type Version = ();
    type PutOutput = ();
    type DeleteOutput = ();
    const FIELDS: Self::Fields = UsageFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        calls: ::dyno::__private::attribute::<u64, _, _>("calls"),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Usage",
        table: ::core::option::Option::Some("usages"),
        partition: ::dyno::__private::KeyAttribute {
            name: "id",
            key_type: ::dyno::__private::key_type::<String>(),
            form: ::dyno::__private::KeyForm::Field(0usize),
        },
        key_fields: &["id"],
        key_types: ::dyno::__private::key_types(
            &[<String as ::dyno::Value>::__stored_type],
        ),
        attributes: &[Self::FIELDS.calls.__stored("calls")],
        tombstone: ::core::option::Option::Some(::dyno::__private::Tombstone {
            deleted: "deleted",
            ttl: "ttl",
            ttl_days: 7u32,
            mark: true,
        }),
        ttl: ::core::option::Option::Some(::dyno::__private::Ttl {
            attribute: "ttl",
        }),
        idempotency: ::core::option::Option::Some(::dyno::__private::Idempotency {
            store: ::dyno::__private::Store::Time {
                window: ::dyno::__private::TimeWindow {
                    window_secs: 60u32,
                    max_skew_secs: 10u32,
                    key_bytes: 16u32,
                    body_bytes: 100u32,
                },
                attributes: &[
                    "_k0",
                    "_k1",
                    "_k2",
                    "_k3",
                    "_k4",
                    "_k5",
                    "_k6",
                    "_k7",
                    "_k8",
                    "_k9",
                    "_k10",
                    "_k11",
                    "_k12",
                    "_k13",
                    "_k14",
                    "_k15",
                    "_k16",
                    "_k17",
                    "_k18",
                    "_k19",
                    "_k20",
                    "_k21",
                    "_k22",
                    "_k23",
                    "_k24",
                    "_k25",
                ],
            },
            keys: ::dyno::__private::Keys::Hashed(16usize),
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
        let mut item = ::dyno::__private::item(2usize);
        fields.id.__codec.put(&mut item, &self.id)?;
        fields.calls.__codec.put(&mut item, &self.calls)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            calls: fields.calls.__codec.take(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Usage {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Usage {}
#[automatically_derived]
impl ::dyno::bound::Tombstoned for Usage {}
#[automatically_derived]
impl ::dyno::bound::Purgeable for Usage {}
#[automatically_derived]
impl ::dyno::bound::MayExpire for Usage {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Usage {}
#[automatically_derived]
impl ::dyno::bound::Idempotent for Usage {}
#[automatically_derived]
impl ::dyno::bound::HedgeableUpdate for Usage {}
///The stored attributes of [`Usage`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct UsageFields {
    ///`id`
    pub id: ::dyno::Field<Usage, String, ::dyno::field::access::Key>,
    ///`calls`
    pub calls: ::dyno::Field<Usage, u64>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Usage {
    /// The stored attributes, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> UsageFields {
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
    /// Not available: it would forget the idempotency keys that the item holds. See `create` and `update`.
    #[inline]
    pub fn put<__Command>(&self) -> __Command
    where
        for<'__dyno> Self: ::dyno::bound::Replaceable,
    {
        let _: ::dyno::command::Put<Self> = ::dyno::command::Put::new(self);
        ::dyno::__private::absent()
    }
    /// Writes the item where there is none, or a tombstone, or one past its TTL.
    ///
    /// One `PutItem`, refused unless
    /// `attribute_not_exists(#id) OR #deleted = :deleted OR #ttl BETWEEN :ttl AND :ttl_2`
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Not available: it would forget the idempotency keys that the item holds. See `create` and `update`.
    #[inline]
    pub fn replace<__Command>(&self) -> __Command
    where
        for<'__dyno> Self: ::dyno::bound::Replaceable,
    {
        let _: ::dyno::command::Replace<Self> = ::dyno::command::Replace::new(self);
        ::dyno::__private::absent()
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
    ///
    /// With `.idempotency_key(…)` it is made once: for 60 s, while clocks differ by at most 10 s, the item holds the key, in one of the sets `_k0` to `_k25`. It is refused if one of them contains it.
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
impl Usage
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Usage
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Usage
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
const _: () = ::dyno::__private::check_time_window(
    ::dyno::__private::TimeWindow {
        window_secs: 60u32,
        max_skew_secs: 10u32,
        key_bytes: 16u32,
        body_bytes: 100u32,
    },
    20u64,
);
