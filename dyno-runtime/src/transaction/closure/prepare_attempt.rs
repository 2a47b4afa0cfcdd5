//! Prepares one transaction attempt from a run of the closure: a write for each row that is written, a check for each row that was
//! only read.

use super::fold_writes::{Folded, fold};
use super::read_write_set::Row;
use super::row_identity::{image, whole_image};
use super::session::{Run, wait};
use super::strategy::Strategy;
use super::transaction_attempt::{Apart, Attempt, Part, Sent, wanted};
use super::validate_reads::{are_of_one_moment, are_still};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::transact::ACTIONS;
use crate::exchange::{Priority, random};
use crate::read::GetCommand;
use crate::rule;
use crate::rule::{Expected, Image, Verb};
use crate::schema::{Schema, Store};
use crate::transaction::client_side::{Claim, ClaimTarget, Coordinator, LIMIT, RefusedBy};
use crate::transaction::native::{Action, RefusedTransaction, TransactionCommand};
use crate::write::WriteCommand;
use std::sync::Arc;
use std::time::Duration;

/// The result of preparing a run.
pub(crate) enum Planned {
    /// The run writes nothing, and everything that it read was true at one moment.
    Nothing,
    /// This attempt is to be sent.
    Send(Arc<Attempt>),
    /// What the run read, or an earlier write of the run, refuses a write.
    Refused(RefusedTransaction),
    /// What the run read has changed. After too many lost attempts, these rows are to be claimed.
    Moved(Vec<ClaimTarget>),
}

impl Run {
    /// Whether everything that was read was true at one moment. Only then does the result of the closure count.
    pub(crate) async fn is_valid(&self) -> Result<bool, Error> {
        are_of_one_moment(&self.repository, &self.rows, &self.ranges, &self.priority).await
    }

    /// Prepares the attempt to commit the run's writes.
    pub(crate) async fn plan(mut self, way: Strategy, mut claim: Option<Claim>) -> Result<Planned, Error> {
        let lasted = self.began.until(self.repository.moment());
        let prepared = self.prepare(way, lasted, &mut claim).await;
        // A claim is useless where nothing is sent client-side.
        if let Some(claim) = claim {
            claim.release(&self.repository).await;
        }
        match prepared {
            Ok(Prepared::Nothing) => self.if_valid(Planned::Nothing).await,
            Ok(Prepared::Refused(refused, RefusedBy::Rows)) => self.if_valid(Planned::Refused(refused)).await,
            Ok(Prepared::Refused(refused, RefusedBy::History)) => {
                let is_so = are_still(&self.repository, &self.rows, &self.ranges, &self.priority).await?;
                Ok(if is_so { Planned::Refused(refused) } else { Planned::Moved(wanted(&self.rows)) })
            }
            Ok(Prepared::Attempt(sent, parts)) => {
                let limit = self.rows.iter().filter_map(keyed_for).min();
                if let Some(limit) = limit.filter(|limit| lasted >= *limit) {
                    return Err(too_slow(limit));
                }
                let time = limit.map(|limit| (self.began, limit));
                Ok(Planned::Send(Arc::new(Attempt {
                    sent,
                    parts,
                    rows: self.rows,
                    ranges: self.ranges,
                    priority: self.priority,
                    time,
                    stored: self.stored,
                })))
            }
            // The limit holds whatever was read, and however often the closure runs.
            Ok(Prepared::TooSlow(limit)) => Err(too_slow(limit)),
            // The closure may have made the mistake because the rows it read were never true at one moment.
            Err(error) if error.is_invalid_input() => {
                if self.is_valid().await? {
                    Err(error)
                } else {
                    Ok(Planned::Moved(Vec::new()))
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the result of a run that writes nothing, if everything that it read was true at one moment.
    async fn if_valid(&self, planned: Planned) -> Result<Planned, Error> {
        Ok(if self.is_valid().await? { planned } else { Planned::Moved(Vec::new()) })
    }

    async fn prepare(&mut self, way: Strategy, lasted: Duration, claim: &mut Option<Claim>) -> Result<Prepared, Error> {
        if let Some(error) = self.impossible.take() {
            return Err(error);
        }
        let is_write = |row: &Row| row.actions.iter().any(|enlisted| enlisted.action.command.is_write());
        let (is_written, has_ranges) = (self.rows.iter().any(is_write), !self.ranges.is_empty());
        if has_ranges && way == Strategy::Native && is_written {
            return Err(queried());
        }
        // A run that only checks sends nothing but the reads once more, ranges among them.
        let is_checked = has_ranges && self.rows.iter().any(|row| !row.actions.is_empty());
        if is_checked || (way.is_apart(&self.rows) || claim.is_some()) && is_written {
            return self.prepare_apart(lasted, claim).await;
        }
        for row in self.rows.iter_mut().filter(|row| row.actions.len() > 1 && row.read.is_none()) {
            let get = GetCommand::consistent(row.of.schema, Ok(row.key.clone()));
            row.read = Some(wait(&self.repository, get, &row.tables.main, &self.priority).await?);
        }
        let mut written = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            let (index, action) = match self::written(row, self.now)? {
                Folded::One(index, action) => (Some(index), Some(*action)),
                Folded::Nothing => (None, check(row, self.now)),
                Folded::Refused(refused) => return Ok(Prepared::Refused(*refused, RefusedBy::Rows)),
            };
            written.extend(action.map(|action| (Part { index, row: at }, action)));
        }
        // In the order in which the closure wrote them, because an error names the position.
        written.sort_by_key(|(part, _)| (part.index.is_none(), part.index));
        let (parts, actions): (Vec<_>, Vec<_>) = written.into_iter().unzip();
        if parts.iter().all(|part| part.index.is_none()) {
            return Ok(Prepared::Nothing);
        }
        check_count(&parts)?;
        Ok(Prepared::Attempt(sent(actions, &parts, &self.rows, &self.priority)?, parts))
    }
}

impl Run {
    /// Prepares the attempt client-side. The closure ran for so long.
    async fn prepare_apart(&mut self, lasted: Duration, claim: &mut Option<Claim>) -> Result<Prepared, Error> {
        if let Some(claim) = &claim {
            // A claimed row stays as it is, so it need not be read again.
            self.rows.iter_mut().filter(|row| row.read.is_none()).try_for_each(|row| claim.mark_as_read(row))?;
        }
        let (repository, transaction_id) =
            (self.repository.clone(), claim.as_ref().map(|claim| claim.transaction_id.clone()));
        let participants = Box::pin(self.participants(transaction_id.as_ref()));
        // This reads rows and histories, which can take long.
        let participants = match claim {
            Some(claim) => claim.run_preparation(&repository, participants).await?,
            None => participants.await?,
        };
        let mut participants = match participants {
            Ok(participants) if participants.is_empty() => return Ok(Prepared::Nothing),
            Ok(participants) => participants,
            Err((refused, by)) => return Ok(Prepared::Refused(refused, by)),
        };
        let parts = participants
            .iter()
            .map(|participant| Part { index: Some(participant.index), row: participant.row })
            .collect();
        let keyed = self.rows.iter().filter_map(keyed_within).min();
        let limit = keyed.map_or(LIMIT, |keyed| keyed.min(LIMIT));
        if lasted >= limit {
            return Ok(Prepared::TooSlow(limit));
        }
        if let Some(claim) = &claim {
            participants.iter_mut().try_for_each(|participant| participant.note_claim(claim))?;
        }
        let tried = Coordinator::new(participants, self.began, limit, self.priority.clone(), claim.take());
        Ok(Prepared::Attempt(Sent::Apart(Box::new(Apart::new(tried))), parts))
    }
}

/// What a run is to send.
enum Prepared {
    Nothing,
    Refused(RefusedTransaction, RefusedBy),
    /// The closure took so long, or longer, that no request of the run may be sent any more.
    TooSlow(Duration),
    Attempt(Sent, Vec<Part>),
}

/// Chooses how the actions are sent: a write of one row, if no other row was read, is sent as a single write, if its version proves
/// that it was applied.
fn sent(actions: Vec<Action>, parts: &[Part], rows: &[Row], priority: &Priority) -> Result<Sent, Error> {
    let mut transaction = TransactionCommand::default();
    match (<[Action; 1]>::try_from(actions), parts) {
        (Ok([Action { command, entity, .. }]), [part]) if command.is_write() && command.is_checked() => {
            let tables = rows[part.row].tables.clone();
            return Ok(Sent::Alone { command: Box::new(command), entity, tables });
        }
        (Ok([action]), _) => transaction.push(action),
        (Err(actions), _) => actions.into_iter().for_each(|action| transaction.push(action)),
    }
    // A token of its own stays the same after a refusal: a refused request can arrive once more, and pass.
    transaction.set_token(random::text::<24>()?);
    transaction.priority = Some(priority.clone());
    Ok(Sent::Together(transaction))
}

/// The time for which the folded writes of a row may be sent, if the row has idempotency keys of a time window: the keys are stored
/// as of the time of the run. (A single write takes the time at which it is sent.)
fn keyed_for(row: &Row) -> Option<Duration> {
    keyed_within(row).filter(|_| row.actions.len() > 1)
}

/// The time for which the idempotency keys of a row's writes may be stored as of the time of the run.
fn keyed_within(row: &Row) -> Option<Duration> {
    let is_keyed = row.actions.iter().any(|enlisted| enlisted.action.command.has_dedup_key());
    match row.of.schema.key_store().filter(|_| is_keyed)? {
        Store::Time { window, .. } => Some(Duration::from_secs(window.max_skew_secs.into())),
        _ => None,
    }
}

/// Returns the write of a row. If the row was read, the write demands the row that was read.
fn written(row: &Row, now: EpochMillis) -> Result<Folded, Error> {
    let mut folded = fold(row, now)?;
    if let Folded::One(_, action) = &mut folded {
        let command = &mut action.command;
        command.renew();
        go_on(command, row, now);
        expect(command, row);
    }
    Ok(folded)
}

/// Lets a create over a tombstone that was read go on with the tombstone's numbers at once.
fn go_on(command: &mut WriteCommand, row: &Row, now: EpochMillis) {
    let schema = row.of.schema;
    let Some(item) = row.read.as_ref().and_then(Option::as_ref) else { return };
    let starts =
        matches!(command.verb, Verb::Put | Verb::Create) && matches!(command.expected(), Ok(Some(Expected::New(_))));
    let version = schema.version.as_ref().and_then(|version| version.of(item));
    if let (true, false, Some(version)) = (starts, rule::state(schema, now, item).is_live(), version) {
        command.expecting(Expected::Dead(version));
    }
}

/// Demands that the row is as it was read.
fn expect(command: &mut WriteCommand, row: &Row) {
    let is_whole = row.actions.len() > 1 && command.verb == Verb::Replace;
    let image = if is_whole { whole_image(row) } else { image(row, command.is_checked()) };
    let Some(image) = image else { return };
    let nothing = Item::new();
    let there = row.read.as_ref().and_then(Option::as_ref).unwrap_or(&nothing);
    // If the row does not meet the caller's own condition, that condition is left to refuse the write.
    if command.image.as_ref().is_none_or(|own| own.holds(there)) {
        command.image = Some(Arc::new(image));
    }
}

/// Returns the check of a row that was only read: live or not, as it was.
fn check(row: &Row, now: EpochMillis) -> Option<Action> {
    let image: Image = image(row, false)?;
    let schema: &'static Schema = row.of.schema;
    let absent = !row.read.as_ref()?.as_ref().is_some_and(|item| rule::state(schema, now, item).is_live());
    let mut command = WriteCommand::new(schema, Verb::Check { absent }, Ok(row.key.clone()));
    command.image = Some(Arc::new(image));
    Some(Action { command, entity: row.of.entity, tables: row.of.tables })
}

/// The error of a native transaction that queried: no native transaction can demand that a range has no new rows.
fn queried() -> Error {
    Error::invalid(
        "the transaction has queried and writes, and one request cannot demand that nothing has come since: leave `native` out, or read by keys",
    )
}

/// The error of a closure that returned too late for its writes to be sent.
fn too_slow(limit: Duration) -> Error {
    let why = if limit < LIMIT {
        "the idempotency keys of one of its rows are stored as of the start of the closure, and would be forgotten too early: `max_skew_secs` of the entity is the limit"
    } else {
        "a client-side transaction sends no request later, so it would never commit"
    };
    Error::invalid(format!(
        "the closure returned {} seconds or more after it had begun, and nothing was applied: {why}. Do the slow work before the transaction, or split it",
        limit.as_secs()
    ))
}

/// Refuses more actions than a native transaction can have. (Rows of histories are counted once they are known.)
fn check_count(parts: &[Part]) -> Result<(), Error> {
    let checks = parts.iter().filter(|part| part.index.is_none()).count();
    let writes = parts.len() - checks;
    if parts.len() > ACTIONS {
        return Err(Error::invalid(format!(
            "the transaction writes {writes} items and has read {checks} others, but DynamoDB takes at most {ACTIONS} in one: split it, where the parts make sense alone, or read less in it"
        )));
    }
    Ok(())
}
