//! What generated code has in common: the attributes of its implementations, and the names of its types.

use crate::model::{Container, Entity};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

/// The attributes of generated implementations.
pub(super) fn derived(container: &Container) -> TokenStream {
    let lints = &container.lints;
    quote!(#[automatically_derived] #(#lints)*)
}

/// The type with a handle for each stored attribute.
pub(super) fn handles_ident(entity: &Entity) -> Ident {
    format_ident!("{}Fields", entity.container.ident)
}
