//! Parts of the SDK's types for tables.

use crate::error::Error;
use aws_sdk_dynamodb::types::{Projection, ProjectionType};

/// Returns the error for a value that the SDK's builders refuse.
pub(super) fn build_error(error: impl std::fmt::Display) -> Error {
    Error::invalid(error.to_string())
}

/// Returns the projection of an index that holds these attributes; `None` for whole items.
pub(super) fn projection(held: Option<&[&'static str]>) -> Projection {
    let projection = Projection::builder();
    match held {
        None => projection.projection_type(ProjectionType::All),
        Some([]) => projection.projection_type(ProjectionType::KeysOnly),
        Some(names) => projection
            .projection_type(ProjectionType::Include)
            .set_non_key_attributes(Some(names.iter().map(|name| (*name).to_owned()).collect())),
    }
    .build()
}
