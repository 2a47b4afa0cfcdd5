//! Versions, and what a history needs beside one.

use super::is_option;
use super::names::possible_table_name;
use crate::attr::ContainerAttrs;
use crate::diag::{Diagnostics, Problem};
use crate::model::lower::FieldInput;
use crate::model::{Entity, KeyForm, Layout, Mode, Segment};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{LitInt, Type};

/// Whether a type is one of the language's own that cannot count versions. (What only types can tell of others, the
/// runtime's traits say.)
pub(crate) fn is_uncountable(ty: &Type) -> bool {
    const UNCOUNTABLE: [&str; 12] =
        ["i8", "i16", "i32", "i64", "i128", "isize", "u128", "f32", "f64", "bool", "char", "String"];
    match ty {
        Type::Path(path) => path.path.get_ident().is_some_and(|ident| UNCOUNTABLE.iter().any(|name| ident == name)),
        _ => false,
    }
}

/// How long a revision is kept.
pub(in crate::model) fn history_days(days: &LitInt, diag: &mut Diagnostics) -> u32 {
    match days.base10_parse::<u32>() {
        Ok(days) if days > 0 => return days,
        _ => diag.push(
            Problem::new(days.span(), "`ttl_days` is a whole number of days, at least 1")
                .help("write `ttl_days = 365`, or leave it out to keep every revision"),
        ),
    }
    1
}

pub(super) fn one_version(fields: &[FieldInput], diag: &mut Diagnostics) {
    for span in fields.iter().filter_map(|field| field.attrs.version.span()).skip(1) {
        diag.push(
            Problem::new(span, "a second `#[version]`")
                .help("keep one")
                .note("a version counts the writes of the whole item"),
        );
    }
}

/// DynamoDB compares the version, and every write raises it.
pub(super) fn version_is_stored(fields: &[FieldInput], diag: &mut Diagnostics) {
    for field in fields.iter().filter(|field| field.attrs.version.is_set()) {
        let attrs = &field.attrs;
        if is_option(&field.ty) && !attrs.partition_key.is_set() && !attrs.sort_key.is_set() {
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
        for (name, span) in [("with", attrs.attribute.with.span()), ("serde", attrs.attribute.serde.span())] {
            if let Some(span) = span {
                diag.push(
                    Problem::new(span, format!("`{name}` cannot be said of the version `{}`", field.name))
                        .note("DynamoDB compares it with what is stored: a number"),
                );
            }
        }
        if let Some(span) = attrs.attribute.default.span() {
            diag.push(
                Problem::new(span, format!("the version `{}` needs no default", field.name))
                    .help("remove `default`")
                    .note("an item without a version has the version 0"),
            );
        }
        if let Some(span) = attrs.ratchet.span() {
            diag.push(
                Problem::new(span, format!("`{}` cannot be a version and a ratchet", field.name))
                    .help("take two fields")
                    .note("a version is raised by the write itself, a ratchet's token comes with it"),
            );
        }
    }
}

/// What a history needs.
pub(super) fn history(entity: &Entity, attrs: &ContainerAttrs, diag: &mut Diagnostics) {
    let (Some(history), Some(attr)) = (&entity.history, attrs.history.get()) else {
        return;
    };
    if entity.version.is_none() {
        diag.push(
            Problem::new(attr.span, "a history needs a version")
                .help("mark a `u64` field with `#[version]`")
                .note("revisions are numbered by it, and it keeps two writers from writing the same one"),
        );
    }
    if entity.is_grouped() {
        diag.push(
            Problem::new(attr.span, "a history does not go with groups of fields")
                .help("guard the whole item: `#[ratchet]` without `guards`")
                .note("an update of a group knows a part of the item only, and a revision is a whole one"),
        );
    }
    let mode_span = attr.value.mode.get().map_or(attr.span, |mode| mode.value.span());
    if history.mode == Mode::Ordered && entity.tombstone.is_none() {
        diag.push(
            Problem::new(mode_span, "an ordered history needs a tombstone")
                .help("add `#[tombstone(ttl_days = 7)]` to the struct, or leave `mode` out")
                .note("once the row is gone, nothing keeps a late create from giving a number twice"),
        );
    }
    if history.mode == Mode::Ordered && entity.ttl_field.is_some() {
        diag.push(
            Problem::new(mode_span, "an ordered history does not go with `#[ttl]`")
                .help("leave `mode` out: then each version is in the history as soon as it is stored")
                .note("DynamoDB removes an expired item by itself, and nobody would have written down what it was"),
        );
    }
    if history.layout != Layout::SameTable {
        if let Some(name) = attr.value.name.get() {
            possible_table_name(&name.value, diag);
            if entity.table.as_ref().is_some_and(|table| *table == name.value.value()) {
                diag.push(
                    Problem::new(name.value.span(), "the history has the name of the entity's own table")
                        .help("give it another name, or write `layout = \"same_table\"`")
                        .note("the two have different keys"),
                );
            }
        }
        return;
    }
    if let Some(KeyForm::Template(segments)) = entity.key.sort.as_ref().map(|sort| &sort.form)
        && matches!(segments.first(), Some(Segment::Literal(literal)) if literal.starts_with("_rev|"))
    {
        let span = attrs.sort_key.get().map_or(attr.span, |sort| sort.span);
        diag.push(
            Problem::new(span, "sort keys that begin with `_rev|` are those of revisions")
                .help("begin the template with other text"),
        );
    }
    if let Some(name) = attr.value.name.get() {
        diag.push(
            Problem::new(name.span, "a history in the same table has no name of its own")
                .help("remove `name`, or `layout`"),
        );
    }
    if entity.key.sort.is_none() {
        let span = attr.value.layout.get().map_or(attr.span, |layout| layout.value.span());
        diag.push(
            Problem::new(span, "a history in the same table needs a sort key")
                .help("leave `layout` out for a second table")
                .note("without a sort key, a table has one item for each partition key, and no room for revisions"),
        );
    }
}
