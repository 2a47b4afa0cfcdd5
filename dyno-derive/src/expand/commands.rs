//! The functions that return commands, generated from the table of functions. Each body is one line, because the runtime has
//! the types and rules. Each is `#[inline]`, so that it is compiled only where it is called.

use super::derived::{derived, handles_ident};
use super::docs;
use super::generics::Generics;
use super::groups;
use super::parameters::{Taken, taken};
use crate::model::{Command, Entity, FUNCTIONS, Function, Parameter};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

pub(super) fn expand(entity: &Entity, generics: &Generics) -> TokenStream {
    let krate = &entity.container.krate;
    let (ident, handles) = (&entity.container.ident, handles_ident(entity));
    let (params, arguments, clause) = generics.split();
    let functions = FUNCTIONS.iter().filter(|function| (function.exists)(entity));
    let functions = functions.map(|function| self::function(entity, function, &arguments));
    let groups = groups::expand(entity, generics);
    let derived = derived(&entity.container);
    quote! {
        #derived
        #[allow(dead_code, reason = "all commands are there, used or not")]
        impl #params #ident #arguments #clause {
            /// The stored attributes, for conditions, filters and changes.
            #[must_use]
            #[inline]
            pub fn fields() -> #handles #arguments {
                <Self as #krate::Entity>::FIELDS
            }
            /// The entity's key.
            #[must_use]
            #[inline]
            pub fn key(&self) -> <Self as #krate::Entity>::Key {
                <Self as #krate::Entity>::key(self)
            }
            #(#functions)*
        }
        #groups
    }
}

fn function(entity: &Entity, function: &Function, arguments: &TokenStream) -> TokenStream {
    let krate = &entity.container.krate;
    let doc = docs::function(entity, function);
    let (name, command) = (format_ident!("{}", function.name), function.command);
    let taken: Vec<Taken> = function.takes.iter().map(|parameter| taken(entity, *parameter)).collect();
    let parameters = taken.iter().flat_map(|taken| &taken.parameters);
    let values = taken.iter().map(|taken| &taken.argument);
    let value = quote!(#krate::command::#command::new(#(#values),*));
    let (generics, ty, value, clause) = match function.command {
        _ if function.takes.contains(&Parameter::Edit) => (
            quote!(<__Edit, __EditResult>),
            quote!(#krate::command::#command<Self, __Edit>),
            value,
            Some(quote! {
                where
                    __Edit: ::core::ops::FnMut(&mut Self) -> __EditResult + ::core::marker::Send,
                    __EditResult: #krate::command::EditResult,
            }),
        ),
        Command::Update => {
            let (ty, value) = update(entity, value, arguments);
            (TokenStream::new(), ty, value, None)
        }
        _ => (TokenStream::new(), quote!(#krate::command::#command<Self>), value, None),
    };
    if let Some(capability) = function.missing(entity) {
        // The call is the error, and not the function itself. It returns whatever type the caller expects, so that the call
        // causes no further error.
        return quote! {
            #doc
            #[inline]
            pub fn #name<__Command>(#(#parameters),*) -> __Command
            where
                for<'__dyno> Self: #krate::bound::#capability,
            {
                let _: #ty = #value;
                #krate::__private::absent()
            }
        };
    }
    quote! {
        #doc
        #[inline]
        pub fn #name #generics(#(#parameters),*) -> #ty #clause {
            #value
        }
    }
}

/// Returns the type of an update, and its value. With groups of fields, the update does not name its group yet.
fn update(entity: &Entity, update: TokenStream, arguments: &TokenStream) -> (TokenStream, TokenStream) {
    if entity.is_grouped() {
        let groups = groups::update_ident(entity);
        return (quote!(#groups #arguments), quote!(#groups(#update)));
    }
    groups::complete(entity, &quote!(Self), update)
}
