//! The requests that a write sends.

use super::condition::{self, Expected, Verb};
use super::summary;
use crate::model::{Entity, KeyStore, Mode};

/// Describes a write: its effect, its request, and its condition.
pub(super) fn write(entity: &Entity, verb: Verb) -> Vec<String> {
    let mut text = vec![summary::write(entity, verb), String::new()];
    let request = match verb {
        Verb::Purge => "DeleteItem",
        Verb::Delete if entity.tombstone.is_none() => "DeleteItem",
        Verb::Update | Verb::UpdateGroup(_) => "UpdateItem",
        Verb::Check => "ConditionCheck",
        _ => "PutItem",
    };
    let recorded = if matches!(verb, Verb::Purge | Verb::Check) { "" } else { recorded(entity, verb) };
    match condition::condition(entity, verb, Expected::Loaded) {
        None => text.push(format!("One `{request}`{recorded}, unconditional.")),
        Some(condition) => {
            text.push(format!("One `{request}`{recorded}, refused unless"));
            text.push(format!("`{condition}`"));
        }
    }
    for (when, expected) in further(entity, verb) {
        if let Some(condition) = condition::condition(entity, verb, *expected) {
            text.extend([String::new(), (*when).to_owned(), format!("`{condition}`")]);
        }
    }
    text.extend(fenced(entity, verb));
    if let Some(line) = keyed(entity, verb) {
        text.extend([String::new(), line]);
    }
    if let Some(line) = claimed(entity, verb) {
        text.extend([String::new(), line]);
    }
    for line in before(entity, verb) {
        text.extend([String::new(), line.to_owned()]);
    }
    text
}

/// Describes the effect of a fence on a write.
fn fenced(entity: &Entity, verb: Verb) -> Vec<String> {
    let Some(name) = entity.fence.map(|field| &entity.fields[field].name) else { return Vec::new() };
    let fenced = match verb {
        Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete => {
            format!(
                "With `.fenced(&held)`, the lock's fence is compared and stored, in the place of the entity's `{name}`."
            )
        }
        Verb::Delete => {
            format!(
                "With `.fenced(&held)`, the lock's fence is compared and stays in the tombstone. Without it, `{name}` is 0."
            )
        }
        Verb::Update | Verb::UpdateGroup(_) => {
            format!("With `.fenced(&held)`, which sets `{name}` to the lock's fence:")
        }
        Verb::Purge | Verb::Check => return Vec::new(),
    };
    let is_update = matches!(verb, Verb::Update | Verb::UpdateGroup(_));
    let condition = condition::fenced(entity, verb).filter(|_| is_update);
    [String::new(), fenced].into_iter().chain(condition.map(|condition| format!("`{condition}`"))).collect()
}

/// Describes what an idempotency key adds to an update.
fn keyed(entity: &Entity, verb: Verb) -> Option<String> {
    let idempotency = entity.idempotency.as_ref()?;
    if !matches!(verb, Verb::Update | Verb::UpdateGroup(_)) {
        return None;
    }
    let names = idempotency.attributes();
    Some(match &*idempotency.store {
        KeyStore::Time { window_secs, max_skew_secs, .. } => format!(
            "With `.idempotency_key(…)` it is made once: for {window_secs} s, while clocks differ by at most {max_skew_secs} s, \
             the item holds the key, in one of the sets `{}` to `{}`. It is refused if one of them contains it.",
            names.first().map_or("", |name| name.as_str()),
            names.last().map_or("", |name| name.as_str()),
        ),
        KeyStore::Count { keys, attribute } => format!(
            "With `.idempotency_key(…)` it is made once: the item holds the last {keys} keys, in the list `{attribute}`. It is \
             refused if that contains it, and sent once more if that was taken to be full and is not, or the other way round."
        ),
        KeyStore::Row { .. } => {
            "With `.idempotency_key(…)` it is made once: it goes with the `PutItem` of the key's row in one \
             `TransactWriteItems`, refused if there is one. A `GetItem` of the item follows then."
                .to_owned()
        }
    })
}

/// Describes how a write claims the unique values that it stores.
fn claimed(entity: &Entity, verb: Verb) -> Option<String> {
    let names: Vec<String> = entity.unique.iter().map(|unique| format!("`{}`", unique.name)).collect();
    let when = match verb {
        _ if names.is_empty() => return None,
        Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete => "It goes",
        Verb::Update => "If it sets one of them, it goes",
        Verb::UpdateGroup(_) | Verb::Delete | Verb::Purge | Verb::Check => return None,
    };
    Some(format!(
        "Unique: {}. {when} with the `PutItem` of a row for each value in one `TransactWriteItems`, and is refused if another live \
         item has the value.",
        names.join(", "),
    ))
}

/// Returns the other cases in which a versioned write has another condition.
fn further(entity: &Entity, verb: Verb) -> &'static [(&'static str, Expected)] {
    const NEW: (&str, Expected) = ("Of version 0:", Expected::New);
    const DEAD: (&str, Expected) = ("And if that finds what counts as absent, once more:", Expected::Dead);
    const UNCHECKED: (&str, Expected) = ("With `.unchecked()`:", Expected::Unchecked);
    match (verb, entity.ttl()) {
        _ if entity.version.is_none() => &[],
        (Verb::Put, Some(_)) => &[NEW, DEAD],
        (Verb::Put, None) => &[NEW],
        (Verb::Create, Some(_)) => &[DEAD],
        (Verb::Update | Verb::UpdateGroup(_), _) => &[UNCHECKED],
        _ => &[],
    }
}

/// Describes the reads that precede a write of an entity with a history.
fn before(entity: &Entity, verb: Verb) -> Vec<&'static str> {
    let Some(history) = &entity.history else { return Vec::new() };
    let query = match verb {
        Verb::Put if *history.mode == Mode::Ordered => Some(
            "Of version 0, a `Query` of the history comes first, since there may have been an item before, and the item goes with the `PutItem` of its revision in one `TransactWriteItems`.",
        ),
        Verb::Put => Some("Of version 0, a `Query` of the history comes first: there may have been an item before."),
        Verb::Create => Some("A `Query` of the history comes first: there may have been an item before."),
        _ => None,
    };
    let supersedes = matches!(verb, Verb::Put | Verb::Replace | Verb::Undelete | Verb::Delete);
    let get = (*history.mode == Mode::Ordered && supersedes)
        .then_some("A `GetItem` of what is superseded comes first, unless `over` says what that is.");
    query.into_iter().chain(get).collect()
}

/// Describes what a write of an entity with a history sends besides its own request.
fn recorded(entity: &Entity, verb: Verb) -> &'static str {
    match entity.history.as_ref().map(|history| *history.mode) {
        None => "",
        Some(Mode::Ordered) if verb != Verb::Create => " behind the `PutItem` of the revision that it supersedes",
        // This includes an ordered create: after a deletion, only a transaction prevents that a number is given twice.
        Some(Mode::Atomic | Mode::Ordered) => " and the `PutItem` of its revision in one `TransactWriteItems`",
    }
}
