//! Unique values: the fields are stored as their types say, and an update that changes one of them knows all of them.

use crate::diag::{Diagnostics, Problem};
use crate::model::{Entity, Field, Storage, Unique};

pub(super) fn unique(entity: &Entity, diag: &mut Diagnostics) {
    for (index, unique) in entity.unique.iter().enumerate() {
        let earlier = &entity.unique[..index];
        if earlier.iter().any(|other| other.name == unique.name) {
            diag.push(
                Problem::new(unique.name.span, format!("a second unique value `{}`", unique.name))
                    .help("give one of them another name: `#[unique(name = \"…\", …)]`"),
            );
        } else if is_taken(entity, earlier, unique) {
            diag.push(
                Problem::new(unique.name.span, format!("two functions would be called `{}`", unique.query))
                    .help("give the unique value another name: `#[unique(name = \"…\", …)]`"),
            );
        }
        if let [field] = unique.fields[..]
            && entity.key.parts[..] == [field]
        {
            let name = &entity.fields[field].name;
            diag.push(
                Problem::new(unique.span, format!("`{name}` is the key, and so unique already"))
                    .help("remove `#[unique]`"),
            );
            continue;
        }
        for field in &unique.fields {
            field_is_stored(entity, unique, *field, diag);
        }
    }
}

/// Returns whether another function has the name already.
fn is_taken(entity: &Entity, earlier: &[Unique], unique: &Unique) -> bool {
    let is_same = |query: &syn::Ident| *query == unique.query;
    earlier.iter().any(|other| is_same(&other.query))
        || entity.indexes.iter().any(|index| is_same(&index.query))
        || entity.vector_indexes.iter().any(|index| is_same(&index.query))
}

/// Refuses a field whose stored value a write does not know, or does not store as its type says.
fn field_is_stored(entity: &Entity, unique: &Unique, index: usize, diag: &mut Diagnostics) {
    let field = &entity.fields[index];
    if let Some(word) = field.said.any(&["skip", "rest", "serde", "with", "format"]).next() {
        diag.push(
            Problem::new(word.span, format!("`{}` cannot be used on `{}`, which is unique", word.value, field.name))
                .note("the key of a row is made of the value, as its type stores it"),
        );
    }
    if let Some(word) = field.said.any(&["default"]).next() {
        diag.push(
            Problem::new(word.span, format!("`default` cannot be used on `{}`, which is unique", field.name))
                .help("let it be an `Option`: `None` is no value")
                .note("all items without the attribute would have the same value"),
        );
    }
    if let Some(word) = field.said.any(&["ttl", "version", "fence", "created", "updated"]).next() {
        diag.push(
            Problem::new(unique.span, format!("`{}` cannot be unique: it has `{}`", field.name, word.value))
                .note("the writes themselves set it, or DynamoDB removes items by it"),
        );
    }
    if entity.ratchets.iter().any(|ratchet| ratchet.covers(index)) {
        diag.push(
            Problem::new(unique.span, format!("`{}` cannot be unique: a ratchet guards it, or it is one", field.name))
                .help("leave it out of `guards`, or let one ratchet guard the whole item")
                .note("the older of two writes is dropped, but would already have claimed the value"),
        );
    }
    if is_in_template(field) {
        diag.push(
            Problem::new(unique.span, format!("`{}` cannot be unique: a key template has it as a part", field.name))
                .help("let it be a key by itself, or leave it out")
                .note("an update knows the table's key, but not the fields that its template consists of"),
        );
    }
}

/// Returns whether the field is in a key template, whether it also has an attribute (`stored`) or not.
fn is_in_template(field: &Field) -> bool {
    matches!(field.storage, Storage::Template | Storage::AttributeAndTemplate)
}
