//! Unique values: the functions that read the item with a value.

use super::checked;
use super::derived::derived;
use super::docs;
use super::generics::Generics;
use crate::model::{Entity, Unique};
use proc_macro2::TokenStream;
use quote::quote_spanned;

pub(super) fn expand(entity: &Entity, generics: &Generics) -> TokenStream {
    if entity.unique.is_empty() {
        return TokenStream::new();
    }
    let ident = &entity.container.ident;
    let (params, arguments, clause) = generics.split();
    let gets = entity.unique.iter().enumerate().map(|(position, unique)| get(entity, position, unique));
    let derived = derived(&entity.container);
    code! {
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
    let parameters = unique.fields.iter().map(|field| checked::parameter(entity, *field));
    let values: Vec<TokenStream> = unique.fields.iter().map(|field| checked::argument(entity, *field)).collect();
    let value = match &values[..] {
        [value] => code!(#value),
        values => code!((#(#values),*)),
    };
    let place = checked::place(entity, unique.fields.iter().copied());
    let at_place = place.on(code!(#krate));
    let value = quote_spanned!(place.span()=> #at_place::command::GetByUnique::__new(#position, &#value));
    let doc = docs::get_by_unique(entity, unique);
    quote_spanned! {place.span()=>
        #doc
        pub fn #query(#(#parameters),*) -> #at_place::command::GetByUnique<Self> {
            #value
        }
    }
}
