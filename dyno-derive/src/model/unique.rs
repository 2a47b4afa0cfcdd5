//! Unique values.

use crate::given::Word;
use proc_macro2::Span;
use syn::Ident;

/// Fields whose values, taken together, no two live items have.
pub(crate) struct Unique {
    /// The name with which the keys of its guards begin.
    pub(crate) name: Word,
    /// The function that reads the item with a value.
    pub(crate) query: Ident,
    /// The fields, by their index, each with its place in the attribute.
    pub(crate) fields: Vec<usize>,
    pub(crate) span: Span,
}
