//! What a reading shows of an item that a client-side transaction holds.

use super::get_item::GetCommand;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, MOST_INTENTS, ReadThrough, Repository, View, never_free};
use crate::schema::Schema;
use crate::schema::names::INTENT;

/// How many items that are held are looked at, at once.
pub(crate) const LOOKS: usize = 16;

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
    pub(crate) fn looks(self, schema: &Schema) -> bool {
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
pub(crate) fn is_held(item: &Item) -> bool {
    item.contains_key(INTENT)
}

/// Returns the version of a held item that a read at this level shows. `again` reads the item once more, where that is necessary.
/// In a committed version, the intent of an open transaction stays.
pub(crate) async fn shown(
    again: &GetCommand,
    level: Level,
    repository: &Repository,
    operation: &'static str,
    at: &ItemRef,
    mut item: Item,
    is_whole: bool,
) -> Result<Option<Item>, Error> {
    let view = match level {
        Level::Committed => return Ok(Some(item)),
        Level::Latest => View::Committed { is_whole },
        Level::Uncommitted => View::Uncommitted,
    };
    let caller = Caller { operation, entity: again.schema.entity, priority: None };
    for _ in 0..MOST_INTENTS {
        match repository.resolver().read(repository, caller, at, item, view).await? {
            ReadThrough::Item(item) => return Ok(item),
            ReadThrough::Again => {}
        }
        match again.clone().once(repository, at.table.clone()).await? {
            Some(there) if is_held(&there) => item = there,
            found => return Ok(found),
        }
    }
    Err(never_free())
}
