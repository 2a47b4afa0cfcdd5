//! Times to live: a table has one attribute for them, which DynamoDB reads.

use crate::diag::{Diagnostics, Problem};
use crate::model::Entity;

pub(super) fn one_ttl(entity: &Entity, diag: &mut Diagnostics) {
    for span in entity.fields.iter().filter_map(|field| field.said.span("ttl")).skip(1) {
        diag.push(Problem::new(span, "a second `#[ttl]`").note("a table has one TTL attribute"));
    }
}

/// Requires that the TTL is stored as its type says, because DynamoDB reads it.
pub(super) fn ttl_is_stored(entity: &Entity, diag: &mut Diagnostics) {
    let Some(field) = entity.ttl_field.map(|field| &entity.fields[field]) else {
        return;
    };
    for word in field.said.any(&["with", "serde"]) {
        diag.push(
            Problem::new(word.span, format!("`{word}` cannot be used on the TTL field `{}`", field.name))
                .note("DynamoDB reads it: a number of whole seconds, as `EpochSeconds` stores it"),
        );
    }
}

/// Requires that the tombstones use the entity's own TTL attribute.
pub(super) fn shared_ttl(entity: &Entity, diag: &mut Diagnostics) {
    let (Some(field), Some(tombstone)) = (entity.ttl_field, &entity.tombstone) else {
        return;
    };
    let (own, ttl) = (entity.stored(field), &tombstone.ttl);
    if **ttl != *own {
        let name = &entity.fields[field].name;
        diag.push(
            Problem::new(
                ttl.span,
                format!("the tombstone's TTL is `{ttl}`, but the field `{name}` is stored as `{own}`"),
            )
            .help("remove `ttl` here: tombstones then use the field's attribute")
            .note("a table has one TTL attribute"),
        );
    }
}

/// Refuses a TTL that is also a token. A delete stores the time when its tombstone expires in the TTL, and as a token, that
/// would be a write from the future.
pub(super) fn ttl_is_no_token(entity: &Entity, diag: &mut Diagnostics) {
    let (Some(ttl), Some(tombstone)) = (entity.ttl_field, &entity.tombstone) else {
        return;
    };
    let (name, days) = (&entity.fields[ttl].name, tombstone.ttl_days);
    for ratchet in &entity.ratchets {
        let (what, span) = match ratchet.tiebreak {
            _ if ratchet.field == ttl => ("ratchet", ratchet.span),
            Some(tiebreak) if tiebreak.value == ttl => ("tiebreak of a ratchet", tiebreak.span),
            _ => continue,
        };
        diag.push(
            Problem::new(span, format!("`{name}` cannot be the TTL and the {what}, since there is a tombstone"))
                .help("take two fields")
                .note(format!(
                    "a delete stores there when its tombstone goes, {days} days from now, and newer writes would be refused until then"
                )),
        );
    }
}
