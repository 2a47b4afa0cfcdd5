//! Lists of entities, which have at least one entity and none twice; and projections, which name at least one field.

use crate::diag::{Diagnostics, Problem};
use crate::model::{Aggregate, Container, Entities, Projection};
use quote::ToTokens as _;
use syn::Type;
use syn::spanned::Spanned as _;

pub(crate) fn entities(entities: &Entities, diag: &mut Diagnostics) {
    let ident = &entities.container.ident;
    no_generics(&entities.container, diag);
    if entities.variants.is_empty() {
        diag.push(Problem::new(ident.span(), format!("`{ident}` lists no entity")));
    }
    listed_once(entities.variants.iter().map(|(_, ty)| ty), diag);
}

pub(crate) fn aggregate(aggregate: &Aggregate, diag: &mut Diagnostics) {
    no_generics(&aggregate.container, diag);
    listed_once(aggregate.fields.iter().map(|part| &part.entity), diag);
}

pub(crate) fn projection(projection: &Projection, diag: &mut Diagnostics) {
    let ident = &projection.container.ident;
    if projection.fields.is_empty() {
        diag.push(
            Problem::new(ident.span(), format!("`{ident}` names no field"))
                .help("name the fields of the entity that are to be read"),
        );
    }
    if let Some(lifetime) = projection.container.generics.lifetimes().next() {
        diag.push(
            Problem::new(lifetime.span(), "a projection cannot borrow")
                .note("what is read from DynamoDB belongs to it"),
        );
    }
}

fn no_generics(container: &Container, diag: &mut Diagnostics) {
    if let Some(param) = container.generics.params.first() {
        diag.push(
            Problem::new(param.span(), format!("`{}` cannot be generic", container.ident))
                .note("which entities share a table is checked where they are listed"),
        );
    }
}

fn listed_once<'a>(types: impl Iterator<Item = &'a Type>, diag: &mut Diagnostics) {
    let mut known: Vec<String> = Vec::new();
    for ty in types {
        let text = ty.to_token_stream().to_string();
        if known.contains(&text) {
            diag.push(Problem::new(ty.span(), "this entity is listed twice").help("remove one of the two"));
        }
        known.push(text);
    }
}
