//! Lists of entities that share a table: an enum of their items, and a struct of all items of a partition.

use super::Container;
use syn::{Ident, Type};

/// An enum with a variant for each entity.
pub(crate) struct Entities {
    pub(crate) container: Container,
    pub(crate) variants: Vec<(Ident, Type)>,
    /// The variant for items that belong to none of the entities.
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

/// The number of an entity's items in an aggregate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    One,
    Optional,
    Many,
}
