//! `impl Entities for …`, `impl Aggregate for …`

use super::checked::checked_entity;
use super::derived::{at, derived, spanned};
use crate::model::{Aggregate, Container, Entities, Number, Part};
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{Path, Type};

/// Returns the schemas, and the check that their entities can share a table.
fn schemas<'a>(
    container: &Container,
    of: &TokenStream,
    entities: impl Iterator<Item = &'a Type>,
) -> (TokenStream, TokenStream) {
    let (krate, ident) = (&container.krate, &container.ident);
    let entities = entities.map(|entity| checked_entity(krate, entity));
    let schemas = code!(&[#(<#entities as #krate::Entity>::SCHEMA),*]);
    let lints = &container.lints;
    // The check uses the list's own constant. A type that is not an entity is an error there, and must not be a second one
    // here.
    let check = code!(#(#lints)* const _: () = #krate::__private::check_shared(<#ident as #of>::SCHEMAS););
    let span: Span = container.ident.span();
    (schemas, spanned(check, span))
}

pub(crate) fn entities(entities: &Entities) -> TokenStream {
    let krate = &entities.container.krate;
    let ident = &entities.container.ident;
    let (params, arguments, clause) = entities.container.generics.split_for_impl();
    let (schemas, check) =
        schemas(&entities.container, &code!(#krate::Entities), entities.variants.iter().map(|(_, ty)| ty));
    let last = entities.variants.len().saturating_sub(1);
    let arms = entities.variants.iter().enumerate().map(|(position, (variant, ty))| {
        let pattern = if position == last { code!(_) } else { code!(#position) };
        let checked = checked_entity(krate, ty);
        code!(#pattern => <#checked as #krate::Entity>::__from_raw(item).map(Self::#variant))
    });
    let tables = tables(krate, entities.variants.iter().map(|(_, ty)| ty));
    let unknown = entities.unknown.as_ref().map(|variant| {
        code! {
            #[inline]
            fn __unknown(item: #krate::Item) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(Self::#variant(item))
            }
        }
    });
    let derived = derived(&entities.container);
    code! {
        #derived
        impl #params #krate::Entities for #ident #arguments #clause {
            const SCHEMAS: &'static [&'static #krate::Schema] = #schemas;
            #tables
            #[inline]
            fn __decode(entity: usize, item: #krate::__private::RawItem) -> ::core::result::Result<Self, #krate::Error> {
                match entity { #(#arms),* }
            }
            #unknown
        }
        #check
    }
}

/// Returns the function that returns the tables of these entities.
fn tables<'a>(krate: &Path, types: impl Iterator<Item = &'a Type>) -> TokenStream {
    let tables = types
        .enumerate()
        .map(|(position, ty)| code!(#krate::__private::tables::<#ty>(repository, Self::SCHEMAS[#position])?));
    code! {
        #[inline]
        fn __tables(
            repository: &#krate::Repository,
        ) -> ::core::result::Result<::std::vec::Vec<#krate::__private::Tables>, #krate::Error> {
            ::core::result::Result::Ok(::std::vec![#(#tables),*])
        }
    }
}

pub(crate) fn aggregate(aggregate: &Aggregate) -> TokenStream {
    let krate = &aggregate.container.krate;
    let ident = &aggregate.container.ident;
    let (params, arguments, clause) = aggregate.container.generics.split_for_impl();
    let parts = aggregate.fields.iter().map(|part| &part.entity);
    let (schemas, check) = schemas(&aggregate.container, &code!(#krate::Aggregate), parts);
    // A tuple needs no name, which could be one of the user's.
    let types = aggregate.fields.iter().map(|Part { entity, number, .. }| match number {
        Number::Many => code!(::std::vec::Vec<#entity>),
        Number::One | Number::Optional => code!(::core::option::Option<#entity>),
    });
    let last = aggregate.fields.len().saturating_sub(1);
    let arms = aggregate.fields.iter().enumerate().map(|(position, Part { entity, number, .. })| {
        let index = syn::Index { span: at(entity), ..syn::Index::from(position) };
        let pattern = if position == last { code!(_) } else { code!(#position) };
        let (place, checked) = (at(entity), checked_entity(krate, entity));
        let krate = spanned(code!(#krate), place);
        let add = match number {
            Number::Many => quote_spanned!(place=> #krate::__private::add_one_of::<#checked>(&mut parts.#index, item)),
            Number::One | Number::Optional => {
                quote_spanned!(place=> #krate::__private::add_only::<#checked>(&mut parts.#index, item))
            }
        };
        code!(#pattern => #add)
    });
    let fields = aggregate.fields.iter().enumerate().map(|(position, Part { ident, entity, number })| {
        let index = syn::Index::from(position);
        match number {
            Number::One => {
                let checked = checked_entity(krate, entity);
                code!(#ident: parts.#index.ok_or(<#checked as #krate::Entity>::SCHEMA.entity)?)
            }
            Number::Optional | Number::Many => code!(#ident: parts.#index),
        }
    });
    let tables = tables(krate, aggregate.fields.iter().map(|part| &part.entity));
    let derived = derived(&aggregate.container);
    code! {
        #derived
        impl #params #krate::Aggregate for #ident #arguments #clause {
            const SCHEMAS: &'static [&'static #krate::Schema] = #schemas;
            #tables
            #[inline]
            fn __gather() -> impl #krate::__private::Gather<Self> {
                #krate::__private::gather(
                    <(#(#types,)*) as ::core::default::Default>::default(),
                    |parts, entity, item| match entity { #(#arms),* },
                    |parts| ::core::result::Result::Ok(Self { #(#fields),* }),
                )
            }
        }
        #check
    }
}
