//! Lists of entities that share a table: an enum of their items, and a struct of all items of a partition.

use super::Container;
use super::lower::lower_container;
use crate::attr::{AggregateAttrs, EntitiesAttrs, ListedAttrs, read_attributes};
use crate::diag::{Diagnostics, Problem};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Fields, GenericArgument, Ident, PathArguments, Type};

/// An enum with a variant for each entity.
pub(crate) struct Entities {
    pub(crate) container: Container,
    pub(crate) variants: Vec<(Ident, Type)>,
    /// The variant for items of no one.
    pub(crate) unknown: Option<Ident>,
}

/// A struct with a field for each entity.
pub(crate) struct Aggregate {
    pub(crate) container: Container,
    pub(crate) fields: Vec<Part>,
}

/// A field of an aggregate.
pub(crate) struct Part {
    pub(crate) ident: Ident,
    pub(crate) entity: Type,
    pub(crate) number: Number,
}

/// How many items of an entity an aggregate has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    One,
    Optional,
    Many,
}

/// Lowers an enum of entities; `None` if there is too little to go on, and then `diag` says why.
pub(crate) fn lower_entities(input: DeriveInput, diag: &mut Diagnostics) -> Option<Entities> {
    let attrs: EntitiesAttrs = read_attributes(&input.attrs, diag);
    no_generics(&input, diag);
    let Data::Enum(data) = &input.data else {
        diag.push(
            Problem::new(input.ident.span(), "the entities of a table are listed in an enum")
                .help("write an enum with a variant for each entity; for all items of a partition in one struct derive `dyno::Aggregate`"),
        );
        return None;
    };
    let (mut variants, mut unknown) = (Vec::new(), None);
    for variant in &data.variants {
        let attrs: ListedAttrs = read_attributes(&variant.attrs, diag);
        let is_unknown = attrs.entities.unknown.is_set();
        match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                if !is_unknown {
                    variants.push((variant.ident.clone(), fields.unnamed[0].ty.clone()));
                } else if unknown.is_some() {
                    diag.push(Problem::new(variant.ident.span(), "a second variant for unknown items"));
                } else {
                    unknown = Some(variant.ident.clone());
                }
            }
            _ => diag.push(
                Problem::new(variant.ident.span(), format!("the variant `{}` does not hold an entity", variant.ident))
                    .help(format!("write `{}(Entity)` with the entity's type", variant.ident)),
            ),
        }
    }
    if variants.is_empty() {
        diag.push(Problem::new(input.ident.span(), format!("`{}` lists no entity", input.ident)));
    }
    twice(variants.iter().map(|(_, ty)| ty), diag);
    Some(Entities { container: lower_container(&input, attrs.entities.krate.get()), variants, unknown })
}

/// Lowers an aggregate; `None` if there is too little to go on, and then `diag` says why.
pub(crate) fn lower_aggregate(input: DeriveInput, diag: &mut Diagnostics) -> Option<Aggregate> {
    let attrs: AggregateAttrs = read_attributes(&input.attrs, diag);
    no_generics(&input, diag);
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) if !fields.named.is_empty() => Some(&fields.named),
            _ => None,
        },
        _ => None,
    };
    let Some(fields) = fields else {
        diag.push(
            Problem::new(input.ident.span(), "an aggregate is a struct with a field for each entity")
                .help("write `parent: Parent, children: Vec<Child>`"),
        );
        return None;
    };
    let parts = fields.iter().filter_map(|field| {
        let (entity, number) = match inner(&field.ty) {
            Some(("Vec", ty)) => (ty.clone(), Number::Many),
            Some((_, ty)) => (ty.clone(), Number::Optional),
            None => (field.ty.clone(), Number::One),
        };
        Some(Part { ident: field.ident.clone()?, entity, number })
    });
    let parts: Vec<Part> = parts.collect();
    twice(parts.iter().map(|part| &part.entity), diag);
    Some(Aggregate { container: lower_container(&input, attrs.aggregate.krate.get()), fields: parts })
}

fn no_generics(input: &DeriveInput, diag: &mut Diagnostics) {
    if let Some(param) = input.generics.params.first() {
        diag.push(
            Problem::new(param.span(), format!("`{}` cannot be generic", input.ident))
                .note("which entities share a table is checked where they are listed"),
        );
    }
}

/// An entity is listed once.
fn twice<'a>(types: impl Iterator<Item = &'a Type>, diag: &mut Diagnostics) {
    let mut known: Vec<String> = Vec::new();
    for ty in types {
        let text = ty.to_token_stream().to_string();
        if known.contains(&text) {
            diag.push(Problem::new(ty.span(), "this entity is listed twice").help("remove one of the two"));
        }
        known.push(text);
    }
}

/// What is in a `Vec` or `Option`.
fn inner(ty: &Type) -> Option<(&'static str, &Type)> {
    let path = match ty {
        Type::Path(path) => &path.path,
        Type::Group(group) => return inner(&group.elem),
        Type::Paren(paren) => return inner(&paren.elem),
        _ => return None,
    };
    let last = path.segments.last()?;
    let name = ["Vec", "Option"].into_iter().find(|name| last.ident == name)?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(ty)) => Some((name, ty)),
            _ => None,
        },
        _ => None,
    }
}
