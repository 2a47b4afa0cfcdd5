//! The types of keys and tokens, and the outputs of commands.

use super::codec;
use super::derived::at;
use crate::model::{Entity, Field, KeyForm, Ratchet, Segment};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Path, Type};

/// Returns a type, a tuple of several types, or `()`.
fn tuple(types: &[&Type]) -> TokenStream {
    match types {
        [ty] => quote!(#ty),
        types => quote!((#(#types),*)),
    }
}

/// `type Key`, `type Partition`, `type Sort`
pub(super) fn types(entity: &Entity) -> TokenStream {
    let types: Vec<&Type> = entity.key.parts.iter().map(|part| &entity.fields[*part].ty).collect();
    let (partition, sort) = types.split_at(entity.key.partition_parts);
    let (key, partition, sort) = (tuple(&types), tuple(partition), tuple(sort));
    quote! {
        type Key = #key;
        type Partition = #partition;
        type Sort = #sort;
    }
}

/// Returns the entity's own key.
pub(super) fn of_self(entity: &Entity) -> TokenStream {
    let parts = entity.key.parts.iter().map(|part| {
        let Field { ident, ty, .. } = &entity.fields[*part];
        quote_spanned!(at(ty)=> ::core::clone::Clone::clone(&self.#ident))
    });
    let parts: Vec<TokenStream> = parts.collect();
    match &parts[..] {
        // An empty block has the value `()`.
        [] => TokenStream::new(),
        [part] => quote!(#part),
        parts => quote!((#(#parts),*)),
    }
}

/// Returns the type of all ratchets' tokens, a tuple.
pub(super) fn tokens_type(entity: &Entity) -> TokenStream {
    let tokens = entity.ratchets.iter().map(|ratchet| token_type(entity, ratchet));
    let place = entity.ratchets.first().map_or_else(Span::call_site, |ratchet| at(&entity.fields[ratchet.field].ty));
    quote_spanned!(place=> (#(#tokens,)*))
}

/// Returns the type of a ratchet's token.
pub(super) fn token_type(entity: &Entity, ratchet: &Ratchet) -> TokenStream {
    let krate = &entity.container.krate;
    let ty = codec::stored_type(entity, ratchet.field);
    match ratchet.tiebreak() {
        None => ty,
        Some(tiebreak) => {
            let tiebreak = codec::stored_type(entity, tiebreak);
            quote!(#krate::__private::Tied<#ty, #tiebreak>)
        }
    }
}

/// Returns the type of the version.
pub(super) fn version_type(entity: &Entity) -> TokenStream {
    match entity.version_field().map(|field| &field.ty) {
        Some(ty) => quote!(#ty),
        None => quote!(()),
    }
}

/// Returns the output type of `put`.
pub(super) fn put_output(entity: &Entity) -> TokenStream {
    outcome(entity, entity.is_ordered() || entity.immutable().next().is_some() || !entity.unique.is_empty())
}

/// Returns the output type of `delete`.
pub(super) fn delete_output(entity: &Entity) -> TokenStream {
    outcome(entity, entity.is_ordered())
}

/// Returns an outcome, if a rule may refuse the write, with the value that the write returns.
fn outcome(entity: &Entity, may_be_refused: bool) -> TokenStream {
    let krate = &entity.container.krate;
    match entity.version_field().map(|field| &field.ty) {
        Some(version) => quote!(#krate::Outcome<Self, #version>),
        None if !may_be_refused => quote!(()),
        None => quote!(#krate::Outcome<Self>),
    }
}

/// Returns the bounds under which ranges of sort keys make sense: the stored keys sort as the values do. In a template, that
/// concerns the text of every hole without a width.
pub(super) fn order_predicates(entity: &Entity) -> Vec<TokenStream> {
    let krate = &entity.container.krate;
    let segments = match entity.key.sort.as_ref().map(|sort| &sort.form) {
        None => return Vec::new(),
        Some(KeyForm::Field(part)) => return vec![ordered(krate, &entity.fields[entity.key.parts[*part]].ty)],
        Some(KeyForm::Template(segments)) => segments,
    };
    let holes = segments.iter().filter_map(|segment| match segment {
        Segment::Hole { part, width: 0 } if *part >= entity.key.partition_parts => Some(*part),
        _ => None,
    });
    holes
        .map(|part| {
            let ty = &entity.fields[entity.key.parts[part]].ty;
            quote_spanned! {ty.span()=>
                for<'__dyno> <#ty as #krate::Value>::Kind: #krate::value::kind::OrderedText
            }
        })
        .collect()
}

/// Returns the bound that DynamoDB orders the stored values of a type as the type does.
pub(super) fn ordered(krate: &Path, ty: &Type) -> TokenStream {
    quote_spanned!(ty.span()=> for<'__dyno> <#ty as #krate::Value>::Kind: #krate::value::kind::OrderedKind)
}
