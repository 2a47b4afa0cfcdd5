//! Updates of groups of fields, each under a ratchet of its own.

use super::checked::{self, place_of_types};
use super::derived::derived;
use super::generics::Generics;
use super::parameters::token;
use super::{docs, keys};
use crate::model::{Case, Entity, Ratchet};
use proc_macro2::TokenStream;
use quote::{format_ident, quote_spanned};
use syn::{Ident, Type};

pub(super) fn update_ident(entity: &Entity) -> Ident {
    format_ident!("{}Update", entity.container.ident)
}

/// Returns the type of an update whose changes are complete, and its value. For a versioned entity, the update still lacks
/// the version that it expects.
pub(super) fn complete(entity: &Entity, ty: &TokenStream, update: TokenStream) -> (TokenStream, TokenStream) {
    let krate = &entity.container.krate;
    let place = place_of_types(entity);
    let at_types = |code| place.on(code);
    match entity.version {
        Some(_) => {
            let of = at_types(code!(#krate::command::VersionedUpdate::__of));
            (at_types(code!(#krate::command::VersionedUpdate<#ty>)), quote_spanned!(place.span()=> #of(#update)))
        }
        None => (at_types(code!(#krate::command::Update<#ty>)), update),
    }
}

/// Generates, for each group of fields, a type that takes its values one after the other: an update of a group sets all of
/// it, and nothing else. (If it set a part, an older update of another part would be refused and lost.)
pub(super) fn expand(entity: &Entity, generics: &Generics) -> TokenStream {
    if !entity.is_grouped() {
        return TokenStream::new();
    }
    let krate = &entity.container.krate;
    let (vis, ident, update) = (&entity.container.vis, &entity.container.ident, update_ident(entity));
    let (params, arguments, clause) = generics.split();
    let groups = entity.ratchets.iter().enumerate();
    let starts = groups.clone().map(|(index, ratchet)| {
        let doc = docs::group(entity, index);
        let name = &entity.fields[ratchet.field].ident;
        let group = group_ident(entity, ratchet);
        let (parameter, token) = token(entity, ratchet);
        let arguments = generics.arguments_and(0);
        let place = checked::place(entity, ratchet.tokens());
        let (ty, group) = (place.on(code!(#group #arguments)), place.on(code!(#group)));
        quote_spanned! {place.span()=>
            #doc
            pub fn #name(self, #parameter) -> #ty {
                #group { update: self.0, token: #token, changes: ::std::vec::Vec::new() }
            }
        }
    });
    let groups = groups.clone().map(|(index, ratchet)| group(entity, generics, index, ratchet));
    let ratchets = entity.ratchets.iter().map(|ratchet| format!("`{}`", entity.fields[ratchet.field].name));
    let doc = format!(" An update of [`{ident}`]: call {} next.", ratchets.collect::<Vec<_>>().join(" or "));
    let (derived, lints) = (derived(&entity.container), &entity.container.lints);
    code! {
        #[doc = #doc]
        #[must_use = "nothing is set yet: go on with the name of a ratchet"]
        #(#lints)*
        #vis struct #update #params (#krate::command::Update<#ident #arguments>) #clause;
        #derived
        #[allow(dead_code, reason = "all groups are there, used or not")]
        impl #params #update #arguments #clause {
            #(#starts)*
        }
        #(#groups)*
    }
}

fn group(entity: &Entity, generics: &Generics, index: usize, ratchet: &Ratchet) -> TokenStream {
    let krate = &entity.container.krate;
    let (vis, ident, group) = (&entity.container.vis, &entity.container.ident, group_ident(entity, ratchet));
    let (params, arguments, clause) = generics.split();
    let group_params = generics.params_and(&code!(const SET: usize));
    let token_type = keys::token_type(entity, ratchet);
    let (derived, lints) = (derived(&entity.container), &entity.container.lints);
    let name = &entity.fields[ratchet.field].name;
    let steps = ratchet.guards.iter().enumerate().map(|(step, guard)| {
        let field = &entity.fields[guard.value];
        let (field_ident, ty): (&Ident, &Type) = (&field.ident, &field.ty);
        let doc = docs::step(entity, ratchet, field);
        let here = generics.arguments_and(step);
        let (next, value) = if step + 1 == ratchet.guards.len() {
            let place = checked::place(entity, ratchet.tokens());
            let update = quote_spanned!(place.span()=> self.update.__group(#index, &self.token, self.changes));
            complete(entity, &code!(#ident #arguments), update)
        } else {
            let next = generics.arguments_and(step + 1);
            (code!(#group #next), code!(#group { update: self.update, token: self.token, changes: self.changes }))
        };
        code! {
            #derived
            #[allow(dead_code, reason = "all groups are there, used or not")]
            impl #params #group #here #clause {
                #doc
                pub fn #field_ident(mut self, #field_ident: impl #krate::value::IntoField<#ty>) -> #next {
                    let value: #ty = #krate::value::IntoField::into_field(#field_ident);
                    self.changes.push(<#ident #arguments as #krate::Entity>::FIELDS.#field_ident.__set(&value));
                    #value
                }
            }
        }
    });
    let doc = format!(" An update of what `{name}` guards, before all values are set; `SET` counts those that are.");
    code! {
        #[doc = #doc]
        #[must_use = "an update of a group sets all of its fields"]
        #(#lints)*
        #vis struct #group #group_params #clause {
            update: #krate::command::Update<#ident #arguments>,
            token: #token_type,
            changes: ::std::vec::Vec<#krate::Change<#ident #arguments>>,
        }
        #(#steps)*
    }
}

fn group_ident(entity: &Entity, ratchet: &Ratchet) -> Ident {
    let name = &entity.fields[ratchet.field].name;
    format_ident!("{}Update{}", entity.container.ident, Case::Pascal.field(name))
}
