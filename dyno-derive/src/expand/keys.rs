//! The types of keys and tokens, and the outputs of commands.

use super::checked::{checked, place_of_types};
use super::codec;
use super::derived::{at, spanned};
use crate::model::{Entity, Field, KeyForm, Ratchet, Segment};
use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote_spanned};
use syn::Path;
use syn::spanned::Spanned as _;

/// Returns a type, a tuple of several types, or `()`.
fn tuple(entity: &Entity, types: &[TokenStream]) -> TokenStream {
    match types {
        [ty] => code!(#ty),
        types => quote_spanned!(place_of_types(entity).span()=> (#(#types),*)),
    }
}

/// `type Key`, `type Partition`, `type Sort`
pub(super) fn types(entity: &Entity) -> TokenStream {
    let types: Vec<TokenStream> = entity.key.parts.iter().map(|part| checked(entity, *part)).collect();
    let (partition, sort) = types.split_at(entity.key.partition_parts);
    let (key, partition, sort) = (tuple(entity, &types), tuple(entity, partition), tuple(entity, sort));
    code! {
        type Key = #key;
        type Partition = #partition;
        type Sort = #sort;
    }
}

/// Returns the entity's own key.
pub(super) fn of_self(entity: &Entity) -> TokenStream {
    let parts = entity.key.parts.iter().map(|part| {
        let (krate, Field { ident, ty, .. }) = (&entity.container.krate, &entity.fields[*part]);
        let checked = checked(entity, *part);
        if checked.to_string() == ty.to_token_stream().to_string() {
            return quote_spanned!(at(ty)=> ::core::clone::Clone::clone(&self.#ident));
        }
        // If the type is no key, the compiler reports only that, and not that it lacks `Clone`.
        let cloned = spanned(code!(#krate::__private::cloned), at(ty));
        quote_spanned!(at(ty)=> #cloned::<#checked>(&self.#ident))
    });
    let parts: Vec<TokenStream> = parts.collect();
    match &parts[..] {
        // An empty block has the value `()`.
        [] => TokenStream::new(),
        [part] => code!(#part),
        parts => code!((#(#parts),*)),
    }
}

/// Returns the type of all ratchets' tokens, a tuple.
pub(super) fn tokens_type(entity: &Entity) -> TokenStream {
    let tokens = entity.ratchets.iter().map(|ratchet| token_type(entity, ratchet));
    quote_spanned!(place_of_types(entity).span()=> (#(#tokens,)*))
}

/// Returns the type of a ratchet's token.
pub(super) fn token_type(entity: &Entity, ratchet: &Ratchet) -> TokenStream {
    let krate = &entity.container.krate;
    let ty = codec::stored_type(entity, ratchet.field);
    match ratchet.tiebreak() {
        None => ty,
        Some(tiebreak) => {
            let tiebreak = codec::stored_type(entity, tiebreak);
            let tied = place_of_types(entity).on(code!(#krate::__private::Tied));
            quote_spanned!(place_of_types(entity).span()=> #tied<#ty, #tiebreak>)
        }
    }
}

/// Returns the type of the version.
pub(super) fn version_type(entity: &Entity) -> TokenStream {
    entity.version.as_ref().map_or_else(|| code!(()), |version| checked(entity, version.field))
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
    match &entity.version {
        Some(_) => {
            let version = version_type(entity);
            place_of_types(entity).on(code!(#krate::Outcome<Self, #version>))
        }
        None if !may_be_refused => code!(()),
        None => code!(#krate::Outcome<Self>),
    }
}

/// Returns the bounds under which ranges of sort keys make sense: the stored keys sort as the values do. In a template, that
/// concerns the text of every hole without a width.
pub(super) fn order_predicates(entity: &Entity) -> Vec<TokenStream> {
    let krate = &entity.container.krate;
    let segments = match entity.key.sort.as_ref().map(|sort| &sort.form) {
        None => return Vec::new(),
        Some(KeyForm::Field(part)) => return vec![ordered(krate, &checked(entity, entity.key.parts[*part]))],
        Some(KeyForm::Template(segments)) => segments,
    };
    let holes = segments.iter().filter_map(|segment| match segment {
        Segment::Hole { part, width: 0 } if *part >= entity.key.partition_parts => Some(*part),
        _ => None,
    });
    holes
        .map(|part| {
            let ty = checked(entity, entity.key.parts[part]);
            let krate = spanned(code!(#krate), ty.span());
            quote_spanned! {ty.span()=>
                for<'__dyno> <#ty as #krate::Value>::Kind: #krate::value::kind::OrderedText
            }
        })
        .collect()
}

/// Returns the bound that DynamoDB orders the stored values of a type as the type does.
pub(super) fn ordered(krate: &Path, ty: &TokenStream) -> TokenStream {
    let krate = spanned(code!(#krate), ty.span());
    quote_spanned!(ty.span()=> for<'__dyno> <#ty as #krate::Value>::Kind: #krate::value::kind::OrderedKind)
}
