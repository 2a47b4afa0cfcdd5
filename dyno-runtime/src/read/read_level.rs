//! What a read shows: how fresh it is, and which version of an item that a client-side transaction holds.

use super::get_item::GetCommand;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Caller, Consistency, ItemRef, MOST_INTENTS, ReadThrough, Repository, View, never_free};
use crate::schema::Schema;
use crate::schema::names::INTENT;

/// The number of held items that one read resolves at once.
pub(crate) const LOOKS: usize = 16;

/// What a read shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Level {
    /// An eventually consistent read of the items as they are stored. It may be stale.
    #[default]
    Eventual,
    /// A consistent read of the items as they are stored: a held item with its intent, which the caller resolves.
    Stored,
    /// A consistent read with every committed change, also where the item does not have it yet.
    Latest,
    /// The item as the transaction that holds it would leave it, whether it commits or not.
    Uncommitted(Consistency),
}

impl Level {
    /// The level of the same read, made consistent. It stays a read of uncommitted changes if it was one.
    pub(crate) fn consistent(self) -> Self {
        match self {
            Self::Uncommitted(_) => Self::Uncommitted(Consistency::Consistent),
            Self::Eventual | Self::Stored | Self::Latest => Self::Latest,
        }
    }

    /// The level of the same read, made to show uncommitted changes.
    pub(crate) fn uncommitted(self) -> Self {
        Self::Uncommitted(self.consistency())
    }

    /// The level of a read that is as consistent as this one, and resolves nothing.
    pub(crate) fn stored(self) -> Self {
        match self.consistency() {
            Consistency::Eventual => Self::Eventual,
            Consistency::Consistent => Self::Stored,
        }
    }

    pub(crate) fn consistency(self) -> Consistency {
        match self {
            Self::Eventual => Consistency::Eventual,
            Self::Stored | Self::Latest => Consistency::Consistent,
            Self::Uncommitted(consistency) => consistency,
        }
    }

    /// Whether a read at this level resolves the intents that it finds.
    pub(crate) fn resolves(self) -> bool {
        matches!(self, Self::Latest | Self::Uncommitted(_))
    }

    /// Whether a read at this level looks for intents in items of this entity.
    pub(crate) fn looks(self, schema: &Schema) -> bool {
        schema.is_transactional && self.resolves()
    }
}

/// Refuses what is not committed, for a reading that promises more.
pub(crate) fn refuse_uncommitted(level: Level) -> Result<(), Error> {
    match level {
        Level::Uncommitted(_) => Err(Error::invalid("a transaction reads what is committed: leave `uncommitted` out")),
        Level::Eventual | Level::Stored | Level::Latest => Ok(()),
    }
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
        Level::Eventual | Level::Stored => return Ok(Some(item)),
        Level::Latest => View::Committed { is_whole },
        Level::Uncommitted(_) => View::Uncommitted,
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
