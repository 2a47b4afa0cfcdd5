//! Words of an entity on a type that derives something else. They are for the type's own `derive(Entity)`, if it has one, which
//! only the compiler knows.

use super::container::ContainerAttrs;
use super::entry::path_text;
use super::field::FieldAttrs;
use super::words::Words as _;
use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput};

/// A word of an entity, and its place.
#[derive(Clone, Copy)]
pub(crate) enum Foreign {
    /// A word of a key or a rule.
    Rule(Span),
    /// `#[attribute]`, which is for documents, too.
    Attribute(Span),
}

/// Returns the first word of a key or a rule.
pub(crate) fn rule(input: &DeriveInput) -> Option<Foreign> {
    let words = [ContainerAttrs::WORDS, FieldAttrs::WORDS].concat();
    let is_rule = |name: &str| name != "attribute" && words.contains(&name);
    find(input, is_rule).map(Foreign::Rule)
}

/// Returns the first word that a projection cannot take.
pub(crate) fn rule_or_attribute(input: &DeriveInput) -> Option<Foreign> {
    rule(input).or_else(|| find(input, |name| name == "attribute").map(Foreign::Attribute))
}

fn find(input: &DeriveInput, is_one: impl Fn(&str) -> bool) -> Option<Span> {
    let attributes = attributes(input);
    attributes.into_iter().find(|attribute| is_one(&path_text(attribute.path()))).map(|found| found.path().span())
}

/// Returns the attributes of a type, of its fields and of its variants.
pub(crate) fn attributes(input: &DeriveInput) -> Vec<&Attribute> {
    let mut attributes: Vec<&Attribute> = input.attrs.iter().collect();
    match &input.data {
        Data::Struct(data) => attributes.extend(data.fields.iter().flat_map(|field| &field.attrs)),
        Data::Enum(data) => {
            for variant in &data.variants {
                attributes.extend(&variant.attrs);
                attributes.extend(variant.fields.iter().flat_map(|field| &field.attrs));
            }
        }
        Data::Union(_) => {}
    }
    attributes
}
