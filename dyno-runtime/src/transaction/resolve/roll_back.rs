//! Rolls an intent of an aborted transaction back: it removes the intent, so that the item is as it was before.

use super::resolution::Resolution;
use super::single_row::send_write;
use super::trace_events as event;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Answer, Caller, ItemRef, Repository};
use crate::schema::names::INTENT;
use crate::transaction::record::{Intent, remove, remove_keeping_row};
use aws_sdk_dynamodb::types::AttributeValue;

/// Removes the intent of an item, whose attempt is aborted.
pub(crate) async fn roll_back(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    mut item: Item,
) -> Result<Resolution, Error> {
    let Some(intent) = Intent::of(&item, &at.key)? else { return Ok(Resolution::Gone(Some(Some(item)))) };
    // If another program wrote into the placeholder, what it wrote stays.
    let deletes_the_row = intent.is_new && is_place(&item, at);
    let request = if deletes_the_row { remove(at, &intent)? } else { remove_keeping_row(at, &intent)? };
    if let Answer::Denied(_) = send_write(repository, caller, request).await? {
        return Ok(Resolution::Gone(None));
    }
    event::resolved(caller, &intent.transaction_id, "rolled back", &at.table);
    item.remove(INTENT);
    item.extend(intent.parked);
    Ok(Resolution::RolledBack { item: Some(item).filter(|_| !deletes_the_row), is_aborted: false })
}

/// Whether a row has nothing but what a placeholder has: its key, the flag of a tombstone, and perhaps the mark of an entity.
fn is_place(item: &Item, at: &ItemRef) -> bool {
    let others = item.iter().filter(|(name, _)| !at.key.contains_key(*name) && *name != INTENT);
    let (flags, others): (Vec<_>, Vec<_>) = others.map(|(_, value)| value).partition(|value| value.is_bool());
    flags == [&AttributeValue::Bool(true)] && others.len() <= 1 && others.iter().all(|value| value.is_s())
}

/// Removes an intent of this process, whose attempt is given up. A placeholder of its own goes with it, also if another program has
/// added attributes to it: see the guide, "Beside other writers".
pub(crate) async fn roll_back_own(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    intent: &Intent,
) -> Result<(), Error> {
    send_write(repository, caller, remove(at, intent)?).await.map(drop)
}
