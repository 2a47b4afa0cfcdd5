//! The effects of indexes on the rest of an entity: which fields change together, and what an index must hold for its
//! readers.

use super::field::FieldInput;
use crate::given::{Given, Word};
use crate::model::{Access, Entity, Field, Index, Key, Layout};

/// Returns the groups of fields that are in templates together and that an update can change. A field that a ratchet guards
/// is not among them, because it changes with its ratchet's group, and an update of that group sets every field.
pub(super) fn joint(indexes: &[Index], key: &Key, fields: &[FieldInput]) -> Vec<Vec<usize>> {
    let mut joint: Vec<Vec<usize>> = Vec::new();
    for (_, holes) in indexes.iter().flat_map(|index| index.templates(key)) {
        let is_changed = |field: &usize| matches!(fields[*field].access, Access::Plain | Access::Immutable);
        let mut group: Vec<usize> = holes.into_iter().filter(is_changed).collect();
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
pub(super) fn place_in_templates(fields: &mut [FieldInput], indexes: &[Index], joint: &[Vec<usize>], key: &Key) {
    for field in indexes.iter().flat_map(|index| index.templates(key)).flat_map(|(_, holes)| holes) {
        let is_joint = joint.iter().any(|group| group.contains(&field));
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
            let held = |field: &&Field| field.attribute().is_some_and(|name| projection.contains(name));
            let aliases: Vec<Word> =
                entity.fields.iter().filter(held).flat_map(|field| field.aliases.clone()).collect();
            projection.extend(aliases);
            projection.extend(needed.iter().cloned());
            let mut known = Vec::new();
            projection.retain(|name| {
                let is_new = !known.contains(name) && !own.contains(name) && !key.has(name);
                known.push(name.clone());
                is_new
            });
        }
    }
    entity
}
