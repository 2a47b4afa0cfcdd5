//! Documents: words that members and variants cannot take, and names, of which no two may be the same.

use super::field;
use crate::diag::{Diagnostics, Problem};
use crate::given::Word;
use crate::model::{Document, Field, Shape, Variant, VariantShape};
use proc_macro2::Span;

pub(crate) fn document(document: &Document, diag: &mut Diagnostics) {
    if let Some(tag) = &document.tag {
        no_empty_name(tag, diag);
    }
    match &document.shape {
        Shape::Enum(variants) => {
            let mut names = Vec::new();
            for variant in variants {
                names_differ(&mut names, &variant.name, diag);
                if let VariantShape::Struct(fields) = &variant.shape {
                    members(fields, document.tag.as_ref(), diag);
                }
            }
            if let Some(span) = document.ordered {
                names_are_in_order(document, variants, span, diag);
            }
            return;
        }
        Shape::Struct(fields) => members(fields, None, diag),
        Shape::Newtype(_) => {}
    }
    if let Some(tag) = &document.tag {
        diag.push(Problem::new(tag.span, "`tag` is for enums: a struct has no variants to tell apart"));
    }
    if let Some(span) = document.ordered {
        diag.push(Problem::new(span, "`order` is for enums: a struct has no variants to be in order"));
    }
}

/// Checks the members of a map. If there is a `tag`, its name is already used.
fn members(fields: &[Field], tag: Option<&Word>, diag: &mut Diagnostics) {
    let mut names: Vec<&Word> = tag.into_iter().collect();
    for member in fields {
        if let Some(span) = member.said.span("stored") {
            diag.push(Problem::new(span, "`stored` is for the fields of a key template").help("remove it"));
        }
        if let Some(span) = member.said.span("immutable") {
            diag.push(
                Problem::new(span, "`immutable` is for the attributes of an entity, not for the members of a document")
                    .help(
                        "put it on the entity's field that holds the document, which then stays unchanged as a whole",
                    ),
            );
        }
        if let Some(span) = member.said.span("alias") {
            diag.push(
                Problem::new(span, "`alias` is for the attributes of an entity, not for the members of a document")
                    .help("bring older rows up to date: `#[entity(schema_version = 2, upgrade = \"…\")]` on the entity")
                    .note("an update of a member could leave the value under the older name, to come back later"),
            );
        }
        field::alone(member, diag);
        if let Some(name) = member.attribute() {
            names_differ(&mut names, name, diag);
        }
    }
    field::one_rest(fields, diag);
}

fn no_empty_name(name: &Word, diag: &mut Diagnostics) {
    if name.is_empty() {
        diag.push(
            Problem::new(name.span, "a name in a document is empty")
                .help("write what it is stored under")
                .note("DynamoDB takes no empty names"),
        );
    }
}

/// Requires that a name within a map is not empty and belongs to one member.
fn names_differ<'a>(names: &mut Vec<&'a Word>, name: &'a Word, diag: &mut Diagnostics) {
    no_empty_name(name, diag);
    if names.contains(&name) {
        diag.push(
            Problem::new(name.span, format!("two members are stored as `{name}`"))
                .help("give one of them another name"),
        );
    }
    names.push(name);
}

/// Requires that the stored names sort as the variants are declared, because DynamoDB compares the names.
fn names_are_in_order(document: &Document, variants: &[Variant], span: Span, diag: &mut Diagnostics) {
    let has_fields = variants.iter().any(|variant| !matches!(variant.shape, VariantShape::Unit));
    if document.tag.is_some() || has_fields {
        diag.push(
            Problem::new(span, "`order` is for enums that are stored as the names of their variants")
                .help("remove it")
                .note("this one is stored as a map, and DynamoDB orders no maps"),
        );
        return;
    }
    for (variant, next) in variants.iter().zip(variants.iter().skip(1)) {
        if *next.name < *variant.name {
            let (name, before) = (&next.name, &variant.name);
            diag.push(
                Problem::new(next.ident.span(), format!("`{name}` sorts before `{before}`, and is declared behind it"))
                    .help(format!(
                        "give them names that sort, as `#[attribute(rename = \"2-{name}\")]`, or leave `order` out"
                    ))
                    .note("DynamoDB compares the stored names, byte by byte"),
            );
        }
    }
}
