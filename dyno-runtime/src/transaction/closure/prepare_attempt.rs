//! Prepares one transaction attempt from a run of the closure: a write for each row that is written, and a check for each row
//! that was only read.

use super::choose_client_side::claims_unique_values;
use super::native_size::is_too_large;
use super::session::get_when_free;
use super::transaction_attempt::{Attempt, RowAction, Sent, SharedCoordinator, claim_targets};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::row::transact::ACTIONS;
use crate::exchange::{Priority, random};
use crate::read::GetCommand;
use crate::rule;
use crate::rule::{Expected, Verb};
use crate::schema::Store;
use crate::transaction::attempt::{
    Folded, Row, Run, are_of_one_moment, are_unchanged, fold, image, image_beside_version, image_of_whole_row,
};
use crate::transaction::client_side::{Claim, ClaimTarget, Coordinator, LIMIT, RefusedBy};
use crate::transaction::native::{Action, RefusedTransaction, Strategy, TransactionCommand};
use crate::write::WriteCommand;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// The result of preparing a run.
pub(crate) enum Prepared {
    /// The run writes nothing, and everything that it read was true at one moment.
    Nothing,
    /// This attempt is to be sent.
    Send(Arc<Attempt>),
    /// A write is refused by a row or a history as it was read, or by an earlier write of the run.
    Refused(RefusedTransaction),
    /// An item that the run read has changed, so the closure must run again. After too many lost attempts, these rows are to be claimed.
    RunAgain(Vec<ClaimTarget>),
}

/// The writes of a run, before the reads are validated.
enum Composed {
    Nothing,
    Refused(RefusedTransaction, RefusedBy),
    /// The closure took at least this long, so no request of the run may be sent any more.
    TooSlow(Duration),
    Attempt(Sent, Vec<RowAction>),
}

impl Run {
    /// Returns `true` if everything that was read was true at one moment. Only then does the result of the closure count.
    pub(crate) fn is_valid(&self) -> BoxFuture<'_, Result<bool, Error>> {
        Box::pin(async move { are_of_one_moment(&self.repository, &self.rows, &self.ranges, &self.priority).await })
    }

    /// Prepares the attempt to commit the run's writes.
    pub(crate) fn prepare(
        mut self,
        strategy: Strategy,
        mut claim: Option<Claim>,
    ) -> BoxFuture<'static, Result<Prepared, Error>> {
        Box::pin(async move {
            let duration = self.began.until(self.repository.moment());
            let composed = self.compose(strategy, duration, &mut claim).await;
            // An attempt that is sent client-side has taken the claim. For any other result, the claim is of no use.
            if let Some(claim) = claim {
                claim.release(&self.repository).await;
            }
            match composed {
                Ok(Composed::Nothing) => self.if_valid(Prepared::Nothing).await,
                Ok(Composed::Refused(refused, RefusedBy::Rows)) => self.if_valid(Prepared::Refused(refused)).await,
                Ok(Composed::Refused(refused, RefusedBy::History)) => {
                    let is_valid = are_unchanged(&self.repository, &self.rows, &self.ranges, &self.priority).await?;
                    Ok(if is_valid {
                        Prepared::Refused(refused)
                    } else {
                        Prepared::RunAgain(claim_targets(&self.rows))
                    })
                }
                Ok(Composed::Attempt(sent, actions)) => {
                    let limit = self.rows.iter().filter_map(send_limit_if_folded).min();
                    if let Some(limit) = limit.filter(|limit| duration >= *limit) {
                        return Err(too_slow(limit));
                    }
                    Ok(Prepared::Send(Arc::new(Attempt {
                        sent,
                        actions,
                        rows: self.rows,
                        ranges: self.ranges,
                        priority: self.priority,
                        time: limit.map(|limit| (self.began, limit)),
                        stored: self.stored,
                    })))
                }
                // The limit holds for every run of the closure, with any items.
                Ok(Composed::TooSlow(limit)) => Err(too_slow(limit)),
                // The closure may have made the mistake because the rows that it read were never true at one moment.
                Err(error) if !error.is_invalid_input() || self.is_valid().await? => Err(error),
                Err(_) => Ok(Prepared::RunAgain(Vec::new())),
            }
        })
    }

    /// Returns the result of a run that sends nothing, if everything that it read was true at one moment.
    async fn if_valid(&self, prepared: Prepared) -> Result<Prepared, Error> {
        Ok(if self.is_valid().await? { prepared } else { Prepared::RunAgain(Vec::new()) })
    }

    async fn compose(
        &mut self,
        strategy: Strategy,
        duration: Duration,
        claim: &mut Option<Claim>,
    ) -> Result<Composed, Error> {
        if let Some(error) = self.action_error.take() {
            return Err(error);
        }
        let is_write = |row: &Row| row.actions.iter().any(|enlisted| enlisted.action.command.is_write());
        let (is_written, has_ranges) = (self.rows.iter().any(is_write), !self.ranges.is_empty());
        if has_ranges && strategy == Strategy::Native && is_written {
            return Err(queried());
        }
        // A run that queries and only checks goes this way, too. It sends no more than its reads again.
        let is_checked = has_ranges && self.rows.iter().any(|row| !row.actions.is_empty());
        let unique = self.rows.iter().find(|row| is_write(row) && !row.of.schema.unique.is_empty());
        if let Some(row) = unique.filter(|_| has_ranges || strategy == Strategy::ClientSide) {
            return Err(claims_unique_values(row.of.schema.entity));
        }
        let is_client_side = || claim.is_some() || strategy.is_client_side(|| is_too_large(&self.rows));
        if is_checked || is_written && unique.is_none() && is_client_side() {
            return self.compose_client_side(duration, claim).await;
        }
        for row in self.rows.iter_mut().filter(|row| row.actions.len() > 1 && row.read.is_none()) {
            let get = GetCommand::consistent(row.of.schema, Ok(row.key.clone()));
            row.read = Some(get_when_free(&self.repository, get, &row.tables.main, &self.priority).await?);
        }
        let mut composed = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            let (index, action) = match write(row, self.now)? {
                Folded::One(index, action) => (Some(index), Some(*action)),
                Folded::Nothing => (None, check(row, self.now)),
                Folded::Refused(refused) => return Ok(Composed::Refused(*refused, RefusedBy::Rows)),
            };
            composed.extend(action.map(|action| (RowAction { index, row: at }, action)));
        }
        // In the order in which the closure wrote them, because an error names the position.
        composed.sort_by_key(|(action, _)| (action.index.is_none(), action.index));
        let (row_actions, actions): (Vec<_>, Vec<_>) = composed.into_iter().unzip();
        if row_actions.iter().all(|action| action.index.is_none()) {
            return Ok(Composed::Nothing);
        }
        check_count(&row_actions)?;
        let sent = single_or_native(actions, &row_actions, &self.rows, &self.priority)?;
        Ok(Composed::Attempt(sent, row_actions))
    }

    async fn compose_client_side(&mut self, duration: Duration, claim: &mut Option<Claim>) -> Result<Composed, Error> {
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
            Ok(participants) if participants.is_empty() => return Ok(Composed::Nothing),
            Ok(participants) => participants,
            Err((refused, by)) => return Ok(Composed::Refused(refused, by)),
        };
        let actions = participants
            .iter()
            .map(|participant| RowAction { index: Some(participant.index), row: participant.row })
            .collect();
        let limit = self.rows.iter().filter_map(send_limit).fold(LIMIT, Duration::min);
        if duration >= limit {
            return Ok(Composed::TooSlow(limit));
        }
        if let Some(claim) = &claim {
            participants.iter_mut().try_for_each(|participant| participant.note_claim(claim))?;
        }
        let coordinator = Coordinator::new(participants, self.began, limit, self.priority.clone(), claim.take());
        Ok(Composed::Attempt(Sent::ClientSide(Box::new(SharedCoordinator::new(coordinator))), actions))
    }
}

/// Chooses between a single write and a native transaction. A write of one row is sent as a single write if no other row was
/// read, and if its version proves whether it was applied.
fn single_or_native(
    actions: Vec<Action>,
    row_actions: &[RowAction],
    rows: &[Row],
    priority: &Priority,
) -> Result<Sent, Error> {
    let mut transaction = TransactionCommand::default();
    match (<[Action; 1]>::try_from(actions), row_actions) {
        (Ok([Action { command, entity, .. }]), [only]) if command.is_write() && command.is_checked() => {
            let tables = rows[only.row].tables.clone();
            return Ok(Sent::Single { command: Box::new(command), entity, tables });
        }
        (Ok([action]), _) => transaction.push(action),
        (Err(actions), _) => actions.into_iter().for_each(|action| transaction.push(action)),
    }
    // With a token that is set here, the token stays the same after a refusal. A refused request can arrive again, and then pass.
    transaction.set_token(random::text::<24>()?);
    transaction.priority = Some(priority.clone());
    Ok(Sent::Native(transaction))
}

/// Returns the `send_limit` of a row whose writes were folded. (A single write takes the time at which it is sent.)
fn send_limit_if_folded(row: &Row) -> Option<Duration> {
    send_limit(row).filter(|_| row.actions.len() > 1)
}

/// Returns how long after the run a row's idempotency keys may be stored, if they are remembered for a time: they carry the time
/// of the run.
fn send_limit(row: &Row) -> Option<Duration> {
    let is_keyed = row.actions.iter().any(|enlisted| enlisted.action.command.has_dedup_key());
    match row.of.schema.key_store().filter(|_| is_keyed)? {
        Store::Time { window, .. } => Some(Duration::from_secs(window.max_skew_secs.into())),
        _ => None,
    }
}

/// Returns the write of a row. If the row was read, the write demands the row as it was read.
fn write(row: &Row, now: EpochMillis) -> Result<Folded, Error> {
    let mut folded = fold(row, now)?;
    if let Folded::One(_, action) = &mut folded {
        let command = &mut action.command;
        command.renew();
        command.at(now);
        if let Some(item) = row.read.as_ref().and_then(Option::as_ref) {
            continue_tombstone(command, item, now);
            command.keep_unique_values_of(item);
        }
        expect_as_read(command, row);
    }
    Ok(folded)
}

/// Lets a create over a tombstone that was read continue the tombstone's version numbers. Otherwise the first request would be
/// refused, and only the second would continue them.
fn continue_tombstone(command: &mut WriteCommand, item: &Item, now: EpochMillis) {
    let schema = command.schema;
    let is_create =
        matches!(command.verb, Verb::Put | Verb::Create) && matches!(command.expected(), Ok(Some(Expected::New(_))));
    let version = schema.version.as_ref().and_then(|version| version.of(item));
    if let (true, false, Some(version)) = (is_create, rule::state(schema, now, item).is_live(), version) {
        command.expecting(Expected::Dead(version));
    }
}

/// Demands that the row is as it was read.
fn expect_as_read(command: &mut WriteCommand, row: &Row) {
    let is_whole = row.actions.len() > 1 && command.verb == Verb::Replace;
    let image = match () {
        () if is_whole => image_of_whole_row(row),
        () if command.is_checked() => image_beside_version(row),
        () => image(row),
    };
    let Some(image) = image else { return };
    let nothing = Item::new();
    let item = row.read.as_ref().and_then(Option::as_ref).unwrap_or(&nothing);
    // If the row does not meet the caller's own condition, that condition is left in place to refuse the write.
    if command.image.as_ref().is_none_or(|own| own.holds(item)) {
        command.image = Some(Arc::new(image));
    }
}

/// Returns the check that a row which was only read is still as it was read; `None` if it was not read.
fn check(row: &Row, now: EpochMillis) -> Option<Action> {
    let image = image(row)?;
    let schema = row.of.schema;
    let absent = !row.read.as_ref()?.as_ref().is_some_and(|item| rule::state(schema, now, item).is_live());
    let mut command = WriteCommand::new(schema, Verb::Check { absent }, Ok(row.key.clone()));
    command.image = Some(Arc::new(image));
    Some(Action { command, entity: row.of.entity, tables: row.of.tables })
}

/// The error of a native transaction that queried: no native transaction can demand that a range has no new rows.
fn queried() -> Error {
    Error::invalid(
        "the transaction has queried and writes, and a native transaction cannot check that the query would return no further items: leave `native` out, or read by keys",
    )
}

/// The error of a closure that returned too late for its writes to be sent.
fn too_slow(limit: Duration) -> Error {
    let why = if limit < LIMIT {
        "the idempotency keys of an item carry the time at which the closure began, so they would expire too early: the limit is the entity's `max_skew_secs`"
    } else {
        "a client-side transaction sends no request after that time, so it could not commit"
    };
    Error::invalid(format!(
        "the closure took {} seconds or more, and nothing was applied: {why}. Do the slow work before the transaction, or split it",
        limit.as_secs()
    ))
}

/// Refuses more actions than a native transaction can have. (Rows of histories are counted once they are known.)
fn check_count(actions: &[RowAction]) -> Result<(), Error> {
    if actions.len() <= ACTIONS {
        return Ok(());
    }
    let checks = actions.iter().filter(|action| action.index.is_none()).count();
    let writes = actions.len() - checks;
    Err(Error::invalid(format!(
        "the transaction writes {writes} items and has read {checks} others, but DynamoDB accepts at most {ACTIONS} in one: split it if the parts make sense alone, or read fewer items in it"
    )))
}
