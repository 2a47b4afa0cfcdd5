//! Computes the participants of a run: for each row that the run writes, the item before and after the write.

use super::attempt_requests::caller;
use super::evaluate_action::evaluate;
use super::history_numbers::Histories;
use super::participant::Participant;
use crate::attribute::RawItem;
use crate::error::Error;
use crate::exchange::{CONCURRENCY, ItemRef};
use crate::read::{BatchGetCommand, Level, batch_get};
use crate::rule::{Expected, Verb};
use crate::schema::Store;
use crate::transaction::attempt::{Folded, Row, Run, fold};
use crate::transaction::native::{RefusedAction, RefusedTransaction, named};
use crate::transaction::record::TransactionId;
use crate::transaction::resolve::read_when_free;

/// The data that refused a write, before any request of the attempt was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusedBy {
    /// The rows, as they were read.
    Rows,
    /// The history of an item. It was read after the rows, so the row can have changed in between.
    History,
}

impl Run {
    /// Returns the participants of the run's writes, or the refusal of some writes. Reads the rows that the closure wrote without
    /// a read, and the histories.
    pub(crate) async fn participants(
        &mut self,
        claim: Option<&TransactionId>,
    ) -> Result<Result<Vec<Participant>, (RefusedTransaction, RefusedBy)>, Error> {
        self.rows.iter().try_for_each(check_supported)?;
        self.read_written_rows().await?;
        let (mut participants, mut refused) = (Vec::new(), Vec::new());
        for (at, row) in self.rows.iter().enumerate() {
            let (index, action) = match fold(row, self.now)? {
                Folded::One(index, action) => (index, *action),
                Folded::Nothing => continue,
                Folded::Refused(earlier) => {
                    refused.extend(earlier.actions);
                    continue;
                }
            };
            match evaluate(index, &action, row.read.as_ref().and_then(Option::as_ref), row, self.now)? {
                Ok(Some(new)) => participants.push(Participant::new(index, at, row, action, new)),
                Ok(None) => {}
                Err(refusal) => refused.push(RefusedAction { index, entity: action.entity, refused: *refusal }),
            }
        }
        if !refused.is_empty() {
            return Ok(Err((refusal(&self.rows, refused), RefusedBy::Rows)));
        }
        let Self { repository, rows, priority, now, .. } = &*self;
        let histories = Histories { repository, rows, priority, claim, now: *now };
        let refused = histories.number_all(&mut participants).await?;
        if refused.is_empty() {
            return Ok(Ok(participants));
        }
        // The history was read after the row, so the refusal is valid only if the row is still as it was read.
        for participant in
            participants.iter().filter(|participant| refused.iter().any(|refused| refused.index == participant.index))
        {
            self.rows[participant.row].read.get_or_insert_with(|| participant.base.clone());
        }
        Ok(Err((refusal(&self.rows, refused), RefusedBy::History)))
    }

    /// Reads the rows that the closure writes or checks without having read them. A row that is created is assumed not to exist.
    async fn read_written_rows(&mut self) -> Result<(), Error> {
        let unread = self.rows.iter().enumerate().filter(|(_, row)| row.read.is_none() && !row.actions.is_empty());
        let places: Vec<usize> = unread.filter(|(_, row)| !is_created(row)).map(|(at, _)| at).collect();
        let commands = places.iter().map(|at| {
            let Row { of, tables, key, .. } = &self.rows[*at];
            let keys = vec![Ok(key.clone())];
            (BatchGetCommand::new(of.schema, keys, Level::Stored), Ok(tables.main.clone()))
        });
        let read = batch_get(&self.repository, commands.collect(), CONCURRENCY).await?;
        for (at, item) in places.into_iter().zip(read.into_iter().flatten()) {
            let row = &self.rows[at];
            let place = ItemRef { table: row.tables.main.clone(), key: row.key.clone() };
            let caller = caller(row.of.schema.entity, &self.priority);
            let found = item?.map(RawItem::into_item);
            let found = read_when_free(&self.repository, caller, &place, found).await;
            let found = found.map_err(|error| named_by_row(row, error))?;
            self.rows[at].read = Some(found);
        }
        Ok(())
    }
}

/// Returns the refusal of a transaction with these rows, by these actions.
pub(crate) fn refusal(rows: &[Row], mut refused: Vec<RefusedAction>) -> RefusedTransaction {
    let mut actions: Vec<_> = rows.iter().flat_map(|row| &row.actions).collect();
    actions.sort_by_key(|enlisted| enlisted.index);
    refused.sort_by_key(|refused| refused.index);
    RefusedTransaction::of(&actions.iter().map(|enlisted| &enlisted.action).collect::<Vec<_>>(), refused)
}

/// Adds to an error the first action of the row that caused the error.
fn named_by_row(row: &Row, error: Error) -> Error {
    match row.actions.first() {
        Some(first) => named(error, first.index, &first.action),
        None => error,
    }
}

/// Whether the only action on a row creates it.
fn is_created(row: &Row) -> bool {
    let [only] = &*row.actions else { return false };
    let command = &only.action.command;
    matches!(command.verb, Verb::Put | Verb::Create) && matches!(command.expected(), Ok(Some(Expected::New(_))))
}

/// Refuses a row of an entity that is not transactional, or whose idempotency keys are in rows of their own, which an intent
/// cannot write.
fn check_supported(row: &Row) -> Result<(), Error> {
    let Some(first) = row.actions.first() else { return Ok(()) };
    let entity = row.of.schema.entity;
    let is_keyed = matches!(row.of.schema.key_store(), Some(Store::Row { .. }))
        && row.actions.iter().any(|enlisted| enlisted.action.command.has_dedup_key());
    let message = match () {
        () if !row.of.schema.is_transactional => format!(
            "`{entity}` is not transactional, and the transaction is client-side, because it is too large for one request, has queried, or is set to `client_side`: add `#[transactional]`, or write at most 100 items"
        ),
        () if is_keyed => format!(
            "`{entity}` keeps its idempotency keys in rows, which only native transactions write, and the transaction is client-side, because it is too large for one request, has queried, or is set to `client_side`: keep the keys in the item, or write at most 100 items and read by keys"
        ),
        () => return Ok(()),
    };
    Err(named(Error::invalid(message), first.index, &first.action))
}
