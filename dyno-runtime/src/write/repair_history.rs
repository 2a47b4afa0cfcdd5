//! Makes an item writable again that refuses every write, because its history has later numbers, or because its version is not
//! valid.
//!
//! The item gets the number after the last one in the history, and a row there, both in one transaction. Its content stays as it
//! is, and so do the other rows.
//!
//! The loop is not `drive`: it pauses between its rounds, reports contention in its own words, and returns `None`, which is no
//! refusal, if there is nothing to repair.

use super::retry_limits::RetryBudget;
use super::rows_to_send::Rows;
use super::transmit::{WriteAnswer, transmit};
use super::write_command::WriteCommand;
use super::write_meaning::Terms;
use crate::attribute::Item;
use crate::error::{EncodeError, Error, ErrorKind};
use crate::exchange::{About, Answer, Ask, Attempts, BackOff, ItemRef, Repeat, Repository, span};
use crate::expression::{Node, Operator};
use crate::read::HistoryTable;
use crate::rule;
use crate::rule::{Expected, Phase, RawRevision, Verb};
use crate::schema::{Mode, Schema, Tables, Version};
use tracing::Instrument as _;

/// The number of pauses, each followed by another round, if other writers are faster.
const ROUNDS: u32 = 8;

/// A repair, as a typed command holds it.
#[derive(Clone, Debug)]
pub(crate) struct RepairCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) key: Result<Item, EncodeError>,
}

impl RepairCommand {
    /// Sends the command. Returns the new number of the item; `None` if there was nothing to repair.
    pub(crate) async fn send(self, repository: &Repository, tables: Tables) -> Result<Option<u64>, Error> {
        let history = HistoryTable::of(self.schema, &tables, repository);
        let (Some(version), Some(table)) = (&self.schema.version, history) else { return Ok(None) };
        let command = WriteCommand::new(self.schema, Verb::Renumber, self.key);
        let attempts = command.attempts(&tables.main);
        let span = span(self.schema, command.operation(), &tables.main);
        let renumber = Renumber { version, table, main: tables.main, command, attempts };
        let sent = Box::pin(renumber.run(repository)).instrument(span.clone()).await;
        let outcome = sent.as_ref().map_or(Some("error"), |repaired| repaired.map(|_| "applied"));
        span.record("outcome", outcome);
        sent.map_err(|error| {
            let error = renumber.attempts.mark_in_doubt(error, "send it again to find out");
            error.with_context(|| renumber.command.context())
        })
    }
}

/// A repair that is under way.
struct Renumber<'a> {
    version: &'static Version,
    table: HistoryTable<'a>,
    main: String,
    command: WriteCommand,
    attempts: Attempts,
}

impl Renumber<'_> {
    async fn run(&self, repository: &Repository) -> Result<Option<u64>, Error> {
        let key = self.command.key()?;
        let own_id = self.table.schema.write_id.as_ref().zip(self.command.write_id()?);
        let (mut back_off, mut budget) = (BackOff::new(repository, ROUNDS), RetryBudget::new(repository, None));
        loop {
            let Some(item) = self.table.item(&self.main, key.clone()).await? else { return Ok(None) };
            if let Some(mark) = &self.table.schema.entity_type {
                mark.check(&item)?;
            }
            // An attempt whose answer was lost has repaired the item.
            if own_id.as_ref().is_some_and(|(write_id, own)| write_id.is_own(own, &item)) {
                return Ok(self.version.of(&item));
            }
            if rule::is_held(self.table.schema, Some(&item)) {
                let at = ItemRef { table: self.main.clone(), key: key.clone() };
                budget.spend_and_wait(self.command.about(), at, &item).await?;
                continue;
            }
            let newest = self.table.newest(&key).await?;
            let Some(last) = self.last(&item, newest.as_ref()) else { return Ok(None) };
            if let Answer::Done(_) = self.write(repository, item, last).await? {
                return Ok(Some(last.saturating_add(1)));
            }
            if !back_off.pause().await {
                return Err(Error::new(ErrorKind::Contended, "other writers kept changing the item or its history"));
            }
        }
    }

    /// Returns the last number in use, if the history or the item's version keeps writes from passing.
    fn last(&self, item: &Item, newest: Option<&RawRevision>) -> Option<u64> {
        let last = newest.map(|newest| self.table.last_given(newest));
        let Some(found) = self.version.of(item) else { return last.or(Some(0)) };
        let newest = newest?;
        // The next write of an ordered history puts a copy of the item under the item's version, so no other image may be there.
        let is_ordered = self.table.history.mode == Mode::Ordered;
        let is_occupied =
            newest.version == found && is_ordered && !rule::is_of_one_write(self.table.schema, &newest.image, item);
        last.filter(|_| newest.version > found || is_occupied)
    }

    /// Gives the item the number after the last one, if it still has the version and the write id that were read.
    async fn write(&self, repository: &Repository, item: Item, last: u64) -> Result<WriteAnswer, Error> {
        let (schema, now) = (self.table.schema, repository.now());
        let expected = Some(Expected::New(last));
        let mut command = self.command.clone();
        let identity =
            std::iter::once(self.version.attribute).chain(schema.write_id.iter().map(|write_id| write_id.attribute));
        let unchanged = identity.map(|name| match item.get(name) {
            Some(value) => Node::compare(name, Operator::Eq, value),
            None => Node::NotExists(name.into()),
        });
        command.condition = Node::all(unchanged.collect()).map(Ok);
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
