//! The functions that return commands, generated from the table of functions. Each body is one line, because the runtime has
//! the types and rules. Each is `#[inline]`, so that it is compiled only where it is called.

use super::checked::place_of_types;
use super::derived::{derived, handles_ident};
use super::docs;
use super::generics::Generics;
use super::groups;
use super::parameters::{Taken, taken};
use crate::given::here;
use crate::model::{Command, Entity, FUNCTIONS, Function, Of, Parameter};
use proc_macro2::TokenStream;
use quote::{format_ident, quote_spanned};

pub(super) fn expand(entity: &Entity, generics: &Generics) -> TokenStream {
    let krate = &entity.container.krate;
    let (ident, handles) = (&entity.container.ident, handles_ident(entity));
    let (params, arguments, clause) = generics.split();
    let functions = FUNCTIONS.iter().filter(|function| function.of.has(entity));
    let functions = functions.map(|function| self::function(entity, function, &arguments));
    let groups = groups::expand(entity, generics);
    let absent = absent(entity, generics);
    let derived = derived(&entity.container);
    let (fields_doc, key_doc) = (docs::fields(entity), docs::key(entity));
    let key = place_of_types(entity).on(code!(<Self as #krate::Entity>::Key));
    code! {
        #derived
        #[allow(dead_code, reason = "all commands are there, used or not")]
        impl #params #ident #arguments #clause {
            #fields_doc
            #[must_use]
            #[inline]
            pub fn fields() -> #handles #arguments {
                <Self as #krate::Entity>::FIELDS
            }
            #key_doc
            #[must_use]
            #[inline]
            pub fn key(&self) -> #key {
                #krate::Entity::key(self)
            }
            #(#functions)*
        }
        #absent
        #groups
    }
}

/// Declares the functions that the entity lacks: an `impl` for each bound that it does not meet. A call is an error with the
/// bound's message. A function of this name in the user's own `impl` or trait is found instead, because the bound is on the `impl`.
fn absent(entity: &Entity, generics: &Generics) -> TokenStream {
    let krate = &entity.container.krate;
    let mut absent: Vec<(Of, Vec<TokenStream>)> = Vec::new();
    for function in FUNCTIONS.iter().filter(|function| !function.of.has(entity)) {
        let name = format_ident!("{}", function.name, span = here());
        let receiver = function.takes.contains(&Parameter::Itself).then(|| code!(&self));
        let function_of = code!(pub fn #name(#receiver) {});
        match absent.last_mut() {
            Some((of, functions)) if *of == function.of => functions.push(function_of),
            _ => absent.push((function.of, vec![function_of])),
        }
    }
    let impls = absent.into_iter().map(|(of, functions)| {
        let bound = match of {
            Of::With(capability) => code!(#krate::bound::#capability),
            _ => code!(#krate::absent::FunctionQuery),
        };
        absent_functions(entity, generics, &bound, &functions)
    });
    code!(#(#impls)*)
}

/// Declares functions that the entity lacks because it does not meet the bound.
pub(super) fn absent_functions(
    entity: &Entity,
    generics: &Generics,
    bound: &TokenStream,
    functions: &[TokenStream],
) -> TokenStream {
    let ident = &entity.container.ident;
    let (params, arguments, _) = generics.split();
    let clause = generics.with_predicates(&[code!(for<'__dyno> Self: #bound)]);
    let derived = derived(&entity.container);
    code! {
        #[doc(hidden)]
        #derived
        #[allow(dead_code, unused_lifetimes, reason = "a call says what the entity lacks")]
        impl #params #ident #arguments #clause {
            #(#functions)*
        }
    }
}

fn function(entity: &Entity, function: &Function, arguments: &TokenStream) -> TokenStream {
    let krate = &entity.container.krate;
    let doc = docs::function(entity, function);
    let (name, command) = (format_ident!("{}", function.name, span = here()), function.command);
    let taken: Vec<Taken> = function.takes.iter().map(|parameter| taken(entity, *parameter)).collect();
    let parameters = taken.iter().flat_map(|taken| &taken.parameters);
    let values = taken.iter().map(|taken| &taken.argument);
    let place = place_of_types(entity);
    let new = place.on(code!(#krate::command::#command::new));
    let value = quote_spanned!(place.span()=> #new(#(#values),*));
    let (generics, ty, value, clause) = match function.command {
        _ if function.takes.contains(&Parameter::Edit) => (
            code!(<__Edit, __EditResult>),
            place.on(code!(#krate::command::#command<Self, __Edit>)),
            value,
            Some(code! {
                where
                    __Edit: ::core::ops::FnMut(&mut Self) -> __EditResult + ::core::marker::Send,
                    __EditResult: #krate::command::EditResult,
            }),
        ),
        Command::Update => {
            let (ty, value) = update(entity, value, arguments);
            (TokenStream::new(), ty, value, None)
        }
        _ => (TokenStream::new(), place.on(code!(#krate::command::#command<Self>)), value, None),
    };
    if let Some(capability) = function.missing(entity) {
        // The call is the error, and not the function itself. It returns whatever type the caller expects, so that the call
        // causes no further error.
        return code! {
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
    code! {
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
        return (code!(#groups #arguments), code!(#groups(#update)));
    }
    groups::complete(entity, &code!(Self), update)
}
