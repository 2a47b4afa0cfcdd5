//! Collects what the rules say against a write, from the stored item that did not meet its condition.

use super::write::Rule as _;
use super::{
    Expected, Moot, Phase, Reason, Verb, Write, each_rule, embedding, intent_conditions, presence, ratchet, state,
    tombstone,
};
use crate::attribute::Item;
use crate::expression::Guard;
use crate::schema::Schema;

/// The result of a write that DynamoDB refused.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The item is already as the write wanted it.
    Applied,
    /// There is no reason against the write, but the keys in the item are in this phase.
    InPhase(Phase),
    /// A transaction holds the item, so the item's next state is not known yet.
    Held,
    /// The write is refused for all of these reasons.
    Refused { reasons: Vec<Reason>, moot: Moot },
}

impl Moot {
    fn of(write: &Write, item: Option<&Item>, reasons: &[Reason]) -> Self {
        let unique = write.guards.iter().filter(|guard| matches!(guard, Guard::Lacks(..))).count();
        let is_contained = |reason: &Reason| matches!(reason, Reason::Contained { .. });
        Self {
            superseded: ratchet::superseded(write, item, reasons) || embedding::superseded(write, reasons),
            contained: unique > 0 && reasons.len() == unique && reasons.iter().all(is_contained),
        }
    }
}

/// Evaluates a refusal from the item that DynamoDB returned with it, so it costs no request.
pub(crate) fn read_refusal(write: &Write, item: Option<&Item>, own_condition: bool) -> Verdict {
    let is_held = intent_conditions::is_held(write.schema, item);
    let is_done = || tombstone::is_of(write, item) && other_entity(write.schema, item).is_none();
    if write.verb == Verb::Delete && !is_held && is_done() {
        return Verdict::Applied;
    }
    read_action_refusal(write, item, own_condition)
}

/// Evaluates the refusal of an action of a transaction. If a delete finds that its tombstone already exists, this is a refusal,
/// because the other actions may not have been applied. If the write finds its own write id in the item, the whole transaction
/// was applied.
pub(crate) fn read_action_refusal(write: &Write, item: Option<&Item>, own_condition: bool) -> Verdict {
    if item.is_some_and(|item| is_own(write, item)) {
        return Verdict::Applied;
    }
    let mut reasons = reasons(write, item);
    if intent_conditions::is_awaited(write.schema, item, &reasons) {
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

/// Returns `true` if the item has the write id of this write: an earlier attempt, whose answer was lost, has been applied.
pub(crate) fn is_own(write: &Write, item: &Item) -> bool {
    let own = write.schema.write_id.as_ref().zip(write.write_id.as_deref());
    own.is_some_and(|(write_id, name)| write_id.is_own(name, item))
}

/// Returns the reason against a write if the item is marked as another entity's.
pub(crate) fn other_entity(schema: &Schema, item: Option<&Item>) -> Option<Reason> {
    schema.entity_type.as_ref()?.other(item?)
}

/// Returns the rules' reasons against a write, given the stored item.
pub(crate) fn reasons(write: &Write, item: Option<&Item>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    // The other entity's item can have attributes with the same names, which mean something else.
    if let Some(other) = other_entity(write.schema, item) {
        presence::Presence.refused(write, item, &mut reasons);
        reasons.push(other);
        if write.dedup.has_row {
            reasons.push(Reason::Duplicate);
        }
        return reasons;
    }
    each_rule(write.schema, |rule| rule.refused(write, item, &mut reasons));
    reasons
}

/// Returns the expectation with which a create that was refused by this item is sent again: if the item counts as absent, the
/// numbering continues after its version; if there is no item any more, the numbering continues after the last version.
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
