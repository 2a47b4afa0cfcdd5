//! Projections: structs that name some fields of an entity.

use crate::attr::{ProjectedFieldAttrs, ProjectionAttrs, read_attributes};
use crate::diag::{Diagnostics, Problem};
use crate::model::{Container, Projection};
use syn::{Data, DeriveInput, Fields};

/// Lowers a projection. If the input does not suffice, it returns `None`, and `diag` says why.
pub(crate) fn projection(
    input: &DeriveInput,
    attrs: &ProjectionAttrs,
    container: Container,
    diag: &mut Diagnostics,
) -> Option<Projection> {
    let attrs = &attrs.projection;
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => Some(&fields.named),
            _ => None,
        },
        _ => None,
    };
    if fields.is_none() {
        diag.push(
            Problem::new(input.ident.span(), "a projection is a struct with named fields")
                .note("its fields are fields of the entity, by their names"),
        );
    } else if !attrs.of.is_set() && !attrs.mistaken {
        diag.push(
            Problem::new(input.ident.span(), format!("`{}` does not say what it is a projection of", input.ident))
                .help("add `#[projection(of = …)]` with the entity's type"),
        );
    }
    let fields = fields?.iter().filter_map(|field| {
        let _: ProjectedFieldAttrs = read_attributes(&field.attrs, diag);
        Some((field.ident.clone()?, field.ty.clone()))
    });
    let fields = fields.collect();
    Some(Projection {
        container,
        of: attrs.of.get()?.value.clone(),
        indexes: attrs.indexes.iter().map(|index| index.value.0.clone()).collect(),
        fields,
    })
}
