//! The parameters of the generated functions, and the values that the functions pass on.

use super::checked;
use crate::model::{Entity, Parameter, Ratchet};
use proc_macro2::TokenStream;
use quote::quote_spanned;

/// The expansion of one [`Parameter`]: parameters of the function, none if the entity has no such part, and the value that
/// creates the command.
pub(super) struct Taken {
    pub(super) parameters: Vec<TokenStream>,
    pub(super) argument: TokenStream,
}

pub(super) fn taken(entity: &Entity, parameter: Parameter) -> Taken {
    let krate = &entity.container.krate;
    let one = |parameter: TokenStream, argument: TokenStream| Taken { parameters: vec![parameter], argument };
    match parameter {
        Parameter::Itself => one(code!(&self), code!(self)),
        Parameter::Key => fields(entity, &entity.key.parts),
        Parameter::Keys => keys(entity),
        Parameter::Partition => fields(entity, &entity.key.parts[..entity.key.partition_parts]),
        Parameter::Tokens => {
            let tokens = entity.ratchets.iter().map(|ratchet| token(entity, ratchet));
            let (parameters, arguments): (Vec<_>, Vec<_>) = tokens.unzip();
            Taken { parameters, argument: code!((#(#arguments,)*)) }
        }
        Parameter::Version | Parameter::Number => match &entity.version {
            Some(version) => fields(entity, &[version.field]),
            None => fields(entity, &[]),
        },
        Parameter::Tombstone => one(code!(tombstone: &#krate::Tombstone<Self>), code!(tombstone)),
        Parameter::Edit => one(code!(__edit: __Edit), code!(__edit)),
    }
}

/// `name: impl IntoField<T>`
fn parameter(entity: &Entity, field: usize) -> TokenStream {
    let krate = &entity.container.krate;
    let ident = &entity.fields[field].ident;
    let ty = &entity.fields[field].ty;
    code!(#ident: impl #krate::value::IntoField<#ty>)
}

/// Returns the value of such a parameter.
fn argument(entity: &Entity, field: usize) -> TokenStream {
    let (krate, ident) = (&entity.container.krate, &entity.fields[field].ident);
    let place = checked::place(entity, [field]);
    let into_field = place.on(code!(#krate::value::IntoField::into_field));
    quote_spanned!(place.span()=> #into_field(#ident))
}

/// Returns the value of such a parameter, in the form in which it is stored.
fn stored_argument(entity: &Entity, field: usize) -> TokenStream {
    let argument = argument(entity, field);
    if entity.form(field).is_none() {
        return argument;
    }
    let (krate, ty) = (&entity.container.krate, &entity.fields[field].ty);
    code!(#krate::TextTime::new({ let time: #ty = #argument; time }))
}

/// Returns a parameter for several fields, which is a tuple unless there is only one, and its value.
fn tuple(entity: &Entity, fields: &[usize]) -> (TokenStream, TokenStream) {
    let krate = &entity.container.krate;
    if let [field] = fields {
        return (parameter(entity, *field), argument(entity, *field));
    }
    let idents = fields.iter().map(|field| &entity.fields[*field].ident);
    let types = fields.iter().map(|field| &entity.fields[*field].ty);
    let arguments = fields.iter().map(|field| argument(entity, *field));
    (code!((#(#idents),*): (#(impl #krate::value::IntoField<#types>),*)), code!((#(#arguments),*)))
}

/// Returns the parameter for these fields, or none if there are no fields.
fn fields(entity: &Entity, fields: &[usize]) -> Taken {
    if fields.is_empty() {
        return Taken { parameters: Vec::new(), argument: code!(()) };
    }
    let (parameter, argument) = tuple(entity, fields);
    Taken { parameters: vec![parameter], argument }
}

/// Returns the parameter for several keys. If the key has no fields, there is at most one such item, and no parameter.
fn keys(entity: &Entity) -> Taken {
    let krate = &entity.container.krate;
    if entity.key.parts.is_empty() {
        return Taken { parameters: Vec::new(), argument: code!([()]) };
    }
    let types = entity.key.parts.iter().map(|part| &entity.fields[*part].ty);
    let types: Vec<_> = types.map(|ty| code!(impl #krate::value::IntoField<#ty>)).collect();
    let idents: Vec<_> = entity.key.parts.iter().map(|part| &entity.fields[*part].ident).collect();
    let (ty, pattern) = match (&types[..], &idents[..]) {
        ([ty], [ident]) => (code!(#ty), code!(#ident)),
        _ => (code!((#(#types),*)), code!((#(#idents),*))),
    };
    let key = fields(entity, &entity.key.parts).argument;
    Taken {
        parameters: vec![code!(keys: impl ::core::iter::IntoIterator<Item = #ty>)],
        argument: code!(::core::iter::Iterator::map(::core::iter::IntoIterator::into_iter(keys), |#pattern| #key,)),
    }
}

/// Returns the parameter for a ratchet's token, and its value.
pub(super) fn token(entity: &Entity, ratchet: &Ratchet) -> (TokenStream, TokenStream) {
    let krate = &entity.container.krate;
    match ratchet.tiebreak() {
        None => (parameter(entity, ratchet.field), stored_argument(entity, ratchet.field)),
        Some(tiebreak) => {
            let (parameter, _) = tuple(entity, &[ratchet.field, tiebreak]);
            let (token, tiebreak) = (stored_argument(entity, ratchet.field), stored_argument(entity, tiebreak));
            (parameter, code!(#krate::__private::Tied(#token, #tiebreak)))
        }
    }
}
