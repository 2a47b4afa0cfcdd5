//! The effect of a write: a sentence for a list of completions, and what the sentence leaves out.

use super::condition::{Verb, compared};
use super::names::{self, call, dead, item, list};
use crate::model::{Entity, Ratchet};

/// Says that a tombstone does not order writes, because the entity has no order.
const NO_ORDER: &str = ", for readers of the table's stream. A late put or create brings the item back, because without a ratchet or \
     a version, dyno cannot tell which write is older.";

/// Says that a tombstone orders the writes of different lock holders only.
const NO_ORDER_OF_A_FENCE: &str = ", which refuses puts and creates of earlier lock holders. A late put or create of the same holder \
     brings the item back, because nothing shows which of the two is older.";

/// Returns what a write does, in one sentence.
pub(super) fn effect(entity: &Entity, verb: Verb) -> String {
    let (name, item) = (&entity.container.ident, item(entity));
    let is_mortal = entity.ttl().is_some();
    let (live, one, none) = if is_mortal { ("live ", "a live one", "no live one") } else { ("", "one", "none") };
    let version = entity.version.as_ref().map(|version| &entity.fields[version.field].name);
    let unless = |stored| unless(entity, stored);
    let is_ordered = entity.is_ordered();
    match (verb, version) {
        (Verb::Put, Some(version)) => {
            format!("Writes the `{name}` if its `{version}` is still the stored one, or, at 0, if none is stored.")
        }
        (Verb::Put, None) if is_ordered => format!("Writes the `{name}`{}.", unless("the stored one")),
        (Verb::Put, None) if entity.tombstone.is_some() => {
            format!("Writes the `{name}`, and replaces a stored one or its tombstone.")
        }
        (Verb::Put, None) => format!("Writes the `{name}`, and replaces a stored one."),
        (Verb::Create, _) => format!("Creates the `{name}` if {none} is stored."),
        (Verb::Replace, Some(version)) => {
            format!("Replaces the {live}`{name}` if its `{version}` is still the stored one.")
        }
        (Verb::Replace, None) if is_ordered => format!("Replaces the {live}`{name}`{}.", unless("the stored one")),
        (Verb::Replace, None) => format!("Replaces the `{name}` if {one} is stored."),
        (Verb::Undelete, Some(version)) => {
            format!("Writes the `{name}` over its tombstone, if the tombstone has the same `{version}`.")
        }
        (Verb::Undelete, None) if entity.ratchets.is_empty() => format!("Writes the `{name}` over its tombstone."),
        (Verb::Undelete, None) => format!("Writes the `{name}` over its tombstone, if the tombstone is older."),
        (Verb::Update, _) => format!("Changes attributes of the {live}{item}."),
        (Verb::UpdateGroup(index), _) => {
            let ratchet = &entity.ratchets[index];
            let guards: Vec<usize> = ratchet.guards.iter().map(|guard| guard.value).collect();
            let (newer, token) = (newer(ratchet.strict), &entity.fields[ratchet.field].name);
            format!("Sets {}, unless the item has {newer} `{token}`.", names::fields(entity, &guards))
        }
        (Verb::Delete, Some(version)) => format!("Deletes the {item}, if it still has this `{version}`."),
        (Verb::Delete, None) => format!("Deletes the {item}{}.", unless("it")),
        (Verb::Purge, _) => "Removes this tombstone, if it is still stored unchanged.".to_owned(),
        (Verb::Check, _) => format!("Requires in a transaction that the {live}{item} exists."),
    }
}

/// Returns what the sentence leaves out: an example where a call is not obvious, what stays stored, and which of two equal tokens
/// wins.
pub(super) fn details(entity: &Entity, verb: Verb) -> Option<String> {
    let version = entity.version.as_ref().map(|version| &entity.fields[version.field].name);
    let counts = version.filter(|_| matches!(verb, Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete));
    let counted =
        counts.map(|version| format!("Stores the next `{version}`, which `applied()` of the outcome returns."));
    let texts: Vec<String> = particulars(entity, verb).into_iter().chain(counted).chain(ties(entity, verb)).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

/// Says which of two writes with the same token wins, by the tie-break or because one of them deletes.
fn ties(entity: &Entity, verb: Verb) -> Vec<String> {
    let name = |field: usize| &entity.fields[field].name;
    let broken = compared(entity, verb).filter_map(|ratchet| {
        Some(format!("At the same `{}`, the greater `{}` wins.", name(ratchet.field), name(ratchet.tiebreak()?)))
    });
    let tokens: Vec<usize> = entity.ratchets.iter().flat_map(Ratchet::tokens).collect();
    let is_mortal = !tokens.is_empty() && entity.tombstone.is_some();
    let is_strict = entity.ratchets.iter().any(|ratchet| ratchet.strict);
    let deleted = match verb {
        Verb::Put | Verb::Create if is_mortal && !is_strict => {
            Some(format!("A tombstone with the same {} refuses the write.", names::fields(entity, &tokens)))
        }
        Verb::Delete if is_mortal && entity.version.is_none() => {
            let same: Vec<usize> = tokens.into_iter().chain(entity.fence).collect();
            let same = names::fields(entity, &same);
            Some(format!("If a tombstone with the same {same} is stored, the delete counts as applied."))
        }
        _ => None,
    };
    broken.chain(deleted).collect()
}

fn particulars(entity: &Entity, verb: Verb) -> Option<String> {
    let immutable = list(entity.immutable().map(|field| &field.name), "or");
    let by_alias =
        if entity.immutable().any(|field| !field.aliases.is_empty()) { ", or under an alias of it" } else { "" };
    // A ratchet compares a create with the tombstone.
    let is_older = verb == Verb::Create && !entity.ratchets.is_empty();
    let dead = dead(entity, if is_older { "An older tombstone" } else { "A tombstone" });
    let no_item = dead.map(|dead| format!("{dead} counts as no item."));
    let version = entity.version.as_ref().map(|version| &entity.fields[version.field].name);
    Some(match verb {
        Verb::Put | Verb::Replace if !immutable.is_empty() => {
            format!("Refused if a live item has another value in {immutable}{by_alias}.")
        }
        Verb::Create if entity.is_ordered() || entity.version.is_some() => no_item?,
        Verb::Create if entity.tombstone.is_some() => {
            format!("{} So a create that arrives late brings the item back.", no_item?)
        }
        Verb::Create => no_item?,
        Verb::Undelete => format!(
            "First give it the `{}` of the tombstone, which is the next after that of the deleted item. `get(…).include_deleted()` returns \
             the tombstone.",
            version?
        ),
        Verb::Update => format!(
            "Name the changes with `with`; all other attributes stay as they are: `{}`.{}",
            names::update_call(entity),
            embedded(entity)
        ),
        Verb::UpdateGroup(index) => {
            let ratchet = &entity.ratchets[index];
            let values =
                if ratchet.guards.len() > 1 { "Give all values, in this order" } else { "Then give the value" };
            format!("{values}: `{}`.", names::group_call(entity, ratchet))
        }
        Verb::Delete => deletion(entity)?,
        Verb::Purge => {
            let late = if entity.version.is_some() { "a create" } else { "an older write" };
            format!(
                "`get(…).include_deleted()` returns the tombstone. DynamoDB also removes it, by its TTL. After a purge, {late} that \
                 arrives late brings the item back."
            )
        }
        Verb::Check => format!(
            "The other actions are applied only if it does: `Transaction::new().check({})`.{}",
            call(entity, "check"),
            no_item.map_or_else(String::new, |text| format!(" {text}"))
        ),
        Verb::Put | Verb::Replace => return None,
    })
}

/// Says which vectors an update removes, because it changes what they are made of.
fn embedded(entity: &Entity) -> String {
    let optional = entity.embeddings.iter().filter(|embedding| embedding.is_optional);
    let texts = optional.map(|embedding| {
        let of = list(embedding.of.iter().map(|field| &entity.fields[*field].name), "or");
        format!(" An update of {of} removes `{}`, unless it sets all together.", entity.fields[embedding.vector].name)
    });
    texts.collect()
}

/// Returns how a deletion is called, if it takes more than a field, and what its tombstone does.
fn deletion(entity: &Entity) -> Option<String> {
    let takes_more = entity.key.parts.len() > 1 || entity.version.is_some() || !entity.ratchets.is_empty();
    let example = takes_more.then(|| format!("Call it as `{}`.", call(entity, "delete")));
    let tombstone = entity.tombstone.as_ref().map(|tombstone| {
        let days = if tombstone.ttl_days == 1 { "a day".to_owned() } else { format!("{} days", tombstone.ttl_days) };
        let order = match entity.fence {
            _ if entity.version.is_some() || !entity.ratchets.is_empty() => {
                ", which refuses older writes that arrive late."
            }
            Some(_) => NO_ORDER_OF_A_FENCE,
            None => NO_ORDER,
        };
        format!("Leaves a tombstone for {days}{order}")
    });
    let guards = (!entity.unique.is_empty()).then(|| {
        "Other items can take its unique values at once. The old guard rows stay until then, or until `SweepGuards` (feature `bulk`) removes them."
            .to_owned()
    });
    let texts: Vec<String> = example.into_iter().chain(tombstone).chain(guards).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

/// Says which stored items the order of the entity protects: those with a newer token, or with a greater fence.
fn unless(entity: &Entity, stored: &str) -> String {
    let ratchets = entity.ratchets.iter();
    let tokens = ratchets.map(|ratchet| format!("{} `{}`", newer(ratchet.strict), entity.fields[ratchet.field].name));
    let fence = entity.fence.iter().map(|fence| format!("a greater `{}`", entity.fields[*fence].name));
    let protected: Vec<String> = tokens.chain(fence).collect();
    match protected.len() {
        0 => String::new(),
        1 | 2 => format!(", unless {stored} has {}", protected.join(" or ")),
        _ => format!(", unless {stored} has a newer token"),
    }
}

fn newer(is_strict: bool) -> &'static str {
    if is_strict { "the same or a newer" } else { "a newer" }
}
