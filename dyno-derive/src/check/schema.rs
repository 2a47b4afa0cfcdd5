//! Older shapes of rows: schema versions with their `upgrade`, and older names of attributes.

use crate::diag::{Diagnostics, Problem};
use crate::model::{Access, Entity, Field, Storage};

/// Requires a schema version, and an `upgrade` function from version 2 on.
pub(super) fn schema_version(entity: &Entity, diag: &mut Diagnostics) {
    let Some(version) = &entity.schema_version else {
        for word in entity.said.any(&["upgrade", "schema_attribute"]) {
            diag.push(
                Problem::new(word.span, format!("`{word}` has no effect without a schema version"))
                    .help("add `schema_version = 2`")
                    .note("a row without a schema version has version 1"),
            );
        }
        return;
    };
    match (version.current.value, &version.upgrade) {
        // The word that could not be read may have been `upgrade`.
        (2.., None) if !version.mistaken => diag.push(
            Problem::new(version.current.span, format!("schema version {} needs an `upgrade`", version.current))
                .help("add `upgrade = \"path::to::it\"`: `fn(item: &mut dyno::Item, from: u32) -> Result<(), impl Display>`")
                .note("reads bring rows of older versions up to date with it"),
        ),
        (1, Some(upgrade)) => diag.push(
            Problem::new(upgrade.span, "`upgrade` has nothing to do: 1 is the first schema version")
                .help("remove it, or write `schema_version = 2`"),
        ),
        _ => {}
    }
}

/// Returns whether a field can have aliases. A condition of a rule, and a key, use one name.
pub(super) fn may_have_aliases(entity: &Entity, field: &Field) -> bool {
    why_not(entity, field).is_none()
}

fn why_not(entity: &Entity, field: &Field) -> Option<&'static str> {
    let name = field.name.as_str();
    let is = |index: usize| entity.fields[index].name == name;
    if !matches!(field.storage, Storage::Attribute) {
        return Some(match field.storage {
            Storage::Skipped => "it is not stored",
            // Every word on the rest has been reported already.
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
    if field.said.any(&["created", "updated"]).next().is_some() {
        return Some("writes set the time under one name");
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
