//! The query of a secondary index. The conditions that its sort key can still take depend on those that it has, so they are part
//! of the command's type.

use super::items::Items;
use super::pages::{IntoPlace, count, page, page_doc, paging};
use super::query_and_scan::{Page, add_sort_term, query};
use crate::attribute::{IntoField, KeyParts, Value};
use crate::entity::{
    ConsistentIndex, Entity, FitsIndex, Found, Index, MayExpire, Projection, Row, check_projection, clone_and_debug,
};
use crate::error::{EncodeError, Error};
use crate::exchange::{Repository, Request, Sending};
use crate::field::Condition;
use crate::key::SortTerm;
use crate::read::{Cursor, ReadCommand, Source};
use aws_sdk_dynamodb::types::AttributeValue;
use std::any::TypeId;
use std::marker::PhantomData;

/// Reads the items of one partition of an index, in the order of the index's sort keys. Tombstones and expired items are skipped.
///
/// An item is in the index if it has all attributes of the index's key: if the key has an optional field, only items that have
/// the field. A global index is written a moment after the item, so a query may miss a very recent write.
#[must_use = "a command does nothing until it is sent"]
pub struct IndexQuery<I, T = <I as Index>::Entity, S = <I as Index>::Sort>
where
    I: Index,
{
    pub(in crate::command) command: ReadCommand,
    #[expect(clippy::type_complexity, reason = "three types that are only named")]
    types: PhantomData<fn() -> (I, T, S)>,
}

/// The result type of a query of an index that holds only some attributes, until `project` says which to read.
#[derive(Debug)]
pub enum Partial {}

/// A sort key of one attribute: a field, or a template of several.
#[derive(Debug)]
pub struct Whole<S>(PhantomData<S>);

/// A sort key of several attributes: `A` is the next one to take a condition, and `R` those after it.
#[derive(Debug)]
pub struct Parts<A, R>(PhantomData<(A, R)>);

/// A sort key that takes no further condition.
#[derive(Debug)]
pub enum Asked {}

/// A sort key that has a range.
#[derive(Debug)]
pub enum Ranged {}

/// Queries of an index whose sort key still takes a condition: these have the `sort_…` methods.
#[diagnostic::on_unimplemented(
    message = "there is nothing left to be asked of this index's sort key",
    label = "a range of one attribute, or a condition on the last one, is the end",
    note = "the attributes of a sort key are asked for from the left, all but the last of them by `sort_eq` (developer guide, \"Multi-attribute keys pattern\")",
    note = "put all other conditions into a `filter`, which is applied to the items after the read"
)]
pub trait Open {}

impl<I: Index, T> IndexQuery<I, T> {
    /// Makes the command for the partition of this key.
    #[doc(hidden)]
    pub fn __new(partition: I::Partition) -> Self {
        Self { command: query(I::Entity::SCHEMA, Some(I::INDEX), &partition.parts()), types: PhantomData }
    }
}

impl<I: Index, T, S> IndexQuery<I, T, S> {
    pub(in crate::command) fn typed<U, R>(self) -> IndexQuery<I, U, R> {
        IndexQuery { command: self.command, types: PhantomData }
    }

    pub(in crate::command) fn ask<R>(
        mut self,
        attribute: usize,
        term: Result<SortTerm, EncodeError>,
    ) -> IndexQuery<I, T, R> {
        add_sort_term(&mut self.command, attribute, term);
        self.typed()
    }

    /// Returns how many attributes of the sort key have a condition.
    pub(in crate::command) fn asked(&self) -> usize {
        match &self.command.source {
            Source::Query { sort, .. } => sort.len(),
            Source::Scan { .. } => 0,
        }
    }

    /// Sets the condition of the next attribute of a sort key of several: those before it have theirs.
    pub(in crate::command) fn ask_next<A: Value, R>(
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

    /// Returns only items that meet this condition. Several conditions are joined by AND. Items that the filter drops are still
    /// read and paid for. It cannot name an attribute of the index's key, nor one that the index does not hold.
    pub fn filter(mut self, condition: Condition<I::Entity>) -> Self {
        self.command.and(condition.into_node());
        self
    }

    paging!();

    /// Reads with strong consistency, for twice the price: the result includes every write that was acknowledged before. Only for
    /// a local index, and only if the entity is not transactional.
    pub fn consistent(mut self) -> Self
    where
        I: ConsistentIndex,
    {
        self.command.options.level = self.command.options.level.consistent();
        self
    }

    /// Reads only the fields that `P` names. The read still costs the size of the index's items.
    ///
    /// The compiler checks that the index holds them where the projection is derived, or here if it is generic:
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
        // If types are generic, they are first known here.
        const { check_projection::<P, I>() };
        // A projection cannot tell whether the item is dead.
        self.command.options.include_dead = false;
        self.command.options.projection = Some(P::ATTRIBUTES);
        self.typed()
    }
}

impl<I: Index, S> IndexQuery<I, I::Entity, S> {
    /// Returns all items, dead or alive: tombstones and expired items, too.
    pub fn include_deleted(mut self) -> IndexQuery<I, Found<I::Entity>, S>
    where
        I::Entity: MayExpire,
    {
        self.command.options.include_dead = true;
        self.typed()
    }
}

/// Methods that need the type of the result.
impl<I: Index, T, S> IndexQuery<I, T, S> {
    /// Returns the request for the first page, without sending it.
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
    /// If you drop the future, nothing is lost: the command writes nothing of its own.
    ///
    /// # Errors
    /// The request is invalid ([`Error::is_invalid_input`]), DynamoDB could not be reached or answered with an error, or an item is
    /// not of the entity's shape; to get past such an item use [`send_each`](Self::send_each) or [`stream`](Self::stream).
    pub fn send<'a>(self, repository: &'a Repository) -> Sending<'a, Page<T>>
    where
        T: Row<I::Entity> + 'a,
    {
        let reading = page(self.command, repository, TypeId::of::<I::Entity>());
        Box::pin(async move { Page::read::<I::Entity>(reading.await?, repository.now()) })
    }

    /// As [`send`](Self::send), but an item that is not of the entity's shape is an error in its place in the page.
    ///
    /// # Errors
    /// Those of `send`, except an item's.
    pub fn send_each<'a>(self, repository: &'a Repository) -> Sending<'a, Page<Result<T, Error>>>
    where
        T: Row<I::Entity> + 'a,
    {
        let reading = page(self.command, repository, TypeId::of::<I::Entity>());
        Box::pin(async move { Ok(Page::read_each::<I::Entity>(reading.await?, repository.now())) })
    }

    /// Counts the items, with as many `Query` requests as necessary: see [`Query::count`](crate::command::Query::count).
    ///
    /// # Errors
    /// Those of any request; or a limit was set ([`Error::is_invalid_input`]).
    pub async fn count(self, repository: &Repository) -> Result<u64, Error> {
        count(self.command, repository, TypeId::of::<I::Entity>()).await
    }

    /// Reads item by item, with as many `Query` requests as necessary.
    pub fn stream(self, repository: &Repository) -> Items<I::Entity, T>
    where
        T: Row<I::Entity>,
    {
        Items::new(repository, self.command, T::read)
    }
}

clone_and_debug!([I: Index, T, S] IndexQuery<I, T, S>: command; types);
