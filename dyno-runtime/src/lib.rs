//! Annotate a struct, get typed DynamoDB commands whose conditions are right under retries, reordering and
//! concurrency.

mod attribute;

pub use crate::attribute::time::{EpochMillis, EpochSeconds};
pub use crate::attribute::{
    Attribute, Container, DecodeError, Document, EncodeError, IntoField, Item, KeyPart, KeyParts, Step, Value, kind,
};
pub use aws_sdk_dynamodb;
