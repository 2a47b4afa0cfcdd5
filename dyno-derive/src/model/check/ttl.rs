//! Times to live: a table has one attribute for them, which DynamoDB reads.

use crate::attr::ContainerAttrs;
use crate::diag::{Diagnostics, Problem};
use crate::model::Entity;
use crate::model::lower::FieldInput;
use syn::LitInt;

pub(in crate::model) fn ttl_days(days: &LitInt, diag: &mut Diagnostics) -> u32 {
    match days.base10_parse::<u32>() {
        Ok(0) => diag.push(
            Problem::new(days.span(), "a tombstone that is kept for 0 days protects nothing")
                .help("keep it for longer than any older write can be under way: `ttl_days = 7`"),
        ),
        Ok(days) => return days,
        Err(_) => diag.push(
            Problem::new(days.span(), "`ttl_days` is a whole number of days, at least 1").help("write `ttl_days = 7`"),
        ),
    }
    1
}

pub(super) fn one_ttl(fields: &[FieldInput], diag: &mut Diagnostics) {
    for span in fields.iter().filter_map(|field| field.attrs.ttl.span()).skip(1) {
        diag.push(Problem::new(span, "a second `#[ttl]`").note("a table has one TTL attribute"));
    }
}

/// DynamoDB reads the TTL, so it is stored as its type says.
pub(super) fn ttl_is_stored(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
    let Some(input) = entity.ttl_field.map(|field| &fields[field]) else {
        return;
    };
    for (name, span) in [("with", input.attrs.attribute.with.span()), ("serde", input.attrs.attribute.serde.span())] {
        if let Some(span) = span {
            diag.push(
                Problem::new(span, format!("`{name}` cannot be said of the TTL field `{}`", input.name))
                    .note("DynamoDB reads it: a number of whole seconds, as `EpochSeconds` stores it"),
            );
        }
    }
}

/// The tombstone's TTL attribute is the entity's own.
pub(super) fn shared_ttl(entity: &Entity, attrs: &ContainerAttrs, fields: &[FieldInput], diag: &mut Diagnostics) {
    let (Some(field), Some(tombstone), Some(attr)) = (entity.ttl_field, &entity.tombstone, attrs.tombstone.get())
    else {
        return;
    };
    let own = entity.stored(field);
    if tombstone.ttl != own {
        let span = attr.value.ttl.get().map_or(attr.span, |ttl| ttl.value.span());
        diag.push(
            Problem::new(
                span,
                format!(
                    "the tombstone's TTL is `{}`, but the field `{}` is stored as `{own}`",
                    tombstone.ttl, fields[field].name
                ),
            )
            .help("remove `ttl` here: tombstones then use the field's attribute")
            .note("a table has one TTL attribute"),
        );
    }
}

/// A delete writes into the TTL when its tombstone goes. In a token, that would be a write from the future.
pub(super) fn ttl_is_no_token(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
    let (Some(ttl), Some(tombstone)) = (entity.ttl_field, &entity.tombstone) else {
        return;
    };
    let (name, days) = (&fields[ttl].name, tombstone.ttl_days);
    for ratchet in &entity.ratchets {
        let attr = fields[ratchet.field].attrs.ratchet.get();
        let tiebreak = attr.and_then(|attr| attr.value.tiebreak.get()).map(|tiebreak| tiebreak.value.span());
        let (what, span) = if ratchet.field == ttl {
            ("ratchet", attr.map(|attr| attr.span))
        } else if ratchet.tiebreak == Some(ttl) {
            ("tiebreak of a ratchet", tiebreak)
        } else {
            continue;
        };
        diag.push(
            Problem::new(
                span.unwrap_or_else(|| fields[ttl].span()),
                format!("`{name}` cannot be the TTL and the {what}, since there is a tombstone"),
            )
            .help("take two fields")
            .note(format!(
                "a delete stores there when its tombstone goes, {days} days from now, and newer writes would be refused until then"
            )),
        );
    }
}
