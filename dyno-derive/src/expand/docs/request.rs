//! The requests that a write sends.

use super::answer::{answers, claims};
use super::condition::{self, Expected, Verb};
use super::names::list;
use super::summary;
use crate::model::{Entity, KeyStore, Mode};

/// Describes a write: its effect, its requests with their conditions, and its answers.
pub(super) fn write(entity: &Entity, verb: Verb) -> Vec<String> {
    let mut text = vec![summary::effect(entity, verb)];
    let mut paragraph = |lines: Vec<String>| {
        text.push(String::new());
        text.extend(lines);
    };
    if let Some(details) = summary::details(entity, verb) {
        paragraph(vec![details]);
    }
    let request = match verb {
        Verb::Purge => "DeleteItem",
        Verb::Delete if entity.tombstone.is_none() => "DeleteItem",
        Verb::Update | Verb::UpdateGroup(_) => "UpdateItem",
        Verb::Check => "ConditionCheck",
        _ => "PutItem",
    };
    let passes = if verb == Verb::Check { "holds" } else { "is applied" };
    let with_guards = " and the `PutItem` of a guard row for each unique value, in one `TransactWriteItems`";
    let recorded = match (verb, recorded(entity, verb)) {
        (Verb::Purge | Verb::Check, _) | (Verb::Update, "") => "",
        (_, "") if claims(entity, verb) => with_guards,
        (_, recorded) => recorded,
    };
    match condition::condition(entity, verb, Expected::Loaded) {
        None => paragraph(vec![format!("Sends one `{request}` without a condition{recorded}.")]),
        Some(condition) => {
            let has_ttl = condition.contains(" BETWEEN :")
                && entity.ttl().is_some_and(|ttl| condition.contains(&format!("#{ttl} ")));
            paragraph(vec![format!("Sends one `{request}`{recorded}. It {passes} only if"), format!("`{condition}`")]);
            if let Some(ttl) = entity.ttl().filter(|_| has_ttl) {
                paragraph(vec![format!(
                    "`#{ttl} BETWEEN …` finds a row past its TTL, which DynamoDB may delete much later."
                )]);
            }
        }
    }
    if entity.transactional.is_some() && verb != Verb::Purge {
        paragraph(vec![
            "`_x` marks an item that a client-side transaction is changing. `send` waits until that transaction has committed or \
             aborted. If its process has died, `send` completes it or rolls it back, after the lock timeout of 5 s."
                .to_owned(),
        ]);
    }
    for (when, expected) in further(entity, verb) {
        if let Some(condition) = condition::condition(entity, verb, *expected) {
            paragraph(vec![(*when).to_owned(), format!("`{condition}`")]);
        }
    }
    fenced(entity, verb).map(&mut paragraph);
    let others = keyed(entity, verb).into_iter().chain(claimed(entity, verb)).chain(before(entity, verb));
    others.for_each(|line| paragraph(vec![line]));
    for answer in answers(entity, verb) {
        paragraph(vec![answer]);
    }
    text
}

/// Describes the effect of a fence on a write.
fn fenced(entity: &Entity, verb: Verb) -> Option<Vec<String>> {
    let name = &entity.fields[entity.fence?].name;
    let fenced = match verb {
        Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete => {
            format!("With `.fenced(&held)`, the write compares and stores the lock's fence instead of its own `{name}`.")
        }
        Verb::Delete => {
            "With `.fenced(&held)`, the delete compares the lock's fence, and the tombstone keeps it. Without it, the fence is 0."
                .to_owned()
        }
        Verb::Update | Verb::UpdateGroup(_) => {
            format!("With `.fenced(&held)`, the update stores the lock's fence in `{name}`, and the condition is:")
        }
        Verb::Purge | Verb::Check => return None,
    };
    let is_update = matches!(verb, Verb::Update | Verb::UpdateGroup(_));
    let condition = condition::fenced(entity, verb).filter(|_| is_update);
    Some(std::iter::once(fenced).chain(condition.map(|condition| format!("`{condition}`"))).collect())
}

/// Describes what an idempotency key adds to an update.
fn keyed(entity: &Entity, verb: Verb) -> Option<String> {
    let idempotency = entity.idempotency.as_ref()?;
    if !matches!(verb, Verb::Update | Verb::UpdateGroup(_)) {
        return None;
    }
    let names = idempotency.attributes();
    let stored = match &*idempotency.store {
        KeyStore::Time { window_secs, max_skew_secs, .. } => format!(
            "the item holds the key for {window_secs} s, in one of its sets `{}` to `{}`, which are used in turn. Clocks may differ \
             by {max_skew_secs} s",
            names.first().map_or("", |name| name.as_str()),
            names.last().map_or("", |name| name.as_str()),
        ),
        KeyStore::Count { keys, attribute } => format!(
            "the item holds the last {keys} keys, in its attribute `{attribute}`. The update is sent once more if this list has \
             become full, or is no longer full"
        ),
        KeyStore::Row { .. } => {
            "one `TransactWriteItems` sends it with the `PutItem` of a row for the key, and costs 4 write \
             units per KB. After a duplicate, a `GetItem` follows, which reads the item for the refusal"
                .to_owned()
        }
    };
    Some(format!(
        "With `.idempotency_key(…)`, a second update with the same key is refused (`Duplicate`), because the first one was applied: {stored}."
    ))
}

/// Describes how a write claims the unique values that it stores.
fn claimed(entity: &Entity, verb: Verb) -> Option<String> {
    if !claims(entity, verb) {
        return None;
    }
    let names = list(entity.unique.iter().map(|unique| &*unique.name), "and");
    let sent = match verb {
        Verb::Update => {
            " If it sets one of them, one `TransactWriteItems` sends it with the `PutItem` of a guard row for each value."
        }
        _ if entity.history.is_some() => " Each value has a guard row, whose `PutItem` is part of the transaction.",
        _ => "",
    };
    Some(format!(
        "Unique: {names}.{sent} A guard row is written only if no other live item has the value; otherwise the write is refused \
         (`Taken`). A value that an item no longer has is free at once."
    ))
}

/// Returns the other cases in which a versioned write has another condition.
fn further(entity: &Entity, verb: Verb) -> &'static [(&'static str, Expected)] {
    const NEW: (&str, Expected) = ("If the version is 0, the condition is:", Expected::New);
    const DEAD: (&str, Expected) = (
        "If a tombstone or an expired item is stored, the write is sent once more, over it. `:version` is then its version, in the \
         condition:",
        Expected::Dead,
    );
    const NEW_OVER_DEAD: (&str, Expected) = (
        "If the version is 0 and a tombstone or an expired item is stored, the write is sent once more, over it. The compared version \
         is then that of the stored row:",
        Expected::Dead,
    );
    const UNCHECKED: (&str, Expected) = (
        "With `.unchecked()` in place of `.version(…)`, the update accepts any stored version, and increments it. Its condition only \
         refuses what is no version, or the last one:",
        Expected::Unchecked,
    );
    match (verb, entity.ttl()) {
        _ if entity.version.is_none() => &[],
        (Verb::Put, Some(_)) => &[NEW, NEW_OVER_DEAD],
        (Verb::Put, None) => &[NEW],
        (Verb::Create, Some(_)) => &[DEAD],
        (Verb::Update | Verb::UpdateGroup(_), _) => &[UNCHECKED],
        _ => &[],
    }
}

/// Describes the reads that precede a write of an entity with a history.
fn before(entity: &Entity, verb: Verb) -> Vec<String> {
    const NEWEST: &str =
        "a `Query` of the history comes first, because an earlier item with this key may have left revisions";
    let Some(history) = &entity.history else { return Vec::new() };
    let is_ordered = *history.mode == Mode::Ordered;
    let query = match verb {
        Verb::Put if is_ordered => Some(format!(
            "At version 0, {NEWEST}. The item then goes with the `PutItem` of its revision in one `TransactWriteItems`."
        )),
        Verb::Put => Some(format!("At version 0, {NEWEST}.")),
        Verb::Create => Some(format!("Before it, {NEWEST}.")),
        _ => None,
    };
    let get = match verb {
        Verb::Put | Verb::Replace | Verb::Delete if is_ordered => {
            Some("A `GetItem` of the replaced version comes first, unless you pass it by `.over(&loaded)`.")
        }
        Verb::Undelete if is_ordered => Some("A `GetItem` of the tombstone comes first."),
        _ => None,
    };
    query.into_iter().chain(get.map(str::to_owned)).collect()
}

/// Describes what a write of an entity with a history sends besides its own request.
fn recorded(entity: &Entity, verb: Verb) -> &'static str {
    match entity.history.as_ref().map(|history| *history.mode) {
        None => "",
        Some(Mode::Ordered) if verb != Verb::Create => {
            ", after a `PutItem` that copies the replaced version into the history"
        }
        // This includes an ordered create: after a deletion, only a transaction prevents that a number is given twice.
        Some(Mode::Atomic | Mode::Ordered) => " and the `PutItem` of its revision in one `TransactWriteItems`",
    }
}
