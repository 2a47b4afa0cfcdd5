//! The `tracing` events and the counters of the commit protocol. They show which attempt reached which state, and which process resolved its
//! intents, so that a stuck lane can be explained.
//!
//! No event contains a key or a value of an item.

use crate::error::Error;
use crate::exchange::{Caller, metrics};
use crate::transaction::record::TransactionId;

/// An attempt of this process reached a state.
pub(crate) fn attempt(transaction_id: &TransactionId, state: &'static str, participants: usize) {
    let TransactionId { lane, number, .. } = transaction_id;
    metrics::reached(state);
    tracing::debug!(transaction = %transaction_id, lane, attempt = number, state, participants, "a transaction attempt reached the next state");
}

/// This process placed a claim on items, or released it.
pub(crate) fn claim(transaction_id: &TransactionId, state: &'static str, items: usize) {
    let TransactionId { lane, number, .. } = transaction_id;
    tracing::debug!(transaction = %transaction_id, lane, attempt = number, state, items, "a closure's claim changed");
}

/// This process resolved an intent.
pub(crate) fn resolved(caller: Caller<'_>, transaction_id: &TransactionId, state: &'static str, table: &str) {
    let (Caller { operation, entity, .. }, TransactionId { lane, number, .. }) = (caller, transaction_id);
    tracing::debug!(operation, entity, transaction = %transaction_id, lane, attempt = number, state, table, "resolved an intent");
}

/// This process aborted an attempt, usually one of another process.
pub(crate) fn aborted(caller: Caller<'_>, transaction_id: &TransactionId) {
    let (Caller { operation, entity, .. }, TransactionId { lane, number, .. }) = (caller, transaction_id);
    metrics::count("dyno.aborted");
    tracing::info!(
        operation,
        entity,
        transaction = %transaction_id,
        lane,
        attempt = number,
        "aborted a transaction attempt that held an item"
    );
}

/// This process took over a lane, whose last commit has this number.
pub(crate) fn taken_over(lane: &str, committed: u64) {
    metrics::count("dyno.lanes_taken_over");
    tracing::info!(lane, committed, "took over a lane");
}

/// This process could not roll an item of a committed transaction forward.
pub(crate) fn not_applied(caller: Caller<'_>, transaction_id: &TransactionId, error: &Error) {
    let (entity, TransactionId { lane, number, .. }) = (caller.entity, transaction_id);
    metrics::count("dyno.not_applied");
    tracing::warn!(
        entity,
        transaction = %transaction_id,
        lane,
        attempt = number,
        %error,
        "a committed change could not be applied yet: a later command or sweep tries again"
    );
}

/// A foreign program put or deleted an item that had a committed intent.
pub(crate) fn overwritten(caller: Caller<'_>, transaction_id: &TransactionId, table: &str, is_deleted: bool) {
    let (Caller { operation, entity, .. }, TransactionId { lane, number, .. }) = (caller, transaction_id);
    metrics::count("dyno.overwritten");
    tracing::warn!(
        operation,
        entity,
        transaction = %transaction_id,
        lane,
        attempt = number,
        table,
        is_deleted,
        "another program wrote over an item that held a committed change, so the change is missing: make it again"
    );
}

/// The claim of a closure has reached its time limit.
pub(crate) fn claim_over(transaction_id: &TransactionId) {
    let TransactionId { lane, number, .. } = transaction_id;
    tracing::warn!(
        transaction = %transaction_id,
        lane,
        attempt = number,
        "a closure has kept other writers out of its items for the longest time allowed, and continues without that: do slow work before the transaction"
    );
}
