//! The results of resolving an intent.

use super::overwritten::Overwritten;
use super::roll_back::take_away;
use super::roll_forward::make;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, Repository};
use crate::schema::Schema;
use crate::transaction::record::{Intent, whole};

/// What has become of an intent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Settled {
    /// It is applied: this is the item, where the row was known.
    Applied(Option<Item>),
    /// It is removed: this is the item, if there is one. Whether its ticket was made void for that.
    Removed(Option<Item>, bool),
    /// It is not there any more, by another's doing.
    Gone,
    /// It is committed, and a program that does not know of transactions has taken it away.
    Overwritten(Overwritten),
}

/// Settles the intent of an item, where it is known already what its ticket has come to: that never changes.
pub(crate) async fn settle_as(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
    item: &Item,
    is_committed: bool,
    schema: Option<&'static Schema>,
) -> Result<Settled, Error> {
    let Some(intent) = Intent::of(item, &at.key)? else { return Ok(Settled::Gone) };
    if is_committed {
        let whole = whole(repository, caller, &at.key, intent).await?;
        make(repository, caller, at, &whole, Some(item.clone()), schema).await
    } else {
        take_away(repository, caller, at, &intent, item.clone(), false).await
    }
}
