//! The answers to a write: the reasons of a refusal, a lost answer, and the cost.

use super::condition::Verb;
use super::names::{either, list};
use crate::model::{Entity, Mode, Ratchet};

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

/// Returns reasons with their meaning, joined by "or".
fn listed(reasons: &[Reason]) -> String {
    let texts: Vec<String> = reasons.iter().map(|reason| format!("`{}` ({})", reason.name, reason.stored)).collect();
    either(&texts)
}

/// Returns the reasons with which the rules of an entity refuse a write.
fn reasons(entity: &Entity, verb: Verb) -> Vec<Reason> {
    let needs_item = matches!(verb, Verb::Replace | Verb::Update | Verb::UpdateGroup(_) | Verb::Check);
    let is_put = matches!(verb, Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete);
    let is_update = matches!(verb, Verb::Update | Verb::UpdateGroup(_));
    let orders = is_put || verb == Verb::Delete;
    let can_create = verb == Verb::Create || verb == Verb::Put && entity.version.is_some();
    let is_ratcheted = orders && !entity.ratchets.is_empty() || matches!(verb, Verb::UpdateGroup(_));
    let is_strict = ratchets(entity, verb).any(|ratchet| ratchet.strict);
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
    add(needs_item && entity.ttl_field.is_some(), "Expired", "the item is past its TTL");
    add(verb == Verb::Purge, "Changed", "another item or tombstone is stored");
    if let Some(version) = &entity.version {
        let is_compared = !matches!(verb, Verb::Create | Verb::Purge | Verb::Check);
        let or_none = if needs_item || verb == Verb::Undelete { "" } else { ", or no item" };
        add(is_compared, "Conflict", &format!("another `{}` is stored{or_none}", name(version.field)));
    }
    let tokens = list(ratchets(entity, verb).map(|ratchet| name(ratchet.field)), "or");
    let newer = if is_strict || verb == Verb::Undelete { "the same or a newer" } else { "a newer" };
    let meets_tombstones = matches!(verb, Verb::Put | Verb::Create | Verb::Delete) && entity.tombstone.is_some();
    let of = if meets_tombstones { ", in an item or a tombstone" } else { "" };
    let is_kept = meets_tombstones && !is_strict && verb != Verb::Delete;
    let of = match entity.ratchets.iter().flat_map(Ratchet::tokens).count() {
        _ if !is_kept => of,
        1 => ", or a tombstone with the same one",
        _ => ", or a tombstone with the same ones",
    };
    add(is_ratcheted, "Stale", &format!("{newer} {tokens} is stored{of}"));
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

/// Returns the ratchets that a write compares.
fn ratchets(entity: &Entity, verb: Verb) -> impl Iterator<Item = &Ratchet> {
    let compares = move |index| !matches!(verb, Verb::UpdateGroup(group) if group != index);
    entity.ratchets.iter().enumerate().filter(move |(index, _)| compares(*index)).map(|(_, ratchet)| ratchet)
}

/// Returns whether a write can claim unique values.
pub(super) fn claims(entity: &Entity, verb: Verb) -> bool {
    let stores = matches!(verb, Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete | Verb::Update);
    stores && !entity.unique.is_empty()
}

/// Says what `send` reports if an answer is lost.
fn lost(entity: &Entity, verb: Verb) -> String {
    let is_strict = ratchets(entity, verb).any(|ratchet| ratchet.strict);
    let is_ratcheted = !entity.ratchets.is_empty();
    let starts = matches!(verb, Verb::Create | Verb::Undelete);
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
        None if is_ratcheted => {
            ", the request is sent again. If it is refused then, it may have been applied before the newer write, which stands: there is nothing to send again."
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
    format!("If the answer is lost{text}")
}

/// Returns whether a put or delete has no condition.
fn is_unconditional(entity: &Entity, verb: Verb) -> bool {
    super::condition::condition(entity, verb, super::condition::Expected::Loaded).is_none()
}

/// Says how many write units a write costs.
fn cost(entity: &Entity, verb: Verb) -> String {
    let history = entity.history.as_ref().filter(|_| verb != Verb::Purge);
    let is_atomic = history.is_some_and(|history| *history.mode == Mode::Atomic);
    let claims = claims(entity, verb);
    let is_update = verb == Verb::Update;
    let units = if is_atomic || claims && !is_update { "2 write units" } else { "1 write unit" };
    let mut text = format!("Costs {units} per KB of the item");
    if history.is_some() {
        text.push_str(" and of its revision");
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
