//! Waits for the intents of other transactions, until each is resolved or gone.
//!
//! A command that waits for an item which many others change pauses longer each time. It reads the transaction record only if the
//! same intent is still there after a pause.

use super::abort::abort;
use super::lock_timeout::Watch;
use super::own_claims::is_inside;
use super::resolution::Resolution;
use super::roll_back::roll_back;
use super::roll_forward::roll_forward;
use super::single_row::{read_transaction_record, row};
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, MOST_INTENTS, Repository, Waits, never_free};
use crate::schema::Schema;
use crate::schema::names::INTENT;
use crate::transaction::record::{Intent, Status, is_of, whole};

/// Resolves the intent of an item, however long that takes.
pub(crate) async fn resolve_intent(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    item: &Item,
) -> Result<Resolution, Error> {
    resolve_intent_of(repository, caller, at, item, None).await
}

/// Resolves the intent of an item of this entity, if the entity is known.
pub(crate) async fn resolve_intent_of(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    item: &Item,
    schema: Option<&'static Schema>,
) -> Result<Resolution, Error> {
    match resolve_or_observe(repository, caller, at, item, &waits_of(caller), schema).await? {
        Resolved::Here(settled) => Ok(settled),
        Resolved::Elsewhere(_) => Ok(Resolution::Gone),
    }
}

/// The end of the wait for one intent.
enum Resolved {
    Here(Resolution),
    /// Another process removed the intent: this is there now.
    Elsewhere(Option<Item>),
}

/// The waits so far of the command that meets the intent.
fn waits_of(caller: Caller<'_>) -> Waits {
    caller.priority.map(|priority| priority.waits.clone()).unwrap_or_default()
}

/// Resolves the intent of an item, or observes that another process did. It reads the transaction record first, unless the command
/// has waited for this item before: then others change the item one after the other, and the intent is probably gone after a pause.
/// After each pause, it reads the item, and reads the transaction record only if the same intent is still there.
async fn resolve_or_observe(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    item: &Item,
    waits: &Waits,
    schema: Option<&'static Schema>,
) -> Result<Resolved, Error> {
    let Some(intent) = Intent::of(item, &at.key)? else { return Ok(Resolved::Here(Resolution::Gone)) };
    let (mut item, mut watch) = (item.clone(), Watch::new(repository, caller, waits, at, &intent));
    let (mut is_aborted, mut asks) = (false, !waits.has(at));
    loop {
        if asks {
            let mut record = read_transaction_record(repository, caller, &intent.transaction_id).await?;
            if record.status(&intent.transaction_id)? == Status::Open
                && !is_inside(&intent.transaction_id)
                && watch.is_over(&record)
            {
                (record, is_aborted) = abort(repository, caller, record, &intent.transaction_id).await?;
            }
            match record.status(&intent.transaction_id)? {
                Status::Committed => {
                    let whole = whole(repository, caller, &at.key, intent).await?;
                    return roll_forward(repository, caller, at, &whole, Some(item), schema).await.map(Resolved::Here);
                }
                Status::Dead => {
                    let taken = roll_back(repository, caller, at, &intent, item, is_aborted).await;
                    return taken.map(Resolved::Here);
                }
                Status::Open if is_inside(&intent.transaction_id) => return Err(kept_out_by_itself()),
                Status::Open => {}
            }
        }
        watch.pause().await;
        // The transaction may have removed the intent, and left no trace in its lane row.
        match row(repository, caller, at).await? {
            Some(there) if is_of(Some(&there), &intent.transaction_id) => (item, asks) = (there, true),
            there => return Ok(Resolved::Elsewhere(there)),
        }
    }
}

/// Reads the item once no transaction holds it. If too many transactions followed one another, the item still has an intent.
pub(crate) async fn read_when_free(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    mut item: Option<Item>,
) -> Result<Option<Item>, Error> {
    let waits = waits_of(caller);
    for _ in 0..MOST_INTENTS {
        let Some(held) = item.as_ref().filter(|item| item.contains_key(INTENT)) else { break };
        item = match resolve_or_observe(repository, caller, at, held, &waits, None).await? {
            Resolved::Here(Resolution::RolledForward(Some(item))) => Some(item),
            Resolved::Here(Resolution::RolledBack(item, _)) => item,
            Resolved::Here(Resolution::RolledForward(None) | Resolution::Gone | Resolution::Overwritten(_)) => {
                row(repository, caller, at).await?
            }
            Resolved::Elsewhere(there) => there,
        };
    }
    Ok(item)
}

/// Waits until no transaction holds the item, so that a write of it may pass.
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
        if let Resolved::Elsewhere(there) = resolve_or_observe(repository, caller, at, &item, waits, None).await? {
            held = there;
        }
    }
    Err(never_free())
}

/// The error of a command inside a closure that would wait for the claim of that closure.
#[cold]
fn kept_out_by_itself() -> Error {
    Error::invalid(
        "the command was sent from the closure of a transaction that keeps all other writers out of this item, since it lost three attempts: the command would wait for that closure. Write the item by the closure's handle, as with `tx.update`, or send the command before or after the transaction",
    )
}
