//! Nested documents. `#[derive(Document)]` writes the codec; the trait marks the types that are maps.

use super::error::{DecodeError, EncodeError};
use super::{Item, Value};

/// A type stored as a map of named members: what `#[derive(Document)]` makes of a struct with named fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a document with named fields",
    label = "a tag needs a map to stand in",
    note = "a variant with a tag is stored as one map: its fields and the tag"
)]
pub trait Document: Value {
    /// Adds the members to a map.
    #[doc(hidden)]
    fn __encode_members(&self, members: &mut Item) -> Result<(), EncodeError>;

    /// Takes the members out of a map.
    #[doc(hidden)]
    fn __decode_members(members: &mut Item) -> Result<Self, DecodeError>;
}
