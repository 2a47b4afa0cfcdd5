#[automatically_derived]
impl ::dyno::Entity for Parcel {
    type Key = (String, u32);
    type Partition = String;
    type Sort = u32;
    type Fields = ParcelFields;
    type Tokens = ();
    type Version = ();
    type PutOutput = ();
    type DeleteOutput = ();
    const FIELDS: Self::Fields = ParcelFields {
        customer: ::dyno::field::KeyField::<_, String>::__new(0usize),
        id: ::dyno::field::KeyField::<_, u32>::__new(1usize),
        status: ::dyno::__private::attribute::<String, _, _>("status"),
        depot: ::dyno::__private::attribute::<String, _, _>("depot"),
        city: ::dyno::__private::attribute::<Option<String>, _, _>("city"),
        weight: ::dyno::__private::attribute::<u64, _, _>("weight"),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Parcel",
        table: ::core::option::Option::Some("parcels"),
        partition: ::dyno::__private::KeyAttribute {
            name: "PK",
            key_type: ::dyno::__private::key_type::<::std::string::String>(),
            form: ::dyno::__private::KeyForm::Template(
                &[
                    ::dyno::__private::Segment::Literal("Customer#"),
                    ::dyno::__private::hole::<String>(0usize),
                ],
            ),
        },
        sort: ::core::option::Option::Some(::dyno::__private::KeyAttribute {
            name: "SK",
            key_type: ::dyno::__private::key_type::<::std::string::String>(),
            form: ::dyno::__private::KeyForm::Template(
                &[
                    ::dyno::__private::Segment::Literal("Parcel#"),
                    ::dyno::__private::padded_hole::<u32>(1usize, 10usize),
                ],
            ),
        }),
        key_fields: &["customer", "id"],
        key_types: ::dyno::__private::key_types(
            &[
                <String as ::dyno::Value>::__stored_type,
                <u32 as ::dyno::Value>::__stored_type,
            ],
        ),
        attributes: &[
            Self::FIELDS.status.__stored("status"),
            Self::FIELDS.depot.__stored("depot"),
            Self::FIELDS.city.__stored("city"),
            Self::FIELDS.weight.__stored("weight"),
        ],
        indexes: &[
            ::dyno::__private::SchemaIndex {
                name: "by_status",
                is_local: false,
                partition: &[
                    ::dyno::__private::KeyAttribute {
                        name: "status",
                        key_type: ::dyno::__private::key_type::<String>(),
                        form: ::dyno::__private::KeyForm::Field(0usize),
                    },
                ],
                sort: &[
                    ::dyno::__private::KeyAttribute {
                        name: "depot",
                        key_type: ::dyno::__private::key_type::<String>(),
                        form: ::dyno::__private::KeyForm::Field(1usize),
                    },
                    ::dyno::__private::KeyAttribute {
                        name: "weight",
                        key_type: ::dyno::__private::key_type::<u64>(),
                        form: ::dyno::__private::KeyForm::Field(2usize),
                    },
                ],
                key_fields: &["status", "depot", "weight"],
                projection: ::dyno::__private::Projected::Only(&[]),
            },
            ::dyno::__private::SchemaIndex {
                name: "GSI1",
                is_local: false,
                partition: &[
                    ::dyno::__private::KeyAttribute {
                        name: "GSI1PK",
                        key_type: ::dyno::__private::key_type::<::std::string::String>(),
                        form: ::dyno::__private::KeyForm::Template(
                            &[
                                ::dyno::__private::Segment::Literal("City#"),
                                ::dyno::__private::hole::<String>(0usize),
                            ],
                        ),
                    },
                ],
                sort: &[
                    ::dyno::__private::KeyAttribute {
                        name: "GSI1SK",
                        key_type: ::dyno::__private::key_type::<::std::string::String>(),
                        form: ::dyno::__private::KeyForm::Template(
                            &[
                                ::dyno::__private::hole::<String>(1usize),
                                ::dyno::__private::Segment::Literal("#"),
                                ::dyno::__private::hole::<String>(2usize),
                            ],
                        ),
                    },
                ],
                key_fields: &["city", "depot", "customer"],
                projection: ::dyno::__private::Projected::All,
            },
            ::dyno::__private::SchemaIndex {
                name: "by_weight",
                is_local: true,
                partition: &[
                    ::dyno::__private::KeyAttribute {
                        name: "PK",
                        key_type: ::dyno::__private::key_type::<::std::string::String>(),
                        form: ::dyno::__private::KeyForm::Template(
                            &[
                                ::dyno::__private::Segment::Literal("Customer#"),
                                ::dyno::__private::hole::<String>(0usize),
                            ],
                        ),
                    },
                ],
                sort: &[
                    ::dyno::__private::KeyAttribute {
                        name: "weight",
                        key_type: ::dyno::__private::key_type::<u64>(),
                        form: ::dyno::__private::KeyForm::Field(1usize),
                    },
                ],
                key_fields: &["customer", "weight"],
                projection: ::dyno::__private::Projected::Only(&[]),
            },
        ],
        ..::dyno::__private::Schema::PLAIN
    };
    #[inline]
    fn key(&self) -> Self::Key {
        (
            ::core::clone::Clone::clone(&self.customer),
            ::core::clone::Clone::clone(&self.id),
        )
    }
    #[inline]
    fn __encode(&self) -> ::core::result::Result<::dyno::Item, ::dyno::EncodeError> {
        let fields = &Self::FIELDS;
        let mut item = ::dyno::__private::item(7usize);
        ::dyno::__private::encode_templates(
            Self::SCHEMA,
            &[
                ::dyno::__private::key_field::<String>(&self.customer),
                ::dyno::__private::key_field::<u32>(&self.id),
            ],
            &mut item,
        )?;
        fields.status.__codec.put(&mut item, &self.status)?;
        fields.depot.__codec.put(&mut item, &self.depot)?;
        fields.city.__codec.put(&mut item, &self.city)?;
        fields.weight.__codec.put(&mut item, &self.weight)?;
        ::dyno::__private::encode_index_keys(
            Self::SCHEMA,
            1usize,
            &[
                ::dyno::__private::key_part::<Option<String>>(&self.city),
                ::dyno::__private::key_part::<String>(&self.depot),
                ::dyno::__private::key_part::<String>(&self.customer),
            ],
            &mut item,
        )?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        let entity = Self {
            status: fields.status.__codec.take(item)?,
            depot: fields.depot.__codec.take(item)?,
            city: fields.city.__codec.take(item)?,
            weight: fields.weight.__codec.take(item)?,
            customer: ::dyno::__private::decode_key::<
                String,
            >(Self::SCHEMA, item, 0usize)?,
            id: ::dyno::__private::decode_key::<u32>(Self::SCHEMA, item, 1usize)?,
        };
        ::dyno::__private::check_templates(
            Self::SCHEMA,
            &[
                ::dyno::__private::key_field::<String>(&entity.customer),
                ::dyno::__private::key_field::<u32>(&entity.id),
            ],
            item,
        )?;
        ::core::result::Result::Ok(entity)
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Parcel {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Parcel {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Parcel {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Parcel {}
#[automatically_derived]
impl ::dyno::bound::Batchable for Parcel {}
#[automatically_derived]
impl ::dyno::bound::Sorted for Parcel {}
#[automatically_derived]
#[allow(unused_lifetimes, reason = "it puts the question off to where it is asked")]
impl ::dyno::bound::SortOrdered for Parcel {}
/// A handle for each stored attribute of [`Parcel`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct ParcelFields {
    /// The key field `customer`, which no update can change.
    ///
    /// Who has sent it.
    pub customer: ::dyno::field::KeyField<Parcel, String>,
    /// The key field `id`, which no update can change.
    pub id: ::dyno::field::KeyField<Parcel, u32>,
    /// The attribute `status`.
    pub status: ::dyno::Field<Parcel, String>,
    /// The attribute `depot`: a write that sets it also sets its index keys.
    pub depot: ::dyno::Field<Parcel, String, ::dyno::field::access::Indexed>,
    /// The attribute `city`: a write that sets it also sets its index keys.
    pub city: ::dyno::Field<Parcel, Option<String>, ::dyno::field::access::Indexed>,
    /// The attribute `weight`.
    ///
    /// In grams.
    pub weight: ::dyno::Field<Parcel, u64>,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Parcel {
    /// Returns a handle for each stored attribute of `Parcel`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> ParcelFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Parcel`: its `customer` and `id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Parcel` with this `(customer, id)`.
    ///
    /// Sends one `GetItem`. The key is a tuple: `Parcel::get((customer, id))`. Returns `None` if no item is stored. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(
        (
            customer,
            id,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<u32>),
    ) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new((
            ::dyno::value::IntoField::into_field(customer),
            ::dyno::value::IntoField::into_field(id),
        ))
    }
    /// Requires in a transaction that the `Parcel` with this `(customer, id)` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Parcel::check((customer, id)))`.
    ///
    /// Sends one `ConditionCheck`. It holds only if
    /// `attribute_exists(#PK)`
    ///
    /// If the condition does not hold, the transaction is refused: `Missing` (no item is stored).
    ///
    /// Costs 2 write units per KB of the item.
    #[inline]
    pub fn check(
        (
            customer,
            id,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<u32>),
    ) -> ::dyno::command::Check<Self> {
        ::dyno::command::Check::new((
            ::dyno::value::IntoField::into_field(customer),
            ::dyno::value::IntoField::into_field(id),
        ))
    }
    /// Reads each `Parcel` with one of these keys: `(customer, id)`.
    ///
    /// Returns the items in the order of the keys, with `None` for a key without an item. Sends one `BatchGetItem` for every 100 keys, and further ones for keys that DynamoDB leaves unprocessed. Costs half a read unit per 4 KB of each item, twice that with `.consistent()`.
    #[inline]
    pub fn batch_get(
        keys: impl ::core::iter::IntoIterator<
            Item = (
                impl ::dyno::value::IntoField<String>,
                impl ::dyno::value::IntoField<u32>,
            ),
        >,
    ) -> ::dyno::command::BatchGet<Self> {
        ::dyno::command::BatchGet::new(
            ::core::iter::Iterator::map(
                ::core::iter::IntoIterator::into_iter(keys),
                |(customer, id)| (
                    ::dyno::value::IntoField::into_field(customer),
                    ::dyno::value::IntoField::into_field(id),
                ),
            ),
        )
    }
    /// Reads each `Parcel` with this `customer`, in the order of the sort keys.
    ///
    /// Sends one `Query` for each page, of at most 1 MB: `send` reads one page, `stream` all. Costs half a read unit per 4 KB of all rows read, twice that with `.consistent()`.
    #[inline]
    pub fn query(
        customer: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::Query<Self> {
        ::dyno::command::Query::new(::dyno::value::IntoField::into_field(customer))
    }
    /// Reads each `Parcel` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. Costs half a read unit per 4 KB of all rows read, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Parcel`, and replaces a stored one.
    ///
    /// Sends one `PutItem` without a condition.
    ///
    /// If the answer is lost, the request is sent again, and a write that came in between is lost.
    ///
    /// Costs 1 write unit per KB of the item, and 1 or 2 per KB for each index whose entry changes.
    #[inline]
    pub fn put(&self) -> ::dyno::command::Put<Self> {
        ::dyno::command::Put::new(self)
    }
    /// Creates the `Parcel` if none is stored.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_not_exists(#PK)`
    ///
    /// A refusal is an `Outcome` with the stored item, not an error: `Exists` (a live item is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, `send` returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused, and 1 or 2 per KB for each index whose entry changes.
    #[inline]
    pub fn create(&self) -> ::dyno::command::Create<Self> {
        ::dyno::command::Create::new(self)
    }
    /// Replaces the `Parcel` if one is stored.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_exists(#PK)`
    ///
    /// A refusal is an `Outcome`, not an error: `Missing` (no item is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again. If that is refused, `send` returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused, and 1 or 2 per KB for each index whose entry changes.
    #[inline]
    pub fn replace(&self) -> ::dyno::command::Replace<Self> {
        ::dyno::command::Replace::new(self)
    }
    /// Changes attributes of the `Parcel` with this `(customer, id)`.
    ///
    /// Name the changes with `with`; all other attributes stay as they are: `Parcel::update((customer, id)).with(Parcel::fields().status.set(status))`.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#PK)`
    ///
    /// A refusal is an `Outcome`, not an error: `Missing` (no item is stored). `Reason` lists rarer reasons.
    ///
    /// If the answer is lost, the request is sent again, unless it could change the item twice (`add`). If `send` cannot find out whether it was applied, it returns an error for which `may_be_applied()` is true: load the item and decide.
    ///
    /// Costs 1 write unit per KB of the item, also if it is refused, and 1 or 2 per KB for each index whose entry changes.
    #[inline]
    pub fn update(
        (
            customer,
            id,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<u32>),
    ) -> ::dyno::command::Update<Self> {
        ::dyno::command::Update::new((
            ::dyno::value::IntoField::into_field(customer),
            ::dyno::value::IntoField::into_field(id),
        ))
    }
    /// Deletes the `Parcel` with this `(customer, id)`.
    ///
    /// Call it as `Parcel::delete((customer, id))`.
    ///
    /// Sends one `DeleteItem` without a condition.
    ///
    /// If the answer is lost, the request is sent again, and a write that came in between is lost.
    ///
    /// Costs 1 write unit per KB of the item, and 1 or 2 per KB for each index whose entry changes.
    #[inline]
    pub fn delete(
        (
            customer,
            id,
        ): (impl ::dyno::value::IntoField<String>, impl ::dyno::value::IntoField<u32>),
    ) -> ::dyno::command::Delete<Self> {
        ::dyno::command::Delete::new(
            (
                ::dyno::value::IntoField::into_field(customer),
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
impl Parcel
where
    for<'__dyno> Self: ::dyno::bound::Tombstoned,
{
    pub fn undelete(&self) {}
    pub fn purge() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Parcel
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Parcel
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
/// The type of the index `by_status` of [`Parcel`], for `#[projection(index = …)]`.
#[allow(dead_code, reason = "it stands for an index, and has no values")]
pub struct ParcelByStatus(::core::marker::PhantomData<fn() -> Parcel>);
#[automatically_derived]
impl ::dyno::index::Index for ParcelByStatus {
    type Entity = Parcel;
    type Partition = String;
    type Sort = ::dyno::index::Parts<
        String,
        ::dyno::index::Parts<u64, ::dyno::index::Asked>,
    >;
    type Holds = ::dyno::index::SomeAttributes;
    const INDEX: &'static ::dyno::__private::SchemaIndex = &<Parcel as ::dyno::Entity>::SCHEMA
        .indexes[0usize];
}
#[automatically_derived]
#[allow(unused_lifetimes, reason = "it puts the question off to where it is asked")]
impl ::dyno::index::OrderedIndex for ParcelByStatus {}
/// The type of the index `GSI1` of [`Parcel`], for `#[projection(index = …)]`.
#[allow(dead_code, reason = "it stands for an index, and has no values")]
pub struct ParcelByCity(::core::marker::PhantomData<fn() -> Parcel>);
#[automatically_derived]
impl ::dyno::index::Index for ParcelByCity {
    type Entity = Parcel;
    type Partition = String;
    type Sort = ::dyno::index::Whole<(String, String)>;
    type Holds = ::dyno::index::WholeItems;
    const INDEX: &'static ::dyno::__private::SchemaIndex = &<Parcel as ::dyno::Entity>::SCHEMA
        .indexes[1usize];
}
#[automatically_derived]
#[allow(unused_lifetimes, reason = "it puts the question off to where it is asked")]
impl ::dyno::index::OrderedIndex for ParcelByCity
where
    for<'__dyno> <String as ::dyno::Value>::Kind: ::dyno::value::kind::OrderedText,
    for<'__dyno> <String as ::dyno::Value>::Kind: ::dyno::value::kind::OrderedText,
{}
/// The type of the index `by_weight` of [`Parcel`], for `#[projection(index = …)]`.
#[allow(dead_code, reason = "it stands for an index, and has no values")]
pub struct ParcelByWeight(::core::marker::PhantomData<fn() -> Parcel>);
#[automatically_derived]
impl ::dyno::index::Index for ParcelByWeight {
    type Entity = Parcel;
    type Partition = String;
    type Sort = ::dyno::index::Whole<u64>;
    type Holds = ::dyno::index::SomeAttributes;
    const INDEX: &'static ::dyno::__private::SchemaIndex = &<Parcel as ::dyno::Entity>::SCHEMA
        .indexes[2usize];
}
#[automatically_derived]
impl ::dyno::index::ConsistentIndex for ParcelByWeight {}
#[automatically_derived]
#[allow(unused_lifetimes, reason = "it puts the question off to where it is asked")]
impl ::dyno::index::OrderedIndex for ParcelByWeight
where
    for<'__dyno> <u64 as ::dyno::Value>::Kind: ::dyno::value::kind::OrderedKind,
{}
#[automatically_derived]
#[allow(dead_code, reason = "all queries are there, used or not")]
impl Parcel {
    /// Reads each `Parcel` with this `status` by the global index `by_status`.
    ///
    /// Sends one `Query` for each page, of at most 1 MB, in the order of `depot` and `weight`: `send` reads one page, `stream` all. The index holds only some attributes: `.project::<P>()` says which struct, with `#[derive(Projection)]`, the results are. Costs half a read unit per 4 KB of all entries read.
    pub fn by_status(
        status: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::IndexQuery<ParcelByStatus, ::dyno::index::Partial> {
        ::dyno::command::IndexQuery::__new(
            ::dyno::value::IntoField::<String>::into_field(status),
        )
    }
    /// Reads each `Parcel` with this `city` by the global index `GSI1`.
    ///
    /// Sends one `Query` for each page, of at most 1 MB, in the order of `depot` and `customer`: `send` reads one page, `stream` all. The index holds whole items. Costs half a read unit per 4 KB of all entries read.
    pub fn by_city(
        city: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::IndexQuery<ParcelByCity> {
        ::dyno::command::IndexQuery::__new(
            ::dyno::value::IntoField::<String>::into_field(city),
        )
    }
    /// Reads each `Parcel` with this `customer` by the local index `by_weight`.
    ///
    /// Sends one `Query` for each page, of at most 1 MB, in the order of `weight`: `send` reads one page, `stream` all. The index holds only some attributes: `.project::<P>()` says which struct, with `#[derive(Projection)]`, the results are. Costs half a read unit per 4 KB of all entries read.
    pub fn by_weight(
        customer: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::IndexQuery<ParcelByWeight, ::dyno::index::Partial> {
        ::dyno::command::IndexQuery::__new(
            ::dyno::value::IntoField::<String>::into_field(customer),
        )
    }
}
