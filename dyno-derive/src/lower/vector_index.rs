//! Vector indexes, and the effect of their sources on the rest of an entity.

use super::field::FieldInput;
use super::index::{names, projection};
use super::value::{chosen, find_field};
use crate::attr::{IndexAttr, SideAttr, Slot};
use crate::diag::{Diagnostics, Problem};
use crate::given::Given;
use crate::model::{Access, Embedding, Metric, Storage, VectorIndex, is_option};
use syn::Ident;
use syn::ext::IdentExt as _;

/// The input for lowering a vector index.
struct Lowering<'a> {
    /// The index's name, for messages.
    name: &'a str,
    fields: &'a [FieldInput],
}

pub(super) fn vector_indexes(
    attrs: &[Given<IndexAttr>],
    entity: &Ident,
    fields: &[FieldInput],
    diag: &mut Diagnostics,
) -> Vec<VectorIndex> {
    let attrs = attrs.iter().filter(|attr| attr.value.vector.is_set());
    attrs.filter_map(|attr| index(attr, entity, fields, diag)).collect()
}

fn index(
    attr: &Given<IndexAttr>,
    entity: &Ident,
    fields: &[FieldInput],
    diag: &mut Diagnostics,
) -> Option<VectorIndex> {
    let (span, attr) = (attr.span, &attr.value);
    if attr.mistaken && !attr.name.is_set() {
        return None;
    }
    let (name, query) = names(attr, entity, span, diag)?;
    let metrics = [("cosine", Metric::Cosine), ("euclidean", Metric::Euclidean), ("dot_product", Metric::DotProduct)];
    let metric = chosen(&attr.metric, "metric", &metrics, span, diag).value;
    for (word, slot) in [("sort", attr.sort.span()), ("local", attr.local.span())] {
        if let Some(span) = slot {
            diag.push(
                Problem::new(span, format!("`{word}` cannot be used on the vector index `{name}`"))
                    .help("remove it")
                    .note("a search returns the closest items, by their distance"),
            );
        }
    }
    let this = Lowering { name: &name, fields };
    let vector = attr.vector.get()?;
    let vector = this.field(&vector.value.0, "vector", diag);
    let partition = attr.partition.get().map(|side| this.partition(side, diag));
    let (filters, of) = (this.list(&attr.filter, "filter", diag), this.list(&attr.of, "`of`", diag));
    let projection = projection(&name, fields, &attr.projection, diag);
    let partition = match partition {
        Some(partition) => Some(partition?),
        None => None,
    };
    Some(VectorIndex { vector: vector?, of, metric, partition, filters, projection, query, name })
}

impl Lowering<'_> {
    /// Returns a field that has an attribute of its own.
    fn field(&self, name: &Ident, role: &str, diag: &mut Diagnostics) -> Option<Given<usize>> {
        let who = format!("the {role} of the vector index `{}`", self.name);
        let field = find_field(self.fields, &name.unraw().to_string(), name.span(), &who, diag)?;
        let problem = match self.fields[field].storage {
            Storage::Attribute | Storage::AttributeAndTemplate | Storage::Key => {
                return Some(Given::new(field, name.span()));
            }
            Storage::Template => Problem::new(name.span(), format!("the field `{name}` has no attribute of its own"))
                .help("add `#[attribute(stored)]` to it")
                .note("it is stored within the table's key only"),
            Storage::Rest | Storage::Skipped => {
                Problem::new(name.span(), format!("the field `{name}` is no attribute"))
                    .note("an index holds stored attributes, by their names")
            }
        };
        diag.push(problem);
        None
    }

    fn partition(&self, side: &Given<SideAttr>, diag: &mut Diagnostics) -> Option<Given<usize>> {
        match &side.value {
            SideAttr::Fields(names) => {
                if let [_, second, ..] = &names[..] {
                    diag.push(
                        Problem::new(second.span(), format!("the vector index `{}` has one partition", self.name))
                            .help("name the others in `filter(…)`"),
                    );
                }
                self.field(names.first()?, "partition", diag)
            }
            SideAttr::Key(_) => {
                diag.push(
                    Problem::new(side.span, "the partition of a vector index is a field")
                        .help("write `partition = field`"),
                );
                None
            }
        }
    }

    /// Returns the fields of a list. A field that is named twice is a mistake.
    fn list(&self, slot: &Slot<Vec<Ident>>, role: &str, diag: &mut Diagnostics) -> Vec<Given<usize>> {
        let mut fields: Vec<Given<usize>> = Vec::new();
        for name in slot.get().into_iter().flat_map(|list| &list.value) {
            let Some(field) = self.field(name, role, diag) else { continue };
            if fields.iter().any(|other| other.value == field.value) {
                let message = format!("the {role} of the vector index `{}` names `{name}` twice", self.name);
                diag.push(Problem::new(name.span(), message));
            } else {
                fields.push(field);
            }
        }
        fields
    }
}

/// Returns the vectors that are made of other fields, each with all of these that its indexes name.
pub(super) fn embeddings(indexes: &[VectorIndex], fields: &[FieldInput]) -> Vec<Embedding> {
    let mut embeddings: Vec<Embedding> = Vec::new();
    for index in indexes.iter().filter(|index| !index.of.is_empty()) {
        let vector = index.vector.value;
        let of = index.of.iter().map(|field| field.value).filter(|field| *field != vector);
        match embeddings.iter_mut().find(|embedding| embedding.vector == vector) {
            Some(known) => {
                let more: Vec<usize> = of.filter(|field| !known.of.contains(field)).collect();
                known.of.extend(more);
            }
            None => {
                let is_optional = is_option(&fields[vector].ty);
                embeddings.push(Embedding { vector, of: of.collect(), is_optional });
            }
        }
    }
    embeddings
}

/// Records how an update may change vectors, and the fields that a required vector is made of.
pub(super) fn place_vectors(fields: &mut [FieldInput], indexes: &[VectorIndex], embeddings: &[Embedding]) {
    for index in indexes {
        let access = &mut fields[index.vector.value].field.access;
        if *access == Access::Plain {
            *access = Access::Vector;
        }
    }
    for embedding in embeddings {
        for field in embedding.fields() {
            let is_vector = field == embedding.vector;
            let access = &mut fields[field].field.access;
            *access = match *access {
                Access::Vector if embedding.is_optional && is_vector => Access::Embedding,
                Access::Vector => Access::Joint,
                // An update of such a field removes an optional vector.
                Access::Plain | Access::Indexed | Access::Immutable if !embedding.is_optional && !is_vector => {
                    Access::Joint
                }
                other => other,
            };
        }
    }
}
