//! Vector indexes: a type for each, the function that searches it, and the functions that store a vector for what it is made of.

use super::checked::{self, checked_present, present};
use super::commands::absent_functions;
use super::derived::derived;
use super::generics::{Generics, without_default};
use super::parameters::taken;
use super::{docs, groups};
use crate::given::here;
use crate::model::{Access, Capability, Embedding, Entity, Parameter, VectorIndex};
use proc_macro2::TokenStream;
use quote::{format_ident, quote_spanned};
use syn::{Ident, Type};

pub(super) fn expand(entity: &Entity, generics: &Generics) -> TokenStream {
    if entity.vector_indexes.is_empty() {
        return TokenStream::new();
    }
    let ident = &entity.container.ident;
    let (params, arguments, clause) = generics.split();
    let indexes = entity.vector_indexes.iter().enumerate();
    let markers = indexes.map(|(position, index)| marker(entity, generics, position, index));
    let searches = entity.vector_indexes.iter().map(|index| search(entity, &arguments, index));
    let embeds = entity.embeddings.iter().filter(|embedding| can_embed(entity, embedding));
    let embeds = embeds.map(|embedding| embed(entity, embedding));
    let derived = derived(&entity.container);
    let absent = absent(entity, generics);
    code! {
        #(#markers)*
        #absent
        #derived
        #[allow(dead_code, reason = "all searches are there, used or not")]
        impl #params #ident #arguments #clause {
            #(#searches)*
            #(#embeds)*
        }
    }
}

fn marker_ident(entity: &Entity, index: &VectorIndex) -> Ident {
    format_ident!("{}{}", entity.container.ident, index.marker())
}

/// Returns whether a search must say which attributes to read. A request names each attribute of a whole item, because DynamoDB
/// leaves the vector out otherwise. The attributes of the rest, and those of older shapes, have no names here.
fn is_partial(entity: &Entity, index: &VectorIndex) -> bool {
    let has_older_shapes = entity.schema_version.as_ref().is_some_and(|version| version.upgrade.is_some());
    index.projection.is_some() || entity.rest().is_some() || has_older_shapes
}

/// Generates the type that stands for an index, with a function for each filter.
fn marker(entity: &Entity, generics: &Generics, position: usize, index: &VectorIndex) -> TokenStream {
    let krate = &entity.container.krate;
    let (vis, ident, marker) = (&entity.container.vis, &entity.container.ident, marker_ident(entity, index));
    let (params, arguments, clause) = generics.split();
    let own_params = entity.container.generics.params.iter().map(without_default);
    let own_params = (!entity.container.generics.params.is_empty()).then(|| code!(<#(#own_params),*>));
    let own_clause = &entity.container.generics.where_clause;
    let holds = if index.projection.is_some() { code!(SomeAttributes) } else { code!(WholeItems) };
    let (derived, lints) = (derived(&entity.container), &entity.container.lints);
    let filters = index.filters.iter().enumerate().map(|(filter, field)| {
        let name = &entity.fields[field.value].ident;
        let parameter = checked::parameter(entity, field.value);
        let doc = format!(" Limits the search to items with this `{}`.", entity.fields[field.value].name);
        let checked = checked_present(entity, field.value);
        let place = checked::place(entity, [field.value]);
        let krate = place.on(code!(#krate));
        let value = quote_spanned!(place.span()=> #krate::command::SearchFilter::__new::<#checked>(#filter, #name));
        quote_spanned! {place.span()=>
            #[doc = #doc]
            pub fn #name(#parameter) -> #krate::command::SearchFilter<Self> {
                #value
            }
        }
    });
    let filters = (!index.filters.is_empty()).then(|| {
        code! {
            #derived
            #[allow(dead_code, reason = "all filters are there, used or not")]
            impl #params #marker #arguments #clause {
                #(#filters)*
            }
        }
    });
    let doc = format!(
        " The type of the vector index `{}` of [`{ident}`], which `{ident}::{}` searches.",
        index.name, index.query
    );
    let schema = code!(<Self as #krate::index::VectorIndex>::INDEX);
    code! {
        #[doc = #doc]
        #[allow(dead_code, reason = "it stands for an index, and has no values")]
        #(#lints)*
        #vis struct #marker #own_params (::core::marker::PhantomData<fn() -> #ident #arguments>) #own_clause;
        #derived
        impl #params #krate::index::AnyIndex for #marker #arguments #clause {
            type Entity = #ident #arguments;
            const NAME: &'static str = #schema.name;
            const KEYS: [&'static [#krate::__private::KeyAttribute]; 2] = [#schema.partition, #schema.filters];
            const PROJECTION: #krate::__private::Projected = #schema.projection;
        }
        #derived
        impl #params #krate::index::VectorIndex for #marker #arguments #clause {
            type Holds = #krate::index::#holds;
            const INDEX: &'static #krate::__private::SchemaVectorIndex =
                &<#ident #arguments as #krate::Entity>::SCHEMA.vector_indexes[#position];
        }
        #filters
    }
}

/// `vector: impl IntoVector<T>`, and the value of this parameter.
fn vector_parameter(entity: &Entity, field: usize) -> (TokenStream, TokenStream) {
    let krate = &entity.container.krate;
    let (ident, ty) = (&entity.fields[field].ident, present(entity, field));
    let (checked, place) = (checked_present(entity, field), checked::place(entity, [field]));
    let krate = place.on(code!(#krate));
    let value = quote_spanned!(place.span()=> #krate::value::IntoVector::<#checked>::into_vector(#ident));
    (quote_spanned!(place.span()=> #ident: impl #krate::value::IntoVector<#ty>), value)
}

fn search(entity: &Entity, arguments: &TokenStream, index: &VectorIndex) -> TokenStream {
    let krate = &entity.container.krate;
    let (query, marker) = (&index.query, marker_ident(entity, index));
    let (vector, value) = vector_parameter(entity, index.vector.value);
    let (parameter, partition) = match index.partition {
        None => (None, code!(::core::option::Option::None)),
        Some(partition) => {
            let parameter = checked::parameter(entity, partition.value);
            let (value, ty) = (checked::argument(entity, partition.value), checked_present(entity, partition.value));
            let place = checked::place(entity, [partition.value]);
            let krate = place.on(code!(#krate));
            let part = quote_spanned!(place.span()=> #krate::__private::key_field::<#ty>(&#value));
            (Some(code!(#parameter,)), code!(::core::option::Option::Some(#part)))
        }
    };
    let reads = is_partial(entity, index).then(|| code!(, #krate::index::Partial));
    let doc = docs::search(entity, index);
    let used = [index.vector.value].into_iter().chain(index.partition.as_ref().map(|field| field.value));
    let place = checked::place(entity, used);
    let at_types = place.on(code!(#krate));
    quote_spanned! {place.span()=>
        #doc
        pub fn #query(#parameter #vector) -> #at_types::command::Search<#marker #arguments #reads> {
            #at_types::command::Search::__new(#partition, &#value)
        }
    }
}

/// Declares the functions that would store vectors if the entity allowed it.
fn absent(entity: &Entity, generics: &Generics) -> TokenStream {
    let krate = &entity.container.krate;
    let declare = |name: &str, bound: &TokenStream| {
        let name = format_ident!("{name}", span = here());
        absent_functions(entity, generics, bound, &[code!(pub fn #name() {})])
    };
    if entity.embeddings.is_empty() {
        return declare("embed", &code!(#krate::absent::EmbedOfNothing));
    }
    let absent = entity.embeddings.iter().filter(|embedding| !can_embed(entity, embedding)).map(|embedding| {
        let needed = [Capability::Updatable, Capability::WithoutHistory];
        let bound = match needed.into_iter().find(|needed| !needed.is_of(entity)) {
            Some(capability) => code!(#krate::bound::#capability),
            None => code!(#krate::absent::EmbedRequired),
        };
        declare(&entity.embed_name(embedding), &bound)
    });
    code!(#(#absent)*)
}

/// Returns whether an update can store the vector later, beside what it is made of.
fn can_embed(entity: &Entity, embedding: &Embedding) -> bool {
    entity.has_update() && entity.fields[embedding.vector].access == Access::Embedding
}

/// Generates the update that stores a vector, if the item still has what the vector was made of.
fn embed(entity: &Entity, embedding: &Embedding) -> TokenStream {
    let krate = &entity.container.krate;
    let name = format_ident!("{}", entity.embed_name(embedding), span = here());
    let key = taken(entity, Parameter::Key);
    let (keys, argument) = (key.parameters, key.argument);
    let idents: Vec<&Ident> = embedding.of.iter().map(|field| &entity.fields[*field].ident).collect();
    let types: Vec<&Type> = embedding.of.iter().map(|field| &entity.fields[*field].ty).collect();
    let of = match (&idents[..], &types[..]) {
        ([ident], [ty]) => code!(#ident: impl #krate::value::IntoField<#ty>),
        _ => code!((#(#idents),*): (#(impl #krate::value::IntoField<#types>),*)),
    };
    let (vector, value) = vector_parameter(entity, embedding.vector);
    let field = &entity.fields[embedding.vector].ident;
    let embedded = embedding.of.iter().map(|of| {
        let (ident, ty) = (&entity.fields[*of].ident, &entity.fields[*of].ty);
        let (checked, place) = (checked::checked(entity, *of), checked::place(entity, [*of]));
        let krate = place.on(code!(#krate));
        quote_spanned! {place.span()=>
            #krate::Field::<_, #checked, _>::__embedded(
                &<Self as #krate::Entity>::FIELDS.#ident,
                &#krate::value::IntoField::<#ty>::into_field(#ident),
            )
        }
    });
    let update = code! {
        #krate::command::Update::new(#argument).with(<Self as #krate::Entity>::FIELDS.#field.__embed(
            &::core::option::Option::Some(#value),
            [#(#embedded),*],
        ))
    };
    let (ty, value) = groups::complete(entity, &code!(Self), update);
    let doc = docs::embed(entity, embedding);
    code! {
        #doc
        pub fn #name(#(#keys,)* #of, #vector) -> #ty {
            #value
        }
    }
}
