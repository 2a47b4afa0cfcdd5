//! Documents: structs and enums that are values inside an item.

use super::lints::deprecation;
use super::lower::{FieldInput, lower_case, lower_container, lower_field, stored_name};
use super::{Container, Field, Storage, check};
use crate::attr::{DocumentAttrs, FieldAttrs, MemberAttrs, VariantAttrs, read_attributes};
use crate::diag::{Diagnostics, Problem};
use crate::model::case::Case;
use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Data, DataEnum, DeriveInput, Fields, Ident, Type};

/// A document.
pub(crate) struct Document {
    pub(crate) container: Container,
    pub(crate) shape: Shape,
}

/// How a document is stored.
pub(crate) enum Shape {
    /// M: a struct with named fields.
    Struct(Vec<Field>),
    /// As its only field.
    Newtype(Box<Type>),
    /// An enum. Without a tag: S for a variant without fields, M of the variant's name for others; with a tag: M that
    /// has the variant's name in it.
    Enum { tag: Option<String>, variants: Vec<Variant>, order: Order },
}

/// Whether the stored names of an enum's variants sort as the variants do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// By the alphabet, so that there is nothing to be asked of it.
    Unknown,
    /// As the variants are declared.
    Declared,
}

/// A variant of an enum.
pub(crate) struct Variant {
    pub(crate) ident: Ident,
    pub(crate) name: String,
    pub(crate) shape: VariantShape,
}

pub(crate) enum VariantShape {
    Unit,
    Newtype(Box<Type>),
    Struct(Vec<Field>),
}

/// Lowers a document; `None` if there is too little to go on, and then `diag` says why.
pub(crate) fn lower_document(input: DeriveInput, diag: &mut Diagnostics) -> Option<Document> {
    let attrs: DocumentAttrs = read_attributes(&input.attrs, diag);
    let case = lower_case(&attrs.document.rename_all, diag);
    let tag = attrs.document.tag.get().map(|tag| (tag.value.value(), tag.value.span()));
    if let Some((name, span)) = &tag {
        refuse_empty_name(name, *span, diag);
    }
    let shape = match &input.data {
        Data::Enum(data) => {
            let order = lower_order(&attrs, diag);
            let shape = lower_enum(data, case, tag, order, diag);
            if let (Shape::Enum { tag, variants, order: Order::Declared }, Some(span)) =
                (&shape, attrs.document.order.span())
            {
                names_are_in_order(tag.as_deref(), variants, span, diag);
            }
            shape
        }
        other => {
            if let Some((_, span)) = tag {
                diag.push(Problem::new(span, "`tag` is for enums: a struct has no variants to tell apart"));
            }
            if let Some(span) = attrs.document.order.span() {
                diag.push(Problem::new(span, "`order` is for enums: a struct has no variants to be in order"));
            }
            lower_struct(other, &input.ident, case, diag)?
        }
    };
    Some(Document { container: lower_container(&input, attrs.document.krate.get()), shape })
}

fn lower_struct(data: &Data, ident: &Ident, case: Case, diag: &mut Diagnostics) -> Option<Shape> {
    let (problem, span) = match data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(_) => {
                return Some(Shape::Struct(lower_members(&data.fields, case, None, diag)));
            }
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                return Some(Shape::Newtype(lower_newtype(&fields.unnamed[0], diag)));
            }
            Fields::Unnamed(fields) => ("a document of several fields needs names for them", fields.span()),
            Fields::Unit => ("a document without fields stores nothing", ident.span()),
        },
        _ => ("a document is a struct or an enum, and this is a union", ident.span()),
    };
    diag.push(Problem::new(span, problem).note("a document is stored as a map, whose members have names"));
    None
}

/// The type of a field without a name, of which nothing can be said.
fn lower_newtype(field: &syn::Field, diag: &mut Diagnostics) -> Box<Type> {
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("attribute")) {
        diag.push(
            Problem::new(attribute.path().span(), "`#[attribute]` goes on a field with a name")
                .note("a field without a name is stored as its type says, in place of the document"),
        );
    }
    Box::new(field.ty.clone())
}

/// Named fields as members of a map, in which `taken` is a name that is used already.
fn lower_members(fields: &Fields, case: Case, taken: Option<&str>, diag: &mut Diagnostics) -> Vec<Field> {
    let mut names: Vec<String> = taken.map(str::to_owned).into_iter().collect();
    let (mut members, mut rests) = (Vec::new(), Vec::new());
    for field in fields {
        let Some(ident) = field.ident.clone() else {
            continue;
        };
        let MemberAttrs { attribute, .. } = read_attributes(&field.attrs, diag);
        let input = FieldInput {
            name: ident.unraw().to_string(),
            ident,
            ty: field.ty.clone(),
            attrs: FieldAttrs { attribute, ..FieldAttrs::default() },
            deprecated: deprecation(&field.attrs),
        };
        if let Some(span) = input.attrs.attribute.stored.span() {
            diag.push(Problem::new(span, "`stored` is for the fields of a key template").help("remove it"));
        }
        if let Some(alias) = input.attrs.attribute.aliases.first() {
            diag.push(
                Problem::new(
                    alias.span,
                    "`alias` is for the attributes of an entity, not for the members of a document",
                )
                .help("bring older rows up to date: `#[entity(schema_version = 2, upgrade = \"…\")]` on the entity")
                .note("an update of a member could leave the value under the older name, to come back later"),
            );
        }
        check::skipped_field(&input, diag);
        check::default_of_option(&input, diag);
        check::no_self(&input, diag);
        check::rest_stands_alone(&input, diag);
        let storage = if input.attrs.attribute.rest.is_set() {
            Storage::Rest
        } else if input.attrs.attribute.skip.is_set() {
            Storage::Skipped
        } else {
            let name = stored_name(&input, case);
            let rename = input.attrs.attribute.rename.get();
            let span = rename.map_or_else(|| input.span(), |rename| rename.value.span());
            refuse_same_name(&mut names, &name, span, diag);
            Storage::Attribute(name)
        };
        rests.extend(input.attrs.attribute.rest.span());
        members.push(Field { storage, ..lower_field(&input, diag) });
    }
    check::one_rest(rests, diag);
    members
}

fn refuse_empty_name(name: &str, span: Span, diag: &mut Diagnostics) {
    if name.is_empty() {
        diag.push(
            Problem::new(span, "a name in a document is empty")
                .help("write what it is stored under")
                .note("DynamoDB takes no empty names"),
        );
    }
}

/// A name within a map: not empty, and of one member.
fn refuse_same_name(names: &mut Vec<String>, name: &str, span: Span, diag: &mut Diagnostics) {
    refuse_empty_name(name, span, diag);
    if names.iter().any(|known| known == name) {
        diag.push(
            Problem::new(span, format!("two members are stored as `{name}`")).help("give one of them another name"),
        );
    }
    names.push(name.to_owned());
}

fn lower_order(attrs: &DocumentAttrs, diag: &mut Diagnostics) -> Order {
    match attrs.document.order.get().map(|order| &order.value) {
        None => Order::Unknown,
        Some(order) => {
            if order.value() != "declared" {
                diag.push(
                    Problem::new(order.span(), format!("unknown order `{}`", order.value()))
                        .help("write `order = \"declared\"`: as the variants are declared"),
                );
            }
            Order::Declared
        }
    }
}

/// DynamoDB compares what is stored, which are the names.
fn names_are_in_order(tag: Option<&str>, variants: &[Variant], span: Span, diag: &mut Diagnostics) {
    let has_fields = variants.iter().any(|variant| !matches!(variant.shape, VariantShape::Unit));
    if tag.is_some() || has_fields {
        diag.push(
            Problem::new(span, "`order` is for enums that are stored as the names of their variants")
                .help("remove it")
                .note("this one is stored as a map, and DynamoDB orders no maps"),
        );
        return;
    }
    for (variant, next) in variants.iter().zip(variants.iter().skip(1)) {
        if next.name < variant.name {
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

fn lower_enum(data: &DataEnum, case: Case, tag: Option<(String, Span)>, order: Order, diag: &mut Diagnostics) -> Shape {
    let mut names = Vec::new();
    let tag = tag.map(|(tag, _)| tag);
    let variants = data.variants.iter().filter_map(|variant| {
        let attrs: VariantAttrs = read_attributes(&variant.attrs, diag);
        let ident = variant.ident.unraw().to_string();
        let rename = attrs.attribute.rename.get();
        let name = rename.map_or_else(|| case.variant(&ident), |rename| rename.value.value());
        let span = rename.map_or_else(|| variant.ident.span(), |rename| rename.value.span());
        refuse_same_name(&mut names, &name, span, diag);
        let shape = match &variant.fields {
            Fields::Unit => VariantShape::Unit,
            // `rename_all` is for the variants; members keep their names.
            Fields::Named(_) => VariantShape::Struct(lower_members(&variant.fields, Case::AsIs, tag.as_deref(), diag)),
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                VariantShape::Newtype(lower_newtype(&fields.unnamed[0], diag))
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
    Shape::Enum { variants: variants.collect(), tag, order }
}
