//! What the changes of an update demand of the item, each for itself: see `expression::Guard`.

use super::{Rule, Verb, Write, alias, is_dead};
use crate::attribute::Item;
use crate::entity::Reason;
use crate::expression::{Guard, Node};

/// Of every entity.
#[derive(Debug)]
pub(super) struct Changes;

impl Rule for Changes {
    fn condition(&self, write: &Write) -> Option<Node> {
        let nodes = write.guards.iter().map(|guard| match guard {
            // Of the names themselves.
            Guard::Moved(..) | Guard::One(..) | Guard::Null { .. } => guard.node(),
            guard => alias::seen(write.schema, guard.node()),
        });
        let terms = nodes.flat_map(|node| match node {
            Node::And(terms) => terms,
            node => vec![node],
        });
        Node::all(terms.collect())
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        // What is not there, or counts as absent, is another rule's; an upsert begins with nothing.
        let nothing = Item::new();
        let item = item.or((write.verb == Verb::Update { upsert: true }).then_some(&nothing));
        let live = item.filter(|item| is_dead(write.schema, write.now, item).is_none());
        let Some(item) = live else { return };
        let settled = alias::settled(write.schema, item);
        reasons.extend(write.guards.iter().filter_map(|guard| {
            guard.reason(match guard {
                Guard::Moved(..) | Guard::One(..) | Guard::Null { .. } => item,
                _ => &settled,
            })
        }));
    }
}
