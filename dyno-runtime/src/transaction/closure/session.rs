//! One run of the closure: it reads rows for the closure, and holds its writes back.

use super::fold_writes::{Shown, shown};
use super::read_ranges::{Range, key_of};
use super::read_write_set::{EntityRef, ReadWriteSet, Row};
use super::stored_versions::StoredVersions;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Context, Error};
use crate::exchange::{Caller, ItemRef, Moment, Priority, Repository, never_free};
use crate::key::{check_keys, distinct, key_text};
use crate::read::{BatchGetCommand, GetCommand, Level, Paged as _, Pages, ReadCommand, batch_get, refuse_uncommitted};
use crate::rule;
use crate::transaction::native::Action;
use crate::transaction::resolve::read_when_free;
use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The state behind the closure's handle. Clones of the handle share it.
pub(crate) struct Session {
    repository: Repository,
    /// The time of all of its writes.
    began: Moment,
    /// The priority of the transaction, where it waits for rows of others.
    priority: Priority,
    /// The claimed rows, as they are.
    claimed: Mutex<HashMap<String, Option<Item>>>,
    book: Mutex<ReadWriteSet>,
    stored: StoredVersions,
}

/// A run that has ended: its reads and writes.
pub(crate) struct Run {
    pub(crate) repository: Repository,
    pub(crate) now: EpochMillis,
    pub(crate) began: Moment,
    pub(crate) priority: Priority,
    pub(crate) rows: Vec<Row>,
    pub(crate) ranges: Vec<Range>,
    pub(crate) impossible: Option<Error>,
    pub(crate) stored: StoredVersions,
    /// Whether the closure saw the refusal of a write.
    pub(crate) is_refused: bool,
    /// Whether a row could not be read.
    pub(crate) has_failed: bool,
}

impl Session {
    pub(crate) fn new(
        repository: &Repository,
        priority: Priority,
        claimed: HashMap<String, Option<Item>>,
    ) -> Arc<Self> {
        let (repository, began) = (repository.clone(), repository.moment());
        let (book, stored) = (Mutex::default(), StoredVersions::default());
        Arc::new(Self { repository, began, priority, claimed: Mutex::new(claimed), book, stored })
    }

    /// Forgets the claim: a row that has not been read until now is read when the closure asks for it.
    pub(crate) fn give_back(&self) {
        self.claimed().clear();
    }

    fn claimed(&self) -> MutexGuard<'_, HashMap<String, Option<Item>>> {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time that decides which items are live.
    pub(crate) fn now(&self) -> EpochMillis {
        self.began.wall
    }

    fn book(&self) -> MutexGuard<'_, ReadWriteSet> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds a write or a check back, and returns its number.
    pub(crate) fn enlist(&self, action: Action) -> usize {
        self.book().enlist(&self.repository, action)
    }

    /// Whether any write is held back.
    pub(crate) fn is_writing(&self) -> bool {
        self.book().rows.iter().flat_map(|row| &row.actions).any(|enlisted| enlisted.action.command.is_write())
    }

    /// The place where the stored versions will be found.
    pub(crate) fn stored(&self) -> StoredVersions {
        self.stored.clone()
    }

    /// Returns the item at the key, dead or alive, as this transaction will leave it.
    pub(crate) async fn get(&self, of: EntityRef, get: GetCommand) -> Result<Shown, Error> {
        refuse_uncommitted(get.level)?;
        let key = get.key?;
        check_keys(&key, of.schema)?;
        let place = self.open(of, &key)?;
        let get = GetCommand { hedge: get.hedge, ..GetCommand::consistent(of.schema, Ok(key)) };
        self.load(place, get).await.inspect_err(|_| self.book().has_failed = true)?;
        self.seen(place)
    }

    /// Returns the items at many keys. Those that were not read yet are read together.
    pub(crate) async fn batch_get(
        &self,
        of: EntityRef,
        mut command: BatchGetCommand,
        concurrency: usize,
    ) -> Result<Vec<Shown>, Error> {
        refuse_uncommitted(command.level)?;
        let mut places = Vec::with_capacity(command.keys.len());
        let mut unknown = Vec::new();
        for key in mem::take(&mut command.keys) {
            let key = key?;
            check_keys(&key, of.schema)?;
            let place = self.open(of, &key)?;
            if self.book().rows[place].read.is_none() && !unknown.contains(&place) {
                unknown.push(place);
            }
            places.push(place);
        }
        self.load_all(command, &unknown, concurrency).await.inspect_err(|_| self.book().has_failed = true)?;
        places.into_iter().map(|place| self.seen(place)).collect()
    }

    /// Returns the result of a query, in its order: each item as this transaction will leave it.
    pub(crate) async fn query(&self, of: EntityRef, command: ReadCommand) -> Result<Vec<Shown>, Error> {
        refuse_uncommitted(command.options.level)?;
        self.range(of, command).await.inspect_err(|_| self.book().has_failed = true)
    }

    async fn range(&self, of: EntityRef, command: ReadCommand) -> Result<Vec<Shown>, Error> {
        let table = (of.tables)(&self.repository)?.main;
        let mut range = Range::new(of, table, command);
        let mut pages = range.pages(&self.repository)?;
        let (mut shown, mut places) = (Vec::new(), Vec::new());
        'pages: loop {
            let behind = pages.start_key().cloned();
            let Some(items) = pages.next_page().await? else { break };
            let mut found: Vec<(Item, Option<Item>)> =
                items.into_iter().map(|item| (key_of(of.schema, &item), Some(item))).collect();
            self.add_own(&range, &pages, behind.as_ref(), &mut found);
            for (key, item) in found {
                let place = self.open(of, &key)?;
                match item {
                    Some(item) => {
                        range.rows.push(place);
                        self.take(place, item).await?;
                    }
                    None => _ = self.book().rows[place].read.get_or_insert(None),
                }
                places.push(place);
                range.until = Some(key);
                match self.seen(place)? {
                    Shown::Item(None) => {}
                    Shown::Item(Some(item)) if !pages.shows(self.began.wall, &item) => {}
                    there => shown.push(there),
                }
                if pages.limit() == Some(shown.len()) {
                    break 'pages;
                }
            }
            if pages.start_key().is_none() {
                range.until = None;
            }
        }
        // Only now, because no range covers what was read before a failure or a drop.
        let mut book = self.book();
        for place in places {
            book.rows[place].is_ranged = true;
        }
        book.ranges.push(range);
        Ok(shown)
    }

    /// Adds the rows of this page that exist only because this transaction writes them.
    fn add_own(&self, range: &Range, pages: &Pages, behind: Option<&Item>, found: &mut Vec<(Item, Option<Item>)>) {
        let book = self.book();
        let is_here = |row: &&Row| {
            range.is_of(row)
                && !row.actions.is_empty()
                && pages.covers(&row.key)
                && behind.is_none_or(|behind| range.order(&row.key, behind).is_gt())
                && pages.start_key().is_none_or(|reached| range.order(&row.key, reached).is_le())
        };
        let known: HashSet<_> = found.iter().map(|(key, _)| range.name(key)).collect();
        let own = book.rows.iter().filter(is_here).filter(|row| !known.contains(&range.name(&row.key)));
        found.extend(own.map(|row| (row.key.clone(), None)));
        found.sort_by(|(one, _), (other, _)| range.order(one, other));
    }

    /// Marks a row that a query found as read, unless it has been read.
    async fn take(&self, place: usize, item: Item) -> Result<(), Error> {
        let schema = {
            let row = &mut self.book().rows[place];
            if row.read.is_some() {
                return Ok(());
            }
            if !rule::is_held(row.of.schema, Some(&item)) {
                row.read = Some(Some(item));
                return Ok(());
            }
            row.of.schema
        };
        let key = self.book().rows[place].key.clone();
        self.load(place, GetCommand::consistent(schema, Ok(key))).await
    }

    /// Returns the index of a row that is to be read.
    fn open(&self, of: EntityRef, key: &Item) -> Result<usize, Error> {
        let mut book = self.book();
        if book.is_closed {
            return Err(outlived());
        }
        let place = book.place(&self.repository, of, key)?;
        let row = &mut book.rows[place];
        let claimed = self.claimed();
        if row.read.is_none() && !claimed.is_empty() {
            row.read = claimed.get(&distinct(&row.tables.main, of.schema, key)?).cloned();
        }
        Ok(place)
    }

    /// Reads a row, unless it has been read. Of two reads at once, the first answer counts.
    async fn load(&self, place: usize, get: GetCommand) -> Result<(), Error> {
        let (table, is_known) = {
            let row = &self.book().rows[place];
            (row.tables.main.clone(), row.read.is_some())
        };
        if !is_known {
            let item = wait(&self.repository, get, &table, &self.priority).await?;
            self.book().rows[place].read.get_or_insert(item);
        }
        Ok(())
    }

    async fn load_all(&self, command: BatchGetCommand, places: &[usize], concurrency: usize) -> Result<(), Error> {
        let Some(first) = places.first() else { return Ok(()) };
        let (keys, table) = {
            let rows = &self.book().rows;
            let keys: Vec<_> = places.iter().map(|place| Ok(rows[*place].key.clone())).collect();
            (keys, rows[*first].tables.main.clone())
        };
        let (schema, hedge) = (command.schema, command.hedge);
        let command = BatchGetCommand { hedge, ..BatchGetCommand::new(schema, keys, Level::Stored) };
        let read = batch_get(&self.repository, vec![(command, Ok(table))], concurrency).await?;
        for (place, item) in places.iter().zip(read.into_iter().flatten()) {
            let item = item?;
            if !rule::is_held(schema, item.as_ref()) {
                self.book().rows[*place].read.get_or_insert(item);
                continue;
            }
            let key = self.book().rows[*place].key.clone();
            self.load(*place, GetCommand { hedge, ..GetCommand::consistent(schema, Ok(key)) }).await?;
        }
        Ok(())
    }

    /// Returns the row after the writes so far.
    fn seen(&self, place: usize) -> Result<Shown, Error> {
        let mut book = self.book();
        let row = &mut book.rows[place];
        let seen = shown(row, self.began.wall)?;
        row.shown_after = (!row.actions.is_empty()).then_some(row.actions.len());
        book.is_refused |= matches!(seen, Shown::Refused(_));
        Ok(seen)
    }

    /// Ends the run, after the closure has returned.
    pub(crate) fn close(self: Arc<Self>) -> Result<Run, Error> {
        self.book().is_closed = true;
        // Writes through a handle that outlives the closure would be sent by nobody.
        let Some(Self { repository, began, priority, book, stored, .. }) = Arc::into_inner(self) else {
            return Err(outlived());
        };
        let ReadWriteSet { rows, ranges, impossible, is_refused, has_failed, .. } =
            book.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Run {
            repository,
            now: began.wall,
            began,
            priority,
            rows,
            ranges,
            impossible,
            stored,
            is_refused,
            has_failed,
        })
    }
}

/// Reads an item once no other transaction holds it: an intent is resolved first (M25).
pub(crate) async fn wait(
    repository: &Repository,
    get: GetCommand,
    table: &str,
    priority: &Priority,
) -> Result<Option<Item>, Error> {
    let schema = get.schema;
    let item = get.clone().send_unresolved(repository, table.to_owned()).await?;
    if !rule::is_held(schema, item.as_ref()) {
        return Ok(item);
    }
    let at = ItemRef { table: table.to_owned(), key: get.key.clone()? };
    let caller = Caller { operation: "get", entity: schema.entity, priority: Some(priority) };
    match Box::pin(read_when_free(repository, caller, &at, item)).await {
        Ok(item) if rule::is_held(schema, item.as_ref()) => Err(of_get(never_free(), &get)),
        Ok(item) => Ok(item),
        Err(error) => Err(of_get(error, &get)),
    }
}

/// Adds to an error which read it is of.
fn of_get(error: Error, get: &GetCommand) -> Error {
    let key = get.key.as_ref().ok().and_then(|key| key_text(key, get.schema));
    error.with_context(|| Context { operation: "get", entity: get.schema.entity, key })
}

fn outlived() -> Error {
    Error::invalid(
        "a handle of the transaction outlives its closure, and what it would do is no part of it any more: await all that uses it before the closure returns",
    )
}
