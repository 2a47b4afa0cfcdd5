//! The effect of a write, in a sentence.

use super::condition::Verb;
use crate::model::Entity;

/// Added to the summary of a tombstone if no rule can tell an older write from a newer one.
const NO_ORDER: &str = " It keeps no write out: without a ratchet or a version nothing tells which write is older, so a write \
     that arrives late brings the item back.";

/// Added to the summary of a tombstone if the fence is the only order.
const NO_ORDER_OF_A_FENCE: &str = " It keeps lesser fences out; of the writes of one fence nothing tells which is older, so one \
     that arrives late brings the item back.";

pub(super) fn write(entity: &Entity, verb: Verb) -> String {
    let mut summary = effect(entity, verb);
    let immutable: Vec<String> = entity.immutable().map(|field| format!("`{}`", field.name)).collect();
    if matches!(verb, Verb::Put | Verb::Replace) && !immutable.is_empty() {
        summary = format!("{summary} A live item keeps its values of {}.", immutable.join(", "));
        if entity.immutable().any(|field| !field.aliases.is_empty()) {
            summary.push_str(" The condition looks for them under their aliases, too.");
        }
    }
    summary
}

fn effect(entity: &Entity, verb: Verb) -> String {
    let is_versioned = entity.version.is_some();
    let not_older = match (entity.ratchets.is_empty(), entity.fence) {
        (true, None) => "",
        (false, None) => ", if it is not older than what is there",
        (true, Some(_)) => ", unless one of a greater fence is there",
        (false, Some(_)) => ", if it is neither older nor of a lesser fence than what is there",
    };
    match verb {
        Verb::Put if is_versioned => {
            "Writes the item over the version it was loaded as; with version 0, where there is none.".to_owned()
        }
        Verb::Put if !not_older.is_empty() => format!("Writes the item{not_older}."),
        Verb::Put if entity.tombstone.is_some() => "Writes the item, whatever is there, a tombstone, too.".to_owned(),
        Verb::Put => "Writes the item, whatever is there.".to_owned(),
        Verb::Create => match (&entity.tombstone, entity.ttl()) {
            (Some(_), _) => "Writes the item where there is none, or a tombstone, or one past its TTL.".to_owned(),
            (None, Some(_)) => "Writes the item where there is none, or one past its TTL.".to_owned(),
            (None, None) => "Writes the item where there is none.".to_owned(),
        },
        Verb::Replace if is_versioned => "Writes the item over the version it was loaded as.".to_owned(),
        Verb::Undelete if is_versioned => "Writes the item over the tombstone of its version.".to_owned(),
        Verb::Replace if entity.ttl().is_some() => "Writes the item over a live one.".to_owned(),
        Verb::Replace => "Writes the item over the one that is there.".to_owned(),
        Verb::Undelete if entity.ratchets.is_empty() => "Writes the item over a tombstone.".to_owned(),
        Verb::Undelete => "Writes the item over an older tombstone.".to_owned(),
        Verb::Update => {
            let live = if entity.ttl().is_some() { "live item" } else { "item" };
            format!("Changes attributes of the {live} at this key: say which with `with`.")
        }
        Verb::UpdateGroup(ratchet) => {
            let ratchet = &entity.ratchets[ratchet];
            let guards = ratchet.guards.iter().map(|field| format!("`{}`", entity.fields[field.value].name));
            let guards: Vec<String> = guards.collect();
            format!(
                "Sets what `{}` guards, if it is not older: {}.",
                entity.fields[ratchet.field].name,
                guards.join(", ")
            )
        }
        Verb::Delete => match &entity.tombstone {
            None if is_versioned => "Removes the item at this key, if it is still of this version.".to_owned(),
            Some(tombstone) => {
                let days = tombstone.ttl_days;
                let days = if days == 1 { "a day".to_owned() } else { format!("{days} days") };
                let not_older = if is_versioned { ", if the item is still of this version" } else { not_older };
                let is_ordered = is_versioned || !entity.ratchets.is_empty();
                let order = match entity.fence {
                    _ if is_ordered => " It keeps older writes out.",
                    Some(_) => NO_ORDER_OF_A_FENCE,
                    None => NO_ORDER,
                };
                format!("Leaves a tombstone at this key for {days}{not_older}.{order}")
            }
            None => "Removes the item at this key.".to_owned(),
        },
        Verb::Purge => "Removes a tombstone, if it is still this one.".to_owned(),
        Verb::Check => {
            let live = if entity.ttl().is_some() { "a live item" } else { "an item" };
            format!("Demands, in a transaction, that {live} is at this key.")
        }
    }
}
