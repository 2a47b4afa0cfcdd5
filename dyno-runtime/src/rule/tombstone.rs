//! The tombstone, which a delete leaves so that older writes that arrive later are refused.
//!
//! A tombstone is an ordinary item: the key, the tokens, a flag, and a TTL that lets DynamoDB remove it for free when no older
//! write can be in flight any more. It has no other attributes, so it is in no index. The TTL counts from the later of now
//! and the token's time. If it counted from the event's time alone, as in the article, a replay of last month's events would
//! write tombstones that have already expired.

use super::liveness::{Liveness, State};
use super::write::Rule;
use super::{Verb, Write, ttl};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, Peek, Scalar};
use crate::expression::{Action, Node, Operator, Path};
use crate::rule::Reason;
use crate::schema::{Schema, Tombstone};
use aws_sdk_dynamodb::types::AttributeValue;

impl Tombstone {
    /// Returns the condition that an item is a tombstone.
    pub(super) fn flagged(&self) -> Node {
        Node::Compare(self.deleted.into(), Operator::Eq, AttributeValue::Bool(true))
    }

    /// Returns `true` if an item is a tombstone.
    pub(crate) fn is_flagged(&self, item: &dyn Peek) -> bool {
        item.peek(self.deleted) == Some(Scalar::Bool(true))
    }

    /// Returns the TTL of the tombstone that this write leaves.
    fn expires(&self, write: &Write) -> AttributeValue {
        let times = write.schema.ratchets.iter().filter_map(|ratchet| ratchet.time(ratchet.token(write)?));
        ttl::days_from(times.fold(write.now, EpochMillis::max), self.ttl_days)
    }

    /// Returns the condition that the item is the tombstone of a delete with the same tokens. A late copy of the write that was
    /// deleted, which can have the same tokens, must not undo the delete.
    fn of_same_tokens(&self, write: &Write) -> Option<Node> {
        let mut terms = vec![self.flagged()];
        for ratchet in write.schema.ratchets {
            ratchet.same(ratchet.token(write)?).push_onto(&mut terms);
        }
        // A delete by another lock holder must pass, so that its fence is stored in the tombstone.
        let fence = write.schema.fence.as_ref().filter(|_| write.verb == Verb::Delete);
        terms.extend(fence.and_then(|fence| fence.same(write)));
        Some(Node::And(terms))
    }

    /// Returns the condition that the item is exactly the tombstone that was read, or no longer exists.
    fn identical(&self, write: &Write) -> Option<Node> {
        let read = write.tombstone.as_ref()?;
        let mut terms = vec![self.flagged()];
        for name in tombstone_attributes(write.schema).chain([self.ttl]) {
            terms.push(match read.get(name) {
                Some(value) => Node::compare(name, Operator::Eq, value),
                None => Node::NotExists(name.into()),
            });
        }
        Some(Node::Or(vec![
            // An earlier attempt of this purge, or the TTL, has already removed it.
            Node::NotExists(write.schema.partition.name.into()),
            Node::And(terms),
        ]))
    }
}

/// Returns the attributes of a tombstone besides key, flag and TTL.
pub(crate) fn tombstone_attributes(schema: &'static Schema) -> impl Iterator<Item = &'static str> {
    let ratchets = schema.ratchets.iter();
    let tokens = ratchets.flat_map(|ratchet| std::iter::once(ratchet.attribute).chain(ratchet.tiebreak));
    let version = schema.version.iter().map(|version| version.attribute);
    let write_id = schema.write_id.iter().map(|write_id| write_id.attribute);
    let fence = schema.fence.iter().map(|fence| fence.attribute);
    version.chain(write_id).chain(tokens).chain(fence)
}

/// Returns `true` if the item is the tombstone that this delete would write. Then an earlier attempt, or another delivery of
/// the same event, was applied, and the tombstone keeps its TTL. With a version, the write id decides instead, because deletes
/// raise the version, too, so that only one of two deletes of the same version is applied.
pub(super) fn is_of(write: &Write, item: Option<&Item>) -> bool {
    let fence = write.schema.fence.as_ref().zip(item);
    let is_of_same_fence = fence.is_none_or(|(fence, item)| fence.holds_same(write, item));
    write.schema.version.is_none() && is_of_same_tokens(write, item) && is_of_same_fence
}

/// Returns `true` if the item is the tombstone of a delete with the same tokens as the write.
fn is_of_same_tokens(write: &Write, item: Option<&Item>) -> bool {
    let (Some(tombstone), Some(item)) = (&write.schema.tombstone, item) else {
        return false;
    };
    let mut ratchets = write.schema.ratchets.iter();
    !write.schema.ratchets.is_empty()
        && tombstone.is_flagged(item)
        && ratchets.all(|ratchet| ratchet.token(write).is_some_and(|token| ratchet.holds_same(token, item)))
}

fn push_once(reasons: &mut Vec<Reason>, reason: Reason) {
    if !reasons.contains(&reason) {
        reasons.push(reason);
    }
}

impl Liveness for Tombstone {
    fn dead(&self, _now: EpochMillis) -> Option<Node> {
        Some(self.flagged())
    }

    fn state(&self, _now: EpochMillis, item: &dyn Peek) -> State {
        if self.is_flagged(item) { State::Deleted } else { State::Live }
    }
}

impl Rule for Tombstone {
    fn condition(&self, write: &Write) -> Option<Node> {
        let ratchets = write.schema.ratchets;
        match write.verb {
            // A checked delete expects one version, so the only tombstone that it can replace is the one that it knows.
            Verb::Delete if write.schema.version.is_some() => None,
            Verb::Put | Verb::Create | Verb::Delete
                // A strict ratchet already refuses the same token, unless the tiebreak may be missing.
                if !ratchets.is_empty()
                    && !ratchets.iter().any(|ratchet| ratchet.strict && ratchet.tiebreak.is_none()) =>
            {
                self.of_same_tokens(write).map(Node::not)
            }
            Verb::Undelete => Some(self.flagged()),
            Verb::Purge => self.identical(write),
            _ => None,
        }
    }

    fn assign(&self, write: &Write, assign: &mut dyn FnMut(Path, Action)) {
        if write.verb == Verb::Delete {
            assign(self.deleted.into(), Action::Set(AttributeValue::Bool(true)));
            assign(self.ttl.into(), Action::Set(self.expires(write)));
        }
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        let is_deleted_by_same = match write.verb {
            Verb::Put | Verb::Create => is_of_same_tokens(write, item),
            Verb::Delete => is_of(write, item),
            _ => false,
        };
        match (write.verb, item) {
            _ if is_deleted_by_same => {
                for ratchet in write.schema.ratchets {
                    push_once(reasons, Reason::Stale { attribute: ratchet.attribute, tie: true });
                }
                push_once(reasons, Reason::Deleted);
            }
            // A tombstone alone refuses none of these writes. If its token refused the write, the deletion is a further reason.
            (Verb::Put | Verb::Create | Verb::Delete, Some(item)) if self.is_flagged(item) && !reasons.is_empty() => {
                push_once(reasons, Reason::Deleted);
            }
            (Verb::Undelete, None) => push_once(reasons, Reason::Missing),
            (Verb::Undelete, Some(item)) if !self.is_flagged(item) => reasons.push(Reason::NotDeleted),
            (Verb::Purge, Some(_)) => reasons.push(Reason::Changed),
            _ => {}
        }
    }
}
