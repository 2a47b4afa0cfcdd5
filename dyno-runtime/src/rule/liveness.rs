//! When an item counts as absent although a row is there: said once, and used in both directions.

use super::{Reason, intent};
use crate::attribute::Peek;
use crate::attribute::time::EpochMillis;
use crate::expression::Node;
use crate::schema::Schema;

/// Whether an item counts as there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Live,
    /// It is a tombstone.
    Deleted,
    /// A transaction only keeps its place: nothing has been there, and nothing is.
    Absent,
    /// Its TTL has passed.
    Expired,
}

impl State {
    pub(crate) fn is_live(self) -> bool {
        self == Self::Live
    }

    /// Whether a reading returns the item that wants what counts as absent, too, or does not.
    pub(crate) fn is_wanted(self, dead: bool) -> bool {
        match self {
            Self::Live => true,
            Self::Deleted | Self::Expired => dead,
            Self::Absent => false,
        }
    }

    /// Why the item counts as absent, if it does.
    pub(crate) fn reason(self) -> Option<Reason> {
        match self {
            Self::Live => None,
            Self::Deleted => Some(Reason::Deleted),
            Self::Absent => Some(Reason::Missing),
            Self::Expired => Some(Reason::Expired),
        }
    }
}

/// What can make an item count as absent.
pub(super) trait Liveness {
    /// The condition under which an item counts as absent.
    fn dead(&self, now: EpochMillis) -> Option<Node>;

    /// What an item is, as far as this tells.
    fn state(&self, now: EpochMillis, item: &dyn Peek) -> State;
}

/// All of an entity that can.
fn all(schema: &'static Schema) -> impl Iterator<Item = &'static dyn Liveness> {
    let tombstone = schema.tombstone.iter().map(|tombstone| tombstone as &dyn Liveness);
    tombstone.chain(schema.ttl.iter().map(|ttl| ttl as &dyn Liveness))
}

/// The conditions under which an item counts as absent although a row is there.
pub(crate) fn dead(schema: &'static Schema, now: EpochMillis) -> impl Iterator<Item = Node> {
    all(schema).filter_map(move |rule| rule.dead(now))
}

/// What an item is: what [`dead`] says, for an item in hand.
pub(crate) fn state(schema: &'static Schema, now: EpochMillis, item: &dyn Peek) -> State {
    if intent::is_placeholder(schema, item) {
        return State::Absent;
    }
    all(schema).map(|rule| rule.state(now, item)).find(|state| !state.is_live()).unwrap_or(State::Live)
}
