//! Waits for the intents of other transactions: an intent is settled as its lane says, or seen to be gone.
//!
//! A command that waits for an item that many others change pauses longer each time, and asks the lane only where the same intent
//! still stands.

use super::abort::make_void;
use super::lock_timeout::Watch;
use super::own_claims::is_inside;
use super::resolution::Settled;
use super::roll_back::take_away;
use super::roll_forward::make;
use super::single_row::{head_of, row};
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, MOST_INTENTS, Repository, Waits, never_free};
use crate::schema::Schema;
use crate::schema::names::INTENT;
use crate::transaction::record::{Intent, Status, is_of, whole};

/// Settles the intent of an item, whatever that takes.
pub(crate) async fn settle(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    item: &Item,
) -> Result<Settled, Error> {
    settle_of(repository, caller, at, item, None).await
}

/// The same, of an item of this entity, if that is known.
pub(crate) async fn settle_of(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    item: &Item,
    schema: Option<&'static Schema>,
) -> Result<Settled, Error> {
    match settle_or_see(repository, caller, at, item, &waits_of(caller), schema).await? {
        Ended::Settled(settled) => Ok(settled),
        Ended::Seen(_) => Ok(Settled::Gone),
    }
}

/// How one intent has ended for who waits for it.
enum Ended {
    Settled(Settled),
    /// It is not there any more, by another's doing: this is there instead.
    Seen(Option<Item>),
}

/// What the command that meets an intent has waited for before.
fn waits_of(caller: Caller<'_>) -> Waits {
    caller.priority.map(|priority| priority.waits.clone()).unwrap_or_default()
}

/// Settles the intent of an item, or sees that another has. It asks the lane first, unless the command has waited for this item
/// before: then others are changing it one after the other, and the next intent is as likely to be gone after a pause. After each
/// pause, it looks at the item, and asks the lane only where the same intent still stands.
async fn settle_or_see(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    item: &Item,
    waits: &Waits,
    schema: Option<&'static Schema>,
) -> Result<Ended, Error> {
    let Some(intent) = Intent::of(item, &at.key)? else { return Ok(Ended::Settled(Settled::Gone)) };
    let (mut item, mut watch) = (item.clone(), Watch::new(repository, caller, waits, at, &intent));
    let (mut is_voided, mut asks) = (false, !waits.has(at));
    loop {
        if asks {
            let mut head = head_of(repository, caller, &intent.ticket).await?;
            if head.status(&intent.ticket)? == Status::Open && !is_inside(&intent.ticket) && watch.is_over(&head) {
                (head, is_voided) = make_void(repository, caller, head, &intent.ticket).await?;
            }
            match head.status(&intent.ticket)? {
                Status::Committed => {
                    let whole = whole(repository, caller, &at.key, intent).await?;
                    return make(repository, caller, at, &whole, Some(item), schema).await.map(Ended::Settled);
                }
                Status::Dead => {
                    let taken = take_away(repository, caller, at, &intent, item, is_voided).await;
                    return taken.map(Ended::Settled);
                }
                Status::Open if is_inside(&intent.ticket) => return Err(kept_out_by_itself()),
                Status::Open => {}
            }
        }
        watch.pause().await;
        // Its transaction may have taken it away, and left nothing in its lane.
        match row(repository, caller, at).await? {
            Some(there) if is_of(Some(&there), &intent.ticket) => (item, asks) = (there, true),
            there => return Ok(Ended::Seen(there)),
        }
    }
}

/// What is there when no transaction holds it any more; or with an intent all the same, where one came behind the other.
pub(crate) async fn free(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    mut item: Option<Item>,
) -> Result<Option<Item>, Error> {
    let waits = waits_of(caller);
    for _ in 0..MOST_INTENTS {
        let Some(held) = item.as_ref().filter(|item| item.contains_key(INTENT)) else { break };
        item = match settle_or_see(repository, caller, at, held, &waits, None).await? {
            Ended::Settled(Settled::Applied(Some(item))) => Some(item),
            Ended::Settled(Settled::Removed(item, _)) => item,
            Ended::Settled(Settled::Applied(None) | Settled::Gone | Settled::Overwritten(_)) => {
                row(repository, caller, at).await?
            }
            Ended::Seen(there) => there,
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
        if let Ended::Seen(there) = settle_or_see(repository, caller, at, &item, waits, None).await? {
            held = there;
        }
    }
    Err(never_free())
}

/// A command inside a closure waits for the claim of that closure.
#[cold]
fn kept_out_by_itself() -> Error {
    Error::invalid(
        "the command was sent from the closure of a transaction that keeps all other writers out of this item, since it lost three attempts: the command would wait for that closure. Write the item by the closure's handle, as with `tx.update`, or send the command before or after the transaction",
    )
}
