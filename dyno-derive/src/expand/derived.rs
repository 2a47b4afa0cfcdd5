//! The common parts of generated code: the attributes of its impls, the names of its types, and its spans.

use crate::model::{Container, Entity};
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::Ident;
use syn::spanned::Spanned as _;

/// Returns the attributes of generated impls.
pub(super) fn derived(container: &Container) -> TokenStream {
    let lints = &container.lints;
    code!(#[automatically_derived] #(#lints)*)
}

/// Returns the name of the type with a handle for each stored attribute.
pub(super) fn handles_ident(entity: &Entity) -> Ident {
    format_ident!("{}Fields", entity.container.ident)
}

/// Returns the place of the user's tokens, for an error about them. Names resolve as in generated code.
pub(super) fn at(written: &impl ToTokens) -> Span {
    Span::call_site().located_at(written.span())
}

/// Returns the same tokens with this span.
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
