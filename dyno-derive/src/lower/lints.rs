//! The user's lint attributes and deprecations, which also apply to the generated code.

use crate::attr::foreign::attributes;
use quote::ToTokens as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, DeriveInput, Meta, MetaList, Path, Token, parse_quote};

/// Returns the attributes that let generated code use the names of the type and its fields: for the lints that these allow or
/// expect, and for deprecated names.
pub(super) fn lints(input: &DeriveInput) -> Vec<Attribute> {
    let mut lints: Vec<Attribute> = Vec::new();
    let mut add = |lint: Attribute| {
        let text = lint.to_token_stream().to_string();
        if lints.iter().all(|known| known.to_token_stream().to_string() != text) {
            lints.push(lint);
        }
    };
    for attribute in attributes(input) {
        match &attribute.meta {
            Meta::List(list) if list.path.is_ident("allow") || list.path.is_ident("expect") => {
                if let Some(lint) = allowed(list) {
                    add(lint);
                }
            }
            meta if meta.path().is_ident("deprecated") => {
                add(parse_quote!(#[allow(deprecated, reason = "what is generated names all there is")]));
            }
            _ => {}
        }
    }
    lints
}

/// Returns the lints of an `allow` or `expect` as an `allow`, because an expected lint need not occur in generated code. It
/// leaves out `dead_code` and `unused`: the compiler takes everything as used that code with such an `allow` uses, so it
/// would report none of the user's own unused code.
fn allowed(list: &MetaList) -> Option<Attribute> {
    let lints = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
    let lints: Vec<Meta> = lints
        .into_iter()
        .filter(|lint| !lint.path().is_ident("dead_code") && !lint.path().is_ident("unused"))
        .collect();
    let is_lint = |meta: &Meta| matches!(meta, Meta::Path(_));
    let has_reason = lints.iter().any(|meta| meta.path().is_ident("reason"));
    let reason = (!has_reason).then(|| -> Meta { parse_quote!(reason = "it is allowed where this is derived") });
    let all = lints.iter().chain(&reason);
    lints.iter().any(is_lint).then(|| parse_quote!(#[allow(#(#all),*)]))
}

/// Returns the attributes of a field that its handle has, too: its documentation, and the one that deprecates it.
pub(super) fn description(attributes: &[Attribute]) -> Vec<Attribute> {
    let is_of_handle = |path: &Path| path.is_ident("doc") || path.is_ident("deprecated");
    attributes.iter().filter(|attribute| is_of_handle(attribute.path())).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lint_of_the_user_is_allowed_with_a_reason() {
        let input: DeriveInput = parse_quote! {
            #[expect(clippy::pedantic, dead_code, reason = "the user's own")]
            struct Order {
                #[allow(non_snake_case)]
                ID: String,
                #[deprecated]
                old: String,
                #[allow(unused)]
                other: String,
            }
        };
        let lints: Vec<String> = lints(&input).iter().map(|lint| lint.to_token_stream().to_string()).collect();
        let expected: [Attribute; 3] = [
            parse_quote!(#[allow(clippy::pedantic, reason = "the user's own")]),
            parse_quote!(#[allow(non_snake_case, reason = "it is allowed where this is derived")]),
            parse_quote!(#[allow(deprecated, reason = "what is generated names all there is")]),
        ];
        assert_eq!(lints, expected.map(|lint| lint.to_token_stream().to_string()));
    }
}
