//! What each write demands of the row: that a live item is there, or that none is.
//!
//! "Live" is said once, by the rules that declare items dead, and used in both directions.

use super::{Rule, Verb, Write, dead, is_dead};
use crate::attribute::Item;
use crate::expression::Node;
use crate::outcome::Reason;

/// Of every entity.
#[derive(Debug)]
pub(super) struct Presence;

impl Rule for Presence {
    fn condition(&self, write: &Write) -> Option<Node> {
        let partition = write.schema.partition.name;
        let dead = dead(write.schema, write.now);
        match write.verb {
            Verb::Create => Node::any(std::iter::once(Node::NotExists(partition)).chain(dead).collect()),
            Verb::Replace | Verb::Update { upsert: false } => {
                Node::all(std::iter::once(Node::Exists(partition)).chain(dead.map(Node::not)).collect())
            }
            Verb::Update { upsert: true } => Node::all(dead.map(Node::not).collect()),
            Verb::Put | Verb::Undelete | Verb::Delete | Verb::Purge => None,
        }
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        let dead = item.and_then(|item| is_dead(write.schema, write.now, item));
        match write.verb {
            Verb::Create if item.is_some() && dead.is_none() => reasons.push(Reason::Exists),
            Verb::Replace | Verb::Update { upsert: false } if item.is_none() => reasons.push(Reason::Missing),
            Verb::Replace | Verb::Update { .. } => reasons.extend(dead),
            _ => {}
        }
    }
}
