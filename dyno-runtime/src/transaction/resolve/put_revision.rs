//! Puts the revision into an item's history, before the change is rolled forward (M23).

use super::single_row::send;
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Answer, Caller, ItemRef, Repository};
use crate::schema::names::INTENT;
use crate::transaction::record::{CompleteIntent, without};

/// Puts the revision that goes with an intent. If the history keeps new items, returns the item in its row: another process may
/// have put that row already, and another program may have changed the item since.
pub(crate) async fn put_revision(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    whole: &CompleteIntent,
    item: &Item,
) -> Result<Option<Item>, Error> {
    let Some(revision_row) = &whole.intent().revision_row else { return Ok(None) };
    let image = if revision_row.is_superseded {
        without(item.clone(), &at.key)?.ok_or_else(nothing_superseded)?
    } else {
        whole.applied_to(item.clone())
    };
    let recorded = match send(repository, caller, revision_row.request(&image)).await? {
        Answer::Done(_) => image,
        Answer::Denied(there) => revision_row.same(there, &image)?,
    };
    Ok((!revision_row.is_superseded).then_some(recorded))
}

fn nothing_superseded() -> Error {
    Error::new(
        ErrorKind::Decode,
        format!(
            "the item's `{INTENT}` says that there was no item, and also that one is superseded, so that it is left as it is: look at who has written it"
        ),
    )
}
