//! One command of a transaction: what DynamoDB is sent for it. A check and most writes are one action; a history and an
//! idempotency key in a row of its own add theirs. What has to be known first is read.

use super::command::unsettled;
use super::part::{Course, Part, Row};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::Repository;
use crate::read::{GetCommand, Table};
use crate::rule::{Expected, Phase, Refused, Verb, Write};
use crate::schema::{Mode, Tables};
use crate::write::command::{Terms, WriteCommand, Written};
use crate::write::row::RowWrite;
use crate::write::versioned::{Denial, First, Round, Sender};
use crate::write::{elements, keys};
use aws_sdk_dynamodb::types::TransactWriteItem;
use tracing::Span;

/// What comes of a command.
pub(super) enum Enlisted {
    /// Its requests: its row's, if it has one, and its own.
    Part(Box<Part>, Vec<TransactWriteItem>),
    /// It would be refused: what was read says so.
    Refused(Refused),
    /// It has been applied.
    Applied,
}

/// The parts of a request: the row, if there is one, and the write itself.
type Sent = (Option<RowRequest>, RowWrite, Write);

/// The request of a row, and what it is.
type RowRequest = (Row, RowWrite);

impl From<Written> for Enlisted {
    fn from(written: Written) -> Self {
        match written {
            Written::Refused(refused) => Self::Refused(refused),
            Written::Applied(_) => Self::Applied,
        }
    }
}

/// How often a number is looked for again that others have taken meanwhile.
const ROUNDS: u32 = 8;

/// Whether what is sent depends on what is there: an element of a list, or what a history has, or supersedes.
pub(super) fn reads(command: &WriteCommand) -> Result<bool, Error> {
    let reads_history = match command.schema.history.as_ref().map(|history| history.mode) {
        Some(Mode::Atomic) => matches!(command.expected()?, Some(Expected::New(_))),
        Some(Mode::Ordered) => !matches!(command.verb, Verb::Check { .. } | Verb::Purge),
        None => false,
    };
    Ok(reads_history || elements::is_needed(command))
}

pub(super) async fn enlist(
    command: &WriteCommand,
    repository: &Repository,
    tables: &Tables,
    now: EpochMillis,
    mut course: Course,
) -> Result<Enlisted, Error> {
    let (mut command, mut places) = (command.clone(), Vec::new());
    let (key, context, is_conditional) = (command.key()?, command.context(), command.condition.is_some());
    if elements::is_needed(&command) {
        let get = GetCommand::consistent(command.schema, Ok(key.clone()));
        let is_read_first = elements::is_read_first(&command);
        let item = match course.item.take_if(|_| is_read_first) {
            None if is_read_first => get.send(repository, tables.main.clone()).await?,
            None => course.item.clone(),
            item => item,
        };
        let located = elements::located(&command, item.as_ref());
        if !located.missing.is_empty() {
            let refused = elements::refused(located.command, located.missing, repository, tables, item);
            return refused.await.map(Enlisted::from);
        }
        (command, places) = (located.command, located.places);
    }
    let part = |row, write, course| {
        let at = 0;
        Box::new(Part { at, row, write, key: key.clone(), context, is_conditional, places, course })
    };
    if let Verb::Check { .. } = command.verb {
        let (table, expected) = (tables.main.clone(), command.expected()?);
        let terms = Terms { table, now, returns: None, expected, phase: Phase::default() };
        let (check, write) = command.prepare(terms)?;
        return Ok(Enlisted::Part(part(None, write, course), vec![check.action()?]));
    }
    if command.key_of_update.is_some() && course.phase.is_none() {
        course.phase = Some(keys::guess(repository, command.schema, &tables.main, &key));
    }
    let (row, request, write) = if command.versioned.is_some() {
        let mut sender = Sender::new(command, repository, tables.clone(), None, Span::current())?;
        sender.now = now;
        match sender.enlist(&mut course).await? {
            Ok(sent) => sent,
            Err(written) => return Ok(written.into()),
        }
    } else {
        plain(command, tables, &key, now, course.phase.unwrap_or_default())?
    };
    let (row, put) = row.unzip();
    let requests: Result<Vec<_>, Error> = put.into_iter().chain([request]).map(RowWrite::action).collect();
    Ok(Enlisted::Part(part(row, write, course), requests?))
}

/// A write without a version: with the row of its idempotency key, if it has one.
fn plain(command: WriteCommand, tables: &Tables, key: &Item, now: EpochMillis, phase: Phase) -> Result<Sent, Error> {
    let terms = Terms { table: tables.main.clone(), now, returns: None, expected: None, phase };
    let (request, write) = command.prepare(terms)?;
    let row = match (&tables.keys, &write.key) {
        (Some(keys), Some(_)) => Some((Row::Key, keys::put_row(&write, &tables.main, key, keys, now)?)),
        _ => None,
    };
    Ok((row, request, write))
}

impl Sender<'_> {
    /// A write with a version: with the row of its history, if it has one.
    async fn enlist(&self, course: &mut Course) -> Result<Result<Sent, Written>, Error> {
        let given = || self.command.versioned.as_ref().and_then(|versioned| versioned.loaded.clone());
        let (mut expected, mut item) = match course.expected {
            Some(expected) => (expected, course.item.take()),
            None => match self.first(given()).await? {
                First::Expects(expected, item) => (expected, item),
                First::Refused(written) => return Ok(Err(written)),
            },
        };
        for _ in 0..ROUNDS {
            course.expected = Some(expected);
            let (request, write) = self.prepare(expected, course.phase.unwrap_or_default())?;
            let row = if std::mem::take(&mut course.is_taken) {
                Err(self.taken(&write).await?)
            } else {
                self.row(&request, &write, expected, item.take()).await?
            };
            match row {
                Ok(row) => return Ok(Ok((row, request, write))),
                Err(Round::Ended(written)) => return Ok(Err(written)),
                Err(Round::NumberOn(next, found)) => (expected, item) = (next, found),
                Err(Round::InPhase(_)) => return Err(keys::unsettled()),
            }
        }
        Err(unsettled())
    }

    /// The row of the history that goes with a write.
    async fn row(
        &self,
        request: &RowWrite,
        write: &Write,
        expected: Expected,
        item: Option<Item>,
    ) -> Result<Result<Option<RowRequest>, Round>, Error> {
        let Some(table) = &self.history else { return Ok(Ok(None)) };
        match (table.history.mode, expected) {
            (Mode::Atomic, _) | (Mode::Ordered, Expected::New(_)) => {
                let row = table.put_request(self.revision(request, write)?, self.now)?;
                Ok(Ok(Some((Row::New, row))))
            }
            (Mode::Ordered, Expected::Loaded(base) | Expected::Dead(base)) => {
                self.check_fit(table, request, write)?;
                self.superseded_row(table, write, base, item).await
            }
            (Mode::Ordered, Expected::Behind { .. }) => {
                self.check_fit(table, request, write)?;
                match self.renumbered(table, write, item).await? {
                    Ok(revision) => Ok(Ok(Some((Row::Superseded, table.put_request(revision, self.now)?)))),
                    Err(item) => self.judge(write, Denial { of_item: true, item, row: None }).await.map(Err),
                }
            }
            (Mode::Ordered, Expected::Unchecked) => {
                self.check_fit(table, request, write)?;
                Ok(Ok(None))
            }
        }
    }

    async fn superseded_row(
        &self,
        table: &Table<'_>,
        write: &Write,
        base: u64,
        item: Option<Item>,
    ) -> Result<Result<Option<RowRequest>, Round>, Error> {
        match self.superseded(table, base, item).await? {
            Ok(revision) => {
                let expected = write.expected().unwrap_or(Expected::Loaded(base));
                if self.is_foreign(&revision.image)
                    && let Some(behind) = self.behind(table, expected, &revision.image).await?
                {
                    return Ok(Err(Round::NumberOn(behind, Some(revision.image))));
                }
                let row = table.put_same_request(revision, self.now)?;
                Ok(Ok(Some((Row::Superseded, row))))
            }
            // It cannot pass any more, and nothing need be sent to know it.
            Err(item) => self.judge(write, Denial { of_item: true, item, row: None }).await.map(Err),
        }
    }
}
