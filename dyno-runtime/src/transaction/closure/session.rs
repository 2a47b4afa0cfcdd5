//! One run of the closure: it reads rows for the closure, and holds its writes back.

use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, RawItem};
use crate::error::{Context, Error};
use crate::exchange::{Caller, ItemRef, Moment, Priority, Repository, never_free};
use crate::key::{check_keys, key_of, key_text};
use crate::read::{BatchGetCommand, GetCommand, Level, Paged as _, Pages, ReadCommand, batch_get, refuse_uncommitted};
use crate::rule;
use crate::transaction::attempt::{
    AfterWrites, EntityRef, Range, ReadWriteSet, Row, Run, StoredVersions, after_writes,
};
use crate::transaction::native::Action;
use crate::transaction::resolve::read_when_free;
use futures_util::future::BoxFuture;
use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The state behind the closure's handle. Clones of the handle share it.
pub(crate) struct Session {
    repository: Repository,
    /// The time of all writes of the run.
    began: Moment,
    /// The priority of the transaction when it waits for rows that other transactions hold.
    priority: Priority,
    set: Mutex<ReadWriteSet>,
    stored: StoredVersions,
}

impl Session {
    /// Returns the session of a run that may take these claimed items as read.
    pub(crate) fn new(
        repository: &Repository,
        priority: Priority,
        claimed: HashMap<String, Option<Item>>,
    ) -> Arc<Self> {
        let (repository, began) = (repository.clone(), repository.moment());
        let set = Mutex::new(ReadWriteSet::new(claimed));
        Arc::new(Self { repository, began, priority, set, stored: StoredVersions::default() })
    }

    /// Forgets the claim. From now on, the session reads a claimed row when the closure asks for it.
    pub(crate) fn forget_claim(&self) {
        self.set().claimed.clear();
    }

    /// Returns the time that decides which items are live.
    pub(crate) fn now(&self) -> EpochMillis {
        self.began.wall
    }

    fn set(&self) -> MutexGuard<'_, ReadWriteSet> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds a write or a check back, and returns its number. A put that cannot be encoded keeps what is stored of the item that the
    /// closure has read.
    pub(crate) fn enlist(&self, mut action: Action) -> usize {
        let mut set = self.set();
        let key = action.command.key.as_ref();
        let is_of = |row: &&Row| row.of.entity == action.entity && key == Some(&row.key) && row.read.is_some();
        let read = set.rows.iter().find(is_of).and_then(|row| after_writes(row, self.began.wall).ok()?.ok()?);
        if let Some(read) = read {
            action.command.keep_stored(&read);
        }
        set.enlist(&self.repository, action)
    }

    /// Returns `true` if any write is held back.
    pub(crate) fn is_writing(&self) -> bool {
        self.set().rows.iter().flat_map(|row| &row.actions).any(|enlisted| enlisted.action.command.is_write())
    }

    /// Returns a handle that will show the versions that the writes store.
    pub(crate) fn stored(&self) -> StoredVersions {
        self.stored.clone()
    }

    /// Returns the item at the key, dead or alive, as the writes so far will leave it.
    pub(crate) fn get(&self, of: EntityRef, get: GetCommand) -> BoxFuture<'_, Result<AfterWrites, Error>> {
        Box::pin(async move {
            refuse_uncommitted(get.level)?;
            let key = get.key?;
            check_keys(&key, of.schema)?;
            let row = self.row_to_read(of, &key)?;
            let get = GetCommand { hedge: get.hedge, ..GetCommand::consistent(of.schema, Ok(key)) };
            self.load(row, get).await.inspect_err(|_| self.set().has_failed = true)?;
            self.after_writes(row)
        })
    }

    /// Returns the items at many keys. The rows that were not read yet are read together.
    pub(crate) fn batch_get(
        &self,
        of: EntityRef,
        mut command: BatchGetCommand,
        concurrency: usize,
    ) -> BoxFuture<'_, Result<Vec<AfterWrites>, Error>> {
        Box::pin(async move {
            refuse_uncommitted(command.level)?;
            let mut rows = Vec::with_capacity(command.keys.len());
            let mut unread = Vec::new();
            for key in mem::take(&mut command.keys) {
                let key = key?;
                check_keys(&key, of.schema)?;
                let row = self.row_to_read(of, &key)?;
                if self.set().rows[row].read.is_none() && !unread.contains(&row) {
                    unread.push(row);
                }
                rows.push(row);
            }
            self.load_all(command, &unread, concurrency).await.inspect_err(|_| self.set().has_failed = true)?;
            rows.into_iter().map(|row| self.after_writes(row)).collect()
        })
    }

    /// Returns the result of a query, in its order: each item as the writes so far will leave it.
    pub(crate) fn query(&self, of: EntityRef, command: ReadCommand) -> BoxFuture<'_, Result<Vec<AfterWrites>, Error>> {
        Box::pin(async move {
            refuse_uncommitted(command.options.level)?;
            self.read_range(of, command).await.inspect_err(|_| self.set().has_failed = true)
        })
    }

    async fn read_range(&self, of: EntityRef, command: ReadCommand) -> Result<Vec<AfterWrites>, Error> {
        let table = (of.tables)(&self.repository)?.main;
        let mut range = Range::new(of, table, command);
        let mut pages = range.pages(&self.repository)?;
        let (mut results, mut rows) = (Vec::new(), Vec::new());
        'pages: loop {
            let behind = pages.start_key().cloned();
            let Some(items) = pages.next_page().await? else { break };
            let mut found: Vec<(Item, Option<Item>)> =
                items.into_iter().map(RawItem::into_item).map(|item| (key_of(of.schema, &item), Some(item))).collect();
            self.add_written(&range, &pages, behind.as_ref(), &mut found);
            for (key, item) in found {
                let row = self.row_to_read(of, &key)?;
                match item {
                    Some(item) => {
                        range.rows.push(row);
                        self.keep_read(row, item).await?;
                    }
                    None => _ = self.set().rows[row].read.get_or_insert(None),
                }
                rows.push(row);
                range.last_key = Some(key);
                match self.after_writes(row)? {
                    Ok(None) => {}
                    Ok(Some(item)) if !pages.shows(self.began.wall, &item) => {}
                    result => results.push(result),
                }
                if pages.limit() == Some(results.len()) {
                    break 'pages;
                }
            }
            if pages.start_key().is_none() {
                range.last_key = None;
            }
        }
        // The range is added only now: if the query fails or is dropped, no range covers what it has read.
        let mut set = self.set();
        for row in rows {
            set.rows[row].is_ranged = true;
        }
        set.ranges.push(range);
        Ok(results)
    }

    /// Adds to a page, which begins behind the key `behind`, the rows that were not found and that this transaction writes.
    fn add_written(&self, range: &Range, pages: &Pages, behind: Option<&Item>, found: &mut Vec<(Item, Option<Item>)>) {
        let set = self.set();
        let is_on_page = |row: &&Row| {
            range.may_contain(row)
                && !row.actions.is_empty()
                && pages.covers(&row.key)
                && behind.is_none_or(|behind| range.compare(&row.key, behind).is_gt())
                && pages.start_key().is_none_or(|last| range.compare(&row.key, last).is_le())
        };
        let known: HashSet<_> = found.iter().map(|(key, _)| range.row_name(key)).collect();
        let written = set.rows.iter().filter(is_on_page).filter(|row| !known.contains(&range.row_name(&row.key)));
        found.extend(written.map(|row| (row.key.clone(), None)));
        found.sort_by(|(one, _), (other, _)| range.compare(one, other));
    }

    /// Keeps an item that a query found as the row's read, unless the row has been read. If another transaction holds the item,
    /// the row is read again once it is free.
    async fn keep_read(&self, row: usize, item: Item) -> Result<(), Error> {
        let (schema, key) = {
            let row = &mut self.set().rows[row];
            if row.read.is_some() {
                return Ok(());
            }
            if !rule::is_held(row.of.schema, Some(&item)) {
                row.read = Some(Some(item));
                return Ok(());
            }
            (row.of.schema, row.key.clone())
        };
        self.load(row, GetCommand::consistent(schema, Ok(key))).await
    }

    /// Returns the index of a row that the closure is about to read.
    fn row_to_read(&self, of: EntityRef, key: &Item) -> Result<usize, Error> {
        let mut set = self.set();
        if set.is_closed {
            return Err(outlived());
        }
        set.row_to_read(&self.repository, of, key)
    }

    /// Reads a row, unless it has been read. Of two concurrent reads, the first answer counts.
    async fn load(&self, row: usize, get: GetCommand) -> Result<(), Error> {
        let (table, is_known) = {
            let row = &self.set().rows[row];
            (row.tables.main.clone(), row.read.is_some())
        };
        if !is_known {
            let item = get_when_free(&self.repository, get, &table, &self.priority).await?;
            self.set().rows[row].read.get_or_insert(item);
        }
        Ok(())
    }

    async fn load_all(&self, command: BatchGetCommand, unread: &[usize], concurrency: usize) -> Result<(), Error> {
        let Some(first) = unread.first() else { return Ok(()) };
        let (keys, table) = {
            let rows = &self.set().rows;
            let keys: Vec<_> = unread.iter().map(|row| Ok(rows[*row].key.clone())).collect();
            (keys, rows[*first].tables.main.clone())
        };
        let (schema, hedge) = (command.schema, command.hedge);
        let command = BatchGetCommand { hedge, ..BatchGetCommand::new(schema, keys, Level::Stored) };
        let read = batch_get(&self.repository, vec![(command, Ok(table))], concurrency).await?;
        for (row, item) in unread.iter().zip(read.into_iter().flatten()) {
            let item = item?.map(RawItem::into_item);
            if !rule::is_held(schema, item.as_ref()) {
                self.set().rows[*row].read.get_or_insert(item);
                continue;
            }
            let key = self.set().rows[*row].key.clone();
            self.load(*row, GetCommand { hedge, ..GetCommand::consistent(schema, Ok(key)) }).await?;
        }
        Ok(())
    }

    /// Returns the row as the writes so far will leave it.
    fn after_writes(&self, row: usize) -> Result<AfterWrites, Error> {
        let mut set = self.set();
        let row = &mut set.rows[row];
        let result = after_writes(row, self.began.wall)?;
        row.last_read_after = (!row.actions.is_empty()).then_some(row.actions.len());
        set.has_seen_refusal |= result.is_err();
        Ok(result)
    }

    /// Ends the run, after the closure has returned.
    pub(crate) fn close(self: Arc<Self>) -> Result<Run, Error> {
        self.set().is_closed = true;
        // Writes through a handle that outlives the closure would never be sent.
        let Some(Self { repository, began, priority, set, stored }) = Arc::into_inner(self) else {
            return Err(outlived());
        };
        let ReadWriteSet { rows, ranges, action_error, has_seen_refusal, has_failed, .. } =
            set.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Run {
            repository,
            now: began.wall,
            began,
            priority,
            rows,
            ranges,
            stored,
            action_error,
            has_seen_refusal,
            has_failed,
        })
    }
}

/// Reads an item once no other transaction holds it: an intent is resolved first (M25).
pub(crate) async fn get_when_free(
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
        "a handle of the transaction was used after its closure had returned, when the transaction takes no more commands: await every use of the handle before the closure returns",
    )
}
