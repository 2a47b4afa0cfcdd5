#[automatically_derived]
impl ::dyno::Entity for Article {
    type Key = String;
    type Partition = String;
    type Sort = ();
    type Fields = ArticleFields;
    type Tokens = ();
    type Version = ();
    type PutOutput = ();
    type DeleteOutput = ();
    const FIELDS: Self::Fields = ArticleFields {
        id: ::dyno::__private::attribute::<String, _, _>("id"),
        tenant: ::dyno::__private::attribute::<String, _, _>("tenant"),
        brand: ::dyno::__private::attribute::<Option<String>, _, _>("brand"),
        title: ::dyno::__private::attribute::<String, _, _>("title"),
        tags: ::dyno::__private::attribute::<
            ::dyno::__private::Checked<Vec<String>>,
            _,
            _,
        >("tags"),
        embedding: ::dyno::__private::attribute::<Option<[f32; 8]>, _, _>("embedding"),
        title_and_tags_and_embedding: ::dyno::field::Joint::__new(|
            (title, tags, embedding): &(String, Vec<String>, Option<[f32; 8]>)|
        {
            ::std::vec![
                < Self as ::dyno::Entity > ::FIELDS.title.__set(title), < Self as
                ::dyno::Entity > ::FIELDS.tags.__set(tags), < Self as ::dyno::Entity >
                ::FIELDS.embedding.__set(embedding)
            ]
        }),
    };
    const SCHEMA: &'static ::dyno::Schema = &::dyno::__private::Schema {
        entity: "Article",
        table: ::core::option::Option::Some("articles"),
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
            Self::FIELDS.tenant.__stored("tenant"),
            Self::FIELDS.brand.__stored("brand"),
            Self::FIELDS.title.__stored("title"),
            Self::FIELDS.tags.__stored("tags"),
            Self::FIELDS.embedding.__stored("embedding"),
        ],
        vector_indexes: &[
            ::dyno::__private::SchemaVectorIndex {
                name: "similar",
                vector: ::dyno::__private::vector::<Option<[f32; 8]>>("embedding", true),
                metric: ::dyno::__private::Metric::Cosine,
                partition: &[::dyno::__private::search_partition::<String>("tenant")],
                filters: &[::dyno::__private::search_filter::<Option<String>>("brand")],
                projection: ::dyno::__private::Projected::Only(&["title"]),
                of: &[
                    ::dyno::__private::embedded::<String>("title"),
                    ::dyno::__private::embedded::<
                        ::dyno::__private::Checked<Vec<String>>,
                    >("tags"),
                ],
            },
        ],
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
        fields.tenant.__codec.put(&mut item, &self.tenant)?;
        fields.brand.__codec.put(&mut item, &self.brand)?;
        fields.title.__codec.put(&mut item, &self.title)?;
        fields.tags.__codec.put(&mut item, &self.tags)?;
        fields.embedding.__codec.put(&mut item, &self.embedding)?;
        ::core::result::Result::Ok(item)
    }
    #[inline]
    fn __decode(
        item: &mut ::dyno::__private::Members<'_>,
    ) -> ::core::result::Result<Self, ::dyno::DecodeError> {
        let fields = &Self::FIELDS;
        ::core::result::Result::Ok(Self {
            tenant: fields.tenant.__codec.take(item)?,
            brand: fields.brand.__codec.take(item)?,
            title: fields.title.__codec.take(item)?,
            tags: fields.tags.__codec.take(item)?,
            embedding: fields.embedding.__codec.take(item)?,
            id: fields.id.__codec.take_key::<String>(item)?,
        })
    }
}
#[automatically_derived]
impl ::dyno::bound::Deletable for Article {}
#[automatically_derived]
impl ::dyno::bound::Updatable for Article {}
#[automatically_derived]
impl ::dyno::bound::WithoutHistory for Article {}
#[automatically_derived]
impl ::dyno::bound::Replaceable for Article {}
#[automatically_derived]
impl ::dyno::bound::Batchable for Article {}
/// A handle for each stored attribute of [`Article`], for conditions, filters and changes.
#[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
pub struct ArticleFields {
    /// The key attribute `id`, which no update can change.
    pub id: ::dyno::Field<Article, String, ::dyno::field::access::Key>,
    /// The attribute `tenant`.
    pub tenant: ::dyno::Field<Article, String>,
    /// The attribute `brand`.
    pub brand: ::dyno::Field<Article, Option<String>>,
    /// The attribute `title`: an update of it removes `embedding`, until `embed` stores a new one.
    pub title: ::dyno::Field<Article, String>,
    /// The attribute `tags`: an update of it removes `embedding`, until `embed` stores a new one.
    pub tags: ::dyno::Field<Article, Vec<String>>,
    /// The vector `embedding`, which `embed` stores, and an update can remove.
    pub embedding: ::dyno::Field<
        Article,
        Option<[f32; 8]>,
        ::dyno::field::access::Embedding,
    >,
    /// The fields `title`, `tags`, `embedding`, set together because the vector is made of the others.
    ///
    /// In an update: `.with(Article::fields().title_and_tags_and_embedding.set((title, tags, embedding)))`.
    pub title_and_tags_and_embedding: ::dyno::field::Joint<
        Article,
        (String, Vec<String>, Option<[f32; 8]>),
    >,
}
#[automatically_derived]
#[allow(dead_code, reason = "all commands are there, used or not")]
impl Article {
    /// Returns a handle for each stored attribute of `Article`, for conditions, filters and changes.
    #[must_use]
    #[inline]
    pub fn fields() -> ArticleFields {
        <Self as ::dyno::Entity>::FIELDS
    }
    /// Returns the key of this `Article`: its `id`.
    #[must_use]
    #[inline]
    pub fn key(&self) -> <Self as ::dyno::Entity>::Key {
        ::dyno::Entity::key(self)
    }
    /// Reads the `Article` with this `id`.
    ///
    /// Sends one `GetItem`. Returns `None` if no item is stored. Costs half a read unit per 4 KB of the item, twice that with `.consistent()`.
    #[inline]
    pub fn get(id: impl ::dyno::value::IntoField<String>) -> ::dyno::command::Get<Self> {
        ::dyno::command::Get::new(::dyno::value::IntoField::into_field(id))
    }
    /// Requires in a transaction that the `Article` with this `id` exists.
    ///
    /// The other actions are applied only if it does: `Transaction::new().check(Article::check(id))`.
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
    /// Reads each `Article` with one of these keys: `id`.
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
    /// Reads each `Article` of the table, in no particular order.
    ///
    /// Sends one `Scan` for each page, of at most 1 MB: `send` reads one page, `stream` all. Costs half a read unit per 4 KB of all rows read, twice that with `.consistent()`.
    #[inline]
    pub fn scan() -> ::dyno::command::Scan<Self> {
        ::dyno::command::Scan::new()
    }
    /// Writes the `Article`, and replaces a stored one.
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
    /// Creates the `Article` if none is stored.
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
    /// Replaces the `Article` if one is stored.
    ///
    /// Sends one `PutItem`. It is applied only if
    /// `attribute_exists(#id)`
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
    /// Changes attributes of the `Article` with this `id`.
    ///
    /// Name the changes with `with`; all other attributes stay as they are: `Article::update(id).with(Article::fields().tenant.set(tenant))`. An update of `title` or `tags` removes `embedding`, unless it sets all together.
    ///
    /// Sends one `UpdateItem`. It is applied only if
    /// `attribute_exists(#id)`
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
    /// Deletes the `Article` with this `id`.
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
impl Article
where
    for<'__dyno> Self: ::dyno::absent::FunctionQuery,
{
    pub fn query() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Article
where
    for<'__dyno> Self: ::dyno::bound::Tombstoned,
{
    pub fn undelete(&self) {}
    pub fn purge() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Article
where
    for<'__dyno> Self: ::dyno::bound::Versioned,
{
    pub fn modify() {}
}
#[doc(hidden)]
#[automatically_derived]
#[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
impl Article
where
    for<'__dyno> Self: ::dyno::bound::WithHistory,
{
    pub fn revisions() {}
    pub fn revision() {}
    pub fn rollback() {}
    pub fn restore() {}
    pub fn repair() {}
}
/// The type of the vector index `similar` of [`Article`], which `Article::similar` searches.
#[allow(dead_code, reason = "it stands for an index, and has no values")]
pub struct ArticleSimilar(::core::marker::PhantomData<fn() -> Article>);
#[automatically_derived]
impl ::dyno::index::AnyIndex for ArticleSimilar {
    type Entity = Article;
    const NAME: &'static str = <Self as ::dyno::index::VectorIndex>::INDEX.name;
    const KEYS: [&'static [::dyno::__private::KeyAttribute]; 2] = [
        <Self as ::dyno::index::VectorIndex>::INDEX.partition,
        <Self as ::dyno::index::VectorIndex>::INDEX.filters,
    ];
    const PROJECTION: ::dyno::__private::Projected = <Self as ::dyno::index::VectorIndex>::INDEX
        .projection;
}
#[automatically_derived]
impl ::dyno::index::VectorIndex for ArticleSimilar {
    type Holds = ::dyno::index::SomeAttributes;
    const INDEX: &'static ::dyno::__private::SchemaVectorIndex = &<Article as ::dyno::Entity>::SCHEMA
        .vector_indexes[0usize];
}
#[automatically_derived]
#[allow(dead_code, reason = "all filters are there, used or not")]
impl ArticleSimilar {
    /// Limits the search to items with this `brand`.
    pub fn brand(
        brand: impl ::dyno::value::IntoField<String>,
    ) -> ::dyno::command::SearchFilter<Self> {
        ::dyno::command::SearchFilter::__new::<String>(0usize, brand)
    }
}
#[automatically_derived]
#[allow(dead_code, reason = "all searches are there, used or not")]
impl Article {
    /// Finds the items of `Article` with this `tenant` whose `embedding` is closest to this vector.
    ///
    /// Sends one `SearchVectors` to the index `similar`, which is written a moment after the item. The index holds only some attributes: `.project::<P>()` says which struct, with `#[derive(Projection)]`, the results are. DynamoDB bills the bytes of the index that the search reads.
    pub fn similar(
        tenant: impl ::dyno::value::IntoField<String>,
        embedding: impl ::dyno::value::IntoVector<[f32; 8]>,
    ) -> ::dyno::command::Search<ArticleSimilar, ::dyno::index::Partial> {
        ::dyno::command::Search::__new(
            ::core::option::Option::Some(
                ::dyno::__private::key_field::<
                    String,
                >(&::dyno::value::IntoField::<String>::into_field(tenant)),
            ),
            &::dyno::value::IntoVector::<[f32; 8]>::into_vector(embedding),
        )
    }
    /// Stores the `embedding` of the `Article` with this `id`, if it still has this `title` and `tags`.
    ///
    /// Sends one `UpdateItem`, which is applied only if the stored `title` and `tags` are those that you pass. A refusal is an `Outcome` with the stored item, not an error: `OtherText` (other values are stored) or `Missing` (no item is stored). `accept_stale()` on the outcome takes other values and a missing item as success, because whoever stored the newer values stores their vector, too. If the answer is lost, the request is sent again. Costs 1 write unit per KB of the item, and the bytes of its entry in the index.
    pub fn embed(
        id: impl ::dyno::value::IntoField<String>,
        (
            title,
            tags,
        ): (
            impl ::dyno::value::IntoField<String>,
            impl ::dyno::value::IntoField<Vec<String>>,
        ),
        embedding: impl ::dyno::value::IntoVector<[f32; 8]>,
    ) -> ::dyno::command::Update<Self> {
        ::dyno::command::Update::new(::dyno::value::IntoField::into_field(id))
            .with(
                <Self as ::dyno::Entity>::FIELDS
                    .embedding
                    .__embed(
                        &::core::option::Option::Some(
                            ::dyno::value::IntoVector::<[f32; 8]>::into_vector(embedding),
                        ),
                        [
                            ::dyno::Field::<
                                _,
                                String,
                                _,
                            >::__embedded(
                                &<Self as ::dyno::Entity>::FIELDS.title,
                                &::dyno::value::IntoField::<String>::into_field(title),
                            ),
                            ::dyno::Field::<
                                _,
                                ::dyno::__private::Checked<Vec<String>>,
                                _,
                            >::__embedded(
                                &<Self as ::dyno::Entity>::FIELDS.tags,
                                &::dyno::value::IntoField::<Vec<String>>::into_field(tags),
                            ),
                        ],
                    ),
            )
    }
}
