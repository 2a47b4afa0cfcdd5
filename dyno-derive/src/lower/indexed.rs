//! The effects of indexes on the rest of an entity: which fields change together, and what an index must hold for its
//! readers.

use super::field::FieldInput;
use super::unique::groups;
use crate::given::{Given, Word};
use crate::model::{Access, Embedding, Entity, Field, Index, Key, Layout, Unique};

/// Returns the groups of fields that change together: those of one template, those that are unique together, and a vector with
/// what it is made of. Only fields
/// that an update can change are in them. A field that a ratchet guards is not, because it changes with its ratchet's group, and
/// an update of that group sets every field.
pub(super) fn joint(
    indexes: &[Index],
    embeddings: &[Embedding],
    unique: &[Unique],
    key: &Key,
    fields: &[FieldInput],
) -> Vec<Vec<usize>> {
    let mut joint: Vec<Vec<usize>> = Vec::new();
    let templates = indexes.iter().flat_map(|index| index.templates(key)).map(|(_, holes)| holes);
    for group in templates.chain(embeddings.iter().map(Embedding::fields)).chain(groups(unique, key)) {
        let is_changed = |field: &usize| matches!(fields[*field].access, Access::Plain | Access::Immutable);
        let mut group: Vec<usize> = group.into_iter().filter(is_changed).collect();
        joint.retain(|other| {
            let meets = other.iter().any(|field| group.contains(field));
            if meets {
                group.extend(other);
            }
            !meets
        });
        group.sort_unstable();
        group.dedup();
        joint.push(group);
    }
    joint.retain(|group| group.len() > 1);
    joint.sort();
    joint
}

/// Records how an update may change the fields in templates.
pub(super) fn place_in_templates(fields: &mut [FieldInput], indexes: &[Index], key: &Key) {
    let of_templates = joint(indexes, &[], &[], key, fields);
    for field in indexes.iter().flat_map(|index| index.templates(key)).flat_map(|(_, holes)| holes) {
        let is_joint = of_templates.iter().any(|group| group.contains(&field));
        let access = &mut fields[field].field.access;
        *access = match *access {
            Access::Plain | Access::Immutable if is_joint => Access::Joint,
            Access::Plain => Access::Indexed,
            // `set_if_absent` cannot rewrite the key of the index.
            Access::Immutable => Access::Kept,
            other => other,
        };
    }
}

/// Adds to the projections of indexes the attributes that show whether an item is live, and drops the attributes that an
/// index holds anyway.
pub(super) fn with_what_readers_need(mut entity: Entity) -> Entity {
    let mut needed: Vec<Word> = entity.tombstone.iter().map(|tombstone| tombstone.deleted.clone()).collect();
    needed.extend(entity.ttl().cloned());
    needed.extend(entity.entity_type.iter().map(|mark| mark.attribute.clone()));
    needed.extend(entity.schema_version.iter().map(|version| version.attribute.clone()));
    if let Some(history) = &entity.history
        && *history.layout == Layout::SameTable
    {
        needed.push(Given::new("_image".to_owned(), history.span));
    }
    let key = &entity.key;
    for index in &mut entity.indexes {
        let own: Vec<Word> = index.keys().map(|key| key.name.clone()).collect();
        if let Some(projection) = &mut index.projection {
            complete(projection, &own, &needed, key, &entity.fields);
        }
    }
    // A tombstone has no vector, so it is in no vector index.
    let mut needed: Vec<Word> = entity.ttl_field.iter().map(|field| entity.fields[*field].stored.clone()).collect();
    needed.extend(entity.entity_type.iter().map(|mark| mark.attribute.clone()));
    needed.extend(entity.schema_version.iter().map(|version| version.attribute.clone()));
    for index in &mut entity.vector_indexes {
        let searched = index.partition.iter().chain(&index.filters);
        let own: Vec<Word> = searched.map(|field| entity.fields[field.value].stored.clone()).collect();
        if let Some(projection) = &mut index.projection {
            complete(projection, &own, &needed, key, &entity.fields);
        }
    }
    entity
}

/// Completes what an index holds: adds the aliases of its attributes and what readers need, and drops the keys, `own` and the
/// table's, which it holds anyway.
fn complete(projection: &mut Vec<Word>, own: &[Word], needed: &[Word], key: &Key, fields: &[Field]) {
    let held = |field: &&Field| field.attribute().is_some_and(|name| projection.contains(name));
    let aliases: Vec<Word> = fields.iter().filter(held).flat_map(|field| field.aliases.clone()).collect();
    projection.extend(aliases);
    projection.extend(needed.iter().cloned());
    let mut known = Vec::new();
    projection.retain(|name| {
        let is_new = !known.contains(name) && !own.contains(name) && !key.has(name);
        known.push(name.clone());
        is_new
    });
}
