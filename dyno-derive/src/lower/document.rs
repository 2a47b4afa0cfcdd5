//! Documents: structs and enums that are values inside an item.

use super::case;
use super::field;
use super::value::{literal, word, word_or};
use crate::attr::{DocumentAttrs, FieldAttrs, MemberAttrs, Slot, VariantAttrs, read_attributes};
use crate::diag::{Diagnostics, Problem};
use crate::model::{Case, Container, Document, Field, Shape, Variant, VariantShape};
use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Data, DataEnum, DeriveInput, Fields, Ident, LitStr, Type};

/// Lowers a document. If the input does not suffice, it returns `None`, and `diag` says why.
pub(crate) fn document(
    input: &DeriveInput,
    attrs: &DocumentAttrs,
    container: Container,
    diag: &mut Diagnostics,
) -> Option<Document> {
    let attrs = &attrs.document;
    let case = case(&attrs.rename_all, diag);
    let shape = match &input.data {
        Data::Enum(data) => enumeration(data, case, diag),
        other => structure(other, &input.ident, case, diag)?,
    };
    Some(Document { container, shape, tag: word(&attrs.tag), ordered: ordered(&attrs.order, diag) })
}

/// Returns where the user declared that the variants are in order.
fn ordered(order: &Slot<LitStr>, diag: &mut Diagnostics) -> Option<Span> {
    let given = order.get()?;
    let word = literal(&given.value);
    if *word != "declared" {
        diag.push(
            Problem::new(word.span, format!("unknown order `{word}`"))
                .help("write `order = \"declared\"`: as the variants are declared"),
        );
    }
    Some(given.span)
}

fn structure(data: &Data, ident: &Ident, case: Case, diag: &mut Diagnostics) -> Option<Shape> {
    let (problem, span) = match data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(_) => return Some(Shape::Struct(members(&data.fields, case, diag))),
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                return Some(Shape::Newtype(newtype(&fields.unnamed[0], diag)));
            }
            Fields::Unnamed(fields) => ("a document of several fields needs names for them", fields.span()),
            Fields::Unit => ("a document without fields stores nothing", ident.span()),
        },
        _ => ("a document is a struct or an enum, and this is a union", ident.span()),
    };
    diag.push(Problem::new(span, problem).note("a document is stored as a map, whose members have names"));
    None
}

/// Returns the type of an unnamed field, which takes no attributes.
fn newtype(field: &syn::Field, diag: &mut Diagnostics) -> Box<Type> {
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("attribute")) {
        diag.push(
            Problem::new(attribute.path().span(), "`#[attribute]` goes on a field with a name")
                .note("a field without a name is stored as its type says, in place of the document"),
        );
    }
    Box::new(field.ty.clone())
}

/// Lowers named fields to the members of a map.
fn members(fields: &Fields, case: Case, diag: &mut Diagnostics) -> Vec<Field> {
    let members = fields.iter().filter_map(|field| {
        let MemberAttrs { attribute, .. } = read_attributes(&field.attrs, diag);
        let attrs = FieldAttrs { attribute, ..FieldAttrs::default() };
        field::field(field, attrs, case, diag).map(|input| input.field)
    });
    members.collect()
}

fn enumeration(data: &DataEnum, case: Case, diag: &mut Diagnostics) -> Shape {
    let variants = data.variants.iter().filter_map(|variant| {
        let attrs: VariantAttrs = read_attributes(&variant.attrs, diag);
        let ident = variant.ident.unraw().to_string();
        let name = word_or(&attrs.attribute.rename, || case.variant(&ident), variant.ident.span());
        let shape = match &variant.fields {
            Fields::Unit => VariantShape::Unit,
            // `rename_all` applies to the variants; members keep their names.
            Fields::Named(_) => VariantShape::Struct(members(&variant.fields, Case::AsIs, diag)),
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                VariantShape::Newtype(newtype(&fields.unnamed[0], diag))
            }
            Fields::Unnamed(fields) => {
                diag.push(
                    Problem::new(fields.span(), format!("the variant `{ident}` has several fields without names"))
                        .help(format!("name them: `{ident} {{ … }}`")),
                );
                return None;
            }
        };
        Some(Variant { ident: variant.ident.clone(), name, shape })
    });
    Shape::Enum(variants.collect())
}
