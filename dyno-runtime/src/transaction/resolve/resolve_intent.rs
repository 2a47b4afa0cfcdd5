//! Waits for the intents of other transactions, until this process resolves them, or another process removes them.
//!
//! A command that waits for an item which many writers change pauses longer each time. It reads the transaction record only if
//! the item still has the same intent after a pause.

use super::abort::abort;
use super::lock_timeout::LockTimeout;
use super::own_claims::is_inside;
use super::resolution::Resolution;
use super::roll_back::roll_back;
use super::roll_forward::roll_forward_item;
use super::single_row::{read_item, read_transaction_record};
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, MOST_INTENTS, Repository, Waits, never_free};
use crate::schema::Schema;
use crate::schema::names::INTENT;
use crate::transaction::record::{Intent, Status, has_intent_of};

/// Returns what the command has waited for so far.
fn waits_of(caller: Caller<'_>) -> Waits {
    caller.priority.map(|priority| priority.waits.clone()).unwrap_or_default()
}

/// Resolves the intent of an item, however long that takes, or observes that another process removed it. `schema` is that of the
/// item, if it is known.
///
/// It reads the transaction record first, unless the command has waited for this item before. In that case, other writers change
/// the item one after the other, and the intent will probably be gone after a pause. After each pause, it reads the item, and
/// reads the transaction record only if the item still has the same intent.
pub(crate) async fn resolve_intent(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    item: &Item,
    waits: &Waits,
    schema: Option<&'static Schema>,
) -> Result<Resolution, Error> {
    let Some(intent) = Intent::of(item, &at.key)? else { return Ok(Resolution::Gone(Some(Some(item.clone())))) };
    let id = &intent.transaction_id;
    let (mut item, mut timeout) = (item.clone(), LockTimeout::new(repository, caller, waits, at, &intent));
    let (mut is_aborted, mut reads_record) = (false, !waits.has(at));
    loop {
        if reads_record {
            let mut record = read_transaction_record(repository, caller, id).await?;
            if record.status(id)? == Status::Open && !is_inside(id) && timeout.is_over(&record) {
                (record, is_aborted) = abort(repository, caller, record, id).await?;
            }
            match record.status(id)? {
                Status::Committed => return roll_forward_item(repository, caller, at, item, schema).await,
                Status::Dead => {
                    let resolution = roll_back(repository, caller, at, item).await?;
                    return Ok(match resolution {
                        Resolution::RolledBack { item, .. } => Resolution::RolledBack { item, is_aborted },
                        other => other,
                    });
                }
                Status::Open if is_inside(id) => return Err(waits_for_own_claim()),
                Status::Open => {}
            }
        }
        timeout.pause().await;
        // A coordinator that gives its attempt up removes the intent without a write to the lane row.
        match read_item(repository, caller, at).await? {
            Some(found) if has_intent_of(Some(&found), id) => (item, reads_record) = (found, true),
            found => return Ok(Resolution::Gone(Some(found))),
        }
    }
}

/// Returns the item once no transaction holds it. If more transactions than `MOST_INTENTS` held it one after the other, the
/// returned item still has an intent.
pub(crate) async fn read_when_free(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    mut item: Option<Item>,
) -> Result<Option<Item>, Error> {
    let waits = waits_of(caller);
    for _ in 0..MOST_INTENTS {
        let Some(held) = item.as_ref().filter(|item| item.contains_key(INTENT)) else { break };
        item = match resolve_intent(repository, caller, at, held, &waits, None).await? {
            Resolution::RolledForward(Some(item)) => Some(item),
            Resolution::RolledBack { item, .. } | Resolution::Gone(Some(item)) => item,
            Resolution::RolledForward(None) | Resolution::Gone(None) | Resolution::Overwritten(_) => {
                read_item(repository, caller, at).await?
            }
        };
    }
    Ok(item)
}

/// Waits until no transaction holds the item, so that a write can pass.
pub(crate) async fn wait_until_free(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    item: &Item,
    waits: &Waits,
) -> Result<(), Error> {
    let mut held = Some(item.clone());
    for _ in 0..MOST_INTENTS {
        let Some(item) = held.take().filter(|item| item.contains_key(INTENT)) else { return Ok(()) };
        if let Resolution::Gone(Some(found)) = resolve_intent(repository, caller, at, &item, waits, None).await? {
            held = found;
        }
    }
    Err(never_free())
}

/// The error of a command inside a closure that would wait for the claim of that closure.
#[cold]
fn waits_for_own_claim() -> Error {
    Error::invalid(
        "the command was sent from the closure of a transaction that keeps all other writers out of this item, because it lost three attempts, so the command would wait for that closure: write the item with the closure's handle, as in `tx.update`, or send the command before or after the transaction",
    )
}
