//! Query and Scan: page by page, until a limit of live items is met or there are no more.
//!
//! DynamoDB's own Limit counts items before the filter, so tombstones and expired items would use it up. Here the
//! limit counts what the caller gets, and reading goes on until it is met. A cursor is the key of the last item
//! returned, so a page may be read further than it is handed out.

use super::cursor::{Cursor, Place};
use super::get_item::GetCommand;
use super::query::{ReadCommand, Returns};
use super::read_level::{LOOKS, is_held, shown};
use super::reader::{Input, Reader};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::{About, ItemRef, Repository, read};
use crate::key::{Asked, error_context};
use futures_util::future::BoxFuture;
use futures_util::stream;
use futures_util::stream::{BoxStream, StreamExt as _, TryStreamExt as _};

/// Items of one page, and where to go on.
#[derive(Debug)]
pub(crate) struct RawPage {
    pub(crate) items: Vec<Item>,
    pub(crate) cursor: Option<Cursor>,
}

/// The most items that one request asks for when it has to ask again: a page ends at 1 MB anyway.
const MOST_PER_REQUEST: usize = 1000;

/// A reading under way, page by page.
pub(crate) trait Paged: Sized + Send + 'static {
    type Row: Send + 'static;

    /// The rows of the next page, perhaps none; `None` when there are no more.
    fn next_page(&mut self) -> impl Future<Output = Result<Option<Vec<Self::Row>>, Error>> + Send;
}

/// The rows of all pages, one by one. An error ends it.
pub(crate) fn rows<P: Paged>(pages: Result<P, Error>) -> BoxStream<'static, Result<P::Row, Error>> {
    match pages {
        Ok(pages) => {
            let pages = stream::try_unfold(pages, async |mut pages: P| {
                let rows = pages.next_page().await?;
                Ok::<_, Error>(rows.map(|rows| (stream::iter(rows.into_iter().map(Ok)), pages)))
            });
            Box::pin(pages.try_flatten())
        }
        Err(error) => Box::pin(stream::once(async { Err(error) })),
    }
}

/// As many rows as the limit says. Where that is 0, the one row is the error which refuses it.
pub(crate) fn up_to<T: Send + 'static>(
    limit: Option<usize>,
    rows: BoxStream<'static, Result<T, Error>>,
) -> BoxStream<'static, Result<T, Error>> {
    match limit {
        Some(limit) => Box::pin(rows.take(limit.max(1))),
        None => rows,
    }
}

impl Paged for Pages {
    type Row = Item;

    async fn next_page(&mut self) -> Result<Option<Vec<Item>>, Error> {
        self.next().await
    }
}

/// A query or scan under way.
pub(crate) struct Pages {
    repository: Repository,
    table: String,
    operation: &'static str,
    reader: Reader,
    /// How many more items the caller wants.
    wanted: Option<usize>,
    /// How many items to ask DynamoDB for.
    ask: Option<usize>,
    after: Option<Item>,
    finished: bool,
    /// How many items DynamoDB has counted instead of returning them.
    counted: u64,
}

impl Pages {
    pub(crate) fn new(repository: Repository, table: String, command: ReadCommand) -> Result<Self, Error> {
        let operation = command.operation();
        let context = command.context();
        let reader = Reader::new(command, &repository, &table);
        let (reader, after) = reader.map_err(|error| error.with_context(|| context))?;
        Ok(Self {
            repository,
            table,
            operation,
            wanted: reader.options.limit.filter(|_| reader.options.returns != Returns::Rows),
            ask: reader.options.limit,
            // Of an empty query, there is nothing behind a cursor either.
            after: after.filter(|_| !reader.is_empty()),
            finished: reader.is_empty(),
            counted: 0,
            reader,
        })
    }

    /// The items of the next request, perhaps none; `None` when there are no more.
    async fn next(&mut self) -> Result<Option<Vec<Item>>, Error> {
        if self.finished {
            return Ok(None);
        }
        let read = self.read_and_look().await;
        self.finished |= read.is_err();
        let context = || error_context(self.operation, self.reader.schema, None);
        let (mut items, reached) = read.map_err(|error| error.with_context(context))?;
        let now = self.repository.now();
        items.retain(|item| self.reader.returns(now, item));
        self.advance(&mut items, reached);
        Ok(Some(items))
    }

    /// Moves on behind what was read, or behind what is handed out where that is less.
    fn advance(&mut self, items: &mut Vec<Item>, reached: Option<Item>) {
        self.after = reached;
        self.finished = self.after.is_none();
        let Some(wanted) = self.wanted else {
            self.ask = self.ask.map(|ask| ask.saturating_mul(2).min(MOST_PER_REQUEST));
            return;
        };
        if items.len() > wanted {
            items.truncate(wanted);
            self.after = items.last().map(|item| self.place(item).into_item());
        }
        let wanted = wanted - items.len();
        self.finished |= wanted == 0;
        self.wanted = Some(wanted);
        self.ask = if self.reader.drops_items() {
            // Twice as many each time: a long run of tombstones takes few requests, and few items too many.
            self.ask.map(|ask| ask.saturating_mul(2).min(MOST_PER_REQUEST).max(wanted))
        } else {
            Some(wanted)
        };
    }

    /// Behind this item.
    fn place(&self, item: &Item) -> Place {
        Place::behind(self.reader.schema, self.reader.index, item)
    }

    /// Behind what has been read.
    pub(crate) fn reached(&self) -> Option<Place> {
        self.after.clone().map(Place::reached)
    }

    /// The key behind which it goes on, if it does not begin, or has not ended.
    pub(crate) fn behind(&self) -> Option<&Item> {
        self.after.as_ref()
    }

    /// Asks DynamoDB for so many items, at first.
    pub(crate) fn ask(&mut self, items: usize) {
        self.ask = Some(items);
    }

    /// Whether it is asked for the row at this key.
    pub(crate) fn covers(&self, key: &Item) -> bool {
        self.reader.covers(key)
    }

    /// Whether an item is the caller's, and comes through the filter.
    pub(crate) fn shows(&self, now: EpochMillis, item: &Item) -> bool {
        self.reader.wants(now, item) && self.reader.passes(now, item)
    }

    /// How many items the caller wants, of those.
    pub(crate) fn limit(&self) -> Option<usize> {
        self.reader.options.limit
    }

    /// What is asked.
    pub(crate) fn asked(&self) -> Asked {
        self.reader.asked
    }

    /// Refuses a place that is none of what it reads.
    pub(crate) fn check_place(&self, place: &Place) -> Result<(), Error> {
        self.reader.start_key(place.clone()).map(drop)
    }

    /// Goes on behind a place that an earlier run has reached.
    pub(crate) fn start_behind(&mut self, place: Place) -> Result<(), Error> {
        self.after = Some(self.reader.start_key(place)?);
        Ok(())
    }

    /// How many items there are.
    pub(crate) async fn count(mut self) -> Result<u64, Error> {
        let mut count = 0;
        while let Some(items) = self.next().await? {
            count += items.len() as u64;
        }
        Ok(count + self.counted)
    }

    /// All up to the limit, or one request's items if there is none.
    pub(crate) async fn page(mut self) -> Result<RawPage, Error> {
        let is_sealed = self.repository.seal().is_some();
        let mut items = Vec::new();
        while let Some(more) = self.next().await? {
            items.extend(more);
            // The key of an item that was passed over is nobody's business: behind none, a cursor must be sealed.
            if self.wanted.is_none() && (is_sealed || !items.is_empty()) {
                break;
            }
        }
        let place = match (&self.after, items.last()) {
            (None, _) => None,
            (Some(_), Some(last)) if !is_sealed => Some(self.place(last)),
            (Some(reached), _) => Some(Place::reached(reached.clone())),
        };
        let cursor = place.map(|place| Cursor::new(self.asked(), place, self.repository.seal()));
        Ok(RawPage { items, cursor: cursor.transpose()? })
    }

    /// What was read, as it is to be shown.
    async fn read_and_look(&mut self) -> Result<(Vec<Item>, Option<Item>), Error> {
        let (mut items, reached) = self.read().await?;
        if self.reader.options.level.resolves() && items.iter().any(is_held) {
            // Boxed: few pages have items that are held.
            items = Box::pin(self.look(items)).await?;
        }
        Ok((items, reached))
    }

    /// What is shown of these, if it comes through the filter then.
    async fn look(&self, items: Vec<Item>) -> Result<Vec<Item>, Error> {
        let projected: Option<Vec<&str>> = self.reader.projected().map(Iterator::collect);
        // Made before they are polled: a stream that made them would not be known to be `Send`.
        let looks: Vec<BoxFuture<'_, _>> =
            items.into_iter().map(|item| -> BoxFuture<'_, _> { Box::pin(self.look_at(item)) }).collect();
        let mut shown: Vec<Item> = stream::iter(looks)
            .buffered(LOOKS)
            .try_filter_map(|item| std::future::ready(Ok::<_, Error>(item)))
            .try_collect()
            .await?;
        if let Some(names) = projected {
            for item in &mut shown {
                item.retain(|name, _| names.contains(&&**name));
            }
        }
        Ok(shown)
    }

    async fn look_at(&self, item: Item) -> Result<Option<Item>, Error> {
        // What is another's in the table is not touched.
        let Some(schema) = self.reader.whose(self.repository.now(), &item).filter(|_| is_held(&item)) else {
            return Ok(Some(item).filter(|item| !is_held(item) || self.reader.passes(self.repository.now(), item)));
        };
        let key: Item = schema
            .keys()
            .filter_map(|key| item.get_key_value(key.name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let at = ItemRef { table: self.table.clone(), key };
        let again = GetCommand::consistent(schema, Ok(at.key.clone()));
        let is_whole = self.reader.options.projection.is_none();
        let shown =
            shown(&again, self.reader.options.level, &self.repository, self.operation, &at, item, is_whole).await;
        let context = || error_context(self.operation, schema, Some(&at.key));
        let shown = shown.map_err(|error| error.with_context(context))?;
        Ok(shown.filter(|item| self.reader.passes(self.repository.now(), item)))
    }

    async fn read(&mut self) -> Result<(Vec<Item>, Option<Item>), Error> {
        let (client, now) = (self.repository.client(), self.repository.now());
        let input = self.reader.input(client, self.table.clone(), now, self.ask, self.after.take())?;
        let (about, hedge) =
            (About::new(self.operation, self.reader.schema.entity, &self.table), self.reader.options.hedge);
        let (items, reached, count) = match input {
            Input::Query(query) => {
                let output = read(&self.repository, about, query, hedge).await?;
                (output.items, output.last_evaluated_key, output.count)
            }
            Input::Scan(scan) => {
                let output = read(&self.repository, about, scan, hedge).await?;
                (output.items, output.last_evaluated_key, output.count)
            }
        };
        if self.reader.is_counted_there() {
            self.counted += u64::try_from(count).unwrap_or_default();
        }
        Ok((items.unwrap_or_default(), reached))
    }
}
