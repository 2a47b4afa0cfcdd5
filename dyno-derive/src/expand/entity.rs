//! `impl Entity for …`, the marker traits, and the handles of an entity's attributes.

use super::derived::{at, derived, handles_ident, spanned};
use super::generics::Generics;
use super::{codec, commands, docs, index, keys, schema, unique, vector_index};
use crate::model::{Access, Capability, Entity, Field, Storage};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

pub(crate) fn expand(entity: &Entity) -> TokenStream {
    let generics = Generics::of_entity(entity);
    let implementation = implementation(entity, &generics);
    let capabilities = capabilities(entity, &generics);
    let handles = handles(entity, &generics);
    let commands = commands::expand(entity, &generics);
    let capacity = schema::capacity(entity);
    let indexes = index::expand(entity, &generics);
    let vector_indexes = vector_index::expand(entity, &generics);
    let unique = unique::expand(entity, &generics);
    quote!(#implementation #capabilities #handles #commands #indexes #vector_indexes #unique #capacity)
}

/// `impl Entity for …`
fn implementation(entity: &Entity, generics: &Generics) -> TokenStream {
    let krate = &entity.container.krate;
    let ident = &entity.container.ident;
    let (params, arguments, clause) = generics.split();
    let types = keys::types(entity);
    let tokens = keys::tokens_type(entity);
    let version = keys::version_type(entity);
    let put_output = keys::put_output(entity);
    let delete_output = keys::delete_output(entity);
    let schema = schema::expand(entity);
    let handles = handles_ident(entity);
    let fields = entity.fields.iter().filter_map(|field| handle_value(entity, field));
    let joint = index::joint_values(entity);
    let key = keys::of_self(entity);
    let encode = codec::encode_entity(entity);
    let decode = codec::decode_entity(entity);
    let derived = derived(&entity.container);
    quote! {
        #derived
        impl #params #krate::Entity for #ident #arguments #clause {
            #types
            type Fields = #handles #arguments;
            type Tokens = #tokens;
            type Version = #version;
            type PutOutput = #put_output;
            type DeleteOutput = #delete_output;
            const FIELDS: Self::Fields = #handles { #(#fields,)* #(#joint),* };
            const SCHEMA: &'static #krate::Schema = &#schema;
            #[inline]
            fn key(&self) -> Self::Key {
                #key
            }
            #[inline]
            fn __encode(&self) -> ::core::result::Result<#krate::Item, #krate::EncodeError> {
                #encode
            }
            #[inline]
            fn __decode(item: &mut #krate::__private::Members<'_>) -> ::core::result::Result<Self, #krate::DecodeError> {
                #decode
            }
        }
    }
}

/// Returns the impls of the marker traits, one for each capability of the entity.
fn capabilities(entity: &Entity, generics: &Generics) -> TokenStream {
    let krate = &entity.container.krate;
    let ident = &entity.container.ident;
    let (params, arguments, clause) = generics.split();
    let derived = derived(&entity.container);
    let capabilities =
        Capability::ALL.into_iter().filter(|capability| capability.is_of(entity)).map(|capability| match capability {
            Capability::SortOrdered => {
                let clause = generics.with_predicates(&keys::order_predicates(entity));
                quote! {
                    #derived
                    #[allow(unused_lifetimes, reason = "it puts the question off to where it is asked")]
                    impl #params #krate::bound::#capability for #ident #arguments #clause {}
                }
            }
            _ => quote! {
                #derived
                impl #params #krate::bound::#capability for #ident #arguments #clause {}
            },
        });
    quote!(#(#capabilities)*)
}

/// `struct …Fields`: a typed handle for every stored attribute.
fn handles(entity: &Entity, generics: &Generics) -> TokenStream {
    let krate = &entity.container.krate;
    let vis = &entity.container.vis;
    let ident = &entity.container.ident;
    let handles = handles_ident(entity);
    let (params, arguments, _) = generics.split();
    let own_clause = &entity.container.generics.where_clause;
    let fields = entity.fields.iter().filter_map(|field| {
        let (field_ident, ty) = (&field.ident, &field.ty);
        let Some(name) = field.attribute() else {
            let described = docs::handle(&format!("`{}`, which stands in the key", field.name), &field.described);
            let is_key = field.storage == Storage::Template;
            return is_key
                .then(|| quote!(#described #vis #field_ident: #krate::field::KeyField<#ident #arguments, #ty>));
        };
        let access = match field.access {
            Access::Plain => None,
            Access::Key => Some(quote!(#krate::field::access::Key)),
            Access::Guarded => Some(quote!(#krate::field::access::Guarded)),
            Access::Version => Some(quote!(#krate::field::access::Counted)),
            Access::Fence => Some(quote!(#krate::field::access::Fenced)),
            Access::Indexed => Some(quote!(#krate::field::access::Indexed)),
            Access::Joint => Some(quote!(#krate::field::access::Joint)),
            Access::Vector => Some(quote!(#krate::field::access::Vector)),
            Access::Embedding => Some(quote!(#krate::field::access::Embedding)),
            Access::Immutable => Some(quote!(#krate::field::access::Immutable)),
            Access::Kept => Some(quote!(#krate::field::access::Kept)),
        };
        let access = codec::access(krate, &field.codec, access).map(|access| quote!(, #access));
        let described = docs::handle(&format!("`{name}`"), &field.described);
        Some(quote!(#described #vis #field_ident: #krate::Field<#ident #arguments, #ty #access>))
    });
    let joint = index::joint_handles(entity, &arguments);
    let doc = format!("The stored attributes of [`{ident}`], for conditions, filters and changes.");
    let lints = &entity.container.lints;
    quote! {
        #[doc = #doc]
        #[allow(dead_code, private_interfaces, reason = "there is a handle for every field")]
        #(#lints)*
        #vis struct #handles #params #own_clause {
            #(#fields,)*
            #(#joint),*
        }
    }
}

/// Returns the handle of a field, if the field is stored.
fn handle_value(entity: &Entity, field: &Field) -> Option<TokenStream> {
    let krate = &entity.container.krate;
    let ident = &field.ident;
    let Some(name) = field.attribute() else {
        let part = entity.key.parts.iter().position(|part| entity.fields[*part].ident == *ident)?;
        let krate = spanned(quote!(#krate), at(&field.ty));
        return Some(quote_spanned!(at(&field.ty)=> #ident: #krate::field::KeyField::__new(#part)));
    };
    let handle = codec::handle(krate, field, name);
    Some(quote!(#ident: #handle))
}
