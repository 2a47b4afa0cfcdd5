//! Rolls a committed intent forward.

use super::overwritten::{overwritten, write_id};
use super::put_revision::put_revision;
use super::resolution::Resolution;
use super::single_row::{read_item, send_write};
use super::trace_events as event;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Answer, Caller, ItemRef, Repository};
use crate::schema::Schema;
use crate::transaction::record::{CompleteIntent, Intent, apply_by_put, apply_by_update, complete, has_intent_of};

/// Rolls the intent of an item forward, whose attempt is committed.
pub(crate) async fn roll_forward_item(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    item: Item,
    schema: Option<&'static Schema>,
) -> Result<Resolution, Error> {
    let Some(intent) = Intent::of(&item, &at.key)? else { return Ok(Resolution::Gone(Some(Some(item)))) };
    let intent = complete(repository, caller, &at.key, intent).await?;
    roll_forward(repository, caller, at, &intent, Some(item), schema).await
}

/// Rolls a committed intent forward, after it has put the history row that belongs to the change. `item` is the row with the
/// intent. If it is not given and is needed, it is read. If the roll forward finds a row without the intent, the schema helps to
/// tell whether another process rolled it forward or a foreign program wrote over it.
pub(crate) async fn roll_forward(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    complete: &CompleteIntent,
    item: Option<Item>,
    schema: Option<&'static Schema>,
) -> Result<Resolution, Error> {
    let intent = complete.intent();
    let before = item.as_ref().zip(write_id(intent)).and_then(|(item, name)| item.get(name).cloned());
    // If the row has no intent of this attempt, another process rolled it forward, or a foreign program wrote over it.
    let gone = |found: Option<Item>| match overwritten(at, intent, schema, before.as_ref(), found.as_ref()) {
        None => Resolution::Gone(None),
        Some(overwritten) => {
            event::overwritten(caller, &intent.transaction_id, &at.table, overwritten.is_deleted());
            Resolution::Overwritten(overwritten)
        }
    };
    let (request, item) = match apply_by_update(at, intent)? {
        Some(update) if intent.revision_row.is_none() => (update, item.map(|item| complete.applied_to(item))),
        update => {
            let item = match item {
                None => read_item(repository, caller, at).await?,
                item => item,
            };
            let item = match item {
                Some(item) if has_intent_of(Some(&item), &intent.transaction_id) => item,
                found => return Ok(gone(found)),
            };
            let recorded = put_revision(repository, caller, at, complete, &item).await.map_err(unappliable)?;
            let update = update.filter(|_| recorded.is_none());
            let after = recorded.unwrap_or_else(|| complete.applied_to(item));
            (update.map_or_else(|| apply_by_put(at, intent, after.clone()), Ok)?, Some(after))
        }
    };
    match send_write(repository, caller, request).await.map_err(unappliable)? {
        Answer::Done(_) => {
            event::resolved(caller, &intent.transaction_id, "rolled forward", &at.table);
            Ok(Resolution::RolledForward(item))
        }
        Answer::Denied(found) => Ok(gone(found)),
    }
}

/// Explains an error that DynamoDB will return every time, as for an empty text that became the key of a new index.
fn unappliable(error: Error) -> Error {
    if error.is_of_one_item() {
        error.of("the committed change of a transaction cannot be applied to the item")
    } else {
        error
    }
}
