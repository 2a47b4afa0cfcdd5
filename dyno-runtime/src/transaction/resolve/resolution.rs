//! The results of resolving an intent.

use super::overwritten::Overwritten;
use super::roll_back::roll_back;
use super::roll_forward::roll_forward;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, Repository};
use crate::schema::Schema;
use crate::transaction::record::{Intent, whole};

/// The result of resolving an intent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Resolution {
    /// The intent is rolled forward. The item after that, if the row was known.
    RolledForward(Option<Item>),
    /// The intent is rolled back. The item after that, if there is one; and whether this process aborted the attempt.
    RolledBack(Option<Item>, bool),
    /// Another process removed the intent.
    Gone,
    /// The attempt is committed, but a program that does not know of transactions removed the intent.
    Overwritten(Overwritten),
}

/// Resolves the intent of an item whose attempt is known to be committed or aborted. That state is final.
pub(crate) async fn resolve_as(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    item: &Item,
    is_committed: bool,
    schema: Option<&'static Schema>,
) -> Result<Resolution, Error> {
    let Some(intent) = Intent::of(item, &at.key)? else { return Ok(Resolution::Gone) };
    if is_committed {
        let whole = whole(repository, caller, &at.key, intent).await?;
        roll_forward(repository, caller, at, &whole, Some(item.clone()), schema).await
    } else {
        roll_back(repository, caller, at, &intent, item.clone(), false).await
    }
}
