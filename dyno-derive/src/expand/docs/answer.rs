//! The answers to a write: the reasons of a refusal, a lost answer, and the cost.

use super::condition::Verb;
use super::names::list;
use crate::model::{Entity, Mode};

/// Returns a paragraph about the answers to a write.
pub(super) fn answers(entity: &Entity, verb: Verb) -> String {
    if verb == Verb::Check {
        let reasons = list(reasons(entity, verb), "or");
        return format!(
            "Otherwise the transaction is refused, with {reasons}. Costs 2 write units per KB of the item."
        );
    }
    let texts = [refusal(entity, verb), lost(entity, verb), cost(entity, verb)];
    let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    texts.join(" ")
}

/// Says what a refusal is, with its most important reasons.
fn refusal(entity: &Entity, verb: Verb) -> String {
    let reasons = reasons(entity, verb);
    if reasons.is_empty() {
        return String::new();
    }
    // DynamoDB returns the item that refused, which may be another item's guard.
    let item = if claims(entity, verb) || reasons == ["Missing"] { "" } else { " with the stored item" };
    let reasons = list(reasons, "or");
    format!("A refusal ({reasons}) is an `Outcome`{item}, not an error.")
}

/// Returns the reasons with which the rules of an entity refuse a write.
fn reasons(entity: &Entity, verb: Verb) -> Vec<&'static str> {
    let mut reasons = Vec::new();
    let needs_item = matches!(verb, Verb::Replace | Verb::Update | Verb::UpdateGroup(_) | Verb::Check);
    let is_put = matches!(verb, Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete);
    let orders = is_put || verb == Verb::Delete;
    let has = |reason, is_given: bool| is_given.then_some(reason);
    let can_create = verb == Verb::Create || verb == Verb::Put && entity.version.is_some();
    reasons.extend(has("Exists", can_create));
    reasons.extend(has("NotDeleted", verb == Verb::Undelete));
    reasons.extend(has("Missing", needs_item));
    reasons.extend(has("Deleted", needs_item && entity.tombstone.is_some()));
    reasons.extend(has("Expired", needs_item && entity.ttl_field.is_some()));
    reasons.extend(has("Changed", verb == Verb::Purge));
    reasons
        .extend(has("Conflict", entity.version.is_some() && !matches!(verb, Verb::Create | Verb::Purge | Verb::Check)));
    let is_ratcheted = orders && !entity.ratchets.is_empty() || matches!(verb, Verb::UpdateGroup(_));
    reasons.extend(has("Stale", is_ratcheted));
    reasons.extend(has("Fenced", orders && entity.fence.is_some()));
    let is_update = matches!(verb, Verb::Update | Verb::UpdateGroup(_));
    reasons.extend(has("Duplicate", is_update && entity.idempotency.is_some()));
    let keeps = matches!(verb, Verb::Put | Verb::Replace) && entity.immutable().next().is_some();
    reasons.extend(has("Immutable", keeps));
    reasons.extend(has("Taken", claims(entity, verb)));
    reasons
}

/// Returns whether a write can claim unique values.
pub(super) fn claims(entity: &Entity, verb: Verb) -> bool {
    let stores = matches!(verb, Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete | Verb::Update);
    stores && !entity.unique.is_empty()
}

/// Says what `send` reports if an answer is lost.
fn lost(entity: &Entity, verb: Verb) -> String {
    let is_strict = match verb {
        Verb::UpdateGroup(index) => entity.ratchets[index].strict,
        _ => entity.ratchets.iter().any(|ratchet| ratchet.strict),
    };
    let is_ratcheted = !entity.ratchets.is_empty();
    let starts = matches!(verb, Verb::Create | Verb::Undelete);
    if verb == Verb::Update && entity.version.is_none() {
        let without_key = if entity.idempotency.is_some() { " without an idempotency key" } else { "" };
        return format!(
            "If the answer is lost, the request is sent again, unless it could change the item twice (`add`{without_key}). If `send` \
             cannot find out whether it was applied, it returns an error for which `may_be_applied()` is true."
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
        Some(_) => " and a second attempt is refused, the error is `OutcomeUnknown`.",
        None if is_ratcheted && (is_strict || starts) => {
            ", a second attempt can be refused because the first one was applied. The stored token is then its own, and `accept_stale()` \
             accepts that."
        }
        None if is_ratcheted => {
            ", the request is sent again, and the write is reported as applied unless a newer one came in between (`Stale`)."
        }
        None if entity.fence.is_some() && !starts => {
            ", the request is sent again, and the write is reported as applied unless a later lock holder wrote in between (`Fenced`)."
        }
        None if is_unconditional(entity, verb) && !claims(entity, verb) => {
            ", the request is sent again, also over a write that came in between."
        }
        None => " and a second attempt is refused, `send` returns an error for which `may_be_applied()` is true.",
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
        text.push_str(", and 1 or 2 per KB for each index that changes");
    }
    text + "."
}
