//! The reads of whole items by an index that holds only some attributes.

use super::index::IndexQuery;
use super::index_scan::{IndexScan, ScannedIndex};
use super::items::Items;
use super::pages::{IntoPlace, paging};
use super::query_and_scan::Page;
use crate::entity::{Entity, Row, clone_and_debug};
use crate::error::Error;
use crate::exchange::Repository;
use crate::read::{Cursor, HydratedPages, RawPage, ReadCommand};
use futures_util::future::BoxFuture;
use std::marker::PhantomData;

/// Reads the whole items that a query or scan of an index finds, from the table: see [`IndexQuery::hydrate`].
#[must_use = "a command does nothing until it is sent"]
pub struct Hydrate<E> {
    command: ReadCommand,
    entity: PhantomData<fn() -> E>,
}

impl<E: Entity> Hydrate<E> {
    fn new(command: ReadCommand) -> Self {
        Self { command, entity: PhantomData }
    }

    paging!();

    /// Reads a page: the requests of the query or scan, and a `BatchGetItem` for each 100 items of it. With a limit, the command reads
    /// on until it has this many items or there are no more. Without one, it reads on until it has found 100. A cursor holds the key of
    /// the last item that the index had, also if the item was left out.
    ///
    /// If you drop the future, nothing is lost: the command writes nothing of its own.
    ///
    /// # Errors
    /// The request is invalid ([`Error::is_invalid_input`]), DynamoDB could not be reached or answered with an error, or an item is
    /// not of the entity's shape; to get past such an item use [`send_each`](Self::send_each) or [`stream`](Self::stream).
    pub async fn send(self, repository: &Repository) -> Result<Page<E>, Error> {
        Page::read::<E>(page(self.pages(repository)).await?, repository.now())
    }

    /// As [`send`](Self::send), but an item that is not of the entity's shape is an error in its place in the page.
    ///
    /// # Errors
    /// Those of `send`, except an item's.
    pub async fn send_each(self, repository: &Repository) -> Result<Page<Result<E, Error>>, Error> {
        Ok(Page::read_each::<E>(page(self.pages(repository)).await?, repository.now()))
    }

    /// Reads item by item, with as many requests as necessary. The stream has no cursor: to go on another time, read page by page.
    pub fn stream(self, repository: &Repository) -> Items<E, E> {
        Items::of_pages(repository, self.pages(repository), E::read)
    }

    fn pages(self, repository: &Repository) -> Result<HydratedPages, Error> {
        HydratedPages::new(repository.clone(), repository.table_name::<E>()?, self.command)
    }
}

/// Not generic, so that it is compiled once and not for each entity.
fn page(pages: Result<HydratedPages, Error>) -> BoxFuture<'static, Result<RawPage, Error>> {
    Box::pin(async move { pages?.page().await })
}

clone_and_debug!([E] Hydrate<E>: command; entity);

impl<I: ScannedIndex, S> IndexQuery<I, I::Read, S> {
    /// Reads whole items, also if the index holds only some attributes: the items that the index finds are read from the table,
    /// consistently.
    ///
    /// The items come in the order of the index. An item that has been deleted meanwhile, or no longer answers the query, is left out.
    /// An item whose place in the index changes during the query can come twice, or not at all, as in each query of several pages.
    ///
    /// It costs the query, and a consistent read of each item.
    ///
    /// ```no_run
    /// # use dyno::{Entity, Repository};
    /// #[derive(Entity)]
    /// #[entity(table = "orders")]
    /// #[index(name = "by_status", partition = status, sort = placed, projection = "keys")]
    /// struct Order { #[partition_key] id: String, status: String, placed: u64, total: u32 }
    ///
    /// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
    /// let page = Order::by_status("open").hydrate().limit(20).send(&repository).await?;
    /// # Ok(()) }
    /// ```
    pub fn hydrate(self) -> Hydrate<I::Entity> {
        Hydrate::new(self.command)
    }
}

impl<I: ScannedIndex> IndexScan<I, I::Read> {
    /// Reads whole items, also if the index holds only some attributes: see [`IndexQuery::hydrate`].
    pub fn hydrate(self) -> Hydrate<I::Entity> {
        Hydrate::new(self.command)
    }
}
