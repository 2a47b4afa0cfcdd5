//! From the model to tokens. Nothing here can fail, and nothing here uses another module of the derive than `model`, but for
//! `takes`.

/// As `quote!`, with the place of generated code: see `given::here`.
macro_rules! code {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned!($crate::given::here()=> $($tokens)*)
    };
}

mod checked;
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

use crate::attr::foreign::Foreign;
use derived::spanned;
use proc_macro2::TokenStream;
use syn::{Ident, Path};

/// Returns the check that a type takes a word of an entity, as its own derives decide.
pub(crate) fn takes(krate: &Path, ident: &Ident, word: Foreign) -> TokenStream {
    let (check, span) = match word {
        Foreign::Rule(span) => (code!(takes_rules), span),
        Foreign::Attribute(span) => (code!(takes_attributes), span),
    };
    spanned(code!(const _: () = #krate::__private::#check::<#ident>();), span)
}
