//! The times that writes set: `#[created]` and `#[updated]`.

use super::index;
use crate::diag::{Diagnostics, Problem};
use crate::model::{Access, Entity, Field};

const WORDS: [&str; 2] = ["created", "updated"];

pub(super) fn one_of_each(entity: &Entity, diag: &mut Diagnostics) {
    for word in WORDS {
        for span in entity.fields.iter().filter_map(|field| field.said.span(word)).skip(1) {
            diag.push(Problem::new(span, format!("a second `#[{word}]`")).help("keep one"));
        }
    }
}

/// Requires that only the write decides what the field holds.
pub(super) fn times_are_their_own(entity: &Entity, diag: &mut Diagnostics) {
    for field in &entity.fields {
        let Some(word) = field.said.any(&WORDS).next() else { continue };
        if field.said.has("created")
            && let Some(span) = field.said.span("updated")
        {
            diag.push(
                Problem::new(span, format!("`{}` cannot be both times", field.name))
                    .help("take two fields")
                    .note("`#[created]` stays, and `#[updated]` changes with each write"),
            );
        }
        if field.access == Access::Key {
            diag.push(
                Problem::new(word.span, format!("the key field `{}` cannot be the time of a write", field.name))
                    .help("take another field, or give the key its value yourself: `repository.now()`")
                    .note("a write has its key before it has its time"),
            );
        }
        for other in field.said.any(&["with", "serde"]) {
            diag.push(
                Problem::new(other.span, format!("`{}` cannot be used on the time `{}`", other.value, field.name))
                    .help("take `EpochMillis`, `EpochSeconds`, or a time of `chrono`, `jiff` or `time` with `format`")
                    .note("the write itself encodes it"),
            );
        }
        competing_rules(entity, field, word.value, diag);
    }
}

/// Refuses the attributes of other rules, which say otherwise what the field holds.
fn competing_rules(entity: &Entity, field: &Field, word: &str, diag: &mut Diagnostics) {
    for other in field.said.any(&["ratchet", "fence", "version", "ttl"]) {
        let note = match other.value {
            "ratchet" => "a token orders writes, and the clocks of several writers do not",
            "ttl" => "a TTL is the time when the item ends",
            _ => "a number is no time",
        };
        diag.push(
            Problem::new(other.span, format!("`#[{}]` and `#[{word}]` cannot be one field", other.value))
                .help("take two fields")
                .note(note),
        );
    }
    if let Some(span) = field.said.span("immutable") {
        let (sets, note) = match word {
            "created" => {
                ("a write may set it", "an update and `modify` leave it as it is, and a put stores that of the struct")
            }
            _ => ("each write sets it", "it is the time of the last write"),
        };
        diag.push(
            Problem::new(span, format!("`{}` cannot be immutable: {sets}", field.name))
                .help("remove `immutable`")
                .note(note),
        );
    }
    let is = |index: usize| entity.fields[index].name == field.name;
    for ratchet in &entity.ratchets {
        let guards = ratchet.guards.iter().chain(&ratchet.tiebreak);
        for guard in guards.filter(|guard| is(guard.value)) {
            diag.push(
                Problem::new(guard.span, format!("`{}` is set by the write, and not with a token", field.name))
                    .help("leave it out here"),
            );
        }
    }
}

/// Refuses a time in the template of an index's key, which is made of the entity's own value.
pub(super) fn times_are_in_no_template(entity: &Entity, diag: &mut Diagnostics) {
    for time in entity.created.into_iter().chain(entity.updated) {
        index::stands_in_no_template(entity, time, "write time", "a write stores another time", diag);
    }
}
