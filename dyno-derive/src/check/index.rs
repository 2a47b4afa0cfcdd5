//! Secondary indexes, checked against each other.

use crate::diag::{Diagnostics, Problem};
use crate::model::Entity;

/// DynamoDB's limits. (Developer guide, "Quotas and limits in Amazon DynamoDB", secondary indexes.)
const MOST_LOCAL: usize = 5;
const MOST_PROJECTED: usize = 100;

/// Refuses a field in the template of an index's key, because writes store another value for it than the entity has, of which the
/// key is made. `what` is the field, and `stored` says what a write stores.
pub(super) fn stands_in_no_template(entity: &Entity, field: usize, what: &str, stored: &str, diag: &mut Diagnostics) {
    let name = &entity.fields[field].name;
    for index in &entity.indexes {
        for (key, _) in index.templates(&entity.key).filter(|(_, holes)| holes.contains(&field)) {
            diag.push(
                Problem::new(
                    index.span,
                    format!("the {what} `{name}` stands in `{}`, a key of the index `{}`", key.name, index.name),
                )
                .help(format!("make it an attribute of the key itself: `sort = {name}`"))
                .note(format!("{stored} than the entity has")),
            );
        }
    }
}

pub(super) fn indexes(entity: &Entity, diag: &mut Diagnostics) {
    // Names of indexes and of their queries are unique.
    for (position, index) in entity.indexes.iter().enumerate() {
        let earlier = &entity.indexes[..position];
        if earlier.iter().any(|other| other.name == index.name) {
            diag.push(
                Problem::new(index.name.span, format!("a second index `{}`", index.name))
                    .help("give one of them another name"),
            );
        } else if let Some(other) = earlier.iter().find(|other| other.marker() == index.marker()) {
            let (query, other) = (&index.query, &other.query);
            let message = if query == other {
                format!("two indexes are queried by `{query}`")
            } else {
                format!("the queries `{other}` and `{query}` are too alike: one type would stand for both indexes")
            };
            diag.push(
                Problem::new(index.name.span, message).help("say what this one's query is called: `query = by_…`"),
            );
        }
    }
    // DynamoDB limits local indexes, and projected attributes.
    let local = entity.indexes.iter().filter(|index| index.is_local);
    if let Some(sixth) = local.clone().nth(MOST_LOCAL) {
        diag.push(
            Problem::new(sixth.name.span, format!("`{}` is one local index too many", sixth.name))
                .help("make one of them global")
                .note(format!("a table has at most {MOST_LOCAL} local indexes")),
        );
    }
    let projected: usize = entity.indexes.iter().filter_map(|index| index.projection.as_ref()).map(Vec::len).sum();
    if projected > MOST_PROJECTED
        && let Some(last) = entity.indexes.iter().rfind(|index| index.projection.is_some())
    {
        diag.push(
            Problem::new(last.name.span, format!("the indexes hold {projected} attributes besides their keys"))
                .help("let one of them hold whole items: `projection = \"all\"`")
                .note(format!("DynamoDB takes {MOST_PROJECTED} in all indexes of a table together")),
        );
    }
    templates(entity, diag);
    handles(entity, diag);
}

/// Refuses a field with the name of the handle that sets several fields of a key together.
fn handles(entity: &Entity, diag: &mut Diagnostics) {
    for group in &entity.joint {
        let name = entity.joint_name(group);
        if let Some(field) = entity.fields.iter().find(|field| field.name == name) {
            let names: Vec<String> = group.iter().map(|field| format!("`{}`", entity.fields[*field].name)).collect();
            diag.push(
                Problem::new(field.ident.span(), format!("`{name}` is the method that sets {} in an update", names.join(" and ")))
                    .help("give this field another name; what it is stored as can stay: `#[attribute(rename = \"…\")]`")
                    .note("they are unique together, stand in the key of an index together, or are a vector and what it is made of"),
            );
        }
    }
}

/// Requires that every write which changes a template's field knows all of the template's values.
fn templates(entity: &Entity, diag: &mut Diagnostics) {
    for index in &entity.indexes {
        for (key, holes) in index.templates(&entity.key) {
            let version = entity.version.as_ref().map(|version| version.field);
            if version.is_some_and(|version| holes.contains(&version)) {
                diag.push(
                    Problem::new(
                        index.span,
                        format!("the version stands in `{}`, a key of the index `{}`", key.name, index.name),
                    )
                    .help("make it an attribute of the key itself: `sort = version`")
                    .note("DynamoDB itself raises the version, so an update cannot know the key's new text"),
                );
            }
            let changing: Vec<usize> =
                holes.iter().copied().filter(|field| !entity.key.parts.contains(field)).collect();
            let group_of = |field: usize| entity.ratchets.iter().position(|ratchet| ratchet.covers(field));
            if let Some((first, rest)) = changing.split_first()
                && entity.is_grouped()
                && let Some(other) = rest.iter().find(|other| group_of(**other) != group_of(*first))
            {
                diag.push(
                    Problem::new(
                        index.span,
                        format!(
                            "`{}` and `{}` stand in `{}` together, and have different ratchets",
                            entity.fields[*first].name, entity.fields[*other].name, key.name
                        ),
                    )
                    .help("let one ratchet guard both, or give the index a key of several attributes")
                    .note("an update of one group does not know the other's fields, so it cannot write the key"),
                );
            }
        }
    }
}
