//! Repair of an item that no write passes any more, since its history knows of later numbers, or its own number is none.
//!
//! It gets the number behind all that the history knows, and a row there, both in one transaction. What it holds stays as it
//! is, and so do all rows.

use super::retry_limits::Patience;
use super::rows_to_send::Rows;
use super::transmit::{Answered, transmit};
use super::write_command::WriteCommand;
use super::write_meaning::Terms;
use crate::attribute::Item;
use crate::error::{EncodeError, Error, ErrorKind};
use crate::exchange::{About, Answer, Ask, Attempts, BackOff, Repeat, Repository, span};
use crate::expression::{Node, Operator};
use crate::read::Table;
use crate::rule;
use crate::rule::{Expected, Phase, RawRevision, Verb};
use crate::schema::{Mode, Schema, Tables, Version};
use tracing::Instrument as _;

/// How often it is looked again, where other writers have been faster.
const ROUNDS: u32 = 8;

/// A repair, as a typed command holds it.
#[derive(Clone, Debug)]
pub(crate) struct RepairCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) key: Result<Item, EncodeError>,
}

impl RepairCommand {
    /// Sends the command; the item's new number, if it has got one.
    pub(crate) async fn send(self, repository: &Repository, tables: Tables) -> Result<Option<u64>, Error> {
        let history = Table::of(self.schema, &tables, repository);
        let (Some(version), Some(table)) = (&self.schema.version, history) else { return Ok(None) };
        let command = WriteCommand::new(self.schema, Verb::Renumber, self.key);
        let attempts = command.versioned.as_ref().map(|versioned| versioned.attempts(&tables.main)).unwrap_or_default();
        let span = span(self.schema, command.operation(), &tables.main);
        let renumber = Renumber { version, table, main: tables.main, command, attempts };
        let sent = Box::pin(renumber.run(repository)).instrument(span.clone()).await;
        let outcome = sent.as_ref().map_or(Some("error"), |repaired| repaired.map(|_| "applied"));
        span.record("outcome", outcome);
        sent.map_err(|error| {
            let error = renumber.attempts.recall(error, "send it again to learn it");
            error.with_context(|| renumber.command.context())
        })
    }
}

/// A repair under way.
struct Renumber<'a> {
    version: &'static Version,
    table: Table<'a>,
    main: String,
    command: WriteCommand,
    attempts: Attempts,
}

impl Renumber<'_> {
    async fn run(&self, repository: &Repository) -> Result<Option<u64>, Error> {
        let key = self.command.key()?;
        let own = self.table.schema.write_id.as_ref().zip(self.command.write_id()?);
        let (mut back_off, mut patience) = (BackOff::new(repository, ROUNDS), Patience::new(repository, None));
        loop {
            let Some(item) = self.table.item(&self.main, key.clone()).await? else { return Ok(None) };
            if let Some(mark) = &self.table.schema.entity_type {
                mark.check(&item)?;
            }
            if own.as_ref().is_some_and(|(write_id, name)| write_id.is_own(name, &item)) {
                return Ok(self.version.of(&item));
            }
            if rule::is_held(self.table.schema, Some(&item)) {
                patience.wait_for(&self.command, &self.main, &item).await?;
                continue;
            }
            let newest = self.table.newest(&key).await?;
            let Some(last) = self.last(&item, newest.as_ref()) else { return Ok(None) };
            if let Answer::Done(_) = self.write(repository, item, last).await? {
                return Ok(Some(last.saturating_add(1)));
            }
            if !back_off.pause().await {
                return Err(Error::new(ErrorKind::Contended, "others kept writing the item, or its history"));
            }
        }
    }

    /// The last number that was given, if what the history knows keeps writes of the item from passing.
    fn last(&self, item: &Item, newest: Option<&RawRevision>) -> Option<u64> {
        let last = newest.map(|newest| self.table.last_given(newest));
        let Some(found) = self.version.of(item) else { return last.or(Some(0)) };
        let newest = newest?;
        // A copy of the current version is what the next write of an ordered history looks for.
        let is_ordered = self.table.history.mode == Mode::Ordered;
        let is_other =
            newest.version == found && is_ordered && !rule::is_of_one_write(self.table.schema, &newest.image, item);
        last.filter(|_| newest.version > found || is_other)
    }

    /// Gives the item the number behind the last one, if it still has the number and the name that were read.
    async fn write(&self, repository: &Repository, item: Item, last: u64) -> Result<Answered, Error> {
        let (schema, now) = (self.table.schema, repository.now());
        let expected = Some(Expected::New(last));
        let mut command = self.command.clone();
        let names =
            std::iter::once(self.version.attribute).chain(schema.write_id.iter().map(|write_id| write_id.attribute));
        let same = names.map(|name| match item.get(name) {
            Some(value) => Node::compare(name, Operator::Eq, value),
            None => Node::NotExists(name.into()),
        });
        command.condition = Node::all(same.collect()).map(Ok);
        let terms = Terms { table: self.main.clone(), now, returns: None, expected, phase: Phase::default() };
        let (request, write) = command.prepare(terms)?;
        let version = last.saturating_add(1);
        let mut revision = RawRevision { version, deleted: rule::is_tombstone(schema, &item), image: item };
        rule::assign_to(&write, &mut revision.image);
        let row = self.table.put_request(revision, now)?;
        let mut rows = Box::new(Rows::new(Some(row), request));
        let (operation, entity) = self.command.about();
        let ask = Ask::write(About::new(operation, entity, &self.main), &self.attempts, Repeat::Freely);
        transmit(repository, ask, &self.main, &mut rows).await
    }
}
