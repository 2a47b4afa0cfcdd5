//! Fields of entities and documents.

use super::lints::description;
use super::value::{chosen, literal, word_or};
use crate::attr::{DefaultAttr, FieldAttrs, Slot, Words as _};
use crate::diag::{Diagnostics, Problem};
use crate::given::Given;
use crate::model::{Access, Case, Codec, DefaultValue, Field, Form, Key, KeyForm, Ratchet, Storage, is_option};
use proc_macro2::Span;
use std::ops::Deref;
use syn::LitStr;
use syn::ext::IdentExt as _;

/// A field, and the attributes above it.
pub(super) struct FieldInput {
    pub(super) field: Field,
    pub(super) attrs: FieldAttrs,
}

impl Deref for FieldInput {
    type Target = Field;

    fn deref(&self) -> &Field {
        &self.field
    }
}

/// Lowers a field, except for its place in keys and ratchets.
pub(super) fn field(field: &syn::Field, attrs: FieldAttrs, case: Case, diag: &mut Diagnostics) -> Option<FieldInput> {
    let ident = field.ident.clone()?;
    let name = ident.unraw().to_string();
    let own = &attrs.attribute;
    let field = Field {
        stored: word_or(&own.rename, || case.field(&name), ident.span()),
        storage: match (own.rest.is_set(), own.skip.is_set()) {
            (true, _) => Storage::Rest,
            (false, true) => Storage::Skipped,
            (false, false) => Storage::Attribute,
        },
        ident,
        name,
        ty: field.ty.clone(),
        aliases: own.aliases.iter().map(|alias| literal(&alias.value)).collect(),
        codec: codec(&attrs, is_option(&field.ty), diag),
        default: default(&attrs),
        access: Access::Plain,
        is_immutable: own.immutable.is_set(),
        described: description(&field.attrs),
        said: attrs.said(),
    };
    Some(FieldInput { field, attrs })
}

fn codec(attrs: &FieldAttrs, optional: bool, diag: &mut Diagnostics) -> Codec {
    let attrs = &attrs.attribute;
    let form = form(&attrs.format, diag);
    if let (Some(span), true) = (attrs.format.span(), attrs.with.is_set() || attrs.serde.is_set()) {
        let other = if attrs.serde.is_set() { "serde" } else { "with" };
        let message = format!("`format` and `{other}` both say how the field is encoded");
        diag.push(Problem::new(span, message).help("keep one"));
    }
    match (attrs.with.get(), attrs.serde.is_set()) {
        (Some(with), false) => Codec::Functions { path: with.value.clone(), optional },
        (None, true) => Codec::Serde { optional },
        (None, false) => form.map_or(Codec::Type, Codec::Form),
        (Some(with), true) => {
            diag.push(Problem::new(with.span, "`with` and `serde` both say how the field is encoded").help("keep one"));
            Codec::Type
        }
    }
}

/// Returns the form of a time as text.
fn form(format: &Slot<LitStr>, diag: &mut Diagnostics) -> Option<Given<Form>> {
    let forms = [
        ("seconds", Form::Seconds),
        ("millis", Form::Millis),
        ("micros", Form::Micros),
        ("nanos", Form::Nanos),
        ("python", Form::Python),
        ("java", Form::Java),
    ];
    format.is_set().then(|| chosen(format, "format", &forms, Span::call_site(), diag))
}

fn default(attrs: &FieldAttrs) -> DefaultValue {
    match attrs.attribute.default.get().map(|default| &default.value) {
        // An item from before there were versions has the version 0, and an item that no lock holder has written has the
        // fence 0.
        None if attrs.version.is_set() || attrs.fence.is_set() => DefaultValue::Trait,
        None => DefaultValue::Type,
        Some(DefaultAttr::Trait) => DefaultValue::Trait,
        Some(DefaultAttr::Path(path)) => DefaultValue::Function(path.clone()),
    }
}

/// Records where the fields of the key are stored: as the key attribute, or in its template.
pub(super) fn place_in_key(fields: &mut [FieldInput], key: &Key) {
    let whole: Vec<usize> = key
        .attributes()
        .filter_map(|attribute| match attribute.form {
            KeyForm::Field(part) => Some(key.parts[part]),
            KeyForm::Template(_) => None,
        })
        .collect();
    for part in &key.parts {
        let input = &mut fields[*part];
        input.field.access = Access::Key;
        input.field.storage = match (whole.contains(part), input.attrs.attribute.stored.is_set()) {
            (true, _) => Storage::Key,
            (false, true) => Storage::AttributeAndTemplate,
            (false, false) => Storage::Template,
        };
    }
}

/// Records how an update may change the fields that rules use.
pub(super) fn place_in_rules(fields: &mut [FieldInput], ratchets: &[Ratchet]) {
    for (index, input) in fields.iter_mut().enumerate() {
        if input.access == Access::Key {
            continue;
        }
        if input.attrs.version.is_set() {
            input.field.access = Access::Version;
        } else if input.attrs.fence.is_set() {
            input.field.access = Access::Fence;
        } else if ratchets.iter().any(|ratchet| ratchet.covers(index)) {
            input.field.access = Access::Guarded;
        } else if input.attrs.created.is_set() || input.attrs.updated.is_set() {
            input.field.access = Access::Kept;
        } else if input.is_immutable {
            input.field.access = Access::Immutable;
        }
    }
}
