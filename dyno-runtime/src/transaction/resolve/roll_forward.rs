//! Rolls a committed intent forward.

use super::overwritten::{Overwritten, overwritten, write_id};
use super::put_revision::record;
use super::resolution::Settled;
use super::single_row::{row, send};
use super::trace_events as event;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Answer, Caller, ItemRef, Repository};
use crate::schema::Schema;
use crate::transaction::record::{Intent, Whole, apply, become_this, is_of};

/// Applies an intent that is committed, and puts the row of the history that goes with it first. `item` is the row that has it;
/// where that is not known, it is read if it must be. A row without the intent shows more with its schema.
pub(crate) async fn make(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    whole: &Whole,
    item: Option<Item>,
    schema: Option<&'static Schema>,
) -> Result<Settled, Error> {
    let intent = whole.intent();
    let before = item.as_ref().zip(write_id(intent)).and_then(|(item, name)| item.get(name).cloned());
    let gone = |there: Option<Item>| {
        gone(caller, at, intent, overwritten(at, intent, schema, before.as_ref(), there.as_ref()))
    };
    let by_itself = if intent.record.is_none() { apply(at, whole, item.as_ref())? } else { None };
    let (request, item) = match by_itself {
        Some(request) => (request, item.map(|item| whole.applied_to(item))),
        None => {
            let item = match item {
                None => row(repository, caller, at).await?,
                item => item,
            };
            let item = match item {
                Some(item) if is_of(Some(&item), &intent.ticket) => item,
                there => return Ok(gone(there)),
            };
            let recorded = record(repository, caller, at, whole, &item).await.map_err(unappliable)?;
            let request = match &recorded {
                Some(recorded) => Some(become_this(at, intent, recorded.clone())?),
                None => apply(at, whole, Some(&item))?,
            };
            let Some(request) = request else { return Ok(Settled::Gone) };
            (request, Some(recorded.unwrap_or_else(|| whole.applied_to(item))))
        }
    };
    match send(repository, caller, request).await.map_err(unappliable)? {
        Answer::Done(_) => {
            event::resolved(caller, &intent.ticket, "rolled forward", &at.table);
            Ok(Settled::Applied(item))
        }
        Answer::Denied(there) => Ok(gone(there)),
    }
}

/// A committed intent is not there any more: another process has applied it, unless the row shows otherwise.
fn gone(caller: Caller<'_>, at: &ItemRef, intent: &Intent, overwritten: Option<Overwritten>) -> Settled {
    let Some(overwritten) = overwritten else { return Settled::Gone };
    tracing::warn!(
        operation = caller.operation,
        entity = caller.entity,
        table = at.table,
        transaction = %intent.ticket,
        is_deleted = overwritten.is_deleted(),
        "another program wrote over an item that held a committed change, so that the change is missing"
    );
    Settled::Overwritten(overwritten)
}

/// What DynamoDB will never take, as an empty text for the key of an index that was made since.
fn unappliable(error: Error) -> Error {
    if error.is_of_one_item() {
        error.of("what a transaction has committed cannot be applied to the item")
    } else {
        error
    }
}
