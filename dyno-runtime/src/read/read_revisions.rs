//! Reads the revisions of an item. The item itself is the newest revision, and its history has the earlier ones.
//!
//! The item is read first. In both modes of a history, all versions before the item's are in the history by then. The history
//! can also have the item's own version, which an atomic history always has, and later ones that were written meanwhile. These
//! rows are skipped, so no revision is returned twice or missed.

use super::cursor::{Cursor, Place};
use super::history_table::HistoryTable;
use super::query::check_limit;
use super::query_pages::Paged;
use super::view::see;
use crate::attribute::Item;
use crate::error::{Context, DecodeError, EncodeError, Error, ErrorKind};
use crate::exchange::Repository;
use crate::key::{Asked, Fingerprint, distinct, error_context};
use crate::rule;
use crate::rule::{RawRevision, State as Life};
use crate::schema::names::VERSION;
use crate::schema::{Mode, Schema, Tables};
use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::BoxFuture;

/// A read of the revisions of one item, without its types.
#[derive(Clone, Debug)]
pub(crate) struct RevisionsCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) key: Result<Item, EncodeError>,
}

/// A read of revisions in progress, newest first.
pub(crate) struct Timeline {
    repository: Repository,
    schema: &'static Schema,
    tables: Tables,
    key: Item,
    /// The version before which revisions are returned, if there is such a bound.
    before: Option<u64>,
    /// The `Limit` of a request.
    request_limit: Option<i32>,
    state: State,
    context: Context,
}

/// The revisions of a page, and the cursor to continue with.
pub(crate) type RevisionPage = (Vec<RawRevision>, Option<Cursor>);

/// The part that is read next.
enum State {
    Item,
    /// The rows of the history with versions below `before`, behind the key `after`.
    Rows {
        before: Option<u64>,
        after: Option<Item>,
    },
    End,
}

impl RevisionsCommand {
    fn context(&self, operation: &'static str) -> Context {
        error_context(operation, self.schema, self.key.as_ref().ok())
    }

    /// Returns the revision with this version number.
    pub(crate) fn find(
        self,
        repository: &Repository,
        tables: Tables,
        version: u64,
    ) -> BoxFuture<'_, Result<Option<RawRevision>, Error>> {
        Box::pin(async move {
            let context = self.context("revision");
            let found = async {
                let key = self.key?;
                let Some(table) = HistoryTable::of(self.schema, &tables, repository) else { return Ok(None) };
                let row = async || {
                    let row = table.row(&key, version).await?;
                    let row = row.filter(|row| !table.is_expired(row, repository.now()));
                    row.map(RawRevision::read).transpose().map_err(Error::from)
                };
                if table.history.mode == Mode::Ordered {
                    // A row of this version can be a copy that a write has left behind, from before another program changed the item.
                    return match newest(&table, &tables.main, &key).await {
                        Ok(Some(newest)) if newest.version == version => Ok(Some(newest)),
                        // An item that cannot be evaluated does not hide its history.
                        Err(error) if !matches!(error.kind(), ErrorKind::Decode | ErrorKind::LaneMissing) => Err(error),
                        _ => row().await,
                    };
                }
                if let Some(revision) = row().await? {
                    return Ok(Some(revision));
                }
                match newest(&table, &tables.main, &key).await? {
                    Some(newest) if newest.version == version => Ok(Some(newest)),
                    // A write replaced this version between the two reads.
                    Some(newest) if newest.version > version => row().await,
                    _ => Ok(None),
                }
            };
            found.await.map_err(|error: Error| error.with_context(|| context))
        })
    }

    /// Starts a read of all revisions, newest first.
    pub(crate) fn timeline(
        self,
        repository: &Repository,
        tables: Tables,
        before: Option<u64>,
        after: Option<Cursor>,
        limit: Option<usize>,
    ) -> Result<Timeline, Error> {
        let context = self.context("revisions");
        let checked = || {
            check_limit(limit)?;
            let key = self.key?;
            let Some(cursor) = after else { return Ok((key, before)) };
            let place = cursor.open(asked(&tables, self.schema, &key)?, repository.seal())?.into_item();
            let version = place.get(VERSION).and_then(|version| version.as_n().ok()?.parse().ok());
            let version: u64 = version.ok_or_else(|| Error::invalid("the cursor holds no version"))?;
            // All versions are older than 0.
            let lower = before.filter(|before| *before > 0 && (*before < version || version == 0));
            Ok((key, lower.or(Some(version))))
        };
        let (key, before) = checked().map_err(|error: Error| error.with_context(|| context.clone()))?;
        Ok(Timeline {
            context,
            repository: repository.clone(),
            schema: self.schema,
            tables,
            key,
            before,
            request_limit: limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX)),
            state: State::Item,
        })
    }
}

/// Returns the fingerprint of a read of all revisions of an item, for cursors.
fn asked(tables: &Tables, schema: &'static Schema, key: &Item) -> Result<Asked, Error> {
    let mut asked = Fingerprint::new();
    asked.text("revisions");
    asked.text(&distinct(&tables.main, schema, key)?);
    Ok(asked.finish())
}

/// Returns the newest revision: the item in the entity's table. If an ordered history has no record of the item's deletion yet,
/// returns that deletion.
async fn newest(table: &HistoryTable<'_>, main: &str, key: &Item) -> Result<Option<RawRevision>, Error> {
    if let Some(image) = rule::committed(table.schema, table.item(main, key.clone()).await?) {
        let version = table.schema.version.as_ref().and_then(|version| version.of(&image));
        let version = version.ok_or_else(|| DecodeError::new("a version: a whole number (N)", "another value"))?;
        let seen = see(&[table.schema], table.repository.now(), &image);
        return Ok(Some(RawRevision { version, deleted: seen.state == Life::Deleted, image }));
    }
    if table.history.mode == Mode::Atomic {
        return Ok(None);
    }
    let newest = table.newest(key).await?.filter(|newest| !newest.deleted);
    Ok(newest.map(|newest| RawRevision {
        version: newest.version.saturating_add(1),
        deleted: true,
        image: key.clone(),
    }))
}

impl Paged for Timeline {
    type Row = RawRevision;

    async fn next_page(&mut self) -> Result<Option<Vec<RawRevision>>, Error> {
        let read = self.read().await;
        if read.is_err() {
            self.state = State::End;
        }
        read.map_err(|error| error.with_context(|| self.context.clone()))
    }
}

impl Timeline {
    /// Reads up to the limit; or without a limit, the item and one page of its history. There is a cursor if there may be older
    /// revisions.
    pub(crate) async fn page(mut self, limit: Option<usize>) -> Result<RevisionPage, Error> {
        let most = limit.unwrap_or(usize::MAX);
        let mut revisions = Vec::new();
        while let Some(more) = self.next_page().await? {
            revisions.extend(more);
            let is_behind_a_page = matches!(self.state, State::Rows { after: Some(_), .. });
            if revisions.len() >= most || limit.is_none() && is_behind_a_page && !revisions.is_empty() {
                break;
            }
        }
        let is_last = matches!(self.state, State::End) && revisions.len() <= most;
        revisions.truncate(most);
        let Some(last) = revisions.last().filter(|_| !is_last) else { return Ok((revisions, None)) };
        let place = Place::reached([(VERSION.to_owned(), AttributeValue::N(last.version.to_string()))].into());
        let asked = asked(&self.tables, self.schema, &self.key)?;
        let cursor = Cursor::new(asked, place, self.repository.seal())?;
        Ok((revisions, Some(cursor)))
    }

    async fn read(&mut self) -> Result<Option<Vec<RawRevision>>, Error> {
        let Some(table) = HistoryTable::of(self.schema, &self.tables, &self.repository) else { return Ok(None) };
        let state = std::mem::replace(&mut self.state, State::End);
        match state {
            State::End => Ok(None),
            State::Item => {
                let newest = newest(&table, &self.tables.main, &self.key).await?;
                // An item without a version attribute has version 0, which says nothing about the versions in the history.
                let version = newest.as_ref().map(|newest| newest.version).filter(|version| *version > 0);
                // Behind such an item come all versions.
                let asked = self.before.filter(|before| *before > 0);
                let before = match (version, asked) {
                    (Some(version), Some(before)) => Some(version.min(before)),
                    (version, before) => version.or(before),
                };
                let is_in_bounds = |newest: &RawRevision| match self.before {
                    Some(before) => (1..before).contains(&newest.version),
                    None => true,
                };
                self.state = State::Rows { before, after: None };
                Ok(Some(newest.filter(is_in_bounds).into_iter().collect()))
            }
            State::Rows { before, after } => {
                let (rows, reached) = table.rows(&self.key, before, self.request_limit, after).await?;
                if reached.is_some() {
                    self.state = State::Rows { before, after: reached };
                }
                let now = self.repository.now();
                let rows = rows.into_iter().filter(|row| !table.is_expired(row, now));
                Ok(Some(rows.map(RawRevision::read).collect::<Result<_, _>>()?))
            }
        }
    }
}
