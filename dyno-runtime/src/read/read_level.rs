//! The level of a read: its consistency, and which version it shows of an item that a client-side transaction holds.

use super::get_item::GetCommand;
use crate::attribute::Item;
use crate::attribute::Peek;
use crate::error::Error;
use crate::exchange::{Caller, Consistency, ItemRef, MOST_INTENTS, ReadThrough, Repository, View, never_free};
use crate::schema::Schema;
use crate::schema::names::INTENT;

/// The number of held items that one read resolves at once.
pub(crate) const RESOLUTIONS: usize = 16;

/// The consistency of a read, and the version that it shows of an item that a transaction holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Level {
    /// An eventually consistent read of the items as they are stored. The result may be stale.
    #[default]
    Eventual,
    /// A consistent read of the items as they are stored. A held item has its intent, which the caller resolves.
    Stored,
    /// A consistent read of the latest committed versions, including committed changes that are not rolled forward yet.
    Latest,
    /// A read that shows each held item as its transaction would leave it, whether the transaction commits or not.
    Uncommitted(Consistency),
}

impl Level {
    /// Makes the read consistent. A read of uncommitted changes remains one.
    pub(crate) fn consistent(self) -> Self {
        match self {
            Self::Uncommitted(_) => Self::Uncommitted(Consistency::Consistent),
            Self::Eventual | Self::Stored | Self::Latest => Self::Latest,
        }
    }

    /// Makes the read show uncommitted changes, with the same consistency.
    pub(crate) fn uncommitted(self) -> Self {
        Self::Uncommitted(self.consistency())
    }

    /// Returns the level with the same consistency that resolves no intents.
    pub(crate) fn stored(self) -> Self {
        match self.consistency() {
            Consistency::Eventual => Self::Eventual,
            Consistency::Consistent => Self::Stored,
        }
    }

    /// Returns the consistency of the requests.
    pub(crate) fn consistency(self) -> Consistency {
        match self {
            Self::Eventual => Consistency::Eventual,
            Self::Stored | Self::Latest => Consistency::Consistent,
            Self::Uncommitted(consistency) => consistency,
        }
    }

    /// Returns `true` if a read at this level resolves the intents that it finds.
    pub(crate) fn resolves(self) -> bool {
        matches!(self, Self::Latest | Self::Uncommitted(_))
    }

    /// Returns `true` if a read at this level resolves intents in items of this entity, which can have them.
    pub(crate) fn resolves_in(self, schema: &Schema) -> bool {
        schema.is_transactional && self.resolves()
    }
}

/// Refuses a read of uncommitted changes inside a transaction.
pub(crate) fn refuse_uncommitted(level: Level) -> Result<(), Error> {
    match level {
        Level::Uncommitted(_) => Err(Error::invalid("a transaction reads committed items: leave `uncommitted` out")),
        Level::Eventual | Level::Stored | Level::Latest => Ok(()),
    }
}

/// Returns `true` if an item that was read has an intent.
pub(crate) fn is_held(item: &dyn Peek) -> bool {
    item.peek(INTENT).is_some()
}

/// Returns the version of a held item that a read at this level shows. `again` reads the item once more if it changed
/// meanwhile. The intent of an open transaction stays in a committed version.
pub(crate) async fn resolve_held(
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
        match again.clone().send_unresolved(repository, at.table.clone()).await? {
            Some(there) if is_held(&there) => item = there,
            found => return Ok(found),
        }
    }
    Err(never_free())
}
