//! Waits for the intents of other transactions: an intent is settled as its lane says, or seen to be gone.
//!
//! A command that waits for an item that many others change pauses longer each time, and asks the lane only where the same intent
//! still stands.

use super::head::Status;
use super::image::whole;
use super::inside::is_inside;
use super::meeting::{MEETINGS, Meeting, kept};
use super::participants::Place;
use super::settle::{Settled, head_of, make, make_void, row, take_away};
use super::shape::{Intent, is_of};
use super::watch::{Waits, Watch};
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::Repository;
use crate::schema::Schema;
use crate::schema::names::INTENT;

/// Settles the intent of an item, whatever that takes.
pub(crate) async fn settle(
    repository: &Repository,
    meeting: Meeting<'_>,
    at: &Place,
    item: &Item,
) -> Result<Settled, Error> {
    settle_of(repository, meeting, at, item, None).await
}

/// The same, of an item of this entity, if that is known.
pub(super) async fn settle_of(
    repository: &Repository,
    meeting: Meeting<'_>,
    at: &Place,
    item: &Item,
    schema: Option<&'static Schema>,
) -> Result<Settled, Error> {
    match settle_or_see(repository, meeting, at, item, &waits_of(meeting), schema).await? {
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
fn waits_of(meeting: Meeting<'_>) -> Waits {
    meeting.age.map(|age| age.waits.clone()).unwrap_or_default()
}

/// Settles the intent of an item, or sees that another has. It asks the lane first, unless the command has waited for this item
/// before: then others are changing it one after the other, and the next intent is as likely to be gone after a pause. After each
/// pause, it looks at the item, and asks the lane only where the same intent still stands.
async fn settle_or_see(
    repository: &Repository,
    meeting: Meeting<'_>,
    at: &Place,
    item: &Item,
    waits: &Waits,
    schema: Option<&'static Schema>,
) -> Result<Ended, Error> {
    let Some(intent) = Intent::of(item, &at.key)? else { return Ok(Ended::Settled(Settled::Gone)) };
    let (mut item, mut watch) = (item.clone(), Watch::new(repository, meeting, waits, at, &intent));
    let (mut is_voided, mut asks) = (false, !waits.has(at));
    loop {
        if asks {
            let mut head = head_of(repository, meeting, &intent.ticket).await?;
            if head.status(&intent.ticket)? == Status::Open && !is_inside(&intent.ticket) && watch.is_over(&head) {
                (head, is_voided) = make_void(repository, meeting, head, &intent.ticket).await?;
            }
            match head.status(&intent.ticket)? {
                Status::Committed => {
                    let whole = whole(repository, meeting, &at.key, intent).await?;
                    return make(repository, meeting, at, &whole, Some(item), schema).await.map(Ended::Settled);
                }
                Status::Dead => {
                    let taken = take_away(repository, meeting, at, &intent, item, is_voided).await;
                    return taken.map(Ended::Settled);
                }
                Status::Open if is_inside(&intent.ticket) => return Err(kept_out_by_itself()),
                Status::Open => {}
            }
        }
        watch.pause().await;
        // Its transaction may have taken it away, and left nothing in its lane.
        match row(repository, meeting, at).await? {
            Some(there) if is_of(Some(&there), &intent.ticket) => (item, asks) = (there, true),
            there => return Ok(Ended::Seen(there)),
        }
    }
}

/// What is there when no transaction holds it any more; or with an intent all the same, where one came behind the other.
pub(crate) async fn free(
    repository: &Repository,
    meeting: Meeting<'_>,
    at: &Place,
    mut item: Option<Item>,
) -> Result<Option<Item>, Error> {
    let waits = waits_of(meeting);
    for _ in 0..MEETINGS {
        let Some(held) = item.as_ref().filter(|item| item.contains_key(INTENT)) else { break };
        item = match settle_or_see(repository, meeting, at, held, &waits, None).await? {
            Ended::Settled(Settled::Applied(Some(item))) => Some(item),
            Ended::Settled(Settled::Removed(item, _)) => item,
            Ended::Settled(Settled::Applied(None) | Settled::Gone | Settled::Overwritten(_)) => {
                row(repository, meeting, at).await?
            }
            Ended::Seen(there) => there,
        };
    }
    Ok(item)
}

/// Waits until no transaction holds the item, so that a write of it may pass.
pub(crate) async fn give_way(
    repository: &Repository,
    meeting: Meeting<'_>,
    at: &Place,
    item: &Item,
    waits: &Waits,
) -> Result<(), Error> {
    let mut held = Some(item.clone());
    for _ in 0..MEETINGS {
        let Some(item) = held.take().filter(|item| item.contains_key(INTENT)) else { return Ok(()) };
        if let Ended::Seen(there) = settle_or_see(repository, meeting, at, &item, waits, None).await? {
            held = there;
        }
    }
    Err(kept())
}

/// A command inside a closure waits for the claim of that closure.
#[cold]
fn kept_out_by_itself() -> Error {
    Error::invalid(
        "the command was sent from the closure of a transaction that keeps all other writers out of this item, since it lost three attempts: the command would wait for that closure. Write the item by the closure's handle, as with `tx.update`, or send the command before or after the transaction",
    )
}
