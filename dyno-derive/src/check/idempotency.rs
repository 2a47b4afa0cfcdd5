//! Idempotency keys: words that exclude each other, and what keys need. The runtime computes whether the keys fit into an
//! item.

use super::names::possible_table_name;
use crate::diag::{Diagnostics, Problem};
use crate::model::{Entity, Idempotency, KeyStore};
use proc_macro2::Span;

pub(super) fn idempotency(entity: &Entity, diag: &mut Diagnostics) {
    let Some(idempotency) = &entity.idempotency else {
        return;
    };
    needs_updates(entity, idempotency.span, diag);
    store(entity, idempotency, diag);
    foreign_words(idempotency, diag);
    length_of_keys(idempotency, diag);
}

/// Checks the requirements of each way of storing keys.
fn store(entity: &Entity, idempotency: &Idempotency, diag: &mut Diagnostics) {
    match &*idempotency.store {
        KeyStore::Time { window_secs, max_skew_secs, .. } if max_skew_secs.value > *window_secs => diag.push(
            Problem::new(max_skew_secs.span, "`max_skew_secs` is more than the window")
                .help(format!("raise the window: `window_secs = {max_skew_secs}`"))
                .note("keys are kept for the window and the skew: a window of that length costs no more"),
        ),
        // DynamoDB appends if an index lies past the end of a list. The runtime uses an index past the end of every list of
        // keys.
        KeyStore::Count { keys, .. } if keys.value > 99_999 => diag.push(
            Problem::new(keys.span, "a list of idempotency keys has at most 99999")
                .help("add `store = \"row\"` instead of `keys`"),
        ),
        KeyStore::Time { .. } | KeyStore::Count { .. } => {}
        KeyStore::Row { table, .. } => {
            if let Some(table) = table {
                possible_table_name(table, diag);
            }
            if entity.version.is_some() {
                diag.push(
                    Problem::new(idempotency.store.span, "keys in rows of their own cannot be combined with a version")
                        .help("leave `store` out: then the keys are in the item")
                        .note("such an update is a transaction, which does not return the version that it stored"),
                );
            }
        }
    }
}

/// Refuses words that belong to another way of storing keys.
fn foreign_words(idempotency: &Idempotency, diag: &mut Diagnostics) {
    let (what, foreign): (&str, &[&'static str]) = match &*idempotency.store {
        KeyStore::Time { .. } => ("keys in the item by time", &["table"]),
        KeyStore::Count { .. } => ("keys in the item by count", &["window_secs", "max_skew_secs", "table"]),
        KeyStore::Row { .. } => ("keys in rows of their own", &["keys", "max_rps", "body_bytes", "attribute"]),
    };
    for word in idempotency.said.any(foreign) {
        let problem = Problem::new(word.span, format!("`{word}` has no effect on {what}"));
        diag.push(match word.value {
            "window_secs" => problem.help("remove it, or `keys`: a window is by time or by count"),
            "table" => problem.help("add `store = \"row\"`, or remove it"),
            _ => problem.help("remove it"),
        });
    }
}

fn length_of_keys(idempotency: &Idempotency, diag: &mut Diagnostics) {
    let key_bytes = idempotency.key_bytes;
    match idempotency.said.span("raw") {
        Some(span) if !idempotency.said.has("key_bytes") => diag.push(
            Problem::new(span, "`raw` does not say how long a key can be")
                .help("add `key_bytes = 36`, or leave `raw` out to keep hashes"),
        ),
        // A new update whose key collides is taken for a duplicate, and lost: with 100,000 keys of 8 bytes, one in 10^14.
        None if !(8..=32).contains(&key_bytes.value) => diag.push(
            Problem::new(key_bytes.span, "a hash has 8 to 32 bytes")
                .help("write `key_bytes = 16`")
                .note("with fewer, two keys could share a hash, and an update be lost as a duplicate of another"),
        ),
        _ => {}
    }
}

/// Requires that the entity has updates, because keys belong to updates.
fn needs_updates(entity: &Entity, span: Span, diag: &mut Diagnostics) {
    if entity.history.is_some() {
        diag.push(
            Problem::new(span, "idempotency keys cannot be combined with a history")
                .help("remove one of the two; with a version, `modify` is safe to repeat where the change is")
                .note(
                    "only updates have keys, and an entity with a history has no updates, because a revision is a whole item",
                ),
        );
    } else if entity.is_ratcheted_whole() {
        diag.push(
            Problem::new(span, "idempotency keys cannot be combined with a ratchet of the whole item")
                .help("remove them, because a repeated put changes nothing; or give the ratchet a group: `guards(…)`")
                .note("only updates have keys, and such an entity has no updates"),
        );
    }
}
