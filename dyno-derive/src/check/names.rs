//! Names: of tables, and of attributes, of which no two may be the same.

use crate::diag::{Diagnostics, Problem};
use crate::given::Word;
use crate::model::{Entity, INTENT, Idempotency, Index, KeyAttribute, KeyForm, Layout};
use proc_macro2::Span;

/// A stored name and its place in the source, to find two that are the same.
struct Named<'a> {
    name: &'a str,
    span: Span,
    owner: String,
}

impl<'a> Named<'a> {
    fn new(name: &'a Word, owner: impl Into<String>) -> Self {
        Self { name, span: name.span, owner: owner.into() }
    }
}

/// Checks the table's name. Developer guide, "Naming rules": 3 to 255 of letters, digits, `_`, `-` and `.`.
pub(super) fn table_name(entity: &Entity, diag: &mut Diagnostics) {
    if let Some(table) = &entity.table {
        possible_table_name(table, diag);
    }
}

/// Refuses an empty mark, because it would mark no entity.
pub(super) fn type_name(entity: &Entity, diag: &mut Diagnostics) {
    if let Some(mark) = &entity.entity_type
        && mark.name.is_empty()
    {
        diag.push(
            Problem::new(mark.name.span, "`type_name` is empty")
                .help("write what marks the entity's items, or leave it out: then it is the struct's name"),
        );
    }
}

/// Refuses `mark` unless it turns off a mark that the items have.
pub(super) fn mark_of_tombstones(entity: &Entity, diag: &mut Diagnostics) {
    let Some(tombstone) = &entity.tombstone else { return };
    let Some(span) = tombstone.said.span("mark") else { return };
    if tombstone.mark.value {
        diag.push(
            Problem::new(tombstone.mark.span, "tombstones have the mark of items by default")
                .help("remove this, or write `mark = false`"),
        );
    } else if entity.entity_type.is_none() {
        diag.push(
            Problem::new(span, "`mark` has no effect: the entity's items have no mark")
                .help("remove it, or mark the items: `#[entity(type_name = \"…\")]`"),
        );
    }
}

pub(super) fn possible_table_name(table: &Word, diag: &mut Diagnostics) {
    let name = table.as_str();
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if !(3..=255).contains(&name.len()) || !name.bytes().all(known) {
        diag.push(
            Problem::new(table.span, format!("`{name}` cannot be a table's name"))
                .note("a table's name is 3 to 255 letters, digits, `_`, `-` and `.`"),
        );
    }
}

/// Refuses two attributes with one name, because they would be one attribute.
pub(super) fn names(entity: &Entity, diag: &mut Diagnostics) {
    let mut names = names_of_keys(entity);
    names.extend(names_of_fields(entity));
    names.extend(names_of_rules(entity));
    names.extend(names_of_index_keys(entity));
    for (index, named) in names.iter().enumerate() {
        name_is_possible(named, entity, diag);
        name_is_no_intent(named, entity, diag);
        if let Some(first) = names[..index].iter().find(|first| first.name == named.name) {
            diag.push(
                Problem::new(
                    named.span,
                    format!("{} and {} are both stored as `{}`", first.owner, named.owner, named.name),
                )
                .help("give one of them another name"),
            );
        }
    }
}

fn names_of_keys(entity: &Entity) -> Vec<Named<'_>> {
    let owners = ["the partition key", "the sort key"];
    let keys = entity.key.attributes().zip(owners);
    let templates = keys.filter(|(key, _)| matches!(key.form, KeyForm::Template(_)));
    templates.map(|(key, owner)| Named::new(&key.name, owner)).collect()
}

fn names_of_fields(entity: &Entity) -> Vec<Named<'_>> {
    let mut names = Vec::new();
    for field in &entity.fields {
        if let Some(name) = field.attribute() {
            names.push(Named::new(name, format!("the field `{}`", field.name)));
            // If a field cannot have aliases, that alone is reported, and a clash of its alias's name is no further mistake.
            let aliases = field.aliases.iter().filter(|_| super::schema::may_have_aliases(entity, field));
            names.extend(aliases.map(|alias| Named::new(alias, format!("an alias of `{}`", field.name))));
        }
    }
    names
}

/// Returns the names under which rules store values in an item.
fn names_of_rules(entity: &Entity) -> Vec<Named<'_>> {
    let mut names = Vec::new();
    if let Some(tombstone) = &entity.tombstone {
        names.push(Named::new(&tombstone.deleted, "the tombstone's flag"));
        // The TTL attribute of the entity's own expiry is already among the names of fields.
        if entity.ttl_field.is_none() {
            names.push(Named::new(&tombstone.ttl, "the tombstone's TTL"));
        }
    }
    let write_id = entity.version.iter().filter_map(|version| version.write_id.as_ref());
    names.extend(write_id.map(|name| Named::new(name, "the write id")));
    names.extend(entity.schema_version.iter().map(|version| Named::new(&version.attribute, "the schema version")));
    if let Some(history) = &entity.history
        && *history.layout == Layout::SameTable
    {
        let (span, owner) = (history.span, "a revision's own");
        let reserved = ["_version", "_image", "_deleted", "_ttl"].into_iter();
        names.extend(reserved.map(|name| Named { name, span, owner: owner.to_owned() }));
    }
    let keys = entity.idempotency.iter().flat_map(Idempotency::attributes);
    names.extend(keys.map(|name| Named::new(name, "the idempotency keys")));
    names.extend(entity.entity_type.iter().map(|mark| Named::new(&mark.attribute, "the entity's type")));
    names
}

/// Returns the attributes that are templates in keys of indexes. Two indexes can share one.
fn names_of_index_keys(entity: &Entity) -> Vec<Named<'_>> {
    let mut known: Vec<(&KeyAttribute, Vec<usize>)> = Vec::new();
    let mut names = Vec::new();
    for index in &entity.indexes {
        for (key, holes) in index.templates(&entity.key) {
            let is_same = |(other, others): &(&KeyAttribute, Vec<usize>)| {
                other.name == key.name && *others == holes && other.has_text_of(key)
            };
            if !known.iter().any(is_same) {
                let owner = format!("a key of the index `{}`", index.name);
                names.push(Named { name: &key.name, span: index.span, owner });
                known.push((key, holes));
            }
        }
    }
    names
}

/// Refuses a name that DynamoDB does not accept. Developer guide, "Naming rules" and "Constraints": an attribute's name has 1 byte
/// to 64 KB, a key's up to 255 bytes.
fn name_is_possible(named: &Named<'_>, entity: &Entity, diag: &mut Diagnostics) {
    let is_key = |name: &str| {
        entity.key.has(name) || entity.indexes.iter().flat_map(Index::keys).any(|key| key.name.as_str() == name)
    };
    let is_projected = |name: &str| {
        let projected = entity.indexes.iter().filter_map(|index| index.projection.as_ref()).flatten();
        projected.into_iter().any(|projected| projected.as_str() == name)
    };
    let limit = if is_key(named.name) || is_projected(named.name) { 255 } else { 65_535 };
    if named.name.is_empty() || named.name.len() > limit {
        diag.push(
            Problem::new(named.span, format!("{} cannot be stored under this name", named.owner))
                .note(format!("an attribute's name has 1 to {limit} bytes")),
        );
    }
}

/// Refuses the name under which a transaction stores its intent.
fn name_is_no_intent(named: &Named<'_>, entity: &Entity, diag: &mut Diagnostics) {
    if entity.transactional.is_some() && named.name == INTENT {
        diag.push(
            Problem::new(
                named.span,
                format!("{} cannot be stored as `{INTENT}`: that is a transaction's own", named.owner),
            )
            .help("give it another name")
            .note("a transaction stores its pending change of an item of a `#[transactional]` entity there"),
        );
    }
}
