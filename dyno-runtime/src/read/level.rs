//! What a reading shows of an item that a transaction of many requests holds.

use super::get::GetCommand;
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::Repository;
use crate::intent::{Intent, Looked, MEETINGS, Meeting, Place, Status, head_of, kept, look, whole, without};
use crate::schema::Schema;
use crate::schema::names::INTENT;

/// How many items that are held are looked at, at once.
pub(super) const LOOKS: usize = 16;

/// What is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Level {
    /// The item as it stands there: as it was committed, and applied.
    #[default]
    Committed,
    /// All that is committed.
    Latest,
    /// What a transaction is about to make of it, whatever becomes of that.
    Uncommitted,
}

impl Level {
    /// Of a reading that is to be consistent. What is not committed is above what is.
    pub(crate) fn consistent(self) -> Self {
        if self == Self::Uncommitted { self } else { Self::Latest }
    }

    /// Whether it looks at what transactions keep in items of this entity.
    pub(super) fn looks(self, schema: &Schema) -> bool {
        schema.is_transactional && self != Self::Committed
    }
}

/// Refuses what is not committed, for a reading that promises more.
pub(crate) fn refuse_uncommitted(level: Level) -> Result<(), Error> {
    if level != Level::Uncommitted {
        return Ok(());
    }
    Err(Error::invalid("a transaction reads what is committed: leave `uncommitted` out"))
}

/// Whether a transaction holds an item that was read.
pub(super) fn is_held(item: &Item) -> bool {
    item.contains_key(INTENT)
}

/// An item as it will be if the transaction that holds it is committed.
pub(super) async fn pending(
    repository: &Repository,
    meeting: Meeting<'_>,
    item: Item,
    key: &Item,
) -> Result<Option<Item>, Error> {
    match Intent::of(&item, key)? {
        // It only keeps others out.
        Some(intent) if intent.is_claim() => without(item, key),
        Some(intent) => {
            let ticket = intent.ticket.clone();
            match whole(repository, meeting, key, intent).await {
                Ok(whole) => Ok(Some(whole.applied_to(item))),
                // Where it is not committed, it is older than any transaction lasts: what it would have made, nobody will make.
                Err(error) if error.kind() == ErrorKind::LaneMissing => {
                    match head_of(repository, meeting, &ticket).await?.status(&ticket)? {
                        Status::Committed => Err(error),
                        Status::Open | Status::Dead => without(item, key),
                    }
                }
                Err(error) => Err(error),
            }
        }
        None => Ok(Some(item)),
    }
}

/// All that is committed of an item that a transaction holds; `again` reads it once more, where that is necessary. What is
/// only begun stays in it.
pub(super) async fn latest(
    again: &GetCommand,
    repository: &Repository,
    operation: &'static str,
    at: &Place,
    mut item: Item,
    is_whole: bool,
) -> Result<Option<Item>, Error> {
    let meeting = Meeting { operation, entity: again.schema.entity, age: None };
    for _ in 0..MEETINGS {
        match look(repository, meeting, at, item, is_whole).await? {
            Looked::There(seen) => return Ok(seen),
            Looked::Again => {}
        }
        match again.clone().once(repository, at.table.clone()).await? {
            Some(there) if is_held(&there) => item = there,
            found => return Ok(found),
        }
    }
    Err(kept())
}
