//! DynamoDB in this process, for tests, examples and development: an [`Engine`], [`Faults`] between it and your program, and
//! [every order of its requests](explore).

mod engine;
pub mod explore;
mod faults;
mod stream_records;
mod unprojected;

pub use engine::Engine;
pub use faults::{Delivered, Fault, Faults, Rates, SentRequest, Unprocessed};
