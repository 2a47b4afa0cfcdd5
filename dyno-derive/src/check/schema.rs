//! Older shapes of rows: schema versions and what brings them up to date, and older names of attributes.

use crate::diag::{Diagnostics, Problem};
use crate::model::{Access, Entity, Field, Storage};

/// A number, and a function from the second on.
pub(super) fn schema_version(entity: &Entity, diag: &mut Diagnostics) {
    let Some(version) = &entity.schema_version else {
        for word in entity.said.any(&["upgrade", "schema_attribute"]) {
            diag.push(
                Problem::new(word.span, format!("`{word}` says nothing without a schema version"))
                    .help("add `schema_version = 2`")
                    .note("a row that does not say its schema version is of version 1"),
            );
        }
        return;
    };
    match (version.current.value, &version.upgrade) {
        // What was mistaken may have been it.
        (2.., None) if !version.mistaken => diag.push(
            Problem::new(version.current.span, format!("schema version {} needs an `upgrade`", version.current))
                .help("add `upgrade = \"path::to::it\"`: `fn(item: &mut dyno::Item, from: u32) -> Result<(), impl Display>`")
                .note("rows of older versions are brought up to date by it when they are read"),
        ),
        (1, Some(upgrade)) => diag.push(
            Problem::new(upgrade.span, "`upgrade` has nothing to do: 1 is the first schema version")
                .help("remove it, or write `schema_version = 2`"),
        ),
        _ => {}
    }
}

/// Whether a field can have aliases: a condition of a rule, or a key, looks at one name.
pub(super) fn may_have_aliases(entity: &Entity, field: &Field) -> bool {
    why_not(entity, field).is_none()
}

fn why_not(entity: &Entity, field: &Field) -> Option<&'static str> {
    let name = field.name.as_str();
    let is = |index: usize| entity.fields[index].name == name;
    if !matches!(field.storage, Storage::Attribute) {
        return Some(match field.storage {
            Storage::Skipped => "it is not stored",
            // That has been said of all that is said of it.
            Storage::Rest => return None,
            _ => "it is part of the key, of which an item has one",
        });
    }
    if field.access == Access::Version {
        return Some("every write compares the version under one name");
    }
    if field.access == Access::Fence {
        return Some("every write compares the fence under one name");
    }
    if entity.ratchets.iter().any(|ratchet| ratchet.tokens().any(is)) {
        return Some("every write compares the ratchet's token under one name");
    }
    if entity.indexes.iter().any(|index| index.parts.iter().copied().any(is)) {
        return Some("an index has its key under one name");
    }
    entity.ttl_field.is_some_and(is).then_some("DynamoDB reads the TTL under one name")
}

pub(super) fn aliases(entity: &Entity, diag: &mut Diagnostics) {
    for field in &entity.fields {
        let given = field.said.span("alias").zip(field.aliases.first());
        if let (Some((span, alias)), Some(reason)) = (given, why_not(entity, field)) {
            let problem = Problem::new(span, format!("`{}` cannot have an alias", field.name)).note(reason);
            let help = || format!("keep the old name: `#[attribute(rename = \"{alias}\")]`");
            diag.push(if field.attribute().is_some() { problem.help(help()) } else { problem.help("remove it") });
        }
    }
}
