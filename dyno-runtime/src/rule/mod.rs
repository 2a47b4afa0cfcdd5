//! The rules of an entity and their composition: the only place where a write gets its conditions.
//!
//! Every rule may contribute to every write
//! - what makes an item count as absent although a row is there (`dead`),
//! - a condition, joined with those of the others by AND (`condition`), and one that a write gets only where it has a
//!   condition anyway (`demanded`),
//! - attributes to write (`assign`),
//! - and its reading of a refusal: whether it was the one that refused.
//!
//! `write` turns the result into a request. A write that bypasses this module is a defect.

pub(crate) mod alias;
mod changes;
mod entity_type;
mod history;
mod idempotency;
mod image;
mod key_row;
mod phases;
mod presence;
mod ratchet;
mod reason;
mod schema_version;
mod tombstone;
mod ttl;
mod version;

pub(crate) use history::{RawRevision, new_row, same_row};
pub(crate) use idempotency::Phase;
pub(crate) use image::Image;
pub(crate) use key_row::{KEY_ROW_ID, KEY_TABLE_KEYS, KEY_TABLE_TTL, key_row};
pub(crate) use phases::Phases;
pub(crate) use ratchet::set_tokens;
pub use ratchet::{GroupToken, Tied, Tokens, inspect, respell, shape};
pub use reason::Reason;
pub(crate) use reason::Refused;
pub(crate) use ttl::has_passed;
pub(crate) use version::{Expected, Step, number_on};

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::expression::{Action, Guard, Node, Path};
use crate::schema::{Idempotency, Schema, Token};
use aws_sdk_dynamodb::primitives::Blob;
use std::sync::Arc;

/// What a write does, seen from its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Writes the item, whatever is there.
    Put,
    /// Writes the item where no live item is.
    Create,
    /// Writes the item over a live one.
    Replace,
    /// Writes the item over a tombstone.
    Undelete,
    /// Changes some attributes of a live item; with `upsert` of an absent one too.
    Update { upsert: bool },
    /// Changes a live item from what was read to what it is to be.
    Rewrite,
    /// Gives an item, dead or alive, another version, and changes nothing else.
    Renumber,
    /// Writes a tombstone, or removes the item where the entity has none.
    Delete,
    /// Removes a tombstone.
    Purge,
    /// Writes nothing: demands a live item, or that there is none.
    Check { absent: bool },
}

impl Verb {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Undelete => "undelete",
            Self::Update { .. } => "update",
            // Of an entity with a version, it says itself whether it is a `modify`.
            Self::Rewrite => "modify_each",
            Self::Renumber => "repair",
            Self::Delete => "delete",
            Self::Purge => "purge",
            Self::Check { .. } => "check",
        }
    }
}

/// All that the rules are told about one write. Fixed before the first attempt: retries send the same.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) schema: &'static Schema,
    pub(crate) verb: Verb,
    pub(crate) now: EpochMillis,
    /// The token for each ratchet of the schema; `None` where the write leaves its group alone.
    pub(crate) tokens: Vec<Option<Token>>,
    /// The tombstone to be purged, as it was read.
    pub(crate) tombstone: Option<Item>,
    /// What is to be unchanged since it was read.
    pub(crate) image: Option<Arc<Image>>,
    /// What it expects of the version, and makes of it.
    pub(crate) step: Option<Step>,
    /// What its changes demand.
    pub(crate) guards: Vec<Guard>,
    /// What is kept of its idempotency key.
    pub(crate) key: Option<Blob>,
    /// Whether the key has a row already, which the item does not tell.
    pub(crate) is_known: bool,
    /// What the keys in the item are taken to be like.
    pub(crate) phase: Phase,
}

impl Write {
    /// What the write expects of the version.
    pub(crate) fn expected(&self) -> Option<Expected> {
        self.step.as_ref().map(|step| step.expected)
    }

    /// The version that the write stores; of an unchecked one, only DynamoDB knows.
    pub(crate) fn next(&self) -> Option<u64> {
        self.expected().and_then(Expected::next)
    }
}

/// What a rule contributes. Each default says: nothing.
trait Rule {
    /// The condition under which an item counts as absent.
    fn dead(&self, _now: EpochMillis) -> Option<Node> {
        None
    }

    /// Whether an item counts as absent, and why.
    fn is_dead(&self, _now: EpochMillis, _item: &Item) -> Option<Reason> {
        None
    }

    /// What the write demands of the item that is there.
    fn condition(&self, _write: &Write) -> Option<Node> {
        None
    }

    /// What the write demands besides, if it has a condition anyway: given the terms so far, and whether the caller's own
    /// condition is to join them.
    fn demanded(&self, _write: &Write, _others: &[Node], _own: bool) -> Option<Node> {
        None
    }

    /// What the write adds to the item or to the update.
    fn assign(&self, _write: &Write, _assign: &mut dyn FnMut(Path, Action)) {}

    /// Given the item that was there when the write was refused: the reasons this rule had.
    fn refused(&self, _write: &Write, _item: Option<&Item>, _reasons: &mut Vec<Reason>) {}
}

/// The rules of an entity, in the order in which their conditions are written.
fn rules(schema: &'static Schema) -> impl Iterator<Item = &'static dyn Rule> {
    let presence: &dyn Rule = &presence::Presence;
    std::iter::once(presence)
        .chain(schema.schema_version.iter().map(|version| version as &dyn Rule))
        .chain(schema.version.iter().map(|version| version as &dyn Rule))
        .chain(schema.ratchets.iter().map(|ratchet| ratchet as &dyn Rule))
        .chain(schema.tombstone.iter().map(|tombstone| tombstone as &dyn Rule))
        .chain(schema.ttl.iter().map(|ttl| ttl as &dyn Rule))
        .chain(schema.entity_type.iter().map(|entity_type| entity_type as &dyn Rule))
        .chain(schema.idempotency.iter().map(|idempotency| idempotency as &dyn Rule))
        .chain([&changes::Changes as &dyn Rule, &image::Unchanged])
}

/// The condition of a write: all of its rules' conditions, and the caller's own.
pub(crate) fn condition(write: &Write, own: Option<Node>) -> Option<Node> {
    let mut terms = Vec::new();
    let join = |terms: &mut Vec<Node>, term| match term {
        Node::And(inner) => terms.extend(inner),
        term => terms.push(term),
    };
    for term in rules(write.schema).filter_map(|rule| rule.condition(write)) {
        join(&mut terms, term);
    }
    for rule in rules(write.schema) {
        terms.extend(rule.demanded(write, &terms, own.is_some()));
    }
    if let Some(own) = own {
        join(&mut terms, alias::seen(write.schema, own));
    }
    Node::all(terms)
}

/// What the rules add to the write.
pub(crate) fn assign(write: &Write, mut assign: impl FnMut(Path, Action)) {
    for rule in rules(write.schema) {
        rule.assign(write, &mut assign);
    }
}

/// Gives an item what the rules add to the write. What they do besides is of the item that is there, which this one is not.
pub(crate) fn assign_to(write: &Write, item: &mut Item) {
    assign(write, |path, action| {
        if let Action::Set(value) = action {
            item.insert(path.name().to_owned(), value);
        }
    });
}

/// How a write that DynamoDB refused ended.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The item is as the write wanted it.
    Applied,
    /// Nothing is against it, but the keys in the item are in this phase.
    InPhase(Phase),
    /// These reasons, all of them.
    Refused { reasons: Vec<Reason>, moot: Moot },
}

/// Whether a write that was refused need not be made any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moot {
    /// It is old news.
    pub(crate) superseded: bool,
    /// Each element that it was to put into a list that lacks it is there, and nothing else is against it.
    pub(crate) contained: bool,
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
    if write.verb == Verb::Delete && tombstone::is_of(write, item) && other_entity(write.schema, item).is_none() {
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
    let write_id = write.step.as_ref().and_then(|step| step.write_id.as_deref());
    write.schema.version.as_ref().is_some_and(|version| version.is_own(write_id, item))
}

/// Gives an item that supersedes another its idempotency keys, which the entity does not know.
pub(crate) fn keep_keys(schema: &Schema, superseded: Option<&Item>, item: &mut Item) {
    let names = schema.idempotency.iter().flat_map(Idempotency::attributes);
    for (name, superseded) in names.zip(std::iter::repeat(superseded)) {
        if let Some(keys) = superseded.and_then(|superseded| superseded.get(*name)) {
            item.insert((*name).to_owned(), keys.clone());
        }
    }
}

/// Whether an item is the tombstone of a deleted one.
pub(crate) fn is_tombstone(schema: &Schema, item: &Item) -> bool {
    schema.tombstone.as_ref().is_some_and(|tombstone| tombstone.is_flagged(item))
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
    for rule in rules(write.schema) {
        rule.refused(write, item, &mut reasons);
    }
    reasons
}

/// The attributes by which a reader knows whether an item is live, the entity's, and of its shape: a projection brings them
/// along.
pub(crate) fn attributes_of_readers(schema: &'static Schema) -> impl Iterator<Item = &'static str> {
    let tombstone = schema.tombstone.iter().map(|tombstone| tombstone.deleted);
    let marks = schema.entity_type.iter().map(|entity_type| entity_type.attribute);
    let versions = schema.schema_version.iter().map(|version| version.attribute);
    marks.chain(versions).chain(tombstone).chain(schema.ttl.iter().map(|ttl| ttl.attribute))
}

/// The conditions under which an item counts as absent although a row is there.
pub(crate) fn dead(schema: &'static Schema, now: EpochMillis) -> impl Iterator<Item = Node> {
    rules(schema).filter_map(move |rule| rule.dead(now))
}

/// Why an item counts as absent, if it does: what [`dead`] says, for an item in hand.
pub(crate) fn is_dead(schema: &'static Schema, now: EpochMillis, item: &Item) -> Option<Reason> {
    rules(schema).find_map(|rule| rule.is_dead(now, item))
}
