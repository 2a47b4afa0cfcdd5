//! The error of an item that cannot be decoded.

use crate::attribute::Members;
use crate::error::{Context, DecodeError, Error, ErrorKind};
use crate::key;
use crate::schema::Schema;

/// Returns the error of a failed decoding. `item` has the attributes that are not decoded yet. The derive takes out the key
/// last, so that the error can name it.
#[cold]
pub(crate) fn decode_error(error: DecodeError, item: Members<'_>, schema: &'static Schema) -> Error {
    Error::new(ErrorKind::Decode, error.to_string()).with_context(|| Context {
        operation: "decode",
        entity: schema.entity,
        key: key::key_text(&item.into_rest(), schema),
    })
}
