//! A refusal is read: the reasons of the rules, from the item that was there.

use super::write::Rule as _;
use super::{Expected, Moot, Phase, Reason, Verb, Write, each_rule, intent, presence, ratchet, state, tombstone};
use crate::attribute::Item;
use crate::expression::Guard;
use crate::schema::Schema;

/// How a write that DynamoDB refused ended.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The item is as the write wanted it.
    Applied,
    /// Nothing is against it, but the keys in the item are in this phase.
    InPhase(Phase),
    /// A transaction holds the item, and what will be there then is not known yet.
    Held,
    /// These reasons, all of them.
    Refused { reasons: Vec<Reason>, moot: Moot },
}

impl Moot {
    fn of(write: &Write, item: Option<&Item>, reasons: &[Reason]) -> Self {
        let unique = write.guards.iter().filter(|guard| matches!(guard, Guard::Lacks(..))).count();
        let is_contained = |reason: &Reason| matches!(reason, Reason::Contained { .. });
        Self {
            superseded: ratchet::superseded(write, item, reasons),
            contained: unique > 0 && reasons.len() == unique && reasons.iter().all(is_contained),
        }
    }
}

/// Reads a refusal from the item that was there. Costs no request: DynamoDB returned the item with it.
pub(crate) fn read_refusal(write: &Write, item: Option<&Item>, own_condition: bool) -> Verdict {
    let is_held = intent::is_held(write.schema, item);
    let is_done = || tombstone::is_of(write, item) && other_entity(write.schema, item).is_none();
    if write.verb == Verb::Delete && !is_held && is_done() {
        return Verdict::Applied;
    }
    read_action_refusal(write, item, own_condition)
}

/// Reads the refusal of a transaction's action. A tombstone that is there already is what a delete wanted, but says nothing
/// of the other actions: here it is a refusal. The write's own name in the item does: what it is in was applied whole.
pub(crate) fn read_action_refusal(write: &Write, item: Option<&Item>, own_condition: bool) -> Verdict {
    if item.is_some_and(|item| is_own(write, item)) {
        return Verdict::Applied;
    }
    let mut reasons = reasons(write, item);
    if intent::is_awaited(write.schema, item, &reasons) {
        return Verdict::Held;
    }
    let idempotency = write.schema.idempotency.as_ref();
    if reasons.is_empty()
        && let Some(phase) = idempotency.and_then(|idempotency| idempotency.other_phase(write, item))
    {
        return Verdict::InPhase(phase);
    }
    if reasons.is_empty() {
        reasons.push(if own_condition { Reason::Condition } else { Reason::Unexplained });
    }
    Verdict::Refused { moot: Moot::of(write, item, &reasons), reasons }
}

/// Whether the item is what this very write made of it: an earlier attempt of it, whose answer was lost.
pub(crate) fn is_own(write: &Write, item: &Item) -> bool {
    let own = write.schema.write_id.as_ref().zip(write.write_id.as_deref());
    own.is_some_and(|(write_id, name)| write_id.is_own(name, item))
}

/// That an item is marked as another entity's, as the reason against a write.
pub(crate) fn other_entity(schema: &Schema, item: Option<&Item>) -> Option<Reason> {
    schema.entity_type.as_ref()?.other(item?)
}

/// The reasons that the rules have against a write, given the item that is there.
pub(crate) fn reasons(write: &Write, item: Option<&Item>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    // What another entity's item holds under names of this one's means something else.
    if let Some(other) = other_entity(write.schema, item) {
        presence::Presence.refused(write, item, &mut reasons);
        reasons.push(other);
        if write.is_known {
            reasons.push(Reason::Duplicate);
        }
        return reasons;
    }
    each_rule(write.schema, |rule| rule.refused(write, item, &mut reasons));
    reasons
}

/// Where a create that found this item can go on: the item counts as absent, and its version is the next one's base; or
/// it has gone.
pub(crate) fn number_on(write: &Write, item: Option<&Item>) -> Option<Expected> {
    let (version, before) = (write.schema.version.as_ref()?, write.expected?);
    let item = match (item, before) {
        (None, Expected::Dead(last) | Expected::Behind { last, is_dead: true, .. }) => {
            return Some(Expected::New(last));
        }
        (item, _) => item?,
    };
    let is_create = matches!(write.verb, Verb::Put | Verb::Create);
    let starts = matches!(before, Expected::New(_)) || before.is_dead();
    if state(write.schema, write.now, item).is_live() {
        return None;
    }
    let expected = Expected::Dead(version.of(item)?);
    let passes = || reasons(&Write { expected: Some(expected), ..write.clone() }, Some(item)).is_empty();
    (is_create && starts && before != expected && passes()).then_some(expected)
}
