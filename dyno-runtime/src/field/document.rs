//! Nested documents. `#[derive(Document)]` writes the codec; the trait marks the types that are maps.

use super::Nested;
use crate::attribute::{Item, Value};
use crate::error::{DecodeError, EncodeError};

/// A type stored as a map of named members: what `#[derive(Document)]` makes of a struct with named fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a document with named fields",
    label = "expected a struct that derives `dyno::Document`",
    note = "a variant with a tag is stored as one map, its fields and the tag; `fields()` has a handle for each member of one"
)]
pub trait Document: Value {
    /// Handles of the members, where the document is part of an `E`.
    type Fields<E, A>;

    /// The handles of the members of the document at a place.
    #[doc(hidden)]
    fn __fields<E, A>(place: Nested) -> Self::Fields<E, A>;

    /// Adds the members to a map.
    #[doc(hidden)]
    fn __encode_members(&self, members: &mut Item) -> Result<(), EncodeError>;

    /// Takes the members out of a map.
    #[doc(hidden)]
    fn __decode_members(members: &mut Item) -> Result<Self, DecodeError>;
}
