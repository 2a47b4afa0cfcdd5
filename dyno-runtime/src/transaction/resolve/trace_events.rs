//! Events of the commit protocol, from which a stuck lane can be read: which attempt came to which state, and who resolved what.
//!
//! An event never has a key or a value of an item.

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
