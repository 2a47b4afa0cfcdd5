//! The search of a vector index: the items that are closest to a vector.

use crate::attribute::time::EpochMillis;
use crate::attribute::{IntoField, KeyPart, Value};
use crate::entity::{
    AnyIndex, Entity as _, FitsIndex, Projection, Row, VectorIndex, check_projection, clone_and_debug,
};
use crate::error::{EncodeError, Error};
use crate::exchange::{Repository, Request, Sending};
use crate::read::{Closest, SearchCommand};
use crate::schema::KeyAttribute;
use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::BoxFuture;
use std::any::TypeId;
use std::marker::PhantomData;
use std::time::Duration;

/// Finds the items whose vectors are closest to a vector: the result of the function that the derive makes for an
/// `#[index(vector = …)]`. Expired items are passed over; deleted ones have no vector.
///
/// The index is written a moment after the item, so a search may miss a very recent write, and may show an item as it was. It is
/// never consistent. DynamoDB's search is approximate: it can miss an item that is among the closest.
#[must_use = "a command does nothing until it is sent"]
pub struct Search<I, T = <I as AnyIndex>::Entity>
where
    I: VectorIndex,
{
    command: SearchCommand,
    types: PhantomData<fn() -> (I, T)>,
}

/// One result of a [`Search`]: an item, and how close its vector is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Match<T> {
    /// The item, or the part of it that was asked for.
    pub item: T,
    /// The distance as the index's metric defines it. With `cosine` (0 to 2) and `euclidean`, a lower score is closer; with
    /// `dot_product`, a higher one.
    pub score: f64,
}

/// The results of a [`Search`], the closest first. Items with equal scores are in no order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Matches<T> {
    /// The results.
    pub items: Vec<Match<T>>,
    /// How many rows DynamoDB returned that are no results: items that have expired, and rows of other entities. A search returns
    /// so many fewer than it asked for.
    pub dropped: usize,
}

impl<T> IntoIterator for Matches<T> {
    type Item = Match<T>;
    type IntoIter = std::vec::IntoIter<Match<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

/// The value of one filter of a vector index. The derive makes a function for each filter: `ArticleSimilar::brand("x")`.
pub struct SearchFilter<I> {
    attribute: &'static KeyAttribute,
    value: Result<AttributeValue, EncodeError>,
    index: PhantomData<fn() -> I>,
}

/// Arguments of [`Search::filter`]: filters that the vector index declares.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no filter of the vector index `{I}`",
    label = "expected a filter that the index declares",
    note = "a filter is made by a function of its name: `.filter({I}::brand(\"x\"))`, if the `#[index(…)]` says `filter(brand)`",
    note = "a search asks for filters by equality; anything else is asked of the items that it returns"
)]
pub trait IntoSearchFilter<I> {
    /// Returns the filter.
    fn into_search_filter(self) -> SearchFilter<I>;
}

impl<I> IntoSearchFilter<I> for SearchFilter<I> {
    fn into_search_filter(self) -> Self {
        self
    }
}

#[doc(hidden)]
impl<I: VectorIndex> SearchFilter<I> {
    /// Makes the filter with this position in the index.
    pub fn __new<T: Value>(position: usize, value: impl IntoField<T>) -> Self {
        Self { attribute: &I::INDEX.filters[position], value: value.into_field().encode(), index: PhantomData }
    }
}

impl<I> std::fmt::Debug for SearchFilter<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SearchFilter").field(&self.attribute.name).finish()
    }
}

impl<I: VectorIndex, T> Search<I, T> {
    /// Makes the search for this vector, in this partition if the index has one.
    #[doc(hidden)]
    pub fn __new(partition: Option<&dyn KeyPart>, vector: &impl Value) -> Self {
        let mut command = SearchCommand::new(I::Entity::SCHEMA, I::INDEX, vector.encode());
        if let (Some(attribute), Some(value)) = (I::INDEX.partition.first(), partition) {
            command.equal.push((attribute, value.value()));
        }
        Self { command, types: PhantomData }
    }

    fn typed<U>(self) -> Search<I, U> {
        Search { command: self.command, types: PhantomData }
    }

    /// Returns only items with this value: `.filter(ArticleSimilar::brand("x"))`. Several filters are joined by AND. DynamoDB takes
    /// one value for each filter that the index declares.
    pub fn filter(mut self, filter: impl IntoSearchFilter<I>) -> Self {
        let filter = filter.into_search_filter();
        self.command.equal.push((filter.attribute, filter.value));
        self
    }

    /// Returns at most so many items, from 1 to 100. It is 10 unless you say otherwise.
    pub fn top(mut self, items: usize) -> Self {
        self.command.top = items;
        self
    }

    /// Returns only items that are at most so far: with `cosine` and `euclidean`, those whose score is at most this limit; with
    /// `dot_product`, those whose score is at least this limit. Costs the same, because DynamoDB returns the others, too.
    pub fn within(mut self, limit: f64) -> Self {
        self.command.within = Some(limit);
        self
    }

    /// Sends a second, equal request if the first has not been answered after this time, and takes the first answer: see
    /// [`Repository::hedged`].
    pub fn hedge(mut self, after: Duration) -> Self {
        self.command.hedge = Some(after);
        self
    }

    /// Reads only the fields that `P` names, which the index must hold.
    pub fn project<P>(mut self) -> Search<I, P>
    where
        P: Projection<Entity = I::Entity> + FitsIndex<I, I::Holds>,
    {
        // If types are generic, they are first known here.
        const { check_projection::<P, I>() };
        self.command.projection = Some(P::ATTRIBUTES);
        self.typed()
    }
}

/// Methods that need the type of the result.
impl<I: VectorIndex, T> Search<I, T> {
    /// Returns the request that `send` would send, without sending it.
    ///
    /// # Errors
    /// Those of `send` before its request: [`Error::is_invalid_input`].
    pub fn request(&self, repository: &Repository) -> Result<Request, Error>
    where
        T: Row<I::Entity>,
    {
        self.command.request(repository, repository.table_name::<I::Entity>()?)
    }

    /// Searches the index, with one `SearchVectors`. It costs the bytes of the index that DynamoDB looks at: see
    /// [`Usage::vector_read_bytes`](crate::Usage).
    ///
    /// If you drop the future, nothing is lost: the command writes nothing.
    ///
    /// # Errors
    /// The vector has a NaN or an infinity, `top` is not 1 to 100, the partition is empty, or a filter is given twice
    /// ([`Error::is_invalid_input`]); the index is still being filled ([`Error::is_index_not_ready`]); DynamoDB could not be
    /// reached or answered with an error; or an item is not of the entity's shape. To get past such an item use
    /// [`send_each`](Self::send_each).
    pub fn send<'a>(self, repository: &'a Repository) -> Sending<'a, Matches<T>>
    where
        T: Row<I::Entity> + 'a,
    {
        let search = self.send_each(repository);
        Box::pin(async move {
            let Matches { items, dropped } = search.await?;
            let items = items.into_iter().map(|Match { item, score }| Ok(Match { item: item?, score }));
            Ok(Matches { items: items.collect::<Result<_, Error>>()?, dropped })
        })
    }

    /// As [`send`](Self::send), but an item that is not of the entity's shape is an error in its place.
    ///
    /// # Errors
    /// Those of `send`, except an item's.
    pub fn send_each<'a>(self, repository: &'a Repository) -> Sending<'a, Matches<Result<T, Error>>>
    where
        T: Row<I::Entity> + 'a,
    {
        let search = search(self.command, repository, TypeId::of::<I::Entity>());
        Box::pin(async move {
            let (Closest { items, dropped }, now) = search.await?;
            let items = items.into_iter().map(|(item, score)| Match { item: T::read(item, now), score });
            Ok(Matches { items: items.collect(), dropped })
        })
    }
}

fn search(
    command: SearchCommand,
    repository: &Repository,
    entity: TypeId,
) -> BoxFuture<'_, Result<(Closest, EpochMillis), Error>> {
    Box::pin(async move {
        let table = repository.table_name_of(entity, command.schema)?;
        let found = command.send(repository, table).await?;
        Ok((found, repository.now()))
    })
}

clone_and_debug!([I: VectorIndex, T] Search<I, T>: command; types);
