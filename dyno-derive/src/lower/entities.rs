//! Lists of entities that share a table.

use crate::attr::{AggregateAttrs, EntitiesAttrs, ListedAttrs, read_attributes};
use crate::diag::{Diagnostics, Problem};
use crate::model::{Aggregate, Container, Entities, Number, Part};
use syn::{Data, DeriveInput, Fields, GenericArgument, PathArguments, Type};

/// Lowers an enum of entities. If the input does not suffice, it returns `None`, and `diag` says why.
pub(crate) fn entities(
    input: &DeriveInput,
    _: &EntitiesAttrs,
    container: Container,
    diag: &mut Diagnostics,
) -> Option<Entities> {
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
    Some(Entities { container, variants, unknown })
}

/// Lowers an aggregate. If the input does not suffice, it returns `None`, and `diag` says why.
pub(crate) fn aggregate(
    input: &DeriveInput,
    _: &AggregateAttrs,
    container: Container,
    diag: &mut Diagnostics,
) -> Option<Aggregate> {
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
    Some(Aggregate { container, fields: parts.collect() })
}

/// Returns the type inside a `Vec` or `Option`, with the name of the outer type.
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
