//! Reads through intents: the version of an item that a read shows while a transaction holds it.

use super::resolution::Settled;
use super::roll_back::take_away;
use super::roll_forward::make;
use super::single_row::{head_of, row};
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, ItemRef, ReadThrough, Repository};
use crate::transaction::record::{Intent, Status, is_of, whole, without};

/// What is committed of an item that is read: nothing is waited for, since what is open is not committed yet. What is
/// settled, it leaves so, unless only a part of the item was read.
pub(crate) async fn read_through(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    item: Item,
    is_whole: bool,
) -> Result<ReadThrough, Error> {
    let Some(intent) = Intent::of(&item, &at.key)? else { return Ok(ReadThrough::Item(Some(item))) };
    let head = head_of(repository, caller, &intent.ticket).await?;
    match head.status(&intent.ticket)? {
        Status::Open => Ok(ReadThrough::Item(Some(item))),
        Status::Committed => {
            let whole = whole(repository, caller, &at.key, intent).await?;
            if !is_whole {
                return Ok(ReadThrough::Item(Some(whole.applied_to(item))));
            }
            // That it could not be applied yet does not matter to who reads: it is committed.
            match make(repository, caller, at, &whole, Some(item.clone()), None).await {
                Ok(Settled::Gone | Settled::Overwritten(_)) => Ok(ReadThrough::Again),
                Ok(_) | Err(_) => Ok(ReadThrough::Item(Some(whole.applied_to(item)))),
            }
        }
        // It may have been applied between the two readings, and be dead for that (M24).
        Status::Dead => match row(repository, caller, at).await? {
            Some(there) if is_whole && is_of(Some(&there), &intent.ticket) => {
                match take_away(repository, caller, at, &intent, there.clone(), false).await {
                    Ok(Settled::Removed(item, _)) => Ok(ReadThrough::Item(item)),
                    Ok(_) => Ok(ReadThrough::Again),
                    // What could not be taken away is as dead as before.
                    Err(_) if intent.is_new => Ok(ReadThrough::Item(Some(there))),
                    Err(_) => without(there, &at.key).map(ReadThrough::Item),
                }
            }
            Some(there) if is_of(Some(&there), &intent.ticket) => Ok(ReadThrough::Item(Some(item))),
            _ => Ok(ReadThrough::Again),
        },
    }
}

/// An item as it will be if the transaction that holds it is committed.
pub(crate) async fn pending(
    repository: &Repository,
    caller: Caller<'_>,
    item: Item,
    key: &Item,
) -> Result<Option<Item>, Error> {
    match Intent::of(&item, key)? {
        // It only keeps others out.
        Some(intent) if intent.is_claim() => without(item, key),
        Some(intent) => {
            let ticket = intent.ticket.clone();
            match whole(repository, caller, key, intent).await {
                Ok(whole) => Ok(Some(whole.applied_to(item))),
                // Where it is not committed, it is older than any transaction lasts: what it would have made, nobody will make.
                Err(error) if error.kind() == ErrorKind::LaneMissing => {
                    match head_of(repository, caller, &ticket).await?.status(&ticket)? {
                        Status::Committed => Err(error),
                        Status::Open | Status::Dead => without(item, key),
                    }
                }
                Err(error) => Err(error),
            }
        }
        None => Ok(Some(item)),
    }
}
