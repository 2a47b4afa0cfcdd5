//! The items of a query or scan as a stream.

use crate::attribute::RawItem;
use crate::attribute::time::EpochMillis;
use crate::entity::Entity;
use crate::error::Error;
use crate::exchange::Repository;
use crate::key::Asked;
use crate::read::{Cursor, Paged, Pages, Place, ReadCommand, rows, up_to};
use crate::schema::{Index, Schema};
use futures_core::Stream;
use futures_util::stream::{BoxStream, SelectAll, StreamExt as _};
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The items of a query or scan, one by one: a [`Stream`], which also has [`next`](Self::next) and
/// [`try_collect`](Self::try_collect), so that you need no stream library.
///
/// An item that is not of the entity's shape is an error in its place, and the stream continues after it. An error of a request
/// ends the stream (in a parallel scan, the segment).
#[must_use = "a stream does nothing until it is read"]
pub struct Items<E, T = E> {
    found: RawItems,
    read: fn(RawItem, EpochMillis) -> Result<T, Error>,
    entity: PhantomData<fn() -> E>,
}

impl<E: Entity, T> Items<E, T> {
    /// Streams the items of a command, each decoded by `read`.
    pub(in crate::command) fn new(
        repository: &Repository,
        command: ReadCommand,
        read: fn(RawItem, EpochMillis) -> Result<T, Error>,
    ) -> Self {
        let found = RawItems::new(repository, repository.table_name::<E>(), E::SCHEMA, command);
        Self { found, read, entity: PhantomData }
    }

    /// Streams the rows of pages that have no cursor.
    pub(in crate::command) fn of_pages<P: Paged<Row = RawItem>>(
        repository: &Repository,
        pages: Result<P, Error>,
        read: fn(RawItem, EpochMillis) -> Result<T, Error>,
    ) -> Self {
        Self { found: RawItems::without_cursor(repository, E::SCHEMA, rows(pages)), read, entity: PhantomData }
    }

    /// Streams the items of commands that each read one segment.
    pub(in crate::command) fn of_segments(
        repository: &Repository,
        commands: Vec<ReadCommand>,
        read: fn(RawItem, EpochMillis) -> Result<T, Error>,
    ) -> Self {
        let found = RawItems::of_segments(repository, repository.table_name::<E>(), E::SCHEMA, commands);
        Self { found, read, entity: PhantomData }
    }

    /// Returns the next item; `None` when there are no more.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        let item = self.found.next().await?;
        Some(self.read(item))
    }

    /// Returns all items, or the first error.
    ///
    /// # Errors
    /// Those of the items.
    pub async fn try_collect(mut self) -> Result<Vec<T>, Error> {
        let mut items = Vec::new();
        while let Some(item) = self.found.next().await {
            items.push(self.read(item)?);
        }
        Ok(items)
    }

    /// Returns the cursor after the last item returned, to continue from there another time; `None` before the first item. A parallel
    /// scan never has one, because each of its segments is at another place, nor has a stream of [`Hydrate`](crate::command::Hydrate),
    /// whose pages have cursors.
    ///
    /// # Errors
    /// The cursor could not be sealed, if [cursors are](Repository#method.with_sealed_cursors): the system has no random numbers.
    pub fn cursor(&self) -> Result<Option<Cursor>, Error> {
        self.found.cursor()
    }

    fn read(&self, found: Received) -> Result<T, Error> {
        let (item, now) = found?;
        (self.read)(item, now)
    }
}

/// An item, with the time at which it is read.
type Received = Result<(RawItem, EpochMillis), Error>;

/// The items before they are decoded. Not generic, so that it is compiled once and not for each entity.
struct RawItems {
    items: BoxStream<'static, Result<RawItem, Error>>,
    repository: Repository,
    schema: &'static Schema,
    index: Option<&'static Index>,
    /// The query or scan of a cursor; `None` for several segments, because each reads something else.
    asked: Option<Asked>,
    /// The place after the last item, if there was one.
    last: Option<Place>,
}

impl RawItems {
    fn new(
        repository: &Repository,
        table: Result<String, Error>,
        schema: &'static Schema,
        command: ReadCommand,
    ) -> Self {
        let (limit, index) = (command.options.limit, command.index());
        let pages = table.and_then(|table| Pages::new(repository.clone(), table, command));
        let asked = pages.as_ref().ok().map(Pages::asked);
        Self { items: up_to(limit, rows(pages)), repository: repository.clone(), schema, index, asked, last: None }
    }

    fn of_segments(
        repository: &Repository,
        table: Result<String, Error>,
        schema: &'static Schema,
        commands: Vec<ReadCommand>,
    ) -> Self {
        let limit = commands.iter().find_map(|command| command.options.limit);
        let items = commands.into_iter().map(|command| {
            let table = table.as_ref().map_err(Error::share).cloned();
            rows(table.and_then(|table| Pages::new(repository.clone(), table, command)))
        });
        // Each segment applies the limit alone, so their items together are limited here.
        Self::without_cursor(repository, schema, up_to(limit, Box::pin(items.collect::<SelectAll<_>>())))
    }

    fn without_cursor(
        repository: &Repository,
        schema: &'static Schema,
        items: BoxStream<'static, Result<RawItem, Error>>,
    ) -> Self {
        Self { items, repository: repository.clone(), schema, index: None, asked: None, last: None }
    }

    /// Moves the cursor's place to this item, and returns the item with the current time.
    fn advance(&mut self, item: Result<RawItem, Error>) -> Received {
        let item = item?;
        if self.asked.is_some() {
            self.last = Some(Place::behind(self.schema, self.index, &item));
        }
        Ok((item, self.repository.now()))
    }

    /// Makes the cursor only on request, because sealing it costs as much as decoding an item.
    fn cursor(&self) -> Result<Option<Cursor>, Error> {
        let Some((asked, place)) = self.asked.zip(self.last.clone()) else { return Ok(None) };
        Cursor::new(asked, place, self.repository.seal()).map(Some)
    }
}

impl Stream for RawItems {
    type Item = Received;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let item = self.items.poll_next_unpin(context);
        item.map(|item| item.map(|item| self.advance(item)))
    }
}

impl<E: Entity, T> Stream for Items<E, T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let item = self.found.poll_next_unpin(context);
        item.map(|item| item.map(|item| self.read(item)))
    }
}

impl<E, T> fmt::Debug for Items<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").field("last", &self.found.last).finish_non_exhaustive()
    }
}
