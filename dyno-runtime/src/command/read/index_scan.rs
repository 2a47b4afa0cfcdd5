//! The scan of a secondary index: all items in the index.

use super::index::Partial;
use super::items::Items;
use super::pages::{IntoPlace, count, page, page_doc, paging};
use super::query_and_scan::Page;
use crate::entity::{
    ConsistentIndex, FitsIndex, Found, Index, MayExpire, Projection, Row, SomeAttributes, WholeItems, check_projection,
    clone_and_debug,
};
use crate::error::Error;
use crate::exchange::{Repository, Request, Sending};
use crate::field::Condition;
use crate::read::{Cursor, ReadCommand, Source};
use std::any::TypeId;
use std::marker::PhantomData;

/// Reads all items of an index, in no order: see [`Scan::index`](crate::command::Scan::index). Tombstones and expired items are
/// skipped.
#[must_use = "a command does nothing until it is sent"]
pub struct IndexScan<I: Index, T = <I as Index>::Entity> {
    pub(in crate::command) command: ReadCommand,
    types: PhantomData<fn() -> (I, T)>,
}

/// Indexes, with the type that a scan of them reads: whole items, or a projection.
pub trait ScannedIndex: Index {
    /// The entity, or `Partial` until `project` says what to read.
    type Read;
}

impl<I: Index<Holds: Held<I::Entity>>> ScannedIndex for I {
    type Read = <I::Holds as Held<I::Entity>>::Read;
}

/// The attributes that an index holds of an entity.
pub trait Held<E> {
    /// The type that is read.
    type Read;
}

impl<E> Held<E> for WholeItems {
    type Read = E;
}

impl<E> Held<E> for SomeAttributes {
    type Read = Partial;
}

impl<I: Index, T> IndexScan<I, T> {
    /// Makes the command that scans the index instead of the table.
    pub(in crate::command) fn of(mut command: ReadCommand) -> Self {
        if let Source::Scan { index, .. } = &mut command.source {
            *index = Some(I::INDEX);
        }
        Self { command, types: PhantomData }
    }

    /// Returns only items that meet this condition. Several conditions are joined by AND. Items that the filter drops are still
    /// read and paid for. It cannot name an attribute that the index does not hold.
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

    /// Reads only this one of `of` segments, counted from 0: to spread one scan over several processes.
    pub fn segment(mut self, segment: u32, of: u32) -> Self {
        if let Source::Scan { segment: of_all, .. } = &mut self.command.source {
            *of_all = Some((segment, of));
        }
        self
    }

    /// Reads only the fields that `P` names, which the index must hold. The read still costs the size of the index's items.
    pub fn project<P>(mut self) -> IndexScan<I, P>
    where
        P: Projection<Entity = I::Entity> + FitsIndex<I, I::Holds>,
    {
        // If types are generic, they are first known here.
        const { check_projection::<P, I>() };
        // A projection cannot tell whether the item is dead.
        self.command.options.include_dead = false;
        self.command.options.projection = Some(P::ATTRIBUTES);
        IndexScan { command: self.command, types: PhantomData }
    }

    /// Counts the items, with as many `Scan` requests as necessary: see [`Scan::count`](crate::command::Scan::count).
    ///
    /// # Errors
    /// Those of any request; or a limit was set ([`Error::is_invalid_input`]).
    pub async fn count(self, repository: &Repository) -> Result<u64, Error> {
        count(self.command, repository, TypeId::of::<I::Entity>()).await
    }
}

impl<I: Index> IndexScan<I, I::Entity> {
    /// Returns all items, dead or alive: tombstones and expired items, too.
    pub fn include_deleted(mut self) -> IndexScan<I, Found<I::Entity>>
    where
        I::Entity: MayExpire,
    {
        self.command.options.include_dead = true;
        IndexScan { command: self.command, types: PhantomData }
    }
}

/// Methods that need the type of the result.
impl<I: Index, T> IndexScan<I, T> {
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

    #[doc = page_doc!("Scan")]
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

    /// Reads item by item, with as many `Scan` requests as necessary.
    pub fn stream(self, repository: &Repository) -> Items<I::Entity, T>
    where
        T: Row<I::Entity>,
    {
        Items::new(repository, self.command, T::read)
    }
}

clone_and_debug!([I: Index, T] IndexScan<I, T>: command; types);
