//! Reads through intents: returns the version of an item that a read shows while a transaction holds the item.

use super::resolution::Resolution;
use super::roll_back::roll_back;
use super::roll_forward::roll_forward;
use super::single_row::{read_item, read_transaction_record};
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, ItemRef, ReadThrough, Repository};
use crate::transaction::record::{Intent, Status, complete, has_intent_of, without_intent};

/// Returns the last committed version of an item with an intent. It does not wait: if the transaction is open, it had not
/// committed when the item was read. It also rolls the intent forward or back, unless only a part of the item was read.
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
            let intent = complete(repository, caller, &at.key, intent).await?;
            if !is_whole {
                return Ok(ReadThrough::Item(Some(intent.applied_to(item))));
            }
            // The change is committed, so the read shows it even if the roll forward fails.
            match roll_forward(repository, caller, at, &intent, Some(item.clone()), None).await {
                Ok(Resolution::Gone(_) | Resolution::Overwritten(_)) => Ok(ReadThrough::Again),
                Ok(_) | Err(_) => Ok(ReadThrough::Item(Some(intent.applied_to(item)))),
            }
        }
        // The attempt may be finished instead of aborted: another process may have rolled the intent forward between the reads of
        // the item and of the lane row. So the item is read again (M24).
        Status::Dead => match read_item(repository, caller, at).await? {
            Some(found) if is_whole && has_intent_of(Some(&found), &intent.transaction_id) => {
                match roll_back(repository, caller, at, found.clone()).await {
                    Ok(Resolution::RolledBack { item, .. }) => Ok(ReadThrough::Item(item)),
                    Ok(_) => Ok(ReadThrough::Again),
                    // The attempt is aborted, even if the intent could not be removed. Readers take a placeholder for a deleted
                    // item.
                    Err(_) if intent.is_new => Ok(ReadThrough::Item(Some(found))),
                    Err(_) => without_intent(found, &at.key).map(ReadThrough::Item),
                }
            }
            Some(found) if has_intent_of(Some(&found), &intent.transaction_id) => Ok(ReadThrough::Item(Some(item))),
            _ => Ok(ReadThrough::Again),
        },
    }
}

/// Returns the item as it will be if the transaction that holds it commits.
pub(crate) async fn read_pending(
    repository: &Repository,
    caller: Caller<'_>,
    item: Item,
    key: &Item,
) -> Result<Option<Item>, Error> {
    match Intent::of(&item, key)? {
        // A claim changes nothing.
        Some(intent) if intent.is_claim() => without_intent(item, key),
        Some(intent) => {
            let transaction_id = intent.transaction_id.clone();
            match complete(repository, caller, key, intent).await {
                Ok(intent) => Ok(Some(intent.applied_to(item))),
                // The pages have expired. If the attempt is not committed, it never will be, because it is older than any attempt
                // may be (M6).
                Err(error) if error.kind() == ErrorKind::LaneMissing => {
                    match read_transaction_record(repository, caller, &transaction_id).await?.status(&transaction_id)? {
                        Status::Committed => Err(error),
                        Status::Open | Status::Dead => without_intent(item, key),
                    }
                }
                Err(error) => Err(error),
            }
        }
        None => Ok(Some(item)),
    }
}
