//! The part that is not generic: a schema and items in, requests of the SDK and outcomes out.
//!
//! Typed commands (`command`) are thin shells around it, so that each entity adds little to what has to be
//! compiled. `key` builds and reads keys, `check` refuses what DynamoDB would, `write` and `read` make requests
//! and send them, `pages` reads on until a limit is met.

mod check;
mod cursor;
mod key;
mod pages;
mod read;
mod request;
mod window;
mod write;

pub(crate) use check::check_item;
pub use cursor::{Cursor, InvalidCursor};
pub(crate) use key::{build_key, check_templates, field_text, insert_templates, key_text};
pub(crate) use pages::{Pages, ReadCommand, Source};
pub(crate) use read::GetCommand;
pub use request::Request;
pub(crate) use window::SortTerm;
pub(crate) use write::{Refused, WriteCommand, Written};
