//! Immutable fields: a live item keeps their values, so no write may have to change them.

use crate::diag::{Diagnostics, Problem};
use crate::model::{Access, Entity, Field, Ratchet, Storage};

pub(super) fn immutable_fields(entity: &Entity, diag: &mut Diagnostics) {
    for field in entity.immutable().filter(|field| !matches!(field.storage, Storage::Rest | Storage::Skipped)) {
        let Some(span) = field.said.span("immutable") else { continue };
        if field.access == Access::Key {
            diag.push(
                Problem::new(span, format!("the key field `{}` is immutable anyway", field.name))
                    .help("remove `immutable`")
                    .note("an item cannot move to another key"),
            );
        } else if let Some(what) = what_changes(entity, field) {
            diag.push(
                Problem::new(span, format!("`{}` cannot be immutable: it is {what}", field.name))
                    .help("remove `immutable`, or take two fields"),
            );
        }
    }
}

/// The most immutable fields of an entity.
const MOST: usize = 20;

/// Refuses more immutable fields than the condition of a write can name beside its other terms.
pub(super) fn not_too_many(entity: &Entity, diag: &mut Diagnostics) {
    if let Some(span) = entity.immutable().filter_map(|field| field.said.span("immutable")).nth(MOST) {
        diag.push(
            Problem::new(span, format!("an entity has at most {MOST} immutable fields"))
                .help("put fields that stay together into a document, and make its field immutable")
                .note("each put checks each of them, and a condition of DynamoDB has at most 300 operators"),
        );
    }
}

/// Returns what a field is, if writes have to change it.
fn what_changes(entity: &Entity, field: &Field) -> Option<&'static str> {
    let is = |index: usize| entity.fields[index].name == field.name;
    match field.access {
        Access::Version => Some("the version, which each write raises"),
        Access::Fence => Some("the fence, which grows with each lease of the lock"),
        _ if entity.ratchets.iter().any(|ratchet| is(ratchet.field)) => Some("a ratchet's token, which orders writes"),
        _ if entity.ratchets.iter().filter_map(Ratchet::tiebreak).any(is) => Some("the tiebreak of a ratchet"),
        _ => None,
    }
}
