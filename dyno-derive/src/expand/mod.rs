//! From the model to tokens. Nothing here can fail, and nothing here uses another module of the derive than `model`.

mod codec;
mod commands;
mod derived;
mod docs;
mod document;
mod entities;
mod entity;
mod generics;
mod groups;
mod index;
mod keys;
mod parameters;
mod projection;
mod schema;
pub(crate) mod stub;
mod unique;
mod vector_index;

pub(crate) use document::expand as document;
pub(crate) use entities::{aggregate, entities};
pub(crate) use entity::expand as entity;
pub(crate) use projection::expand as projection;
