//! The query of a secondary index. What can be asked of its sort key depends on what has been asked already, so that is
//! part of the command's type.

use super::items::Items;
use super::pages::{IntoPlace, count, page, page_doc, paging};
use super::read::{Page, query};
use crate::attribute::{IntoField, KeyParts, Value};
use crate::entity::{ConsistentIndex, Entity, FitsIndex, Found, Index, MayExpire, Projection, Row, check_projection};
use crate::error::{EncodeError, Error};
use crate::exchange::{Repository, Request, Sending};
use crate::field::Condition;
use crate::key::SortTerm;
use crate::read::{Cursor, ReadCommand, Source};
use aws_sdk_dynamodb::types::AttributeValue;
use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;

/// Reads the items of one partition of an index, in the order of the index's sort keys. Tombstones and expired items are
/// passed over.
///
/// An item is in the index if it has all attributes of the index's key: with an optional field in the key, only items that
/// have it are. A global index is written a moment after the item, so a query may miss what was written just now.
#[must_use = "a command does nothing until it is sent"]
pub struct IndexQuery<I, T = <I as Index>::Entity, S = <I as Index>::Sort>
where
    I: Index,
{
    command: ReadCommand,
    #[expect(clippy::type_complexity, reason = "three types that are only named")]
    types: PhantomData<fn() -> (I, T, S)>,
}

/// What a query of an index that holds only some attributes reads, until `project` says which.
#[derive(Debug)]
pub enum Partial {}

/// A sort key of one attribute: a field, or a template of several.
#[derive(Debug)]
pub struct Whole<S>(PhantomData<S>);

/// A sort key of several attributes: `A` is the next one to ask for, and `R` those behind it.
#[derive(Debug)]
pub struct Parts<A, R>(PhantomData<(A, R)>);

/// A sort key of which there is nothing left to ask.
#[derive(Debug)]
pub enum Asked {}

/// A sort key that has been asked for a range.
#[derive(Debug)]
pub enum Ranged {}

/// Queries of an index in which something can still be asked of the sort key: these have the methods to ask it.
#[diagnostic::on_unimplemented(
    message = "there is nothing left to be asked of this index's sort key",
    label = "a range of one attribute, or a condition on the last one, is the end",
    note = "the attributes of a sort key are asked for from the left, all but the last of them by `sort_eq` (developer guide, \"Multi-attribute keys pattern\")",
    note = "what DynamoDB is not to go by goes into a `filter`, which is applied to what was read"
)]
pub trait Open {}

impl<I: Index, T> IndexQuery<I, T> {
    /// The command for the partition of this key.
    #[doc(hidden)]
    pub fn __new(partition: I::Partition) -> Self {
        Self { command: query(I::Entity::SCHEMA, Some(I::INDEX), &partition.parts()), types: PhantomData }
    }
}

impl<I: Index, T, S> IndexQuery<I, T, S> {
    pub(super) fn into_command(self) -> ReadCommand {
        self.command
    }

    pub(super) fn typed<U, R>(self) -> IndexQuery<I, U, R> {
        IndexQuery { command: self.command, types: PhantomData }
    }

    pub(super) fn ask<R>(mut self, attribute: usize, term: Result<SortTerm, EncodeError>) -> IndexQuery<I, T, R> {
        if let Source::Query { partition, sort, .. } = &mut self.command.source {
            match term {
                Ok(term) => sort.push((attribute, term)),
                Err(error) => *partition = Err(error),
            }
        }
        self.typed()
    }

    /// How many attributes of the sort key have been asked for.
    pub(super) fn asked(&self) -> usize {
        match &self.command.source {
            Source::Query { sort, .. } => sort.len(),
            Source::Scan { .. } => 0,
        }
    }

    /// Asks for the next attribute of a sort key of several: those before it have been asked for.
    pub(super) fn ask_next<A: Value, R>(
        self,
        value: impl IntoField<A>,
        term: impl FnOnce(Vec<AttributeValue>) -> SortTerm,
    ) -> IndexQuery<I, T, R> {
        let asked = self.asked();
        let value = value.into_field().encode();
        self.ask(asked, value.map(|value| term(vec![value])))
    }

    /// Reads from the highest sort key to the lowest.
    pub fn descending(mut self) -> Self {
        if let Source::Query { descending, .. } = &mut self.command.source {
            *descending = true;
        }
        self
    }

    /// Returns only items for which this condition holds. Several conditions are joined by AND. Items that it drops are
    /// read and paid for all the same. It cannot name an attribute of the index's key, nor one that the index does not
    /// hold.
    pub fn filter(mut self, condition: Condition<I::Entity>) -> Self {
        self.command.and(condition.into_node());
        self
    }

    paging!();

    /// Reads what every acknowledged write has left, for twice the price. Of a local index only, and not where the entity is
    /// transactional.
    pub fn consistent(mut self) -> Self
    where
        I: ConsistentIndex,
    {
        self.command.consistent = true;
        self
    }

    /// Reads only the fields that `P` names. What is read is paid for by the size of the index's items all the same.
    ///
    /// That the index holds them is checked where the projection is derived, or here if it is generic:
    ///
    /// ```compile_fail,E0080
    /// # use dyno::{Entity, Projection};
    /// #[derive(Entity)]
    /// #[index(name = "by_owner", partition = owner, projection = "keys")]
    /// struct Parcel<T> { #[partition_key] id: String, owner: String, content: T }
    ///
    /// #[derive(Projection)]
    /// #[projection(of = Parcel<T>, index = ParcelByOwner<T>)]
    /// struct Content<T> { content: T }
    ///
    /// let query = Parcel::<u64>::by_owner("ada").project::<Content<u64>>();
    /// ```
    pub fn project<P>(mut self) -> IndexQuery<I, P, S>
    where
        P: Projection<Entity = I::Entity> + FitsIndex<I, I::Holds>,
    {
        // Where types are generic, this is the first place that knows them.
        const { check_projection::<P, I>() };
        // A projection does not say whether the item is dead.
        self.command.include_dead = false;
        self.command.projection = Some(P::ATTRIBUTES);
        self.typed()
    }
}

impl<I: Index, S> IndexQuery<I, I::Entity, S> {
    /// Returns what is there, dead or alive: tombstones and expired items, too.
    pub fn include_deleted(mut self) -> IndexQuery<I, Found<I::Entity>, S>
    where
        I::Entity: MayExpire,
    {
        self.command.include_dead = true;
        self.typed()
    }
}

/// What is read must be known by then.
impl<I: Index, T, S> IndexQuery<I, T, S> {
    /// The request for the first page, without sending it.
    ///
    /// # Errors
    /// Those of `send` before its request: [`Error::is_invalid_input`].
    pub fn request(&self, repository: &Repository) -> Result<Request, Error>
    where
        T: Row<I::Entity>,
    {
        self.command.request(repository, repository.table_name::<I::Entity>()?)
    }

    #[doc = page_doc!("Query")]
    ///
    /// # Errors
    /// The request is impossible, DynamoDB could not be reached or answered with an error, or an item is not of the
    /// entity's shape; to get past such an item use [`send_each`](Self::send_each) or [`stream`](Self::stream).
    pub fn send<'a>(self, repository: &'a Repository) -> Sending<'a, Page<T>>
    where
        T: Row<I::Entity> + 'a,
    {
        let reading = page(self.command, repository, TypeId::of::<I::Entity>());
        Box::pin(async move { Page::read::<I::Entity>(reading.await?, repository.now()) })
    }

    /// As [`send`](Self::send), with an item that is not of the entity's shape as an error in its place.
    ///
    /// # Errors
    /// Those of `send`, but for an item's.
    pub fn send_each<'a>(self, repository: &'a Repository) -> Sending<'a, Page<Result<T, Error>>>
    where
        T: Row<I::Entity> + 'a,
    {
        let reading = page(self.command, repository, TypeId::of::<I::Entity>());
        Box::pin(async move { Ok(Page::read_each::<I::Entity>(reading.await?, repository.now())) })
    }

    /// Counts the items, with as many `Query` requests as it takes: see [`Query::count`](crate::command::Query::count).
    ///
    /// # Errors
    /// Those of any request; and a limit was given ([`Error::is_invalid_input`]).
    pub async fn count(self, repository: &Repository) -> Result<u64, Error> {
        count(self.command, repository, TypeId::of::<I::Entity>()).await
    }

    /// Reads item by item, with as many `Query` requests as it takes.
    pub fn stream(self, repository: &Repository) -> Items<I::Entity, T>
    where
        T: Row<I::Entity>,
    {
        Items::new(repository, self.command, T::read)
    }
}

impl<I: Index, T, S> Clone for IndexQuery<I, T, S> {
    fn clone(&self) -> Self {
        Self { command: self.command.clone(), types: PhantomData }
    }
}

impl<I: Index, T, S> fmt::Debug for IndexQuery<I, T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IndexQuery").field(&self.command).finish()
    }
}
