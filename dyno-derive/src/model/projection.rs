//! Projections: structs that name some fields of an entity.

use super::Container;
use super::lower::lower_container;
use crate::attr::{ProjectionAttrs, read_attributes};
use crate::diag::{Diagnostics, Problem};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Fields, Ident, Path, Type};

/// A struct that names some fields of an entity.
pub(crate) struct Projection {
    pub(crate) container: Container,
    pub(crate) of: Type,
    /// The types of the indexes that it is read from, where these hold only some attributes.
    pub(crate) indexes: Vec<Path>,
    pub(crate) fields: Vec<(Ident, Type)>,
}

/// Lowers a projection; `None` if there is too little to go on, and then `diag` says why.
pub(crate) fn lower_projection(input: DeriveInput, diag: &mut Diagnostics) -> Option<Projection> {
    let ProjectionAttrs { projection: attrs, .. } = read_attributes(&input.attrs, diag);
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => Some(&fields.named),
            _ => None,
        },
        _ => None,
    };
    let Some(fields) = fields else {
        diag.push(
            Problem::new(input.ident.span(), "a projection is a struct with named fields")
                .note("its fields are fields of the entity, by their names"),
        );
        return None;
    };
    if fields.is_empty() {
        diag.push(
            Problem::new(input.ident.span(), format!("`{}` names no field", input.ident))
                .help("name the fields of the entity that are to be read"),
        );
    }
    if let Some(lifetime) = input.generics.lifetimes().next() {
        diag.push(
            Problem::new(lifetime.span(), "a projection cannot borrow")
                .note("what is read from DynamoDB belongs to it"),
        );
    }
    let Some(of) = attrs.of.get() else {
        if !attrs.mistaken {
            diag.push(
                Problem::new(input.ident.span(), format!("`{}` does not say what it is a projection of", input.ident))
                    .help("add `#[projection(of = …)]` with the entity's type"),
            );
        }
        return None;
    };
    let fields = fields.iter().filter_map(|field| Some((field.ident.clone()?, field.ty.clone())));
    Some(Projection {
        of: of.value.clone(),
        indexes: attrs.indexes.into_iter().map(|index| index.value.0).collect(),
        fields: fields.collect(),
        container: lower_container(&input, attrs.krate.get()),
    })
}
