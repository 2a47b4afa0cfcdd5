//! The answers to a write: the reasons of a refusal, a lost answer, and the cost.

use super::condition::{Verb, compared};
use super::names::{either, list};
use crate::model::{Entity, Mode, Ratchet};
use std::fmt;

/// Says where the reasons are that only rows of other programs and rare races have.
pub(super) const RARER: &str = "`Reason` lists rarer reasons.";

/// Returns the paragraphs about the answers to a write.
pub(super) fn answers(entity: &Entity, verb: Verb) -> Vec<String> {
    let reasons = reasons(entity, verb);
    if verb == Verb::Check {
        let refused = format!("If the condition does not hold, the transaction is refused: {}.", listed(&reasons));
        return vec![refused, "Costs 2 write units per KB of the item.".to_owned()];
    }
    // DynamoDB returns the item that refused, which may be another item's guard.
    let has_item = !claims(entity, verb) && !matches!(reasons[..], [Reason { name: "Missing", .. }]);
    let item = if has_item { " with the stored item" } else { "" };
    let refusal = (!reasons.is_empty())
        .then(|| format!("A refusal is an `Outcome`{item}, not an error: {}. {RARER}", listed(&reasons)));
    refusal.into_iter().chain([lost(entity, verb), cost(entity, verb)]).collect()
}

/// A reason of a refusal, and what it says about the stored item.
struct Reason {
    name: &'static str,
    stored: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", self.name, self.stored)
    }
}

/// Returns reasons with their meaning, joined by "or".
fn listed(reasons: &[Reason]) -> String {
    either(&reasons.iter().map(Reason::to_string).collect::<Vec<_>>())
}

/// Returns those reasons of an update that have these names, with their meaning.
pub(super) fn of_an_update(entity: &Entity, names: &[&str]) -> Vec<String> {
    let reasons = reasons(entity, Verb::Update).into_iter().filter(|reason| names.contains(&reason.name));
    reasons.map(|reason| reason.to_string()).collect()
}

/// Returns the reasons with which the rules of an entity refuse a write.
fn reasons(entity: &Entity, verb: Verb) -> Vec<Reason> {
    let needs_item = matches!(verb, Verb::Replace | Verb::Update | Verb::UpdateGroup(_) | Verb::Check);
    let is_put = matches!(verb, Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete);
    let is_update = matches!(verb, Verb::Update | Verb::UpdateGroup(_));
    let orders = is_put || verb == Verb::Delete;
    let can_create = verb == Verb::Create || verb == Verb::Put && entity.version.is_some();
    let is_ratcheted = compared(entity, verb).next().is_some();
    let name = |field: usize| &entity.fields[field].name;
    let mut reasons = Vec::new();
    let mut add = |is_given: bool, name, stored: &str| {
        if is_given {
            reasons.push(Reason { name, stored: stored.to_owned() });
        }
    };
    add(can_create, "Exists", "a live item is stored");
    add(verb == Verb::Undelete, "NotDeleted", "a live item is stored");
    add(needs_item, "Missing", "no item is stored");
    add(verb == Verb::Undelete, "Missing", "the tombstone is gone: use `create`");
    add(needs_item && entity.tombstone.is_some(), "Deleted", "a tombstone is stored");
    let is_versioned_delete = verb == Verb::Delete && entity.version.is_some();
    add(is_versioned_delete && entity.tombstone.is_some(), "Deleted", "it is deleted already");
    let needs_live = needs_item || entity.version.is_some() && matches!(verb, Verb::Put | Verb::Delete);
    add(needs_live && entity.ttl_field.is_some(), "Expired", "the item is past its TTL");
    add(verb == Verb::Purge, "Changed", "another item or tombstone is stored");
    if let Some(version) = &entity.version {
        let is_compared = !matches!(verb, Verb::Create | Verb::Purge | Verb::Check);
        let or_none = if needs_item || verb == Verb::Undelete { "" } else { ", or no item" };
        add(is_compared, "Conflict", &format!("another `{}` is stored{or_none}", name(version.field)));
    }
    add(is_ratcheted, "Stale", &stale(entity, verb));
    if let Some(fence) = entity.fence {
        add(orders, "Fenced", &format!("a greater `{}` is stored", name(fence)));
        add(is_update, "Fenced", &format!("with `.fenced(&held)`: a greater `{}` is stored", name(fence)));
    }
    let is_keyed = is_update && entity.idempotency.is_some();
    add(is_keyed, "Duplicate", "an update with this idempotency key was applied before");
    let immutable = list(entity.immutable().map(|field| &field.name), "or");
    let keeps = matches!(verb, Verb::Put | Verb::Replace) && !immutable.is_empty();
    add(keeps, "Immutable", &format!("another {immutable} is stored"));
    let unique = list(entity.unique.iter().map(|unique| &*unique.name), "or");
    add(claims(entity, verb), "Taken", &format!("another live item has the {unique}"));
    reasons
}

/// Says which stored tokens refuse a write.
fn stale(entity: &Entity, verb: Verb) -> String {
    let newer = |ratchet: &Ratchet| {
        let newer = if ratchet.strict || verb == Verb::Undelete { "the same or a newer" } else { "a newer" };
        format!("{newer} `{}`", entity.fields[ratchet.field].name)
    };
    let tokens = either(&compared(entity, verb).map(newer).collect::<Vec<_>>());
    let is_strict = entity.ratchets.iter().any(|ratchet| ratchet.strict);
    let is_one = entity.ratchets.iter().flat_map(Ratchet::tokens).count() == 1;
    let (same, newer) = if is_one { ("the same one", "a newer one") } else { ("the same ones", "newer ones") };
    match verb {
        _ if entity.tombstone.is_none() => format!("{tokens} is stored"),
        Verb::Put | Verb::Create if !is_strict => format!("{tokens} is stored, or a tombstone with {same}"),
        // A tombstone with the same tokens is the delete's own.
        Verb::Delete if is_strict => format!("{tokens} is stored, or a tombstone with {newer}"),
        Verb::Put | Verb::Create | Verb::Delete => format!("{tokens} is stored, in an item or a tombstone"),
        _ => format!("{tokens} is stored"),
    }
}

/// Returns whether a write can claim unique values.
pub(super) fn claims(entity: &Entity, verb: Verb) -> bool {
    let stores = matches!(verb, Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete | Verb::Update);
    stores && !entity.unique.is_empty()
}

/// Says what `send` reports if an answer is lost.
fn lost(entity: &Entity, verb: Verb) -> String {
    let is_strict = compared(entity, verb).any(|ratchet| ratchet.strict) && verb != Verb::Delete;
    let is_ratcheted = !entity.ratchets.is_empty();
    let starts = matches!(verb, Verb::Create | Verb::Undelete);
    if is_ratcheted && entity.version.is_none() && !is_strict && !starts && verb != Verb::Purge {
        return lost_of_a_ratchet(entity, verb);
    }
    if verb == Verb::Update && entity.version.is_none() {
        let without_key = if entity.idempotency.is_some() { " without an idempotency key" } else { "" };
        let again = if entity.idempotency.is_some() { ", or send it again with the same key" } else { "" };
        return format!(
            "If the answer is lost, the request is sent again, unless it could change the item twice (`add`{without_key}). If `send` \
             cannot find out whether it was applied, it returns an error for which `may_be_applied()` is true: load the item and decide{again}."
        );
    }
    let text = match &entity.version {
        _ if verb == Verb::Purge => ", the request is sent again, and succeeds if the tombstone no longer exists.",
        Some(_) if verb == Verb::Delete && entity.tombstone.is_none() && entity.history.is_none() => {
            " and the item is gone, nothing shows who deleted it: the error is `OutcomeUnknown`."
        }
        Some(version) if version.write_id.is_some() => {
            ", `send` finds out by the item's write id whether the write was applied. If another writer has changed the item since, the error \
             can be `OutcomeUnknown`: load the item and decide."
        }
        Some(_) => {
            ", the request is sent again. If that is refused, the error is `OutcomeUnknown`: load the item and decide."
        }
        None if is_ratcheted && (is_strict || starts) => {
            ", the request is sent again, and can be refused because the first attempt was applied: the stored item is then your own. \
             `accept_stale()` on the outcome returns `Ok(None)` for it, and for a newer one."
        }
        None if entity.fence.is_some() && !starts => {
            ", the request is sent again. If it is refused then, it may have been applied before the write of the later lock holder."
        }
        None if is_unconditional(entity, verb) && !claims(entity, verb) => {
            ", the request is sent again, and a write that came in between is lost."
        }
        None => {
            ", the request is sent again. If that is refused, `send` returns an error for which `may_be_applied()` is true: load the item and \
             decide."
        }
    };
    let unchecked = if verb == Verb::Update && entity.version.is_some() {
        " With `.unchecked()`, `send` cannot find out, and returns an error for which `may_be_applied()` is true."
    } else {
        ""
    };
    format!("If the answer is lost{text}{unchecked}")
}

/// Says what `send` reports if the answer to a write is lost that passes over its own first attempt.
fn lost_of_a_ratchet(entity: &Entity, verb: Verb) -> String {
    let (by_order, others): (Vec<_>, Vec<_>) =
        reasons(entity, verb).into_iter().partition(|reason| matches!(reason.name, "Stale" | "Fenced"));
    let by_order = list(by_order.iter().map(|reason| reason.name), "or");
    let otherwise = if others.is_empty() {
        ""
    } else {
        " If another rule refuses it, `send` returns an error for which `may_be_applied()` is true."
    };
    format!(
        "If the answer is lost, the request is sent again. If it is refused then ({by_order}), it may have been applied before the newer \
         write, which stands.{otherwise}"
    )
}

/// Returns whether a put or delete has no condition.
fn is_unconditional(entity: &Entity, verb: Verb) -> bool {
    super::condition::condition(entity, verb, super::condition::Expected::Loaded).is_none()
}

/// Says how many write units a write costs.
fn cost(entity: &Entity, verb: Verb) -> String {
    let history = entity.history.as_ref().filter(|_| verb != Verb::Purge);
    let is_ordered = history.is_some_and(|history| *history.mode == Mode::Ordered);
    // A create with an ordered history is a transaction, too.
    let is_atomic = history.is_some() && (!is_ordered || verb == Verb::Create);
    let claims = claims(entity, verb);
    let is_update = verb == Verb::Update;
    let units = if is_atomic || claims && !is_update { "2 write units" } else { "1 write unit" };
    let mut text = format!("Costs {units} per KB of the item");
    if history.is_some() {
        text.push_str(" and of its revision");
        text.push_str(if is_ordered && verb == Verb::Put { ", or 2 at version 0" } else { "" });
    }
    if claims {
        text.push_str(if is_update {
            ", or 2 if it sets a unique value, and 2 for each such value"
        } else {
            ", and 2 for each unique value"
        });
    }
    if history.is_none() && (claims || !is_unconditional(entity, verb)) {
        text.push_str(", also if it is refused");
    }
    if !entity.indexes.is_empty() && verb != Verb::Purge {
        text.push_str(", and 1 or 2 per KB for each index whose entry changes");
    }
    text + "."
}
