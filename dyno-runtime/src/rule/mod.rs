//! The rules of an entity and their composition: the only place where a command's write gets its conditions.
//!
//! Every rule may contribute to every write
//! - a condition (`condition`), which is joined with those of the other rules by AND, and one that is added only if the write has
//!   a condition anyway (`demanded`),
//! - attributes to write (`assign`),
//! - and its reasons, if DynamoDB refused the write (`refused`).
//!
//! `liveness` decides whether an item counts as absent although there is a row.
//!
//! The room `write` turns the result into a request. A write of an entity that bypasses this module is a defect. The requests of
//! intents and lane rows have conditions of their own, in `transaction::record`.

pub(crate) mod alias;
mod buckets;
mod change_guards;
mod created_updated;
mod embedding;
mod entity_type;
mod fence;
mod history;
mod idempotency;
mod idempotency_row;
mod identity;
mod immutable;
mod intent_conditions;
mod lasting_refusal;
mod liveness;
mod presence;
mod ratchet;
mod read_image;
mod reason;
mod reason_names;
mod refusal;
mod refused;
mod schema_version;
mod tombstone;
mod ttl;
mod unchanged;
mod unique;
mod version;
mod write;

pub(crate) use created_updated::times;
pub(crate) use embedding::{check_embeddings, embedding_changes, stores_vectors_only};
pub use fence::IntoFence;
pub(crate) use history::{RawRevision, new_row, same_row};
pub(crate) use idempotency_row::key_row;
#[cfg(feature = "transactions")]
pub(crate) use identity::identity;
pub(crate) use identity::{is_counted, is_of_one_write};
pub(crate) use immutable::{is_absent, keep_immutable, kept_values};
#[cfg(feature = "transactions")]
pub(crate) use intent_conditions::as_it_was;
pub(crate) use intent_conditions::{committed, is_awaited, is_held, no_placeholder};
pub(crate) use lasting_refusal::{LATEST_SECS, lasts};
pub(crate) use liveness::{State, dead, state};
pub(crate) use ratchet::set_tokens;
pub use ratchet::{GroupToken, IntoTokens, NoTokens, Tied, Tokens, inspect, respell, shape};
pub(crate) use read_image::Image;
pub use reason::Reason;
pub(crate) use refusal::{Verdict, is_own, number_on, other_entity, read_action_refusal, read_refusal, reasons};
pub(crate) use refused::{Moot, Refused};
#[cfg(feature = "inspection")]
pub(crate) use tombstone::tombstone_attributes;
#[cfg(feature = "transactions")]
pub(crate) use ttl::days_from;
pub(crate) use ttl::has_passed;
pub use unique::HolderKey;
pub(crate) use unique::{Claim, canonical, holder, is_claimable, is_of_another, present, unique_values_of};
#[cfg(feature = "bulk")]
pub(crate) use unique::{guard_key, is_guard_of, is_held_by};
use write::Rule;
pub(crate) use write::{Dedup, Expected, Kept, Phase, Verb, Write};

use crate::attribute::{Item, Value as _};
use crate::expression::{Action, Node, Path};
use crate::schema::Schema;
use aws_sdk_dynamodb::types::AttributeValue;

/// Calls `each` for the rules of an entity, in the order in which their conditions are written.
fn each_rule(schema: &'static Schema, mut each: impl FnMut(&'static dyn Rule)) {
    each(&presence::Presence);
    schema.schema_version.iter().for_each(|version| each(version));
    schema.version.iter().for_each(|version| each(version));
    schema.write_id.iter().for_each(|write_id| each(write_id));
    schema.ratchets.iter().for_each(|ratchet| each(ratchet));
    schema.fence.iter().for_each(|fence| each(fence));
    (!schema.immutable.is_empty()).then(|| each(&immutable::Immutable));
    (schema.created.is_some() || schema.updated.is_some()).then(|| each(&created_updated::Times));
    schema.tombstone.iter().for_each(|tombstone| each(tombstone));
    schema.is_transactional.then(|| each(&intent_conditions::Intent));
    schema.entity_type.iter().for_each(|entity_type| each(entity_type));
    schema.idempotency.iter().for_each(|idempotency| each(idempotency));
    each(&change_guards::Changes);
    each(&unchanged::Unchanged);
}

/// Returns the condition of a write: the conditions of all rules, and the caller's own.
pub(crate) fn condition(write: &Write, own: Option<Node>) -> Option<Node> {
    let mut terms = Vec::new();
    each_rule(write.schema, |rule| rule.condition(write).into_iter().for_each(|term| term.push_onto(&mut terms)));
    each_rule(write.schema, |rule| terms.extend(rule.demanded(write, &terms, own.is_some())));
    if let Some(own) = own {
        alias::seen(write.schema, own).push_onto(&mut terms);
    }
    Node::all(terms)
}

/// Calls `assign` for each attribute or change that the rules add to the write.
pub(crate) fn assign(write: &Write, mut assign: impl FnMut(Path, Action)) {
    each_rule(write.schema, |rule| rule.assign(write, &mut assign));
}

/// Adds the rules' attributes to a new item. Skips actions other than `Set`, which change a stored item.
pub(crate) fn assign_to(write: &Write, item: &mut Item) {
    assign(write, |path, action| {
        if let Action::Set(value) = action {
            item.insert(path.name().to_owned(), value);
        }
    });
}

/// Returns `true` if an item is a tombstone.
pub(crate) fn is_tombstone(schema: &Schema, item: &Item) -> bool {
    schema.tombstone.as_ref().is_some_and(|tombstone| tombstone.is_flagged(item))
}

/// Returns the stored form of a version or a fence.
fn number(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// Returns the version or the fence in an attribute: 0 if the item has none, `None` if the attribute has another value.
fn number_in(attribute: &str, item: &Item) -> Option<u64> {
    item.get(attribute).map_or(Some(0), |stored| u64::decode(stored.into()).ok())
}
