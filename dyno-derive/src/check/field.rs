//! Fields, of entities and of documents.

use crate::diag::{Diagnostics, Problem};
use crate::model::{DefaultValue, Entity, Field, Storage, is_option};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;

/// Checks a field alone.
pub(super) fn alone(field: &Field, diag: &mut Diagnostics) {
    skipped_field(field, diag);
    rest_stands_alone(field, diag);
    default_of_option(field, diag);
    no_self(field, diag);
}

/// The words that need a field with an attribute of its own.
const OF_AN_ATTRIBUTE: [&str; 12] = [
    "rename",
    "serde",
    "with",
    "format",
    "stored",
    "immutable",
    "ratchet",
    "fence",
    "ttl",
    "version",
    "created",
    "updated",
];

/// Refuses words about storage on a field that is not stored.
fn skipped_field(field: &Field, diag: &mut Diagnostics) {
    if !field.said.has("skip") {
        return;
    }
    for word in field.said.any(&OF_AN_ATTRIBUTE) {
        diag.push(
            Problem::new(word.span, format!("`{word}` cannot be used on the skipped field `{}`", field.name))
                .note("`skip` means that the field is not stored"),
        );
    }
    if let (DefaultValue::Function(_), Some(span)) = (&field.default, field.said.span("default")) {
        diag.push(
            Problem::new(span, format!("`default` has no effect on the skipped field `{}`", field.name))
                .help("remove it")
                .note("a skipped field is read as its type's `Default`"),
        );
    }
}

/// Refuses words about storage on the field that holds the rest, because it has no attribute of its own.
fn rest_stands_alone(field: &Field, diag: &mut Diagnostics) {
    if !field.said.has("rest") {
        return;
    }
    for word in field.said.any(&OF_AN_ATTRIBUTE).chain(field.said.any(&["alias", "default", "skip"])) {
        diag.push(
            Problem::new(word.span, format!("`{word}` cannot be used on `{}`, which holds the rest", field.name)).note(
                "`rest` means that the field holds all that is stored in no other field, each under its own name",
            ),
        );
    }
}

/// Refuses a default function on an `Option`, because `None` is stored as nothing and would be read as the default.
fn default_of_option(field: &Field, diag: &mut Diagnostics) {
    if let (DefaultValue::Function(_), Some(span)) = (&field.default, field.said.span("default"))
        && is_option(&field.ty)
    {
        diag.push(
            Problem::new(span, format!("`None` in `{}` would be read as the default", field.name))
                .help("take the type out of the `Option`, or leave the default out")
                .note("`None` is stored as an absent attribute"),
        );
    }
}

/// Refuses `Self` in the type of a field, because in the struct of handles it would mean that struct.
fn no_self(field: &Field, diag: &mut Diagnostics) {
    if mentions_self(field.ty.to_token_stream()) {
        diag.push(
            Problem::new(field.ty.span(), format!("the type of `{}` says `Self`", field.name))
                .help("write the type's name"),
        );
    }
}

fn mentions_self(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "Self",
        TokenTree::Group(group) => mentions_self(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Refuses a second rest.
pub(super) fn one_rest(fields: &[Field], diag: &mut Diagnostics) {
    for span in fields.iter().filter_map(|field| field.said.span("rest")).skip(1) {
        diag.push(
            Problem::new(span, "a second `rest`").help("keep one: it holds all that is stored in no other field"),
        );
    }
}

/// Refuses `stored` on a field that is an attribute anyway.
pub(super) fn stored_twice(entity: &Entity, diag: &mut Diagnostics) {
    for field in &entity.fields {
        if let Some(span) = field.said.span("stored")
            && !matches!(field.storage, Storage::AttributeAndTemplate | Storage::Rest | Storage::Skipped)
        {
            diag.push(
                Problem::new(span, format!("the field `{}` is stored anyway", field.name))
                    .help("remove `stored`: it is for the fields of a key template"),
            );
        }
        if field.storage == Storage::Template
            && let Some(span) = field.said.span("rename")
        {
            diag.push(
                Problem::new(span, format!("the field `{}` has no attribute to rename", field.name))
                    .note("it is stored within a key template only")
                    .help("add `stored` to keep it as an attribute, too"),
            );
        }
    }
}
