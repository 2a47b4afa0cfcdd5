//! The pages of a query or scan, up to a limit of items.
//!
//! DynamoDB's own `Limit` counts items before the filter, so tombstones and expired items would use it up. dyno's limit counts
//! the items that are returned, and dyno reads until it has this many. A cursor is the key of the last item that was returned,
//! so dyno may have read further than the cursor.

use super::cursor::{Cursor, Place};
use super::get_item::GetCommand;
use super::query::{ReadCommand, ReadOptions, Returns};
use super::question::Question;
use super::read_level::{RESOLUTIONS, is_held, resolve_held};
use super::reader::{Input, Reader};
#[cfg(feature = "transactions")]
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, RawItem};
use crate::error::{EncodeError, Error};
use crate::exchange::{About, ItemRef, Repository, boxed_stream, read};
use crate::expression::Node;
use crate::key::{Asked, error_context, key_of};
use futures_util::stream;
use futures_util::stream::{BoxStream, StreamExt as _, TryStreamExt as _};

/// The items of one page, and the cursor to continue with.
#[derive(Debug)]
pub(crate) struct RawPage {
    pub(crate) items: Vec<RawItem>,
    pub(crate) cursor: Option<Cursor>,
}

/// Up to this limit, the limits of further requests double. A page ends at 1 MB anyway.
const MOST_PER_REQUEST: usize = 1000;

/// A read in progress that returns page after page.
pub(crate) trait Paged: Sized + Send + 'static {
    type Row: Send + 'static;

    /// Reads the rows of the next page, which may be empty; `None` if there are no more.
    fn next_page(&mut self) -> impl Future<Output = Result<Option<Vec<Self::Row>>, Error>> + Send;
}

/// Returns a stream of the rows of all pages. An error ends the stream.
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

/// Returns at most as many rows as the limit. If the limit is 0, the only row is the error that refuses this limit.
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
    type Row = RawItem;

    async fn next_page(&mut self) -> Result<Option<Vec<RawItem>>, Error> {
        self.next().await
    }
}

/// A query or scan in progress.
pub(crate) struct Pages {
    repository: Repository,
    table: String,
    operation: &'static str,
    reader: Reader,
    /// The number of items that may still be returned, if there is a limit.
    remaining: Option<usize>,
    /// The `Limit` of the next request.
    request_limit: Option<usize>,
    /// The `ExclusiveStartKey` of the next request.
    after: Option<Item>,
    finished: bool,
    /// The number of items that DynamoDB has counted instead of returning them.
    counted: u64,
}

// For the reads of a closure.
#[cfg(feature = "transactions")]
impl Pages {
    /// Returns the key behind which the next request starts; `None` at the beginning and after the end.
    pub(crate) fn start_key(&self) -> Option<&Item> {
        self.after.as_ref()
    }

    /// Sets the `Limit` of the first request.
    pub(crate) fn set_request_limit(&mut self, items: usize) {
        self.request_limit = Some(items);
    }

    /// Returns `true` if the query or scan includes the row at this key.
    pub(crate) fn covers(&self, key: &Item) -> bool {
        self.reader.covers(key)
    }

    /// Returns `true` if an item belongs to the entity, counts as existing, and passes the filter.
    pub(crate) fn shows(&self, now: EpochMillis, item: &Item) -> bool {
        self.reader.belongs(now, item) && self.reader.passes_filter(now, item)
    }

    /// Returns the largest number of such items to return, if there is a limit.
    pub(crate) fn limit(&self) -> Option<usize> {
        self.reader.options.limit
    }
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
            remaining: reader.options.limit.filter(|_| reader.options.returns != Returns::Rows),
            request_limit: reader.options.limit,
            // A query without any possible key is empty behind a cursor, too.
            after: after.filter(|_| !reader.is_empty()),
            finished: reader.is_empty(),
            counted: 0,
            reader,
        })
    }

    /// Sends the next request and returns its items, perhaps none; `None` if there are no more.
    async fn next(&mut self) -> Result<Option<Vec<RawItem>>, Error> {
        if self.finished {
            return Ok(None);
        }
        let read = self.read_resolved().await;
        self.finished |= read.is_err();
        let context = || error_context(self.operation, self.reader.schema, None);
        let (mut items, reached) = read.map_err(|error| error.with_context(context))?;
        let now = self.repository.now();
        items.retain(|item| self.reader.is_returned(now, item));
        self.advance(&mut items, reached);
        Ok(Some(items))
    }

    /// Moves the start behind the rows that were read; or, if the limit cuts off items, behind the last item that is returned.
    fn advance(&mut self, items: &mut Vec<RawItem>, reached: Option<Item>) {
        self.after = reached;
        self.finished = self.after.is_none();
        let Some(remaining) = self.remaining else {
            self.request_limit = self.request_limit.map(|limit| limit.saturating_mul(2).min(MOST_PER_REQUEST));
            return;
        };
        if items.len() > remaining {
            items.truncate(remaining);
            self.after = items.last().map(|item| self.behind(item).into_item());
        }
        let remaining = remaining - items.len();
        self.finished |= remaining == 0;
        self.remaining = Some(remaining);
        self.request_limit = if self.reader.may_drop_items() {
            // The limit doubles each time, so that a long run of tombstones takes few requests, and few items too many are read.
            self.request_limit.map(|limit| limit.saturating_mul(2).min(MOST_PER_REQUEST).max(remaining))
        } else {
            Some(remaining)
        };
    }

    /// Returns the place behind this item.
    pub(crate) fn behind(&self, item: &RawItem) -> Place {
        Place::behind(self.reader.schema, self.reader.index, item)
    }

    /// Returns the place behind the rows that were read.
    #[cfg(feature = "bulk")]
    pub(crate) fn reached(&self) -> Option<Place> {
        self.after.clone().map(Place::reached)
    }

    /// Returns the fingerprint of the query or scan.
    pub(crate) fn asked(&self) -> Asked {
        self.reader.asked
    }

    /// Refuses the key of an item that the query or scan cannot have returned.
    #[cfg(feature = "bulk")]
    pub(crate) fn check_table_key(&self, place: &Place) -> Result<(), Error> {
        self.reader.table_key(place.clone()).map(drop)
    }

    /// Returns the question that the query or scan asks, with its filter as the caller gave it.
    pub(crate) fn question(self, filter: Option<Result<Node, EncodeError>>) -> Question {
        Question::new(self.reader, filter)
    }

    /// Continues behind a place that an earlier run has reached.
    #[cfg(feature = "bulk")]
    pub(crate) fn start_behind(&mut self, place: Place) -> Result<(), Error> {
        self.after = Some(self.reader.start_key(place)?);
        Ok(())
    }

    /// Counts the items.
    pub(crate) async fn count(mut self) -> Result<u64, Error> {
        let mut count = 0;
        while let Some(items) = self.next().await? {
            count += items.len() as u64;
        }
        Ok(count + self.counted)
    }

    /// Reads all items up to the limit; or without a limit, those of one request.
    pub(crate) async fn page(mut self) -> Result<RawPage, Error> {
        let is_sealed = self.repository.seal().is_some();
        let mut items = Vec::new();
        while let Some(more) = self.next().await? {
            if items.is_empty() {
                items = more;
            } else {
                items.extend(more);
            }
            // Only a sealed cursor may contain the key of an item that was skipped, because such an item may be secret. So
            // without a seal, the page ends behind an item that it returns.
            if self.remaining.is_none() && (is_sealed || !items.is_empty()) {
                break;
            }
        }
        let place = match (&self.after, items.last()) {
            (None, _) => None,
            (Some(_), Some(last)) if !is_sealed => Some(self.behind(last)),
            (Some(reached), _) => Some(Place::reached(reached.clone())),
        };
        let cursor = place.map(|place| Cursor::new(self.asked(), place, self.repository.seal()));
        Ok(RawPage { items, cursor: cursor.transpose()? })
    }

    /// Sends the next request, and resolves the held items of its response.
    async fn read_resolved(&mut self) -> Result<(Vec<RawItem>, Option<Item>), Error> {
        let (mut items, reached) = self.read().await?;
        if self.reader.options.level.resolves() && items.iter().any(|item| is_held(item)) {
            // The future is boxed, because few pages have held items.
            let resolved = Box::pin(self.resolve(items.into_iter().map(RawItem::into_item).collect())).await?;
            items = resolved.into_iter().map(RawItem::from).collect();
        }
        if self.reader.filters_again() {
            let now = self.repository.now();
            let met = items.into_iter().map(RawItem::into_item).filter(|item| self.reader.meets_own_filter(now, item));
            items = met.map(RawItem::from).collect();
        }
        Ok((items, reached))
    }

    /// Resolves the held items, and returns the items whose resolved version passes the filter.
    async fn resolve(&self, items: Vec<Item>) -> Result<Vec<Item>, Error> {
        let projected: Option<Vec<&str>> = self.reader.projected().map(Iterator::collect);
        let mut resolved: Vec<Item> = boxed_stream(items.into_iter().map(|item| self.resolve_one(item)))
            .buffered(RESOLUTIONS)
            .try_filter_map(|item| std::future::ready(Ok::<_, Error>(item)))
            .try_collect()
            .await?;
        if let Some(names) = projected {
            for item in &mut resolved {
                item.retain(|name, _| names.contains(&&**name));
            }
        }
        Ok(resolved)
    }

    async fn resolve_one(&self, item: Item) -> Result<Option<Item>, Error> {
        // An item of another entity in the table is not resolved.
        let Some(schema) = self.reader.resolvable(self.repository.now(), &item).filter(|_| is_held(&item)) else {
            return Ok(
                Some(item).filter(|item| !is_held(item) || self.reader.passes_filter(self.repository.now(), item))
            );
        };
        let at = ItemRef { table: self.table.clone(), key: key_of(schema, &item) };
        let again = GetCommand::consistent(schema, Ok(at.key.clone()));
        let ReadOptions { level, projection, .. } = self.reader.options;
        let is_whole = projection.is_none();
        let resolved = resolve_held(&again, level, &self.repository, self.operation, &at, item, is_whole).await;
        let context = || error_context(self.operation, schema, Some(&at.key));
        let resolved = resolved.map_err(|error| error.with_context(context))?;
        Ok(resolved.filter(|item| self.reader.passes_filter(self.repository.now(), item)))
    }

    async fn read(&mut self) -> Result<(Vec<RawItem>, Option<Item>), Error> {
        let (client, now) = (self.repository.sender(), self.repository.now());
        let paced = self.repository.items_of_page(self.reader.operation(), &self.table);
        let limit = self.request_limit.into_iter().chain(paced).min();
        let input = self.reader.input(client, self.table.clone(), now, limit, self.after.take())?;
        let about = About::new(self.operation, self.reader.schema.entity, &self.table);
        let about = about.of_index(self.reader.index.map(|index| index.name));
        let hedge = self.reader.options.hedge;
        let page = match input {
            Input::Query(query) => read(&self.repository, about, query, hedge).await?,
            Input::Scan(scan) => read(&self.repository, about, scan, hedge).await?,
        };
        if self.reader.is_counted_by_dynamodb() {
            self.counted += u64::try_from(page.count).unwrap_or_default();
        }
        Ok((page.items, page.last_key))
    }
}
