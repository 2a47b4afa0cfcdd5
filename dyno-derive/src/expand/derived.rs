//! What generated code has in common: the attributes of its implementations, and the names of its types.

use crate::model::{Container, Entity};
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::Ident;
use syn::spanned::Spanned as _;

/// The attributes of generated implementations.
pub(super) fn derived(container: &Container) -> TokenStream {
    let lints = &container.lints;
    quote!(#[automatically_derived] #(#lints)*)
}

/// The type with a handle for each stored attribute.
pub(super) fn handles_ident(entity: &Entity) -> Ident {
    format_ident!("{}Fields", entity.container.ident)
}

/// The place of what the user wrote, for an error about it; names still mean what they mean in generated code.
pub(super) fn at(written: &impl ToTokens) -> Span {
    Span::call_site().located_at(written.span())
}

/// The same tokens, in this place.
pub(super) fn spanned(tokens: TokenStream, span: Span) -> TokenStream {
    let spanned = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut group = Group::new(group.delimiter(), spanned(group.stream(), span));
            group.set_span(span);
            TokenTree::Group(group)
        }
        mut token => {
            token.set_span(span);
            token
        }
    });
    spanned.collect()
}
