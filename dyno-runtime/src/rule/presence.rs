//! The rule that a write requires a live item, or that there is none. `liveness` defines which items are live.

use super::liveness::{Liveness as _, State};
use super::write::Rule;
use super::{Expected, Verb, Write, dead, state};
use crate::attribute::Item;
use crate::expression::Node;
use crate::rule::Reason;

/// Returns `true` if the TTL of an item has passed.
fn is_expired(write: &Write, item: &Item) -> bool {
    write.schema.ttl.as_ref().is_some_and(|ttl| ttl.state(write.now, item) == State::Expired)
}

/// The rule of every entity.
#[derive(Debug)]
pub(super) struct Presence;

impl Rule for Presence {
    fn condition(&self, write: &Write) -> Option<Node> {
        let partition = write.schema.partition.name;
        let dead = dead(write.schema, write.now);
        match (write.verb, write.expected) {
            // If the item counts as absent, the numbering continues after its version, which takes a second request.
            (Verb::Put | Verb::Create, Some(Expected::New(_))) => Some(Node::NotExists(partition.into())),
            (Verb::Put | Verb::Create, Some(expected)) if expected.is_dead() => Node::any(dead.collect()),
            (Verb::Put | Verb::Delete, Some(Expected::Loaded(found) | Expected::Behind { found, .. })) => {
                // Version 0 means an item that was stored before the entity had versions, and not an absent item.
                let exists = (found == 0).then(|| Node::Exists(partition.into()));
                // DynamoDB can remove the row of an expired item at any moment, and then there is no item of this version.
                let expired = write.schema.ttl.as_ref().and_then(|ttl| ttl.dead(write.now));
                Node::all(exists.into_iter().chain(expired.map(Node::not)).collect())
            }
            (Verb::Create | Verb::Check { absent: true }, _) => {
                Node::any(std::iter::once(Node::NotExists(partition.into())).chain(dead).collect())
            }
            (Verb::Replace | Verb::Rewrite | Verb::Update { upsert: false } | Verb::Check { absent: false }, _) => {
                Node::all(std::iter::once(Node::Exists(partition.into())).chain(dead.map(Node::not)).collect())
            }
            (Verb::Renumber, _) => Some(Node::Exists(partition.into())),
            (Verb::Update { upsert: true }, _) => Node::all(dead.map(Node::not).collect()),
            (Verb::Put | Verb::Undelete | Verb::Delete | Verb::Purge, _) => None,
        }
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        let dead = item.and_then(|item| state(write.schema, write.now, item).reason());
        match (write.verb, write.expected) {
            (Verb::Put | Verb::Create, Some(Expected::New(_))) if item.is_some() => {
                reasons.push(dead.unwrap_or(Reason::Exists));
            }
            (Verb::Create | Verb::Check { absent: true }, _) if item.is_some() && dead.is_none() => {
                reasons.push(Reason::Exists);
            }
            (Verb::Put, Some(expected)) if expected.is_dead() && item.is_some() && dead.is_none() => {
                reasons.push(Reason::Exists);
            }
            (Verb::Replace | Verb::Rewrite | Verb::Update { upsert: false } | Verb::Check { absent: false }, _)
            | (Verb::Put | Verb::Delete, Some(Expected::Loaded(_) | Expected::Behind { is_dead: false, .. }))
                if item.is_none() =>
            {
                reasons.push(Reason::Missing);
            }
            (Verb::Replace | Verb::Rewrite | Verb::Update { .. } | Verb::Check { absent: false }, _) => {
                reasons.extend(dead);
            }
            (Verb::Put | Verb::Delete, Some(Expected::Loaded(_) | Expected::Behind { is_dead: false, .. }))
                if item.is_some_and(|item| is_expired(write, item)) =>
            {
                reasons.extend(dead);
            }
            _ => {}
        }
    }
}
