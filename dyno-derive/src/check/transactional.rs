//! The rules that a transactional entity needs, so that a transaction recognizes what it read, and nothing undoes what it
//! wrote.

use crate::diag::{Diagnostics, Problem};
use crate::model::Entity;

const KNOWN: &str = "a transaction knows what it has read by its version and its write id";

pub(super) fn transactional(entity: &Entity, diag: &mut Diagnostics) {
    let Some(span) = entity.transactional else { return };
    match &entity.version {
        None => diag.push(
            Problem::new(span, "a transactional entity needs a version")
                .help("mark a `u64` field with `#[version]`")
                .note(KNOWN),
        ),
        Some(version) if version.write_id.is_none() => diag.push(
            Problem::new(version.said.span("write_id").unwrap_or(span), "a transactional entity needs its write ids")
                .help("remove `write_id = false`")
                .note(KNOWN),
        ),
        Some(_) => {}
    }
    if entity.tombstone.is_none() {
        diag.push(
            Problem::new(span, "a transactional entity needs a tombstone")
                .help("add `#[tombstone(ttl_days = 7)]` to the struct")
                .note("once the row is gone, a late request could bring back an item that a transaction wrote"),
        );
    }
    for field in &entity.fields {
        if let Some(span) = field.said.span("ttl") {
            diag.push(
                Problem::new(span, format!("`{}` cannot be the TTL of a transactional entity", field.name))
                    .help("remove `#[ttl]`, and delete expired items yourself")
                    .note("DynamoDB itself removes an expired item, and with it the committed change of a transaction"),
            );
        }
    }
}
