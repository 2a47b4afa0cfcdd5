//! Puts the history row that belongs to a change, before the change is rolled forward (M23).

use super::single_row::send_write;
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Answer, Caller, ItemRef, Repository};
use crate::schema::names::INTENT;
use crate::transaction::record::{CompleteIntent, without_intent};

/// Puts the history row that belongs to an intent. If the history keeps new items, returns the image of the row, which the item
/// must become. It can differ from the new item as computed here, if another process put the row and another program has changed
/// the item since.
pub(crate) async fn put_revision(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    intent: &CompleteIntent,
    item: &Item,
) -> Result<Option<Item>, Error> {
    let Some(revision_row) = &intent.intent().revision_row else { return Ok(None) };
    let image = if revision_row.is_superseded {
        without_intent(item.clone(), &at.key)?.ok_or_else(nothing_superseded)?
    } else {
        intent.applied_to(item.clone())
    };
    let recorded = match send_write(repository, caller, revision_row.put(&image)).await? {
        Answer::Done(_) => image,
        Answer::Denied(existing) => revision_row.existing_image(existing, &image)?,
    };
    Ok((!revision_row.is_superseded).then_some(recorded))
}

fn nothing_superseded() -> Error {
    let message = format!(
        "the item's `{INTENT}` says both that no item existed and that it supersedes one, so dyno leaves the item unchanged: find the program that wrote `{INTENT}`"
    );
    Error::new(ErrorKind::Decode, message)
}
