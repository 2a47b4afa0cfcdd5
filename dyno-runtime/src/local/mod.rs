//! DynamoDB in this process, for tests, examples and development: an [`Engine`], and [`Faults`] between it and your program.

mod engine;
mod faults;
mod stream_records;
mod unprojected;

pub use engine::Engine;
pub use faults::{Delivered, Fault, Faults, Rates, SentRequest, Unprocessed};
