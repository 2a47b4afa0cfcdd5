//! Versions, and what a history needs beside one.

use super::names::possible_table_name;
use crate::diag::{Diagnostics, Problem};
use crate::model::{Entity, History, KeyForm, Layout, Mode, Segment, is_option, is_uncountable};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;

pub(super) fn one_version(entity: &Entity, diag: &mut Diagnostics) {
    for span in entity.fields.iter().filter_map(|field| field.said.span("version")).skip(1) {
        diag.push(
            Problem::new(span, "a second `#[version]`")
                .help("keep one")
                .note("a version counts the writes of the whole item"),
        );
    }
}

/// Requires that the version is stored so that DynamoDB can compare it and every write can raise it.
pub(super) fn version_is_stored(entity: &Entity, diag: &mut Diagnostics) {
    for field in entity.fields.iter().filter(|field| field.said.has("version")) {
        if is_option(&field.ty) && !field.said.has("partition_key") && !field.said.has("sort_key") {
            diag.push(
                Problem::new(field.ty.span(), format!("the version `{}` is optional", field.name))
                    .help("take the type out of the `Option`")
                    .note("0 is the version of an entity that has not been stored yet"),
            );
        }
        if is_uncountable(&field.ty) {
            let ty = field.ty.to_token_stream();
            diag.push(
                Problem::new(field.ty.span(), format!("`{ty}` cannot count versions"))
                    .help("take `u64`, or a smaller unsigned integer")
                    .note("a version is 0 before the item is stored, and each write raises it by one"),
            );
        }
        for word in field.said.any(&["with", "serde"]) {
            diag.push(
                Problem::new(word.span, format!("`{word}` cannot be used on the version `{}`", field.name))
                    .note("DynamoDB compares it with what is stored: a number"),
            );
        }
        if let Some(span) = field.said.span("default") {
            diag.push(
                Problem::new(span, format!("the version `{}` needs no default", field.name))
                    .help("remove `default`")
                    .note("an item without a version has the version 0"),
            );
        }
        if let Some(span) = field.said.span("ratchet") {
            diag.push(
                Problem::new(span, format!("`{}` cannot be a version and a ratchet", field.name))
                    .help("take two fields")
                    .note("the write itself raises a version, but a ratchet's token comes with the write"),
            );
        }
    }
}

/// Checks what a history needs.
pub(super) fn history(entity: &Entity, diag: &mut Diagnostics) {
    let Some(history) = &entity.history else {
        return;
    };
    if entity.version.is_none() {
        diag.push(
            Problem::new(history.span, "a history needs a version")
                .help("mark a `u64` field with `#[version]`")
                .note("it numbers the revisions, and keeps two writers from writing the same one"),
        );
    }
    if entity.is_grouped() {
        diag.push(
            Problem::new(history.span, "a history cannot be combined with groups of fields")
                .help("guard the whole item: `#[ratchet]` without `guards`")
                .note("an update of a group knows only a part of the item, and a revision is a whole item"),
        );
    }
    if *history.mode == Mode::Ordered && entity.tombstone.is_none() {
        diag.push(
            Problem::new(history.mode.span, "an ordered history needs a tombstone")
                .help("add `#[tombstone(ttl_days = 7)]` to the struct, or leave `mode` out")
                .note("once the row is gone, a late create could use a version number again"),
        );
    }
    if *history.mode == Mode::Ordered && entity.ttl_field.is_some() {
        diag.push(
            Problem::new(history.mode.span, "an ordered history cannot be combined with `#[ttl]`")
                .help("leave `mode` out: then each version is in the history as soon as it is stored")
                .note("DynamoDB itself removes an expired item, so the history would lack its last version"),
        );
    }
    match *history.layout {
        Layout::SecondTable => second_table(entity, history, diag),
        Layout::SameTable => same_table(entity, history, diag),
    }
}

fn second_table(entity: &Entity, history: &History, diag: &mut Diagnostics) {
    let Some(name) = &history.name else {
        return;
    };
    possible_table_name(name, diag);
    if entity.table.as_ref() == Some(name) {
        diag.push(
            Problem::new(name.span, "the history has the name of the entity's own table")
                .help("give it another name, or write `layout = \"same_table\"`")
                .note("the two have different keys"),
        );
    }
}

/// The same prefix as in the runtime's `schema::names`, which the derive cannot use.
const REVISION: &str = "_rev|";

fn same_table(entity: &Entity, history: &History, diag: &mut Diagnostics) {
    if let Some(KeyForm::Template(segments)) = entity.key.sort.as_ref().map(|sort| &sort.form)
        && matches!(segments.first(), Some(Segment::Literal(literal)) if literal.starts_with(REVISION))
    {
        let span = entity.said.span("sort_key").unwrap_or(history.span);
        diag.push(
            Problem::new(span, format!("sort keys that begin with `{REVISION}` are those of revisions"))
                .help("begin the template with other text"),
        );
    }
    if let Some(span) = history.said.span("name") {
        diag.push(
            Problem::new(span, "a history in the same table has no name of its own").help("remove `name`, or `layout`"),
        );
    }
    if entity.key.sort.is_none() {
        diag.push(
            Problem::new(history.layout.span, "a history in the same table needs a sort key")
                .help("leave `layout` out for a second table")
                .note("without a sort key, a table has one item for each partition key, and no room for revisions"),
        );
    }
}
