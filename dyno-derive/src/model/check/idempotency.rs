//! Idempotency keys: what can be said of them together, and what they need. Whether they fit into an item is arithmetic,
//! which the runtime has.

use super::names::possible_table_name;
use crate::attr::ContainerAttrs;
use crate::diag::{Diagnostics, Problem};
use crate::model::{Entity, KeyStore};
use proc_macro2::Span;
use syn::LitInt;

/// A whole number that is not too small; the default, after a mistake.
pub(in crate::model) fn at_least(number: &LitInt, name: &str, least: u32, default: u32, diag: &mut Diagnostics) -> u32 {
    match number.base10_parse::<u32>() {
        Ok(number) if number >= least => number,
        _ => {
            diag.push(
                Problem::new(number.span(), format!("`{name}` is a whole number, at least {least}"))
                    .help(format!("write `{name} = {default}`")),
            );
            default
        }
    }
}

pub(super) fn idempotency(entity: &Entity, attrs: &ContainerAttrs, diag: &mut Diagnostics) {
    let (Some(idempotency), Some(attr)) = (&entity.idempotency, attrs.idempotency.get()) else {
        return;
    };
    needs_updates(entity, attr.span, diag);
    let attr = &attr.value;
    let (what, foreign): (&str, &[(&str, Option<Span>)]) = match &idempotency.store {
        KeyStore::Time { window_secs, max_skew_secs, .. } => {
            if max_skew_secs > window_secs {
                let span = attr.max_skew_secs.get().map_or(idempotency.span, |skew| skew.value.span());
                diag.push(
                    Problem::new(span, "`max_skew_secs` is more than the window")
                        .help(format!("raise the window: `window_secs = {max_skew_secs}`"))
                        .note("keys are kept for the window and the skew: a window of that length costs no more"),
                );
            }
            ("keys in the item by time", &[("table", attr.table.span())])
        }
        KeyStore::Count { keys, .. } => {
            // Behind the end of a list, DynamoDB appends; the runtime takes an index behind the end of each.
            if *keys > 99_999 {
                let span = attr.keys.get().map_or(idempotency.span, |keys| keys.value.span());
                diag.push(
                    Problem::new(span, "a list of idempotency keys has at most 99999")
                        .help("add `store = \"row\"` instead of `keys`"),
                );
            }
            (
                "keys in the item by count",
                &[
                    ("window_secs", attr.window_secs.span()),
                    ("max_skew_secs", attr.max_skew_secs.span()),
                    ("table", attr.table.span()),
                ],
            )
        }
        KeyStore::Row { .. } => {
            if let Some(table) = attr.table.get() {
                possible_table_name(&table.value, diag);
            }
            if entity.version.is_some() {
                let span = attr.store.get().map_or(idempotency.span, |store| store.value.span());
                diag.push(
                    Problem::new(span, "keys in rows of their own do not go with a version")
                        .help("leave `store` out: then the keys are in the item")
                        .note("such an update is a transaction, which does not tell the version that it stored"),
                );
            }
            (
                "keys in rows of their own",
                &[
                    ("keys", attr.keys.span()),
                    ("max_rps", attr.max_rps.span()),
                    ("body_bytes", attr.body_bytes.span()),
                    ("attribute", attr.attribute.span()),
                ],
            )
        }
    };
    for (name, span) in foreign {
        if let Some(span) = span {
            let problem = Problem::new(*span, format!("`{name}` says nothing about {what}"));
            diag.push(match (*name, &idempotency.store) {
                ("window_secs", _) => problem.help("remove it, or `keys`: a window is by time or by count"),
                ("table", _) => problem.help("add `store = \"row\"`, or remove it"),
                _ => problem.help("remove it"),
            });
        }
    }
    let span = attr.key_bytes.get().map(|bytes| bytes.value.span());
    match (idempotency.raw, span) {
        (true, None) => diag.push(
            Problem::new(attr.raw.span().unwrap_or(idempotency.span), "`raw` does not say how long a key can be")
                .help("add `key_bytes = 36`, or leave `raw` out to keep hashes"),
        ),
        // A collision takes a new update for a duplicate, and so loses it: with 100,000 keys of 8 bytes, one in 10^14.
        (false, Some(span)) if !(8..=32).contains(&idempotency.key_bytes) => diag.push(
            Problem::new(span, "a hash has 8 to 32 bytes")
                .help("write `key_bytes = 16`")
                .note("with fewer, two keys would soon have one hash, and an update be lost as a duplicate of another"),
        ),
        _ => {}
    }
}

/// Keys are for updates.
fn needs_updates(entity: &Entity, span: Span, diag: &mut Diagnostics) {
    if entity.history.is_some() {
        diag.push(
            Problem::new(span, "idempotency keys do not go with a history")
                .help("remove one of the two; with a version, `modify` is safe to repeat where the change is")
                .note(
                    "the keys are those of updates, and an entity with a history has none: a revision is a whole item",
                ),
        );
    } else if entity.is_ratcheted_whole() {
        diag.push(
            Problem::new(span, "idempotency keys do not go with a ratchet of the whole item")
                .help("remove them: a put that comes again changes nothing; or give the ratchet a group: `guards(…)`")
                .note("the keys are those of updates, and such an entity has none"),
        );
    }
}
