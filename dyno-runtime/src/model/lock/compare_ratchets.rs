//! The changes of ratchets, and of the groups of attributes that they guard.

use super::change::Changes;
use super::compare_attributes::reader;
use super::file::{Entity, Ratchet};

pub(super) fn ratchets(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    let is_new = |name: &&String| !old.ratchets.contains_key(*name);
    for (name, known) in &old.ratchets {
        match new.ratchets.get(name) {
            Some(ratchet) => options(name, known, ratchet, changes),
            None if new.ratchets.keys().any(|name| is_new(&name)) => changes.breaking(
                format!("the ratchet `{name}` is replaced by another attribute"),
                "Stored items have no token of the new ratchet, so older writes are applied to them. Keep the attribute, or remove the ratchet in one release and add the other in the next",
            ),
            None => changes.conditional(
                format!("the ratchet `{name}` is removed"),
                "Late writes overwrite newer ones",
            ),
        }
    }
    // A ratchet that replaces another one is reported above.
    let is_replacing = old.ratchets.keys().any(|name| !new.ratchets.contains_key(name));
    for name in new.ratchets.keys().filter(|name| is_new(name) && !is_replacing) {
        changes.conditional(
            format!("the ratchet `{name}` is new"),
            "Writes of the last release ignore it. It orders writes once only the new release runs",
        );
    }
    groups(old, new, changes);
}

/// Compares the options of a ratchet.
fn options(name: &str, known: &Ratchet, ratchet: &Ratchet, changes: &mut Changes<'_>) {
    match (known.strict, ratchet.strict) {
        (true, false) => changes.conditional(
            format!("the ratchet `{name}` is no longer strict"),
            "A write with the stored token is applied now",
        ),
        (false, true) => changes.conditional(
            format!("the ratchet `{name}` is strict now"),
            "A write with the stored token is refused now, also the put of an item that was loaded. Programs of the last release still apply it",
        ),
        _ => {}
    }
    if known.example != ratchet.example {
        let text = |example: &Option<String>| {
            example.as_ref().map_or("another form".to_owned(), |example| format!("`{example}`"))
        };
        changes.conditional(
            format!("tokens of `{name}` were like {}, and are like {}", text(&known.example), text(&ratchet.example)),
            "Tokens are compared as they are stored. Run `modify_each(|_| {})` when only the new release runs: until then, writes over tokens of the other form are refused",
        );
    }
    if known.max_ahead != ratchet.max_ahead {
        let seconds = |most: Option<u32>| most.map_or("any time".to_owned(), |most| format!("{most} seconds"));
        changes.conditional(
            format!(
                "tokens of `{name}` could be {} ahead of the clock, and can be {}",
                seconds(known.max_ahead),
                seconds(ratchet.max_ahead)
            ),
            "A token from the future blocks all writes until that time, and a write whose token is too far ahead is refused",
        );
    }
    if known.tiebreak != ratchet.tiebreak {
        let text =
            |tiebreak: &Option<String>| tiebreak.as_ref().map_or("absent".to_owned(), |name| format!("`{name}`"));
        let (was, is) = (text(&known.tiebreak), text(&ratchet.tiebreak));
        changes.conditional(
            format!("the tiebreak of the ratchet `{name}` was {was}, and is {is}"),
            "Until all programs run the new release, two writes with one token can end in either order",
        );
    }
}

/// Reports the attributes that another ratchet guards now. A ratchet that is removed is reported itself.
fn groups(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    for name in old.attributes.keys() {
        let Some((current, _)) = reader(name, &new.attributes) else { continue };
        let (Some(was), Some(is)) = (guard(old, name), guard(new, current)) else { continue };
        if was != is && new.ratchets.contains_key(was) {
            changes.conditional(
                format!("`{current}` was guarded by the ratchet `{was}`, and is by `{is}`"),
                "Stored items have no token of its last write in the other group, so a late write overwrites a newer one, and programs of both releases do not order their writes. Store it under another name, or deploy when no earlier write is under way and no program of the last release runs",
            );
        }
    }
}

/// Returns the ratchet that guards an attribute.
fn guard<'a>(entity: &'a Entity, attribute: &str) -> Option<&'a String> {
    let guards = |ratchet: &Ratchet| ratchet.guards.is_empty() || ratchet.guards.contains(attribute);
    entity.ratchets.iter().find(|(_, ratchet)| guards(ratchet)).map(|(name, _)| name)
}
