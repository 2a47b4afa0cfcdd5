//! Unique values: the functions that read the item with a value.

use super::derived::{at, derived, spanned};
use super::docs;
use super::generics::Generics;
use super::index::present;
use crate::model::{Entity, Unique};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Ident, Type};

pub(super) fn expand(entity: &Entity, generics: &Generics) -> TokenStream {
    if entity.unique.is_empty() {
        return TokenStream::new();
    }
    let ident = &entity.container.ident;
    let (params, arguments, clause) = generics.split();
    let gets = entity.unique.iter().enumerate().map(|(position, unique)| get(entity, position, unique));
    let derived = derived(&entity.container);
    quote! {
        #derived
        #[allow(dead_code, reason = "all reads are there, used or not")]
        impl #params #ident #arguments #clause {
            #(#gets)*
        }
    }
}

fn get(entity: &Entity, position: usize, unique: &Unique) -> TokenStream {
    let krate = &entity.container.krate;
    let query = &unique.query;
    let idents: Vec<&Ident> = unique.fields.iter().map(|field| &entity.fields[*field].ident).collect();
    let types: Vec<Type> = unique.fields.iter().map(|field| present(krate, &entity.fields[*field].ty)).collect();
    let values = idents
        .iter()
        .zip(&types)
        .map(|(ident, ty)| quote_spanned!(at(ty)=> #krate::value::IntoField::<#ty>::into_field(#ident)));
    let values: Vec<TokenStream> = values.collect();
    let parameters = quote!(#(#idents: impl #krate::value::IntoField<#types>),*);
    let value = match &values[..] {
        [value] => quote!(#value),
        values => quote!((#(#values),*)),
    };
    let place = types.first().map_or_else(Span::call_site, at);
    let at_place = spanned(quote!(#krate), place);
    let value = quote_spanned!(place=> #at_place::command::GetByUnique::__new(#position, &#value));
    let doc = docs::get_by_unique(entity, unique);
    quote! {
        #doc
        pub fn #query(#parameters) -> #krate::command::GetByUnique<Self> {
            #value
        }
    }
}
