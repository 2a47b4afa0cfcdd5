//! When an item counts as absent although a row is there: said once, and used in both directions.

use super::Reason;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::expression::Node;
use crate::schema::Schema;

/// What can make an item count as absent.
pub(super) trait Liveness {
    /// The condition under which an item counts as absent.
    fn dead(&self, now: EpochMillis) -> Option<Node>;

    /// Whether an item counts as absent, and why.
    fn is_dead(&self, now: EpochMillis, item: &Item) -> Option<Reason>;
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

/// Why an item counts as absent, if it does: what [`dead`] says, for an item in hand.
pub(crate) fn is_dead(schema: &'static Schema, now: EpochMillis, item: &Item) -> Option<Reason> {
    all(schema).find_map(|rule| rule.is_dead(now, item))
}
