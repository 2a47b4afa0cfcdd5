//! Secondary indexes: their names, their fields, and what they say of each other.

use crate::attr::ContainerAttrs;
use crate::diag::{Diagnostics, Problem};
use crate::model::Entity;
use crate::model::lower::FieldInput;
use proc_macro2::Span;
use syn::{Ident, LitStr};

/// The functions that the derive generates: an index's query cannot have one of their names.
const FUNCTIONS: &[&str] = &[
    "fields",
    "key",
    "get",
    "query",
    "scan",
    "put",
    "create",
    "replace",
    "undelete",
    "update",
    "delete",
    "purge",
    "modify",
    "revisions",
    "revision",
    "rollback",
    "repair",
    "check",
    "batch_get",
];

/// DynamoDB's limits. (Developer guide, "Quotas and limits in Amazon DynamoDB", secondary indexes.)
const MOST_LOCAL: usize = 5;
const MOST_PROJECTED: usize = 100;

/// Developer guide, "Naming rules": 3 to 255 of letters, digits, `_`, `-` and `.`, as for tables.
pub(in crate::model) fn index_name(name: &LitStr, diag: &mut Diagnostics) {
    let text = name.value();
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if !(3..=255).contains(&text.len()) || !text.bytes().all(known) {
        diag.push(
            Problem::new(name.span(), format!("`{text}` cannot be an index's name"))
                .note("an index's name is 3 to 255 letters, digits, `_`, `-` and `.`"),
        );
    }
}

pub(in crate::model) fn index_query(query: &Ident, entity: &Ident, diag: &mut Diagnostics) {
    if FUNCTIONS.contains(&query.to_string().as_str()) {
        diag.push(
            Problem::new(query.span(), format!("`{entity}::{query}` is another function already"))
                .help("say what the query of the index is called: `query = by_…`"),
        );
    }
}

/// A field that the key of an index is made of.
pub(in crate::model) fn index_field(field: &FieldInput, diag: &mut Diagnostics) {
    let attrs = &field.attrs;
    if let Some(format) = attrs.attribute.format.get() {
        diag.push(super::form_of_key(field, format));
    }
    for (name, span) in [
        ("skip", attrs.attribute.skip.span()),
        ("rest", attrs.attribute.rest.span()),
        ("serde", attrs.attribute.serde.span()),
        ("with", attrs.attribute.with.span()),
    ] {
        if let Some(span) = span {
            diag.push(
                Problem::new(
                    span,
                    format!("`{name}` cannot be said of `{}`, which the key of an index is made of", field.name),
                )
                .note("a key is stored as its type says"),
            );
        }
    }
}

pub(super) fn indexes(entity: &Entity, attrs: &ContainerAttrs, fields: &[FieldInput], diag: &mut Diagnostics) {
    let span_of = |name: &str| {
        let names = attrs.indexes.iter().filter_map(|index| index.value.name.get());
        let mut names = names.filter(|given| given.value.value() == name);
        names.next_back().map_or_else(Span::call_site, |name| name.value.span())
    };
    for (position, index) in entity.indexes.iter().enumerate() {
        let earlier = &entity.indexes[..position];
        if earlier.iter().any(|other| other.name == index.name) {
            diag.push(
                Problem::new(span_of(&index.name), format!("a second index `{}`", index.name))
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
                Problem::new(span_of(&index.name), message).help("say what this one's query is called: `query = by_…`"),
            );
        }
    }
    let local = entity.indexes.iter().filter(|index| index.is_local);
    if let Some(sixth) = local.clone().nth(MOST_LOCAL) {
        diag.push(
            Problem::new(span_of(&sixth.name), format!("`{}` is one local index too many", sixth.name))
                .help("make one of them global")
                .note(format!("a table has at most {MOST_LOCAL} local indexes")),
        );
    }
    let projected: usize = entity.indexes.iter().filter_map(|index| index.projection.as_ref()).map(Vec::len).sum();
    if projected > MOST_PROJECTED
        && let Some(last) = entity.indexes.iter().rfind(|index| index.projection.is_some())
    {
        diag.push(
            Problem::new(span_of(&last.name), format!("the indexes hold {projected} attributes besides their keys"))
                .help("let one of them hold whole items: `projection = \"all\"`")
                .note(format!("DynamoDB takes {MOST_PROJECTED} in all indexes of a table together")),
        );
    }
    templates(entity, fields, diag);
    handles(entity, fields, diag);
}

/// Fields that stand in a key together have a handle of their own.
fn handles(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
    for group in &entity.joint {
        let name = entity.joint_name(group);
        if let Some(field) = fields.iter().find(|field| field.name == name) {
            let names: Vec<String> = group.iter().map(|field| format!("`{}`", fields[*field].name)).collect();
            diag.push(
                Problem::new(field.span(), format!("`{name}` is what sets {} in an update", names.join(" and ")))
                    .help("give this field another name; what it is stored as can stay: `#[attribute(rename = \"…\")]`")
                    .note("they stand in the key of an index together, so they change together"),
            );
        }
    }
}

/// What stands in a template must be known to whoever changes it.
fn templates(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
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
                    .note("DynamoDB raises it, so an update cannot know the key's new text"),
                );
            }
            let changing: Vec<usize> =
                holes.iter().copied().filter(|field| !entity.key.parts.contains(field)).collect();
            let group_of = |field: usize| {
                entity.ratchets.iter().position(|ratchet| {
                    ratchet.field == field || ratchet.tiebreak == Some(field) || ratchet.guards.contains(&field)
                })
            };
            if let Some((first, rest)) = changing.split_first()
                && entity.is_grouped()
                && let Some(other) = rest.iter().find(|other| group_of(**other) != group_of(*first))
            {
                diag.push(
                    Problem::new(
                        index.span,
                        format!(
                            "`{}` and `{}` stand in `{}` together, and have different ratchets",
                            fields[*first].name, fields[*other].name, key.name
                        ),
                    )
                    .help("let one ratchet guard both, or give the index a key of several attributes")
                    .note("an update of one group does not know the other's fields, so it cannot write the key"),
                );
            }
        }
    }
}
