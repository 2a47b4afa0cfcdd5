//! Events of the commit protocol, from which a stuck lane can be read: which attempt came to which state, and who resolved what.
//!
//! An event never has a key or a value of an item.

use crate::error::Error;
use crate::exchange::Caller;
use crate::transaction::record::TransactionId;

/// An attempt of this process came to a state.
pub(crate) fn attempt(transaction_id: &TransactionId, state: &'static str, participants: usize) {
    let TransactionId { lane, number, .. } = transaction_id;
    tracing::debug!(transaction = %transaction_id, lane, attempt = number, state, participants, "a transaction attempt went on");
}

/// This process keeps other writers out of items while a closure runs, or no longer.
pub(crate) fn claim(transaction_id: &TransactionId, state: &'static str, items: usize) {
    let TransactionId { lane, number, .. } = transaction_id;
    tracing::debug!(transaction = %transaction_id, lane, attempt = number, state, items, "a closure's claim changed");
}

/// This process resolved an intent.
pub(crate) fn resolved(caller: Caller<'_>, transaction_id: &TransactionId, state: &'static str, table: &str) {
    let (Caller { operation, entity, .. }, TransactionId { lane, number, .. }) = (caller, transaction_id);
    tracing::debug!(operation, entity, transaction = %transaction_id, lane, attempt = number, state, table, "resolved an intent");
}

/// This process aborted an attempt of another one.
pub(crate) fn aborted(caller: Caller<'_>, transaction_id: &TransactionId) {
    let (Caller { operation, entity, .. }, TransactionId { lane, number, .. }) = (caller, transaction_id);
    tracing::info!(
        operation,
        entity,
        transaction = %transaction_id,
        lane,
        attempt = number,
        "aborted a transaction attempt that held an item"
    );
}

/// This process took over a lane whose owner committed this number last.
pub(crate) fn taken_over(lane: &str, committed: u64) {
    tracing::info!(lane, committed, "took over a lane");
}

/// An item of a committed transaction does not show the change yet.
pub(crate) fn not_applied(caller: Caller<'_>, transaction_id: &TransactionId, error: &Error) {
    let (entity, TransactionId { lane, number, .. }) = (caller.entity, transaction_id);
    tracing::warn!(
        entity,
        transaction = %transaction_id,
        lane,
        attempt = number,
        %error,
        "a committed change is not applied yet"
    );
}

/// Another program put or deleted an item that had a committed intent.
pub(crate) fn overwritten(caller: Caller<'_>, transaction_id: &TransactionId, table: &str, is_deleted: bool) {
    let (Caller { operation, entity, .. }, TransactionId { lane, number, .. }) = (caller, transaction_id);
    tracing::warn!(
        operation,
        entity,
        transaction = %transaction_id,
        lane,
        attempt = number,
        table,
        is_deleted,
        "another program wrote over an item that held a committed change, so that the change is missing"
    );
}

/// The time is over for which the claim of a closure may stand.
pub(crate) fn claim_over(transaction_id: &TransactionId) {
    let TransactionId { lane, number, .. } = transaction_id;
    tracing::warn!(
        transaction = %transaction_id,
        lane,
        attempt = number,
        "a closure has kept others out of its items for as long as it may, and goes on without that"
    );
}
