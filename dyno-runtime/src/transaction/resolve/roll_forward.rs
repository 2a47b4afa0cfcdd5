//! Rolls a committed intent forward.

use super::overwritten::{Overwritten, overwritten, write_id};
use super::put_revision::put_revision;
use super::resolution::Resolution;
use super::single_row::{row, send};
use super::trace_events as event;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Answer, Caller, ItemRef, Repository};
use crate::schema::Schema;
use crate::transaction::record::{CompleteIntent, Intent, apply, become_this, is_of};

/// Rolls a committed intent forward, after it has put the revision that goes with it. `item` is the row with the intent; if it is
/// not given, it is read where it is needed. With the schema, a row without the intent shows more.
pub(crate) async fn roll_forward(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    whole: &CompleteIntent,
    item: Option<Item>,
    schema: Option<&'static Schema>,
) -> Result<Resolution, Error> {
    let intent = whole.intent();
    let before = item.as_ref().zip(write_id(intent)).and_then(|(item, name)| item.get(name).cloned());
    let gone = |there: Option<Item>| {
        gone(caller, at, intent, overwritten(at, intent, schema, before.as_ref(), there.as_ref()))
    };
    let by_itself = if intent.revision_row.is_none() { apply(at, whole, item.as_ref())? } else { None };
    let (request, item) = match by_itself {
        Some(request) => (request, item.map(|item| whole.applied_to(item))),
        None => {
            let item = match item {
                None => row(repository, caller, at).await?,
                item => item,
            };
            let item = match item {
                Some(item) if is_of(Some(&item), &intent.transaction_id) => item,
                there => return Ok(gone(there)),
            };
            let recorded = put_revision(repository, caller, at, whole, &item).await.map_err(unappliable)?;
            let request = match &recorded {
                Some(recorded) => Some(become_this(at, intent, recorded.clone())?),
                None => apply(at, whole, Some(&item))?,
            };
            let Some(request) = request else { return Ok(Resolution::Gone) };
            (request, Some(recorded.unwrap_or_else(|| whole.applied_to(item))))
        }
    };
    match send(repository, caller, request).await.map_err(unappliable)? {
        Answer::Done(_) => {
            event::resolved(caller, &intent.transaction_id, "rolled forward", &at.table);
            Ok(Resolution::RolledForward(item))
        }
        Answer::Denied(there) => Ok(gone(there)),
    }
}

/// Another process has rolled the committed intent forward, unless the row shows that a program wrote over it.
fn gone(caller: Caller<'_>, at: &ItemRef, intent: &Intent, overwritten: Option<Overwritten>) -> Resolution {
    let Some(overwritten) = overwritten else { return Resolution::Gone };
    event::overwritten(caller, &intent.transaction_id, &at.table, overwritten.is_deleted());
    Resolution::Overwritten(overwritten)
}

/// An error that DynamoDB will return every time, as for an empty text that became the key of a new index.
fn unappliable(error: Error) -> Error {
    if error.is_of_one_item() {
        error.of("what a transaction has committed cannot be applied to the item")
    } else {
        error
    }
}
