//! `impl Projection for …`

use super::checked::checked_entity;
use super::derived::{at, derived, spanned};
use super::generics::Generics;
use crate::model::Projection;
use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned as _;

pub(crate) fn expand(projection: &Projection) -> TokenStream {
    let krate = &projection.container.krate;
    let (ident, of) = (&projection.container.ident, &projection.of);
    let (params, arguments, clause) = Generics::of_projection(projection).split();
    let entity = checked_entity(krate, of);
    let fields = code!(<#entity as #krate::Entity>::FIELDS);
    let names = projection.fields.iter().map(|(field, _)| code!(#fields.#field.__attribute()));
    let values = projection.fields.iter().map(|(field, _)| code!(let #field = #fields.#field.__project(__item)?;));
    let same = projection.fields.iter().map(|(field, ty)| {
        // If the type differs from that of the entity's field, the error points at the type.
        let ty = quote_spanned!(ty.span()=> #krate::__private::same::<#ty>);
        code!(#field: #ty(#field))
    });
    let (derived, lints) = (derived(&projection.container), &projection.container.lints);
    let indexes = projection.indexes.iter().map(|index| {
        let checked = code!(#(#lints)* const _: () = #krate::__private::check_projection::<#ident #arguments, #index>(););
        let checked = spanned(checked, index.span());
        // With type parameters, the check is left to the place where the types are known.
        let checked = projection.container.generics.params.is_empty().then_some(checked);
        code! {
            #checked
            #derived
            impl #params #krate::index::FitsIndex<#index, #krate::index::SomeAttributes> for #ident #arguments #clause {}
        }
    });
    // The compiler reports a type that is no entity in the head of the `impl`, too.
    let head = spanned(code!(impl #params #krate::Projection for #ident #arguments #clause), at(of));
    code! {
        #derived
        #head {
            type Entity = #entity;
            const ATTRIBUTES: &'static [&'static str] = &[#(#names),*];
            #[inline]
            fn __decode(__item: &mut #krate::__private::Members<'_>) -> ::core::result::Result<Self, #krate::DecodeError> {
                #(#values)*
                ::core::result::Result::Ok(Self { #(#same),* })
            }
        }
        #derived
        impl #params #krate::bound::Row<#of> for #ident #arguments #clause {
            const DEAD: bool = false;
            #[inline]
            fn read(item: #krate::__private::RawItem, _: #krate::EpochMillis) -> ::core::result::Result<Self, #krate::Error> {
                #krate::__private::read_projection(item)
            }
        }
        #(#indexes)*
    }
}
