//! Contradictions between attributes, and rules that no single attribute can check: one function for each rule, which sees
//! only the model. `lower` checks single values where it reads them.

mod document;
mod entities;
mod fence;
mod field;
mod idempotency;
mod immutable;
mod index;
mod names;
mod ratchet;
mod schema;
mod transactional;
mod ttl;
mod unique;
mod vector_index;
mod version;
mod write_time;

pub(crate) use document::document;
pub(crate) use entities::{aggregate, entities, projection};

use crate::diag::Diagnostics;
use crate::model::Entity;

/// Checks the rules of an entity.
pub(crate) fn entity(entity: &Entity, diag: &mut Diagnostics) {
    names::table_name(entity, diag);
    names::type_name(entity, diag);
    names::mark_of_tombstones(entity, diag);
    names::names(entity, diag);
    for field in &entity.fields {
        field::alone(field, diag);
    }
    field::one_rest(&entity.fields, diag);
    field::stored_twice(entity, diag);
    schema::schema_version(entity, diag);
    schema::aliases(entity, diag);
    ttl::one_ttl(entity, diag);
    ttl::ttl_is_stored(entity, diag);
    ttl::shared_ttl(entity, diag);
    ttl::ttl_is_no_token(entity, diag);
    ratchet::ratchets_do_not_compete(entity, diag);
    ratchet::ratchet_fields_are_stored(entity, diag);
    ratchet::groups_are_disjoint(entity, diag);
    ratchet::groups_are_complete(entity, diag);
    fence::one_fence(entity, diag);
    fence::fence_is_stored(entity, diag);
    fence::fence_is_its_own(entity, diag);
    immutable::immutable_fields(entity, diag);
    immutable::not_too_many(entity, diag);
    write_time::one_of_each(entity, diag);
    write_time::times_are_their_own(entity, diag);
    write_time::times_are_in_no_template(entity, diag);
    version::one_version(entity, diag);
    version::version_is_stored(entity, diag);
    version::history(entity, diag);
    idempotency::idempotency(entity, diag);
    transactional::transactional(entity, diag);
    unique::unique(entity, diag);
    index::indexes(entity, diag);
    vector_index::vector_indexes(entity, diag);
}
