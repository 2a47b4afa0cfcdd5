//! Decides when an item counts as absent although there is a row. Each rule defines this twice, side by side: as a condition for
//! DynamoDB and for an item in memory.

use super::{Reason, intent_conditions};
use crate::attribute::Peek;
use crate::attribute::time::EpochMillis;
use crate::expression::Node;
use crate::schema::Schema;

/// The state of an item: live, or the reason why it counts as absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Live,
    /// The item is a tombstone.
    Deleted,
    /// A placeholder of a transaction: there was no item before, and there is none.
    Absent,
    /// The item's TTL has passed.
    Expired,
}

impl State {
    pub(crate) fn is_live(self) -> bool {
        self == Self::Live
    }

    /// Returns `true` if a read returns the item; `dead` tells whether the read also wants items that count as absent.
    pub(crate) fn is_wanted(self, dead: bool) -> bool {
        match self {
            Self::Live => true,
            Self::Deleted | Self::Expired => dead,
            Self::Absent => false,
        }
    }

    /// Returns the reason why the item counts as absent, if it does.
    pub(crate) fn reason(self) -> Option<Reason> {
        match self {
            Self::Live => None,
            Self::Deleted => Some(Reason::Deleted),
            Self::Absent => Some(Reason::Missing),
            Self::Expired => Some(Reason::Expired),
        }
    }
}

/// Rules that can make an item count as absent.
pub(super) trait Liveness {
    /// Returns the condition under which an item counts as absent.
    fn dead(&self, now: EpochMillis) -> Option<Node>;

    /// Returns the state of an item, as far as this rule tells.
    fn state(&self, now: EpochMillis, item: &dyn Peek) -> State;
}

/// Returns all such rules of an entity.
fn all(schema: &'static Schema) -> impl Iterator<Item = &'static dyn Liveness> {
    let tombstone = schema.tombstone.iter().map(|tombstone| tombstone as &dyn Liveness);
    tombstone.chain(schema.ttl.iter().map(|ttl| ttl as &dyn Liveness))
}

/// Returns the conditions under which an item counts as absent although there is a row.
pub(crate) fn dead(schema: &'static Schema, now: EpochMillis) -> impl Iterator<Item = Node> {
    all(schema).filter_map(move |rule| rule.dead(now))
}

/// Returns the state of an item: the same decision as [`dead`], for an item in memory.
pub(crate) fn state(schema: &'static Schema, now: EpochMillis, item: &dyn Peek) -> State {
    if intent_conditions::is_placeholder(schema, item) {
        return State::Absent;
    }
    all(schema).map(|rule| rule.state(now, item)).find(|state| !state.is_live()).unwrap_or(State::Live)
}
