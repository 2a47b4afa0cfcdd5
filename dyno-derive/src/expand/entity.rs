//! `impl Entity for …`, the marker traits, and the handles of an entity's attributes.

use super::checked::{checked, place_of_types};
use super::derived::{at, derived, handles_ident, spanned};
use super::generics::Generics;
use super::{codec, commands, docs, index, keys, schema, unique, vector_index};
use crate::model::{Access, Capability, Entity, Storage};
use proc_macro2::TokenStream;
use quote::quote_spanned;

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
    let features = features(entity);
    code!(#features #implementation #capabilities #handles #commands #indexes #vector_indexes #unique #capacity)
}

/// Lets the runtime refuse attributes whose features are off.
fn features(entity: &Entity) -> Option<TokenStream> {
    let krate = &entity.container.krate;
    entity.transactional.map(|span| spanned(code!(const _: () = { #krate::__transactional!(); };), span))
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
    let fields = (0..entity.fields.len()).filter_map(|field| handle_value(entity, field));
    let joint = index::joint_values(entity);
    // The compiler reports the types of the key in each item that names them, at the item's beginning and end.
    let (key, place) = (keys::of_self(entity), place_of_types(entity));
    let (key_fn, key_type) = (quote_spanned!(place.span()=> fn), quote_spanned!(place.span()=> Self::Key));
    let encode = codec::encode_entity(entity);
    let decode = codec::decode_entity(entity);
    let derived = derived(&entity.container);
    code! {
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
            #key_fn key(&self) -> #key_type {
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
                let (place, ident) = (place_of_types(entity), place_of_types(entity).on(code!(#ident)));
                quote_spanned! {place.span()=>
                    #derived
                    #[allow(unused_lifetimes, reason = "it puts the question off to where it is asked")]
                    impl #params #krate::bound::#capability for #ident #arguments #clause {}
                }
            }
            _ => code! {
                #derived
                impl #params #krate::bound::#capability for #ident #arguments #clause {}
            },
        });
    code!(#(#capabilities)*)
}

/// `struct …Fields`: a typed handle for every stored attribute.
fn handles(entity: &Entity, generics: &Generics) -> TokenStream {
    let krate = &entity.container.krate;
    let vis = &entity.container.vis;
    let ident = &entity.container.ident;
    let handles = handles_ident(entity);
    let (params, arguments, _) = generics.split();
    let own_clause = &entity.container.generics.where_clause;
    let fields = entity.fields.iter().enumerate().filter_map(|(index, field)| {
        let described = docs::handle(&docs::meaning(entity, index), &field.described);
        let (field_ident, ty) = (&field.ident, &field.ty);
        if field.attribute().is_none() {
            let is_key = field.storage == Storage::Template;
            return is_key
                .then(|| code!(#described #vis #field_ident: #krate::field::KeyField<#ident #arguments, #ty>));
        }
        let access = match field.access {
            Access::Plain => None,
            Access::Key => Some(code!(#krate::field::access::Key)),
            Access::Guarded => Some(code!(#krate::field::access::Guarded)),
            Access::Version => Some(code!(#krate::field::access::Counted)),
            Access::Fence => Some(code!(#krate::field::access::Fenced)),
            Access::Indexed => Some(code!(#krate::field::access::Indexed)),
            Access::Joint => Some(code!(#krate::field::access::Joint)),
            Access::Vector => Some(code!(#krate::field::access::Vector)),
            Access::Embedding => Some(code!(#krate::field::access::Embedding)),
            Access::Immutable => Some(code!(#krate::field::access::Immutable)),
            Access::Kept => Some(code!(#krate::field::access::Kept)),
        };
        let access = codec::access(krate, &field.codec, access).map(|access| code!(, #access));
        Some(code!(#described #vis #field_ident: #krate::Field<#ident #arguments, #ty #access>))
    });
    let joint = index::joint_handles(entity, &arguments);
    let doc = format!(" A handle for each stored attribute of [`{ident}`], for conditions, filters and changes.");
    let lints = &entity.container.lints;
    code! {
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
fn handle_value(entity: &Entity, field: usize) -> Option<TokenStream> {
    let krate = &entity.container.krate;
    let ident = &entity.fields[field].ident;
    let Some(name) = entity.fields[field].attribute() else {
        let part = entity.key.parts.iter().position(|part| *part == field)?;
        let ty = checked(entity, field);
        let krate = spanned(code!(#krate), at(&ty));
        return Some(quote_spanned!(at(&ty)=> #ident: #krate::field::KeyField::<_, #ty>::__new(#part)));
    };
    let handle = codec::handle(entity, field, name);
    Some(code!(#ident: #handle))
}
