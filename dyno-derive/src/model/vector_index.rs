//! Vector indexes, and what their vectors are made of.

use super::Case;
use crate::given::{Given, Word};
use syn::Ident;
use syn::ext::IdentExt as _;

/// A vector index.
pub(crate) struct VectorIndex {
    pub(crate) name: Word,
    /// The function that searches it.
    pub(crate) query: Ident,
    /// The field with the vector.
    pub(crate) vector: Given<usize>,
    /// The fields that the vector is made of, as far as this index says.
    pub(crate) of: Vec<Given<usize>>,
    pub(crate) metric: Metric,
    /// The field whose value each search gives.
    pub(crate) partition: Option<Given<usize>>,
    /// The fields by which a search can filter.
    pub(crate) filters: Vec<Given<usize>>,
    /// The stored names of the attributes it holds besides the keys; `None` for whole items.
    pub(crate) projection: Option<Vec<Word>>,
}

impl VectorIndex {
    /// Returns the suffix of the name of the index's type.
    pub(crate) fn marker(&self) -> String {
        Case::Pascal.field(&self.query.unraw().to_string())
    }
}

/// A distance between vectors, named as the runtime's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Metric {
    Cosine,
    Euclidean,
    DotProduct,
}

/// A vector, and the fields that it is made of, as all its indexes say together.
pub(crate) struct Embedding {
    pub(crate) vector: usize,
    pub(crate) of: Vec<usize>,
    /// Whether an item can be without the vector: the field is an `Option`.
    pub(crate) is_optional: bool,
}

impl Embedding {
    /// Returns the vector and what it is made of, in the order of the fields.
    pub(crate) fn fields(&self) -> Vec<usize> {
        let mut fields = self.of.clone();
        fields.push(self.vector);
        fields.sort_unstable();
        fields
    }
}
