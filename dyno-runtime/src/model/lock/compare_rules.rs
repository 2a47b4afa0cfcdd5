//! The changes of rules.

use super::change::Changes;
use super::compare_attributes::{is_upgraded, reader};
use super::compare_ratchets::ratchets;
use super::compare_types::are_times;
use super::file::{Entity, History, Idempotency, RAW, Tombstone};
use std::collections::BTreeSet;

pub(super) fn rules(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    ratchets(old, new, changes);
    fence(old, new, changes);
    version(old, new, changes);
    tombstone(old.tombstone.as_ref(), new.tombstone.as_ref(), changes);
    ttl(old, new, changes);
    history(old.history.as_ref(), new.history.as_ref(), changes);
    idempotency(old.idempotency.as_ref(), new.idempotency.as_ref(), changes);
    unique(old, new, changes);
    transactional(old, new, changes);
    kept_attributes(old, new, changes);
    vectors(old, new, changes);
}

fn fence(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    match (&old.fence, &new.fence) {
        (Some(old), Some(new)) if old != new => changes.breaking(
            format!("the fence was `{old}`, and is `{new}`"),
            "Stored items have no number of the new fence, so writes of earlier lock holders are applied to them. Keep the attribute",
        ),
        (Some(old), None) => changes.conditional(
            format!("the fence `{old}` is removed"),
            "A process that has lost its lock can write",
        ),
        (None, Some(new)) => changes.conditional(
            format!("the fence `{new}` is new"),
            "Writes of the last release ignore it. It holds once only the new release runs",
        ),
        _ => {}
    }
}

fn version(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    match (&old.version, &new.version) {
        (Some(old), Some(new)) if old != new => changes.breaking(
            format!("the version was `{old}`, and is `{new}`"),
            "Stored items would count as items without a version. Keep the attribute: `#[attribute(rename = \"…\")]`",
        ),
        (Some(old), None) => changes.conditional(
            format!("the version `{old}` is removed"),
            "A write no longer notices the write of another program in between",
        ),
        (None, Some(new)) => changes.conditional(
            format!("the version `{new}` is new"),
            "Writes of the last release do not raise it. It detects conflicts once only the new release runs",
        ),
        _ => {}
    }
    match (&old.write_id, &new.write_id) {
        (Some(_), None) => changes
            .conditional("the write ID is removed", "After a lost answer, a write can report a conflict with itself"),
        (Some(old_name), Some(name)) if old_name != name && old.transactional => changes.conditional(
            format!("the write ID was `{old_name}`, and is `{name}`"),
            "Transactions recognize an item by its write ID, and those of one release do not notice the other's writes by it. Send client-side transactions only when no program of the last release runs",
        ),
        _ => {}
    }
}

fn tombstone(old: Option<&Tombstone>, new: Option<&Tombstone>, changes: &mut Changes<'_>) {
    match (old, new) {
        (Some(old), Some(new)) => {
            for (what, old, new) in [("flag", &old.deleted, &new.deleted), ("TTL", &old.ttl, &new.ttl)] {
                if old != new {
                    changes.breaking(
                        format!("the {what} of tombstones was `{old}`, and is `{new}`"),
                        "Deleted items would count as alive, or DynamoDB would not remove their tombstones. Keep the name: `#[tombstone(deleted = \"…\", ttl = \"…\")]`",
                    );
                }
            }
            if old.unmarked != new.unmarked {
                changes.conditional(
                    "whether tombstones have the type name has changed",
                    "Other programs that list items by their type name see the tombstones of one release and not those of the other",
                );
            }
            if old.ttl_days != new.ttl_days {
                changes.conditional(
                    format!("tombstones were kept for {} days, and are kept for {}", old.ttl_days, new.ttl_days),
                    "A write that is later than that brings a deleted item back. The tombstones of the last release stay as they are",
                );
            }
        }
        (Some(_), None) => changes.breaking(
            "the tombstone is removed",
            "Deleted items would count as alive. Wait until DynamoDB has removed the last tombstone, and remove the entry from the file",
        ),
        (None, Some(_)) => changes.conditional(
            "the tombstone is new",
            "Programs of the last release read a deleted item as alive, or cannot read it. Delete items only when none of them runs",
        ),
        (None, None) => {}
    }
}

fn ttl(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    match (&old.ttl, &new.ttl) {
        (Some(old), new) if Some(old) != new.as_ref() => {
            let now = new.as_ref().map_or("absent".to_owned(), |new| format!("`{new}`"));
            changes.breaking(
                format!("the TTL was `{old}`, and is {now}"),
                "Expired items would count as alive until DynamoDB has removed them, and a table has only one TTL attribute. Keep it",
            );
        }
        (None, Some(name)) if old.attributes.contains_key(name) => changes.conditional(
            format!("the TTL `{name}` is new, and was an attribute without that meaning"),
            "Items whose time has passed count as absent, and DynamoDB removes them",
        ),
        (None, Some(name)) => changes.conditional(
            format!("the TTL `{name}` is new"),
            "Programs of the last release read an expired item as alive. Store times only when none of them runs",
        ),
        _ => {}
    }
}

fn history(old: Option<&History>, new: Option<&History>, changes: &mut Changes<'_>) {
    match (old, new) {
        (Some(old), Some(new)) => {
            if old.table != new.table {
                let text = |table: &Option<String>| match table {
                    Some(table) => format!("the table `{table}`"),
                    None => "the entity's table".to_owned(),
                };
                changes.breaking(
                    format!("the history was in {}, and is in {}", text(&old.table), text(&new.table)),
                    "Another history would begin, and earlier revisions would be missing from it. Keep the table",
                );
            }
            if old.mode != new.mode {
                changes.breaking(
                    format!("the history was {}, and is {}", old.mode, new.mode),
                    "An atomic history has a row of the current version, and an ordered one has not, so programs of both releases leave gaps. Keep the mode",
                );
            }
            if old.ttl.is_some() && new.ttl.is_some() && old.ttl != new.ttl {
                let [was, is] = [&old.ttl, &new.ttl].map(|ttl| ttl.clone().unwrap_or_default());
                changes.breaking(
                    format!("revisions expired by `{was}`, and expire by `{is}`"),
                    "Stored revisions would never expire, because a table has only one TTL attribute. Keep it",
                );
            }
            if old.ttl_days != new.ttl_days {
                let days = |days: Option<u32>| days.map_or("for ever".to_owned(), |days| format!("for {days} days"));
                changes.conditional(
                    format!("revisions were kept {}, and are kept {}", days(old.ttl_days), days(new.ttl_days)),
                    "Each revision expires as the release that has written it says",
                );
            }
        }
        (Some(_), None) => changes.conditional(
            "the history is removed",
            "Writes leave no revisions, and the stored ones have a gap if the history comes back",
        ),
        (None, Some(_)) => changes.conditional(
            "the history is new",
            "Writes of the last release leave no revisions. The history is complete once only the new release runs",
        ),
        (None, None) => {}
    }
}

fn idempotency(old: Option<&Idempotency>, new: Option<&Idempotency>, changes: &mut Changes<'_>) {
    match (old, new) {
        (Some(old), Some(new)) => {
            // A raw key is stored unchanged, so its greatest length does not matter.
            let form = |keys: &str| keys.split(" of ").next().unwrap_or_default().to_owned();
            let is_raw = |keys: &Idempotency| form(&keys.keys) == RAW;
            let are_found = old.store == new.store
                && old.place == new.place
                && (old.keys == new.keys || is_raw(old) && is_raw(new));
            if !are_found {
                changes.conditional(
                    format!(
                        "idempotency keys were stored by `{}`, as {}, in `{}`, and are stored by `{}`, as {}, in `{}`",
                        old.store, old.keys, old.place, new.store, new.keys, new.place
                    ),
                    "The stored keys are not found, so an update that is repeated over the release is applied twice",
                );
            } else if old.store == "time" && (old.kept, old.max_skew) != (new.kept, new.max_skew) {
                changes.conditional(
                    format!(
                        "the window of idempotency keys was {} seconds with a skew of {}, and is {} with {}",
                        old.kept, old.max_skew, new.kept, new.max_skew
                    ),
                    "The slices of the window are others, so stored keys are forgotten early, and an update that is repeated over the release can be applied twice",
                );
            } else if old.kept != new.kept {
                let unit = if old.store == "count" { "keys" } else { "seconds" };
                changes.conditional(
                    format!("{} {unit} of idempotency keys were kept, and {} are kept", old.kept, new.kept),
                    "An update that is repeated later than that is applied twice. Programs of the last release keep them as before",
                );
            } else if old.keys != new.keys {
                changes.conditional(
                    format!("idempotency keys were {}, and are {}", old.keys, new.keys),
                    "A program refuses a key that is longer than its limit",
                );
            }
        }
        (Some(_), None) => {
            changes.conditional("the idempotency keys are removed", "An update that is repeated is applied twice");
        }
        (None, Some(_)) => changes.conditional(
            "the idempotency keys are new",
            "Writes of the last release forget the keys of an item. They are remembered once only the new release runs",
        ),
        (None, None) => {}
    }
}

fn unique(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    for (name, attributes) in &new.unique {
        let list = attributes.join("`, `");
        match old.unique.get(name) {
            None => changes.conditional(
                format!("the unique value `{name}` of `{list}` is new"),
                "Stored items have no guards, and writes of the last release claim none. After the rollout, run `modify_each(|_| {})`, which reports duplicates",
            ),
            Some(known) if !is_same(known, attributes, new) => changes.breaking(
                format!("the unique value `{name}` was of `{}`, and is of `{list}`", known.join("`, `")),
                "The stored guards are of other values. Declare it under another name: `#[unique(name = \"…\")]`",
            ),
            Some(known) if known.iter().zip(attributes).any(|(old_name, name)| {
                let types = old.attributes.get(old_name).zip(new.attributes.get(name));
                types.is_some_and(|(old, new)| are_times(&old.stored_type, &new.stored_type))
            }) =>
            {
                changes.breaking(
                    format!("the times in the unique value `{name}` have another form"),
                    "The stored guards are of texts in the old form, so two items can have one time. Keep the form",
                );
            }
            Some(_) => {}
        }
    }
    for name in old.unique.keys().filter(|name| !new.unique.contains_key(*name)) {
        changes.conditional(
            format!("the unique value `{name}` is removed"),
            "Two items can have one value. If it was renamed, keep the old name: `#[unique(name = \"…\")]`",
        );
    }
}

/// Returns true if the attributes are the same, or the same under other names.
fn is_same(old: &[String], new: &[String], entity: &Entity) -> bool {
    let is_alias = |old: &String, new: &String| {
        entity.attributes.get(new).is_some_and(|attribute| attribute.aliases.contains(old))
    };
    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old == new || is_alias(old, new))
}

fn transactional(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    match (old.transactional, new.transactional) {
        (false, true) => changes.conditional(
            "the entity is transactional now",
            "Programs of the last release overwrite the intents of transactions. Write it in client-side transactions only when none of them runs",
        ),
        (true, false) => changes.conditional(
            "the entity is no longer transactional",
            "Reads no longer resolve the intents of transactions. Stop the transactions and run `Sweep` until it finds none",
        ),
        _ => {}
    }
}

/// Compares the rules about single attributes.
fn kept_attributes(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    for name in old.immutable.difference(&new.immutable) {
        // A removed attribute is reported itself.
        if new.attributes.contains_key(name) {
            changes.conditional(format!("`{name}` is no longer immutable"), "Writes can change it");
        }
    }
    for name in new.immutable.difference(&old.immutable) {
        let is_renamed = |old: &String| reader(old, &new.attributes).is_some_and(|(current, _)| current == name);
        if !old.immutable.iter().any(is_renamed) {
            changes.conditional(
                format!("`{name}` is immutable now"),
                "Programs of the last release can change or remove it",
            );
        }
    }
    for (rule, old, new) in [("created", &old.created, &new.created), ("updated", &old.updated, &new.updated)] {
        if let Some(name) = new.as_ref().filter(|_| old != new) {
            changes.conditional(
                format!("`{name}` is `#[{rule}]` now"),
                "Writes of the last release do not store their time in it, and those of the new one overwrite what programs set",
            );
        }
        if let Some(name) = old.as_ref().filter(|_| old != new) {
            changes
                .conditional(format!("`{name}` is no longer `#[{rule}]`"), "Writes no longer store their time in it");
        }
    }
}

/// Compares the attributes that vectors are made of.
fn vectors(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    let current = |name: &String| reader(name, &new.attributes).map_or_else(|| name.clone(), |(name, _)| name.clone());
    for (index, of) in &new.vectors_of {
        let known: BTreeSet<String> = old.vectors_of.get(index).into_iter().flatten().map(current).collect();
        if known == *of || !known.is_empty() && is_upgraded(old, new) {
            continue;
        }
        let what = format!("the vector of the index `{index}` is made of other attributes");
        if known.is_superset(of) {
            changes.conditional(what, "Updates of the other ones keep the vector now");
        } else {
            changes.conditional(
                what,
                "An update by a program of the last release changes these attributes and keeps the vector, and nothing corrects that later. Store vectors only when none of these programs runs, and then compute those again that are stored",
            );
        }
    }
}
