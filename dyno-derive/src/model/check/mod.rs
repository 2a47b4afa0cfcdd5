//! What attributes say of each other, and what no attribute can say: one function per rule. Here are those of fields; in
//! the files below are names, TTLs, ratchets, versions with their histories, idempotency, indexes, and older shapes of rows.

mod idempotency;
mod index;
mod names;
mod ratchet;
mod schema;
mod ttl;
mod version;

pub(super) use idempotency::at_least;
pub(super) use index::{index_field, index_name, index_query};
pub(super) use ttl::ttl_days;
pub(super) use version::history_days;
pub(crate) use version::is_uncountable;

use super::lower::FieldInput;
use super::{Case, Entity, Storage};
use crate::attr::{ContainerAttrs, DefaultAttr, FieldAttrs};
use crate::diag::{Diagnostics, Problem};
use crate::given::Given;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{GenericParam, Generics, LitStr, Type};

/// The rules that need the whole entity.
pub(super) fn entity(entity: &Entity, attrs: &ContainerAttrs, fields: &[FieldInput], diag: &mut Diagnostics) {
    names::table_name(attrs, diag);
    names::type_name(attrs, diag);
    names::mark_of_tombstones(entity, attrs, diag);
    names::names(entity, attrs, fields, diag);
    for field in fields {
        skipped_field(field, diag);
        rest_stands_alone(field, diag);
        default_of_option(field, diag);
        no_self(field, diag);
    }
    one_rest(fields.iter().filter_map(|field| field.attrs.attribute.rest.span()), diag);
    stored_twice(entity, fields, diag);
    schema::schema_version(entity, attrs, diag);
    schema::aliases(entity, fields, diag);
    ttl::one_ttl(fields, diag);
    ttl::ttl_is_stored(entity, fields, diag);
    ttl::shared_ttl(entity, attrs, fields, diag);
    ttl::ttl_is_no_token(entity, fields, diag);
    ratchet::ratchets_do_not_compete(entity, fields, diag);
    ratchet::ratchet_fields_are_stored(entity, fields, diag);
    ratchet::groups_are_disjoint(entity, fields, diag);
    ratchet::groups_are_complete(entity, fields, diag);
    version::one_version(fields, diag);
    version::version_is_stored(fields, diag);
    version::history(entity, attrs, diag);
    idempotency::idempotency(entity, attrs, diag);
    index::indexes(entity, attrs, fields, diag);
}

pub(super) fn no_lifetimes(generics: &Generics, diag: &mut Diagnostics) {
    for param in &generics.params {
        if let GenericParam::Lifetime(lifetime) = param {
            diag.push(
                Problem::new(lifetime.span(), "an entity cannot borrow")
                    .help("own the data: `String` for `&str`, or `Cow<'static, str>`")
                    .note("what is read from DynamoDB belongs to the entity"),
            );
        }
    }
}

/// Whether a type is written as an `Option`.
pub(crate) fn is_option(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Option"),
        // What a `macro_rules!` macro has put in.
        Type::Group(group) => is_option(&group.elem),
        Type::Paren(paren) => is_option(&paren.elem),
        _ => false,
    }
}

/// A field that a key is made of.
pub(super) fn key_field(field: &FieldInput, diag: &mut Diagnostics) {
    let attrs = &field.attrs;
    if is_option(&field.ty) {
        diag.push(
            Problem::new(field.ty.span(), format!("the key field `{}` is optional", field.name))
                .help("take the type out of the `Option`")
                .note("every item has its whole key"),
        );
    }
    let impossible = [
        ("skip", attrs.attribute.skip.span()),
        ("rest", attrs.attribute.rest.span()),
        ("default", attrs.attribute.default.span()),
        ("serde", attrs.attribute.serde.span()),
        ("with", attrs.attribute.with.span()),
        ("ratchet", attrs.ratchet.span()),
        ("ttl", attrs.ttl.span()),
        ("version", attrs.version.span()),
    ];
    if let Some(format) = attrs.attribute.format.get() {
        diag.push(form_of_key(field, format));
    }
    for (name, span) in impossible {
        if let Some(span) = span {
            diag.push(
                Problem::new(span, format!("`{name}` cannot be said of the key field `{}`", field.name))
                    .note("a key is always there, never changes, and is stored as its type says"),
            );
        }
    }
}

/// What a key is, its type says alone.
pub(super) fn form_of_key(field: &FieldInput, format: &Given<LitStr>) -> Problem {
    let ty = field.ty.to_token_stream();
    let form = Case::Pascal.field(&format.value.value());
    Problem::new(format.span, format!("`format` cannot be said of `{}`, which a key is made of", field.name))
        .help(format!("let its type say it: `dyno::TextTime<{ty}, dyno::form::{form}>`"))
        .note("a key is stored, and asked for, as its type says")
}

/// What can be said of a field that is stored in an attribute of its own, and where it is.
fn of_an_attribute(attrs: &FieldAttrs) -> [(&'static str, Option<Span>); 8] {
    [
        ("rename", attrs.attribute.rename.span()),
        ("serde", attrs.attribute.serde.span()),
        ("with", attrs.attribute.with.span()),
        ("format", attrs.attribute.format.span()),
        ("stored", attrs.attribute.stored.span()),
        ("ratchet", attrs.ratchet.span()),
        ("ttl", attrs.ttl.span()),
        ("version", attrs.version.span()),
    ]
}

/// A field that is not stored has nothing to be said about how it is.
pub(super) fn skipped_field(field: &FieldInput, diag: &mut Diagnostics) {
    let attrs = &field.attrs;
    if !attrs.attribute.skip.is_set() {
        return;
    }
    for (name, span) in of_an_attribute(attrs) {
        if let Some(span) = span {
            diag.push(
                Problem::new(span, format!("`{name}` cannot be said of the skipped field `{}`", field.name))
                    .note("`skip` means that the field is not stored"),
            );
        }
    }
    if let Some(default) = attrs.attribute.default.get()
        && matches!(default.value, DefaultAttr::Path(_))
    {
        diag.push(
            Problem::new(default.span, format!("`default` says nothing of the skipped field `{}`", field.name))
                .help("remove it")
                .note("a skipped field is read as its type's `Default`"),
        );
    }
}

/// What holds the attributes of no field is stored in none of its own, of which something could be said.
pub(super) fn rest_stands_alone(field: &FieldInput, diag: &mut Diagnostics) {
    let attrs = &field.attrs;
    if !attrs.attribute.rest.is_set() {
        return;
    }
    let others = [
        ("alias", attrs.attribute.aliases.first().map(|alias| alias.span)),
        ("default", attrs.attribute.default.span()),
        ("skip", attrs.attribute.skip.span()),
    ];
    for (name, span) in of_an_attribute(attrs).into_iter().chain(others) {
        if let Some(span) = span {
            diag.push(
                Problem::new(span, format!("`{name}` cannot be said of `{}`, which holds the rest", field.name)).note(
                    "`rest` means that the field holds all that is stored in no other field, each under its own name",
                ),
            );
        }
    }
}

/// There is one rest.
pub(super) fn one_rest(rests: impl IntoIterator<Item = Span>, diag: &mut Diagnostics) {
    for span in rests.into_iter().skip(1) {
        diag.push(
            Problem::new(span, "a second `rest`").help("keep one: it holds all that is stored in no other field"),
        );
    }
}

/// The handles are another type, where `Self` would mean that.
pub(super) fn no_self(field: &FieldInput, diag: &mut Diagnostics) {
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

/// `None` is stored as nothing.
pub(super) fn default_of_option(field: &FieldInput, diag: &mut Diagnostics) {
    if let Some(default) = field.attrs.attribute.default.get()
        && matches!(default.value, DefaultAttr::Path(_))
        && is_option(&field.ty)
    {
        diag.push(
            Problem::new(default.span, format!("`None` in `{}` would be read as the default", field.name))
                .help("take the type out of the `Option`, or leave the default out")
                .note("`None` is stored as an absent attribute"),
        );
    }
}

/// `stored` keeps a field of a key template as an attribute, too.
fn stored_twice(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
    for (field, input) in entity.fields.iter().zip(fields) {
        if let Some(span) = input.attrs.attribute.stored.span()
            && !matches!(field.storage, Storage::AttributeAndTemplate(_) | Storage::Rest | Storage::Skipped)
        {
            diag.push(
                Problem::new(span, format!("the field `{}` is stored anyway", field.name))
                    .help("remove `stored`: it is for the fields of a key template"),
            );
        }
        if field.storage == Storage::Template
            && let Some(span) = input.attrs.attribute.rename.span()
        {
            diag.push(
                Problem::new(span, format!("the field `{}` has no attribute to rename", field.name))
                    .note("it is stored within a key template only")
                    .help("add `stored` to keep it as an attribute, too"),
            );
        }
    }
}
