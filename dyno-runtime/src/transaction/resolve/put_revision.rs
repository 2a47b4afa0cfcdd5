//! The row of a history is put before the change that it goes with is applied (M23).

use super::single_row::send;
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Answer, Caller, ItemRef, Repository};
use crate::schema::names::INTENT;
use crate::transaction::record::{Whole, without};

/// Puts the row of the history that goes with an intent. Where that holds what the item is to be, it says what that is: others
/// may have put it already, and a stranger may have changed the item since.
pub(crate) async fn record(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    whole: &Whole,
    item: &Item,
) -> Result<Option<Item>, Error> {
    let Some(record) = &whole.intent().record else { return Ok(None) };
    let image = if record.is_superseded {
        without(item.clone(), &at.key)?.ok_or_else(nothing_superseded)?
    } else {
        whole.applied_to(item.clone())
    };
    let recorded = match send(repository, caller, record.request(&image)).await? {
        Answer::Done(_) => image,
        Answer::Denied(there) => record.same(there, &image)?,
    };
    Ok((!record.is_superseded).then_some(recorded))
}

fn nothing_superseded() -> Error {
    Error::new(
        ErrorKind::Decode,
        format!(
            "the item's `{INTENT}` says that there was no item, and also that one is superseded, so that it is left as it is: look at who has written it"
        ),
    )
}
