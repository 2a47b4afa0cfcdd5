//! Reads through intents: the version of an item that a read shows while a transaction holds it.

use super::resolution::Resolution;
use super::roll_back::roll_back;
use super::roll_forward::roll_forward;
use super::single_row::{read_transaction_record, row};
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, ItemRef, ReadThrough, Repository};
use crate::transaction::record::{Intent, Status, is_of, whole, without};

/// Returns the last committed version of an item with an intent. It waits for nothing, because an open transaction has not
/// committed. It also rolls the intent forward or back, unless only a part of the item was read.
pub(crate) async fn read_through(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    item: Item,
    is_whole: bool,
) -> Result<ReadThrough, Error> {
    let Some(intent) = Intent::of(&item, &at.key)? else { return Ok(ReadThrough::Item(Some(item))) };
    let record = read_transaction_record(repository, caller, &intent.transaction_id).await?;
    match record.status(&intent.transaction_id)? {
        Status::Open => Ok(ReadThrough::Item(Some(item))),
        Status::Committed => {
            let whole = whole(repository, caller, &at.key, intent).await?;
            if !is_whole {
                return Ok(ReadThrough::Item(Some(whole.applied_to(item))));
            }
            // The change is committed, so the read shows it even if it could not be rolled forward yet.
            match roll_forward(repository, caller, at, &whole, Some(item.clone()), None).await {
                Ok(Resolution::Gone(_) | Resolution::Overwritten(_)) => Ok(ReadThrough::Again),
                Ok(_) | Err(_) => Ok(ReadThrough::Item(Some(whole.applied_to(item)))),
            }
        }
        // The intent may have been rolled forward between the two reads; then its attempt looks aborted (M24).
        Status::Dead => match row(repository, caller, at).await? {
            Some(there) if is_whole && is_of(Some(&there), &intent.transaction_id) => {
                match roll_back(repository, caller, at, there.clone()).await {
                    Ok(Resolution::RolledBack { item, .. }) => Ok(ReadThrough::Item(item)),
                    Ok(_) => Ok(ReadThrough::Again),
                    // The intent is aborted, even if it could not be removed.
                    Err(_) if intent.is_new => Ok(ReadThrough::Item(Some(there))),
                    Err(_) => without(there, &at.key).map(ReadThrough::Item),
                }
            }
            Some(there) if is_of(Some(&there), &intent.transaction_id) => Ok(ReadThrough::Item(Some(item))),
            _ => Ok(ReadThrough::Again),
        },
    }
}

/// Returns the item as it is if the transaction that holds it commits.
pub(crate) async fn pending(
    repository: &Repository,
    caller: Caller<'_>,
    item: Item,
    key: &Item,
) -> Result<Option<Item>, Error> {
    match Intent::of(&item, key)? {
        // A claim changes nothing.
        Some(intent) if intent.is_claim() => without(item, key),
        Some(intent) => {
            let transaction_id = intent.transaction_id.clone();
            match whole(repository, caller, key, intent).await {
                Ok(whole) => Ok(Some(whole.applied_to(item))),
                // The pages have expired. If the attempt is not committed, it is older than any transaction can be, so its change
                // will never be made.
                Err(error) if error.kind() == ErrorKind::LaneMissing => {
                    match read_transaction_record(repository, caller, &transaction_id).await?.status(&transaction_id)? {
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
