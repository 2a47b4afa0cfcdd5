//! Writes that change a version: one request where that is enough, and the further ones that a history, a create over
//! a tombstone or a lost answer take.
//!
//! | | requests |
//! |---|---|
//! | no history | the write |
//! | atomic history | one transaction: the new revision's row, and the write |
//! | ordered history | the superseded revision's row, then the write; of a new item as in an atomic one |
//!
//! An item that another program has put where the history knows of later numbers goes on behind them: see `Expected::Behind`.
//!
//! In either order history never holds what the item was not: a new revision's row is written together with the item, a
//! superseded one's has the same content whoever writes it.

use super::command::{Applied, Terms, WriteCommand, Written};
use super::pair::Transacted;
use super::row::RowWrite;
use super::transmit::{Sent, transmit};
use super::{keys, pair};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, equal_items};
use crate::error::{Context, Error, ErrorKind};
use crate::exchange::{Attempts, Repository, Request, span};
use crate::read::Table;
use crate::rule::{Expected, Moot, Phase, RawRevision, Reason, Refused, Verb, Write};
use crate::schema::{History, Mode, Schema, Tables, Version};
use crate::{key, rule};
use aws_sdk_dynamodb::types::ReturnValue;
use futures_util::future::BoxFuture;
use std::pin::pin;
use tracing::{Instrument as _, Span};

/// How often a write goes on with other numbers.
const ROUNDS: u32 = 8;

/// Sends a versioned write, and what belongs to it.
pub(super) fn send(
    command: WriteCommand,
    repository: &Repository,
    tables: Tables,
    returns: Option<ReturnValue>,
) -> BoxFuture<'_, Result<Written, Error>> {
    // Boxed, so that the futures of writes without versions stay small.
    Box::pin(async move {
        let context = command.context();
        let span = span(command.schema, command.operation(), &tables.main);
        let sent = match Sender::new(command, repository, tables, returns, span.clone()) {
            Ok(sender) => {
                let (schema, is_keyed) = (sender.schema, sender.command.key_of_update.is_some());
                let run = pin!(sender.run().instrument(span.clone()));
                if is_keyed { keys::in_time(repository, schema, run).await } else { run.await }
            }
            Err(error) => Err(error),
        };
        sent.map_err(|error| {
            span.record("outcome", "error");
            error.with_context(|| context)
        })
    })
}

/// Whether a write and its revision are one transaction, whatever the write expects.
pub(super) fn is_transaction(command: &WriteCommand) -> bool {
    let is_atomic = |history: &History| history.mode == Mode::Atomic;
    command.versioned.is_some() && command.schema.history.as_ref().is_some_and(is_atomic)
}

/// That transaction, to be shown or sent by hand.
pub(super) fn request(
    command: &WriteCommand,
    repository: &Repository,
    tables: Tables,
    returns: Option<ReturnValue>,
) -> Result<Request, Error> {
    let sender = Sender::new(command.clone(), repository, tables, returns, Span::none())?;
    let expected = command.expected()?.unwrap_or(Expected::Unchecked);
    let Some(table) = sender.history.as_ref().filter(|_| !matches!(expected, Expected::New(_))) else {
        return Err(Error::invalid("the number of a new item goes on behind its history, which `send` reads first"));
    };
    let (request, write) = sender.prepare(expected, Phase::default())?;
    let row = table.put_request(sender.revision(&request, &write)?, sender.now)?;
    pair::request(repository.client(), [row, request]).map(Request::Transaction)
}

/// A versioned write under way.
pub(super) struct Sender<'a> {
    pub(super) command: WriteCommand,
    pub(super) schema: &'static Schema,
    pub(super) version: &'static Version,
    /// Where its revisions go, where there are any.
    pub(super) history: Option<Table<'a>>,
    pub(super) attempts: Attempts,
    pub(super) repository: &'a Repository,
    pub(super) table: String,
    pub(super) returns: Option<ReturnValue>,
    /// Fixed before the first attempt.
    pub(super) now: EpochMillis,
    context: Context,
    span: Span,
}

/// What DynamoDB says of a write that it refused.
#[derive(Default)]
pub(super) struct Denial {
    /// Whether the item's own condition did not hold, and the item.
    pub(super) of_item: bool,
    pub(super) item: Option<Item>,
    /// The row that was there already, where the new revision should be.
    pub(super) row: Option<Item>,
}

/// How one round ended.
pub(super) enum Round {
    Ended(Written),
    /// The write goes on with these numbers; the item that was found.
    NumberOn(Expected, Option<Item>),
    /// The idempotency keys in the item are in this phase; the write goes on.
    InPhase(Phase),
}

/// How a write begins.
pub(super) enum First {
    /// With this, and the item that is known to be there.
    Expects(Expected, Option<Item>),
    /// It has ended already.
    Refused(Written),
}

impl<'a> Sender<'a> {
    pub(super) fn new(
        command: WriteCommand,
        repository: &'a Repository,
        tables: Tables,
        returns: Option<ReturnValue>,
        span: Span,
    ) -> Result<Self, Error> {
        let schema = command.schema;
        let (Some(version), Some(versioned)) = (&schema.version, &command.versioned) else {
            return Err(Error::new(ErrorKind::Service, "the entity has no version"));
        };
        let history = schema.history.as_ref().zip(tables.history);
        Ok(Self {
            schema,
            version,
            history: history.map(|(history, name)| Table { schema, history, name, repository }),
            // An unchecked write has no name by which it would know itself: each time it is sent, it is another one.
            attempts: match versioned.expected {
                Some(Expected::Unchecked) => Attempts::default(),
                _ => versioned.attempts.clone(),
            },
            context: command.context(),
            now: repository.now(),
            table: tables.main,
            command,
            repository,
            returns,
            span,
        })
    }

    async fn run(self) -> Result<Written, Error> {
        let written = self.send().await;
        if let Ok(Written::Refused(_)) = written {
            self.attempts.restart();
        }
        // Of the last attempt, it is true that nothing was applied; an earlier one may have been.
        written.map_err(|error| match error {
            error if error.is_outcome_unknown() || !self.attempts.may_be_applied() => error,
            error if self.is_another_each_time() => error.of_a_lost_change(),
            // A part of another command, which says it.
            error if self.command.versioned.as_ref().is_some_and(|versioned| versioned.operation.is_some()) => error,
            error => self.attempts.recall(error, "send the same command again to learn it"),
        })
    }

    /// Whether the command sent again is another write: nothing tells that an earlier one was applied.
    fn is_another_each_time(&self) -> bool {
        let expected = self.command.versioned.as_ref().and_then(|versioned| versioned.expected);
        expected == Some(Expected::Unchecked) && self.command.key_of_update.is_none()
    }

    async fn send(&self) -> Result<Written, Error> {
        let given = self.command.versioned.as_ref().and_then(|versioned| versioned.loaded.clone());
        let (mut expected, mut loaded) = match self.attempts.reached().pop() {
            Some(reached) => (reached, given),
            None => match self.first(given).await? {
                First::Expects(expected, loaded) => (expected, loaded),
                First::Refused(written) => return Ok(written),
            },
        };
        let mut rounds = 0..ROUNDS;
        let mut phase = match self.command.key_of_update {
            Some(_) => keys::guess(self.repository, self.schema, &self.table, &self.key()?),
            None => Phase::default(),
        };
        loop {
            self.attempts.reach(expected);
            match self.round(expected, phase, loaded.take()).await? {
                Round::Ended(written) => return Ok(written),
                Round::NumberOn(next, found) if rounds.next().is_some() => (expected, loaded) = (next, found),
                Round::NumberOn(..) => return Err(contended()),
                Round::InPhase(other) if rounds.next().is_some() => {
                    keys::note(self.repository, self.schema, &self.table, &self.key()?, other);
                    phase = other;
                }
                Round::InPhase(_) => return Err(keys::unsettled()),
            }
        }
    }

    /// What the write expects at first. The history may know of numbers that no item has any more.
    pub(super) async fn first(&self, loaded: Option<Item>) -> Result<First, Error> {
        let expected = self.command.expected()?.unwrap_or(Expected::Unchecked);
        let (Some(table), Expected::New(_)) = (&self.history, expected) else {
            return Ok(First::Expects(expected, loaded));
        };
        let key = self.key()?;
        for _ in 0..ROUNDS {
            let Some(newest) = table.newest(&key).await? else {
                return Ok(First::Expects(expected, None));
            };
            // In a transaction, the revision's row keeps a number from being given twice.
            if table.history.mode == Mode::Atomic {
                return Ok(First::Expects(Expected::New(newest.version), None));
            }
            let Some(item) = table.item(&self.table, key.clone()).await? else {
                match self.last_number(table, newest).await? {
                    Some(last) => return Ok(First::Expects(Expected::New(last), None)),
                    None => continue,
                }
            };
            if let Some(version) = rule::is_dead(self.schema, self.now, &item).and_then(|_| self.version.of(&item)) {
                return Ok(First::Expects(Expected::Dead(version), Some(item)));
            }
            // It cannot pass, and must not be tried: by then the item may be gone, and its number unknown.
            let (_, write) = self.prepare(expected, Phase::default())?;
            match self.judge(&write, Denial { of_item: true, item: Some(item), row: None }).await? {
                Round::Ended(written) => return Ok(First::Refused(written)),
                Round::NumberOn(expected, item) => return Ok(First::Expects(expected, item)),
                Round::InPhase(_) => return Err(keys::unsettled()),
            }
        }
        Err(contended())
    }

    /// The last number of an item that is not there any more. Where its deletion is not in the history yet, since nobody
    /// has superseded it, it is put there. `None` if something else has been put there meanwhile.
    async fn last_number(&self, table: &Table<'_>, newest: RawRevision) -> Result<Option<u64>, Error> {
        if newest.deleted {
            return Ok(Some(newest.version));
        }
        let version = newest.version.saturating_add(1);
        let deletion = RawRevision { version, deleted: true, image: self.key()? };
        let there = table.put(deletion, self.now).await?;
        // If another create was faster, it is the same.
        Ok(there.is_none_or(|there| there.deleted).then_some(version))
    }

    /// The key of the item.
    pub(super) fn key(&self) -> Result<Item, Error> {
        self.command.key()
    }

    pub(super) fn prepare(&self, expected: Expected, phase: Phase) -> Result<(RowWrite, Write), Error> {
        let returns = match expected {
            // The version that it stored, for nothing.
            Expected::Unchecked => self.returns.clone().or(Some(ReturnValue::UpdatedNew)),
            _ => self.returns.clone(),
        };
        let terms = Terms { table: self.table.clone(), now: self.now, returns, expected: Some(expected), phase };
        self.command.clone().prepare(terms)
    }

    async fn round(&self, expected: Expected, phase: Phase, loaded: Option<Item>) -> Result<Round, Error> {
        let (request, write) = self.prepare(expected, phase)?;
        match &self.history {
            None => self.plain(request, &write).await,
            Some(table) => match (table.history.mode, expected) {
                // Where nothing is left of an item to hold a number, only a transaction keeps two creates, with a deletion
                // and a purge in between, from taking the same. The history row holds the item as it is then.
                (Mode::Atomic, _) | (Mode::Ordered, Expected::New(_)) => {
                    let revision = self.revision(&request, &write)?;
                    self.with_row(table, revision, request, &write).await
                }
                (Mode::Ordered, Expected::Behind { .. }) => self.behind_it(table, request, &write, loaded).await,
                (Mode::Ordered, _) => self.ordered(table, request, &write, loaded).await,
            },
        }
    }

    /// One write.
    async fn plain(&self, request: RowWrite, write: &Write) -> Result<Round, Error> {
        match transmit(self.repository, self.command.about(), request, &self.attempts, self.command.repeat()).await? {
            Sent::Applied(item) => Ok(self.applied(write, item)),
            Sent::Refused(item) => self.judge(write, Denial { of_item: true, item, row: None }).await,
        }
    }

    /// A revision and the item in one transaction.
    async fn with_row(
        &self,
        table: &Table<'_>,
        revision: RawRevision,
        request: RowWrite,
        write: &Write,
    ) -> Result<Round, Error> {
        let row = table.put_request(revision, self.now)?;
        match pair::send(self.repository, self.command.about(), [row, request], &self.attempts).await? {
            Transacted::Applied => Ok(self.applied(write, None)),
            Transacted::Refused { of_item, item, row } => self.judge(write, Denial { of_item, item, row }).await,
        }
    }

    /// The revision that the write makes.
    pub(super) fn revision(&self, request: &RowWrite, write: &Write) -> Result<RawRevision, Error> {
        let version = write.next().unwrap_or_default();
        Ok(RawRevision { version, deleted: write.verb == Verb::Delete, image: self.image(request, write)? })
    }

    /// What the new revision keeps: the item that is put, or what is left of one that goes.
    fn image(&self, request: &RowWrite, write: &Write) -> Result<Item, Error> {
        if let Some(item) = request.item() {
            return Ok(item.clone());
        }
        let mut image = self.key()?;
        rule::assign_to(write, &mut image);
        Ok(image)
    }

    /// The superseded revision, then the item.
    async fn ordered(
        &self,
        table: &Table<'_>,
        request: RowWrite,
        write: &Write,
        loaded: Option<Item>,
    ) -> Result<Round, Error> {
        self.check_fit(table, &request, write)?;
        if let Some(expected @ (Expected::Loaded(base) | Expected::Dead(base))) = write.expected() {
            let is_given = loaded.is_some();
            let revision = match self.superseded(table, base, loaded).await? {
                Ok(revision) => revision,
                // It cannot pass any more, and nothing need be written to know it.
                Err(item) => return self.judge(write, Denial { of_item: true, item, row: None }).await,
            };
            if self.is_foreign(&revision.image)
                && let Some(behind) = self.behind(table, expected, &revision.image).await?
            {
                return Ok(Round::NumberOn(behind, Some(revision.image)));
            }
            // A copy that stays would be of a version that nobody has superseded.
            if !rule::reasons(write, Some(&revision.image)).is_empty() || !self.command.holds(&revision.image) {
                // What the caller has loaded may not be what is there.
                if is_given {
                    return Ok(Round::NumberOn(expected, None));
                }
                let item = Some(revision.image);
                return self.judge(write, Denial { of_item: true, item, row: None }).await;
            }
            match table.put(revision.clone(), self.now).await? {
                Some(there) if !self.is_same(&there.image, &revision.image) => {
                    return match self.behind(table, expected, &revision.image).await? {
                        Some(behind) => Ok(Round::NumberOn(behind, Some(revision.image))),
                        None => Ok(self.recorded(write, Some(revision.image))),
                    };
                }
                // A write that did not come to pass has left it, and its time counts from then: now it begins anew.
                Some(_) if table.history.ttl_days.is_some() => table.refresh(revision, self.now).await?,
                _ => {}
            }
        }
        self.plain(request, write).await
    }

    /// The item under the number that it is to have in the history, and the one that supersedes it, in one transaction: the
    /// item says another number, which keeps nobody from taking this one.
    async fn behind_it(
        &self,
        table: &Table<'_>,
        request: RowWrite,
        write: &Write,
        loaded: Option<Item>,
    ) -> Result<Round, Error> {
        self.check_fit(table, &request, write)?;
        match self.renumbered(table, write, loaded).await? {
            Ok(revision) => self.with_row(table, revision, request, write).await,
            Err(item) => self.judge(write, Denial { of_item: true, item, row: None }).await,
        }
    }

    /// The revision that a write supersedes whose numbers go on behind the history's; or what is there instead.
    pub(super) async fn renumbered(
        &self,
        table: &Table<'_>,
        write: &Write,
        loaded: Option<Item>,
    ) -> Result<Result<RawRevision, Option<Item>>, Error> {
        let Some(Expected::Behind { found, last, .. }) = write.expected() else { return Ok(Err(loaded)) };
        let superseded = self.superseded(table, found, loaded).await?;
        Ok(superseded.map(|revision| RawRevision { version: last, ..revision }))
    }

    /// Whether an item lacks the name that every write leaves.
    pub(super) fn is_foreign(&self, item: &Item) -> bool {
        self.version.write_id.is_some() && !self.is_named(item)
    }

    /// Where the numbers go on of an item that no write of ours has made, if the history knows of later ones: another program
    /// has deleted it and created it again, or has put it without its name.
    pub(super) async fn behind(
        &self,
        table: &Table<'_>,
        expected: Expected,
        item: &Item,
    ) -> Result<Option<Expected>, Error> {
        // Where no write has a name, a copy of an ordered history that differs says as much.
        let is_ordered = table.history.mode == Mode::Ordered;
        let may_be_foreign = self.is_foreign(item) || is_ordered && self.version.write_id.is_none();
        let Some(found) = expected.base().filter(|_| may_be_foreign) else { return Ok(None) };
        let Some(newest) = table.newest(&self.key()?).await? else { return Ok(None) };
        let is_ahead = newest.version > found || newest.version == found && !self.is_same(&newest.image, item);
        let is_dead = expected.is_dead();
        let last = table.last_given(&newest).saturating_add(u64::from(is_ordered));
        Ok(is_ahead.then_some(Expected::Behind { found, last, is_dead }))
    }

    /// What is stored will have to fit into the history: else it could never be changed or deleted again.
    pub(super) fn check_fit(&self, table: &Table<'_>, request: &RowWrite, write: &Write) -> Result<(), Error> {
        let (Some(item), Some(version)) = (request.item(), write.next()) else { return Ok(()) };
        let image = item.clone();
        table.put_request(RawRevision { version, deleted: false, image }, self.now).map(drop)
    }

    /// The revision that a write of this version supersedes; or what is there instead.
    pub(super) async fn superseded(
        &self,
        table: &Table<'_>,
        base: u64,
        loaded: Option<Item>,
    ) -> Result<Result<RawRevision, Option<Item>>, Error> {
        // Another entity's item is no version of this one's.
        let is_loaded =
            |item: &Item| self.version.of(item) == Some(base) && rule::other_entity(self.schema, Some(item)).is_none();
        let key = self.key()?;
        // What the caller has loaded may be of another item, or another version.
        let item = match loaded.filter(|item| is_loaded(item) && key::key_of(self.schema, item) == key) {
            Some(item) => Some(item),
            None => table.item(&self.table, key).await?,
        };
        Ok(match item {
            Some(image) if is_loaded(&image) => {
                Ok(RawRevision { version: base, deleted: rule::is_tombstone(self.schema, &image), image })
            }
            item => Err(item),
        })
    }

    /// Whether two images are of one write.
    fn is_same(&self, one: &Item, other: &Item) -> bool {
        is_same(self.version, one, other)
    }

    pub(super) fn applied(&self, write: &Write, item: Option<Item>) -> Round {
        let returned = || self.version.of(item.as_ref()?).filter(|version| *version > 0);
        let version = write.next().or_else(returned);
        self.applied_as(version, item)
    }

    pub(super) fn applied_as(&self, version: Option<u64>, item: Option<Item>) -> Round {
        self.span.record("outcome", "applied");
        let item = item.filter(|_| self.returns.is_some());
        Round::Ended(Written::Applied(Applied { item, version, now: self.now }))
    }

    pub(super) fn refused(&self, reasons: Vec<Reason>, moot: Moot, item: Option<Item>) -> Written {
        self.span.record("outcome", "refused");
        let context = self.context.clone();
        Written::Refused(Refused { reasons, moot, item, now: self.now, context, in_doubt: false })
    }
}

fn contended() -> Error {
    Error::new(ErrorKind::Contended, "others kept creating and deleting the item")
}

/// Whether two images are of one write.
pub(super) fn is_same(version: &Version, one: &Item, other: &Item) -> bool {
    match version.write_id.map(|name| (one.get(name), other.get(name))) {
        Some((Some(one), Some(other))) => one == other,
        // Sets come in any order, numbers in any spelling.
        _ => equal_items(one, other),
    }
}
