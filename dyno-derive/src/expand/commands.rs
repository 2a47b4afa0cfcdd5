//! The functions that make commands. Each is a line: types and rules are the runtime's.

use super::docs::{self, Verb};
use super::generics::Generics;
use super::{derived, keys};
use crate::model::{Case, Entity, Ratchet};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, Type};

pub(super) fn expand(entity: &Entity, generics: &Generics) -> TokenStream {
    let ident = &entity.container.ident;
    let (params, arguments, clause) = generics.split();
    let reads = reads(entity, &arguments);
    let puts = puts(entity);
    let update = update(entity, &arguments);
    let delete = delete(entity);
    let modify = modify(entity);
    let history = history(entity);
    let groups = groups(entity, generics);
    let derived = derived(&entity.container);
    quote! {
        #derived
        #[allow(dead_code, reason = "all commands are there, used or not")]
        impl #params #ident #arguments #clause {
            #reads
            #puts
            #update
            #delete
            #modify
            #history
        }
        #groups
    }
}

/// `name: impl IntoField<T>`
fn parameter(entity: &Entity, field: usize) -> TokenStream {
    let krate = &entity.container.krate;
    let ident = &entity.fields[field].ident;
    let ty = &entity.fields[field].ty;
    quote!(#ident: impl #krate::IntoField<#ty>)
}

/// The value of such a parameter.
fn argument(entity: &Entity, field: usize) -> TokenStream {
    let krate = &entity.container.krate;
    let ident = &entity.fields[field].ident;
    quote!(#krate::IntoField::into_field(#ident))
}

/// The value of such a parameter, as it is stored.
fn stored_argument(entity: &Entity, field: usize) -> TokenStream {
    let argument = argument(entity, field);
    if entity.form(field).is_none() {
        return argument;
    }
    let (krate, ty) = (&entity.container.krate, &entity.fields[field].ty);
    quote!(#krate::TextTime::new({ let time: #ty = #argument; time }))
}

/// A parameter for several fields, which is a tuple unless there is only one, and its value.
fn tuple(entity: &Entity, fields: &[usize]) -> (TokenStream, TokenStream) {
    let krate = &entity.container.krate;
    if let [field] = fields {
        return (parameter(entity, *field), argument(entity, *field));
    }
    let idents = fields.iter().map(|field| &entity.fields[*field].ident);
    let types = fields.iter().map(|field| &entity.fields[*field].ty);
    let arguments = fields.iter().map(|field| argument(entity, *field));
    (quote!((#(#idents),*): (#(impl #krate::IntoField<#types>),*)), quote!((#(#arguments),*)))
}

/// The parameter for the key, which is nothing if the key has no fields, and its value.
fn key(entity: &Entity) -> (TokenStream, TokenStream) {
    keyed(entity, &entity.key.parts)
}

fn keyed(entity: &Entity, parts: &[usize]) -> (TokenStream, TokenStream) {
    if parts.is_empty() { (TokenStream::new(), quote!(())) } else { tuple(entity, parts) }
}

fn reads(entity: &Entity, arguments: &TokenStream) -> TokenStream {
    let krate = &entity.container.krate;
    let handles = format_ident!("{}Fields", entity.container.ident);
    let (key_parameter, key) = key(entity);
    let (partition_parameter, partition) = keyed(entity, &entity.key.parts[..entity.key.partition_parts]);
    let [get_doc, query_doc, scan_doc] = [docs::get(entity), docs::query(entity), docs::scan(entity)];
    let check_doc = docs::write(entity, Verb::Check);
    let batch_get = batch_get(entity);
    let query = entity.key.sort.is_some().then(|| {
        quote! {
            #query_doc
            pub fn query(#partition_parameter) -> #krate::Query<Self> {
                #krate::Query::new(#partition)
            }
        }
    });
    quote! {
        /// The stored attributes, for conditions, filters and changes.
        #[must_use]
        pub fn fields() -> #handles #arguments {
            <Self as #krate::Entity>::FIELDS
        }
        /// The entity's key.
        #[must_use]
        pub fn key(&self) -> <Self as #krate::Entity>::Key {
            <Self as #krate::Entity>::key(self)
        }
        #get_doc
        pub fn get(#key_parameter) -> #krate::Get<Self> {
            #krate::Get::new(#key)
        }
        #check_doc
        pub fn check(#key_parameter) -> #krate::Check<Self> {
            #krate::Check::new(#key)
        }
        #batch_get
        #query
        #scan_doc
        pub fn scan() -> #krate::Scan<Self> {
            #krate::Scan::new()
        }
    }
}

fn batch_get(entity: &Entity) -> TokenStream {
    let krate = &entity.container.krate;
    let doc = docs::batch_get(entity);
    let types = entity.key.parts.iter().map(|part| &entity.fields[*part].ty);
    let types: Vec<_> = types.map(|ty| quote!(impl #krate::IntoField<#ty>)).collect();
    let idents: Vec<_> = entity.key.parts.iter().map(|part| &entity.fields[*part].ident).collect();
    let (ty, pattern, key) = match (&types[..], &idents[..]) {
        // There is one such item at most.
        ([], _) | (_, []) => {
            return quote! {
                #doc
                pub fn batch_get() -> #krate::BatchGet<Self> {
                    #krate::BatchGet::new([()])
                }
            };
        }
        ([ty], [ident]) => (quote!(#ty), quote!(#ident), argument(entity, entity.key.parts[0])),
        _ => {
            let arguments = entity.key.parts.iter().map(|part| argument(entity, *part));
            (quote!((#(#types),*)), quote!((#(#idents),*)), quote!((#(#arguments),*)))
        }
    };
    quote! {
        #doc
        pub fn batch_get(keys: impl ::core::iter::IntoIterator<Item = #ty>) -> #krate::BatchGet<Self> {
            #krate::BatchGet::new(::core::iter::Iterator::map(
                ::core::iter::IntoIterator::into_iter(keys),
                |#pattern| #key,
            ))
        }
    }
}

fn puts(entity: &Entity) -> TokenStream {
    let krate = &entity.container.krate;
    let puts = [
        ("put", "Put", Verb::Put, true),
        ("create", "Create", Verb::Create, true),
        ("replace", "Replace", Verb::Replace, true),
        ("undelete", "Undelete", Verb::Undelete, entity.tombstone.is_some()),
    ];
    let overwrites = |verb| matches!(verb, Verb::Put | Verb::Replace) && !entity.is_overwritable();
    let puts = puts.into_iter().filter(|(.., exists)| *exists).map(|(function, command, verb, _)| {
        let doc = if overwrites(verb) { docs::not_overwritable() } else { docs::write(entity, verb) };
        let clause = overwrites(verb).then(|| quote!(where for<'__dyno> Self: #krate::Overwritable));
        let (function, command) = (format_ident!("{function}"), format_ident!("{command}"));
        quote! {
            #doc
            pub fn #function(&self) -> #krate::#command<Self> #clause {
                #krate::#command::new(self)
            }
        }
    });
    quote!(#(#puts)*)
}

fn update(entity: &Entity, arguments: &TokenStream) -> TokenStream {
    let krate = &entity.container.krate;
    let (parameter, key) = key(entity);
    if entity.is_grouped() {
        let update = update_ident(entity);
        let doc = docs::lines([
            "Sets one group of fields of the live item at this key: go on with its ratchet's name.".to_owned(),
        ]);
        return quote! {
            #doc
            pub fn update(#parameter) -> #update #arguments {
                #update(#krate::Update::new(#key))
            }
        };
    }
    let doc = match entity.history {
        Some(_) => docs::lines(["Not available: a revision is a whole item. See `modify`.".to_owned()]),
        None => docs::write(entity, Verb::Update),
    };
    // Where a capability is missing, calling the function is the error, and not its being there.
    let missing = match (&entity.history, entity.is_ratcheted_whole()) {
        (Some(_), _) => Some(quote!(Unrecorded)),
        (None, true) => Some(quote!(Updatable)),
        (None, false) => None,
    };
    let clause = missing.map(|capability| quote!(where for<'__dyno> Self: #krate::#capability));
    let (ty, update) = update_value(entity, &quote!(#krate::Update::new(#key)));
    quote! {
        #doc
        pub fn update(#parameter) -> #ty #clause {
            #update
        }
    }
}

/// The type of an update, and its value: of a versioned entity, one that does not say yet what it expects.
fn update_value(entity: &Entity, update: &TokenStream) -> (TokenStream, TokenStream) {
    let krate = &entity.container.krate;
    match entity.version {
        Some(_) => (quote!(#krate::VersionedUpdate<Self>), quote!(#krate::VersionedUpdate::__of(#update))),
        None => (quote!(#krate::Update<Self>), update.clone()),
    }
}

fn modify(entity: &Entity) -> Option<TokenStream> {
    entity.version.as_ref()?;
    let krate = &entity.container.krate;
    let (key_parameter, key) = key(entity);
    let key_parameter = (!entity.key.parts.is_empty()).then(|| quote!(#key_parameter,));
    let doc = docs::modify(entity);
    Some(quote! {
        #doc
        pub fn modify<__Edit, __Edited>(#key_parameter __edit: __Edit) -> #krate::Modify<Self, __Edit>
        where
            __Edit: ::core::ops::FnMut(&mut Self) -> __Edited + ::core::marker::Send,
            __Edited: #krate::Edited,
        {
            #krate::Modify::new(#key, __edit)
        }
    })
}

fn history(entity: &Entity) -> Option<TokenStream> {
    entity.history.as_ref()?;
    let krate = &entity.container.krate;
    let version = entity.version.as_ref()?.field;
    let (version_ident, version_ty) = (&entity.fields[version].ident, &entity.fields[version].ty);
    let (key_parameter, key) = key(entity);
    let version_argument = argument(entity, version);
    let leading = (!entity.key.parts.is_empty()).then(|| quote!(#key_parameter,));
    let tokens = entity.ratchets.iter().map(|ratchet| token(entity, ratchet));
    let (parameters, arguments): (Vec<_>, Vec<_>) = tokens.unzip();
    let [all_doc, one_doc, rollback_doc, repair_doc] = docs::history();
    Some(quote! {
        #all_doc
        pub fn revisions(#key_parameter) -> #krate::Revisions<Self> {
            #krate::Revisions::new(#key)
        }
        #one_doc
        pub fn revision(#leading #version_ident: impl #krate::IntoField<#version_ty>) -> #krate::GetRevision<Self> {
            #krate::GetRevision::new(#key, #version_argument)
        }
        #rollback_doc
        pub fn rollback(
            #leading #version_ident: impl #krate::IntoField<#version_ty>, #(#parameters),*
        ) -> #krate::Rollback<Self> {
            #krate::Rollback::new(#key, #version_argument, (#(#arguments,)*))
        }
        #repair_doc
        pub fn repair(#key_parameter) -> #krate::Repair<Self> {
            #krate::Repair::new(#key)
        }
    })
}

fn delete(entity: &Entity) -> TokenStream {
    let krate = &entity.container.krate;
    let (key_parameter, key) = key(entity);
    let key_parameter = (!entity.key.parts.is_empty()).then(|| quote!(#key_parameter,));
    let tokens = entity.ratchets.iter().map(|ratchet| token(entity, ratchet));
    let (mut parameters, arguments): (Vec<_>, Vec<_>) = tokens.unzip();
    let version = entity.version.as_ref().map_or_else(
        || quote!(()),
        |version| {
            parameters.push(parameter(entity, version.field));
            argument(entity, version.field)
        },
    );
    let doc = docs::write(entity, Verb::Delete);
    let clause = (!entity.is_deletable()).then(|| quote!(where for<'__dyno> Self: #krate::Deletable));
    let purge = entity.tombstone.is_some().then(|| {
        let doc = docs::write(entity, Verb::Purge);
        quote! {
            #doc
            pub fn purge(tombstone: &#krate::Tombstone<Self>) -> #krate::Purge<Self> {
                #krate::Purge::new(tombstone)
            }
        }
    });
    quote! {
        #doc
        pub fn delete(#key_parameter #(#parameters),*) -> #krate::Delete<Self> #clause {
            #krate::Delete::new(#key, (#(#arguments,)*), #version)
        }
        #purge
    }
}

/// The parameter for a ratchet's token, and its value.
fn token(entity: &Entity, ratchet: &Ratchet) -> (TokenStream, TokenStream) {
    let krate = &entity.container.krate;
    match ratchet.tiebreak() {
        None => (parameter(entity, ratchet.field), stored_argument(entity, ratchet.field)),
        Some(tiebreak) => {
            let (parameter, _) = tuple(entity, &[ratchet.field, tiebreak]);
            let (token, tiebreak) = (stored_argument(entity, ratchet.field), stored_argument(entity, tiebreak));
            (parameter, quote!(#krate::__private::Tied(#token, #tiebreak)))
        }
    }
}

fn update_ident(entity: &Entity) -> Ident {
    format_ident!("{}Update", entity.container.ident)
}

/// For each group of fields, a type that takes its values one after the other: an update of a group sets all of it,
/// and nothing else. (If it set a part, an older update of another part would be refused and lost.)
fn groups(entity: &Entity, generics: &Generics) -> TokenStream {
    if !entity.is_grouped() {
        return TokenStream::new();
    }
    let krate = &entity.container.krate;
    let (vis, ident, update) = (&entity.container.vis, &entity.container.ident, update_ident(entity));
    let (params, arguments, clause) = generics.split();
    let groups = entity.ratchets.iter().enumerate();
    let starts = groups.clone().map(|(index, ratchet)| {
        let doc = docs::write(entity, Verb::UpdateGroup(index));
        let name = &entity.fields[ratchet.field].ident;
        let group = group_ident(entity, ratchet);
        let (parameter, token) = token(entity, ratchet);
        let arguments = generics.arguments_and(0);
        quote! {
            #doc
            pub fn #name(self, #parameter) -> #group #arguments {
                #group { update: self.0, token: #token, changes: ::std::vec::Vec::new() }
            }
        }
    });
    let groups = groups.clone().map(|(index, ratchet)| group(entity, generics, index, ratchet));
    let doc = format!(" An update of one group of a [`{ident}`]'s fields.");
    let (derived, lints) = (derived(&entity.container), &entity.container.lints);
    quote! {
        #[doc = #doc]
        #[must_use = "nothing is set yet: go on with the name of a ratchet"]
        #(#lints)*
        #vis struct #update #params (#krate::Update<#ident #arguments>) #clause;
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
    let group_params = generics.params_and(&quote!(const SET: usize));
    let token_type = keys::token_type(entity, ratchet);
    let (derived, lints) = (derived(&entity.container), &entity.container.lints);
    let name = &entity.fields[ratchet.field].name;
    let steps = ratchet.guards.iter().enumerate().map(|(step, guard)| {
        let field = &entity.fields[guard.value];
        let (field_ident, ty): (&Ident, &Type) = (&field.ident, &field.ty);
        let doc = format!(" Sets `{}`.", field.name);
        let here = generics.arguments_and(step);
        let (next, value) = if step + 1 == ratchet.guards.len() {
            let update = quote!(self.update.__group(#index, &self.token, self.changes));
            match entity.version {
                Some(_) => {
                    (quote!(#krate::VersionedUpdate<#ident #arguments>), quote!(#krate::VersionedUpdate::__of(#update)))
                }
                None => (quote!(#krate::Update<#ident #arguments>), update),
            }
        } else {
            let next = generics.arguments_and(step + 1);
            (quote!(#group #next), quote!(#group { update: self.update, token: self.token, changes: self.changes }))
        };
        quote! {
            #derived
            #[allow(dead_code, reason = "all groups are there, used or not")]
            impl #params #group #here #clause {
                #[doc = #doc]
                pub fn #field_ident(mut self, #field_ident: impl #krate::IntoField<#ty>) -> #next {
                    let value: #ty = #krate::IntoField::into_field(#field_ident);
                    self.changes.push(<#ident #arguments as #krate::Entity>::FIELDS.#field_ident.__set(&value));
                    #value
                }
            }
        }
    });
    let doc = format!(" An update of the fields that `{name}` guards, `SET` of which have been given.");
    quote! {
        #[doc = #doc]
        #[must_use = "an update of a group sets all of its fields"]
        #(#lints)*
        #vis struct #group #group_params #clause {
            update: #krate::Update<#ident #arguments>,
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
