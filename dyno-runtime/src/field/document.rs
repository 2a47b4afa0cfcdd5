//! Nested documents. `#[derive(Document)]` generates the codec, and the trait marks the types that are stored as maps.

use super::Nested;
use crate::attribute::{Item, Members, Parents, StoredType, Value};
use crate::error::{DecodeError, EncodeError};

/// A type stored as a map of named members. `#[derive(Document)]` implements it for a struct with named fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a document with named fields",
    label = "expected a struct that derives `dyno::Document`",
    note = "a variant with a tag is stored as one map, its fields and the tag; `fields()` has a handle for each member of one"
)]
pub trait Document: Value {
    /// The same as `Value::__stored_type`.
    #[doc(hidden)]
    #[must_use]
    fn __stored(parents: &mut Parents) -> StoredType {
        Self::__stored_type(parents)
    }

    /// The handles of the members, if the document is part of an `E`.
    type Fields<E, A>;

    /// The number of declared members, for the capacity of the map.
    #[doc(hidden)]
    const __MEMBERS: usize;

    /// Returns the handles of the members of the document at a place.
    #[doc(hidden)]
    fn __fields<E, A>(place: Nested) -> Self::Fields<E, A>;

    /// Adds the members to a map.
    #[doc(hidden)]
    fn __encode_members(&self, members: &mut Item) -> Result<(), EncodeError>;

    /// Takes the members out of a map.
    #[doc(hidden)]
    fn __decode_members(members: &mut Members<'_>) -> Result<Self, DecodeError>;
}
