//! Names: of tables, and of attributes, of which no two are the same.

use crate::attr::{ContainerAttrs, WriteIdAttr};
use crate::diag::{Diagnostics, Problem};
use crate::model::lower::FieldInput;
use crate::model::{Entity, Index, KeyAttribute, KeyForm, Layout, Named};
use proc_macro2::Span;
use syn::LitStr;

/// Developer guide, "Naming rules": 3 to 255 of letters, digits, `_`, `-` and `.`.
pub(super) fn table_name(attrs: &ContainerAttrs, diag: &mut Diagnostics) {
    if let Some(table) = attrs.entity.table.get() {
        possible_table_name(&table.value, diag);
    }
}

/// An item that is marked by nothing is marked as no entity's.
pub(super) fn type_name(attrs: &ContainerAttrs, diag: &mut Diagnostics) {
    if let Some(name) = attrs.entity.type_name.get()
        && name.value.value().is_empty()
    {
        diag.push(
            Problem::new(name.value.span(), "`type_name` is empty")
                .help("write what marks the entity's items, or leave it out: then it is the struct's name"),
        );
    }
}

/// Tombstones go without the mark where items have one.
pub(super) fn mark_of_tombstones(entity: &Entity, attrs: &ContainerAttrs, diag: &mut Diagnostics) {
    let mark = attrs.tombstone.get().and_then(|tombstone| tombstone.value.mark.get());
    let Some(mark) = mark else { return };
    if mark.value.value {
        diag.push(
            Problem::new(mark.value.span(), "tombstones are marked as items are, unless it is turned off")
                .help("remove this, or write `mark = false`"),
        );
    } else if entity.entity_type.is_none() {
        diag.push(
            Problem::new(mark.span, "`mark` says nothing: the entity's items have no mark")
                .help("remove it, or mark the items: `#[entity(type_name = \"…\")]`"),
        );
    }
}

pub(super) fn possible_table_name(table: &LitStr, diag: &mut Diagnostics) {
    let name = table.value();
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if !(3..=255).contains(&name.len()) || !name.bytes().all(known) {
        diag.push(
            Problem::new(table.span(), format!("`{name}` cannot be a table's name"))
                .note("a table's name is 3 to 255 letters, digits, `_`, `-` and `.`"),
        );
    }
}

/// Two attributes of one name would be one attribute.
pub(super) fn names(entity: &Entity, attrs: &ContainerAttrs, fields: &[FieldInput], diag: &mut Diagnostics) {
    let mut names: Vec<Named<'_>> = Vec::new();
    let keys = [
        (Some(&entity.key.partition), attrs.partition_key.get(), "the partition key"),
        (entity.key.sort.as_ref(), attrs.sort_key.get(), "the sort key"),
    ];
    for (key, attr, owner) in keys {
        if let (Some(key), Some(attr)) = (key, attr)
            && let KeyForm::Template(_) = key.form
        {
            let span = attr.value.name.get().map_or(attr.span, |name| name.value.span());
            names.push(Named { name: &key.name, span, owner: owner.to_owned() });
        }
    }
    for (field, input) in entity.fields.iter().zip(fields) {
        if let Some(name) = field.storage.attribute() {
            let rename = input.attrs.attribute.rename.get();
            let span = rename.map_or_else(|| input.span(), |rename| rename.value.span());
            names.push(Named { name, span, owner: format!("the field `{}`", field.name) });
            // Where an alias makes no sense, its name is no further mistake.
            let aliases = field
                .aliases
                .iter()
                .zip(&input.attrs.attribute.aliases)
                .filter(|_| super::schema::may_have_aliases(entity, field));
            names.extend(aliases.map(|(name, alias)| Named {
                name,
                span: alias.value.span(),
                owner: format!("an alias of `{}`", field.name),
            }));
        }
    }
    if let (Some(tombstone), Some(attr)) = (&entity.tombstone, attrs.tombstone.get()) {
        let span = attr.value.deleted.get().map_or(attr.span, |name| name.value.span());
        names.push(Named { name: &tombstone.deleted, span, owner: "the tombstone's flag".to_owned() });
        // The TTL of an entity's own expiry has been named already.
        if entity.ttl_field.is_none() {
            let span = attr.value.ttl.get().map_or(attr.span, |name| name.value.span());
            names.push(Named { name: &tombstone.ttl, span, owner: "the tombstone's TTL".to_owned() });
        }
    }
    if let Some(version) = &entity.version {
        let attr = fields[version.field].attrs.version.get();
        let given = attr.and_then(|attr| attr.value.write_id.get());
        let span = match given.map(|given| &given.value) {
            Some(WriteIdAttr::Named(name)) => name.span(),
            _ => attr.map_or_else(Span::call_site, |attr| attr.span),
        };
        let write_id = version.write_id.iter();
        names.extend(write_id.map(|name| Named { name, span, owner: "the write id".to_owned() }));
    }
    if let Some(version) = &entity.schema_version {
        let given = attrs.entity.schema_attribute.get().map(|name| name.value.span());
        let span = given.or_else(|| attrs.entity.schema_version.span()).unwrap_or_else(Span::call_site);
        names.push(Named { name: &version.attribute, span, owner: "the schema version".to_owned() });
    }
    if let (Some(history), Some(attr)) = (&entity.history, attrs.history.get())
        && history.layout == Layout::SameTable
    {
        let reserved = ["_version", "_image", "_deleted", "_ttl"].iter();
        names.extend(reserved.map(|name| Named { name, span: attr.span, owner: "a revision's own".to_owned() }));
    }
    if let (Some(idempotency), Some(attr)) = (&entity.idempotency, attrs.idempotency.get()) {
        let span = attr.value.attribute.get().map_or(attr.span, |name| name.value.span());
        let owner = || "the idempotency keys".to_owned();
        names.extend(idempotency.attributes().iter().map(|name| Named { name, span, owner: owner() }));
    }
    if let Some((attribute, _)) = &entity.entity_type {
        let span = attrs.entity.type_attribute.get().or(attrs.entity.type_name.get()).map(|given| given.value.span());
        let owner = "the entity's type".to_owned();
        names.push(Named { name: attribute, span: span.unwrap_or_else(Span::call_site), owner });
    }
    names.extend(index_keys(entity));
    for (index, named) in names.iter().enumerate() {
        name_is_possible(named, entity, diag);
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

/// The attributes that the keys of indexes are, as templates; two indexes can share one.
fn index_keys(entity: &Entity) -> Vec<Named<'_>> {
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

/// Developer guide, "Naming rules" and "Constraints": an attribute's name has 1 byte to 64 KB, a key's up to 255 bytes.
fn name_is_possible(named: &Named<'_>, entity: &Entity, diag: &mut Diagnostics) {
    let is_key =
        |name: &str| entity.key.has(name) || entity.indexes.iter().flat_map(Index::keys).any(|key| key.name == name);
    let is_projected = |name: &str| {
        let projected = entity.indexes.iter().filter_map(|index| index.projection.as_ref()).flatten();
        projected.into_iter().any(|projected| projected == name)
    };
    let limit = if is_key(named.name) || is_projected(named.name) { 255 } else { 65_535 };
    if named.name.is_empty() || named.name.len() > limit {
        diag.push(
            Problem::new(named.span, format!("{} cannot be stored under this name", named.owner))
                .note(format!("an attribute's name has 1 to {limit} bytes")),
        );
    }
}
