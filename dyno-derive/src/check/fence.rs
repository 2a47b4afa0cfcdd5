//! Fences: an item has one, in a field of its own, and it is a number that DynamoDB compares.

use super::index;
use crate::diag::{Diagnostics, Problem};
use crate::model::{Entity, is_option};
use syn::spanned::Spanned as _;

pub(super) fn one_fence(entity: &Entity, diag: &mut Diagnostics) {
    for span in entity.fields.iter().filter_map(|field| field.said.span("fence")).skip(1) {
        diag.push(
            Problem::new(span, "a second `#[fence]`")
                .help("keep one")
                .note("an item is guarded by one lock: its fence says which of the lock's holders has written last"),
        );
    }
}

/// Requires that the fence is stored so that DynamoDB can compare it.
pub(super) fn fence_is_stored(entity: &Entity, diag: &mut Diagnostics) {
    for field in entity.fields.iter().filter(|field| field.said.has("fence")) {
        if is_option(&field.ty) && !field.said.has("partition_key") && !field.said.has("sort_key") {
            diag.push(
                Problem::new(field.ty.span(), format!("the fence `{}` is optional", field.name))
                    .help("take the type out of the `Option`")
                    .note("0 is the fence of an item that no holder of a lock has written yet"),
            );
        }
        for word in field.said.any(&["with", "serde", "format"]) {
            diag.push(
                Problem::new(word.span, format!("`{word}` cannot be used on the fence `{}`", field.name))
                    .note("DynamoDB compares it with what is stored: a number"),
            );
        }
        if let Some(span) = field.said.span("default") {
            diag.push(
                Problem::new(span, format!("the fence `{}` needs no default", field.name))
                    .help("remove `default`")
                    .note("an item without a fence has the fence 0"),
            );
        }
    }
}

/// Requires that only the lock's holder changes the fence.
pub(super) fn fence_is_its_own(entity: &Entity, diag: &mut Diagnostics) {
    for field in entity.fields.iter().filter(|field| field.said.has("fence")) {
        for other in field.said.any(&["ratchet", "version", "ttl"]) {
            let what = if other.value == "ttl" { "TTL" } else { other.value };
            diag.push(
                Problem::new(other.span, format!("`{}` cannot be a fence and a {what}", field.name))
                    .help("take two fields")
                    .note("a fence is the number of a lock's lease, which the write is given: `.fenced(&held)`"),
            );
        }
    }
    let Some(fence) = entity.fence else { return };
    index::stands_in_no_template(entity, fence, "fence", "a write that is fenced stores another number", diag);
}
