//! Projections: structs that name some fields of an entity.

use super::Container;
use syn::{Ident, Path, Type};

/// A struct that names some fields of an entity.
pub(crate) struct Projection {
    pub(crate) container: Container,
    pub(crate) of: Type,
    /// The types of the indexes that the projection is read from, if they hold only some attributes.
    pub(crate) indexes: Vec<Path>,
    pub(crate) fields: Vec<(Ident, Type)>,
}
