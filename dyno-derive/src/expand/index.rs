//! Secondary indexes: a type for each, the function that queries it, and handles of fields that change together.

use super::checked::{self, checked_present};
use super::derived::{derived, spanned};
use super::generics::{Generics, without_default};
use super::{docs, keys};
use crate::given::here;
use crate::model::{Entity, Index, KeyAttribute, KeyForm, Segment};
use proc_macro2::TokenStream;
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Ident, Path};

/// Returns the type of a field of an index's key, without its `Option`: an item in the index has all of these fields.
pub(super) fn part_type(entity: &Entity, index: &Index, part: usize) -> TokenStream {
    checked_present(entity, index.parts[part])
}

/// Generates the types of the indexes and the functions that query them.
pub(super) fn expand(entity: &Entity, generics: &Generics) -> TokenStream {
    if entity.indexes.is_empty() {
        return TokenStream::new();
    }
    let ident = &entity.container.ident;
    let (params, arguments, clause) = generics.split();
    let types = entity.indexes.iter().enumerate().map(|(position, index)| marker(entity, generics, position, index));
    let queries = entity.indexes.iter().map(|index| query(entity, &arguments, index));
    let derived = derived(&entity.container);
    code! {
        #(#types)*
        #derived
        #[allow(dead_code, reason = "all queries are there, used or not")]
        impl #params #ident #arguments #clause {
            #(#queries)*
        }
    }
}

fn marker_ident(entity: &Entity, index: &Index) -> Ident {
    format_ident!("{}{}", entity.container.ident, index.marker())
}

fn tuple(types: &[TokenStream]) -> TokenStream {
    match types {
        [ty] => code!(#ty),
        types => code!((#(#types),*)),
    }
}

/// Generates the type that stands for an index.
fn marker(entity: &Entity, generics: &Generics, position: usize, index: &Index) -> TokenStream {
    let krate = &entity.container.krate;
    let (vis, ident, marker) = (&entity.container.vis, &entity.container.ident, marker_ident(entity, index));
    let (params, arguments, clause) = generics.split();
    let own_params = entity.container.generics.params.iter().map(without_default);
    let own_params = (!entity.container.generics.params.is_empty()).then(|| code!(<#(#own_params),*>));
    let own_clause = &entity.container.generics.where_clause;
    let types: Vec<TokenStream> = (0..index.parts.len()).map(|part| part_type(entity, index, part)).collect();
    let (partition, rest) = types.split_at(index.partition_parts);
    let partition = tuple(partition);
    let place = checked::place(entity, index.parts.iter().copied());
    let sort = place.on(sort_state(krate, index, rest));
    let holds = if index.projection.is_some() { code!(SomeAttributes) } else { code!(WholeItems) };
    let (derived, lints) = (derived(&entity.container), &entity.container.lints);
    let is_consistent = index.is_local && entity.transactional.is_none();
    let consistent = is_consistent.then(|| {
        code! {
            #derived
            impl #params #krate::index::ConsistentIndex for #marker #arguments #clause {}
        }
    });
    let ordered = generics.with_predicates(&order_predicates(entity, index));
    let of_marker = place.on(code!(#marker #arguments));
    let ordered = quote_spanned! {place.span()=>
        #derived
        #[allow(unused_lifetimes, reason = "it puts the question off to where it is asked")]
        impl #params #krate::index::OrderedIndex for #of_marker #ordered {}
    };
    let doc = format!(" The type of the index `{}` of [`{ident}`], for `#[projection(index = …)]`.", index.name);
    code! {
        #[doc = #doc]
        #[allow(dead_code, reason = "it stands for an index, and has no values")]
        #(#lints)*
        #vis struct #marker #own_params (::core::marker::PhantomData<fn() -> #ident #arguments>) #own_clause;
        #derived
        impl #params #krate::index::Index for #marker #arguments #clause {
            type Entity = #ident #arguments;
            type Partition = #partition;
            type Sort = #sort;
            type Holds = #krate::index::#holds;
            const INDEX: &'static #krate::__private::SchemaIndex =
                &<#ident #arguments as #krate::Entity>::SCHEMA.indexes[#position];
        }
        #consistent
        #ordered
    }
}

/// Returns the type state of the sort key in a query: conditions on one attribute, or on several from the left.
fn sort_state(krate: &Path, index: &Index, rest: &[TokenStream]) -> TokenStream {
    let states = code!(#krate::index);
    match &index.sort[..] {
        [] => code!(#states::Asked),
        [_] if rest.is_empty() => code!(#states::Asked),
        [_] => {
            let rest = tuple(rest);
            code!(#states::Whole<#rest>)
        }
        // Each attribute of such a key is a field.
        _ => rest.iter().rfold(code!(#states::Asked), |behind, ty| code!(#states::Parts<#ty, #behind>)),
    }
}

/// Returns the bounds under which ranges of the sort key make sense: the stored keys sort as the values do. In a template,
/// that concerns the text of every hole without a width. If the key has several attributes, each query requires it for its
/// own.
fn order_predicates(entity: &Entity, index: &Index) -> Vec<TokenStream> {
    let krate = &entity.container.krate;
    if let [KeyAttribute { form: KeyForm::Field(part), .. }] = &index.sort[..] {
        return vec![keys::ordered(krate, &part_type(entity, index, *part))];
    }
    let segments = index.sort.iter().filter_map(|key| match &key.form {
        KeyForm::Template(segments) => Some(segments),
        KeyForm::Field(_) => None,
    });
    let holes = segments.flatten().filter_map(|segment| match segment {
        Segment::Hole { part, width: 0 } if *part >= index.partition_parts => Some(*part),
        _ => None,
    });
    holes
        .map(|part| {
            let ty = part_type(entity, index, part);
            let krate = spanned(code!(#krate), ty.span());
            quote_spanned! {ty.span()=>
                for<'__dyno> <#ty as #krate::Value>::Kind: #krate::value::kind::OrderedText
            }
        })
        .collect()
}

fn query(entity: &Entity, arguments: &TokenStream, index: &Index) -> TokenStream {
    let krate = &entity.container.krate;
    let (query, marker) = (&index.query, marker_ident(entity, index));
    let parts = 0..index.partition_parts;
    let parameters = parts.clone().map(|part| checked::parameter(entity, index.parts[part]));
    let values: Vec<TokenStream> = parts.map(|part| checked::argument(entity, index.parts[part])).collect();
    let value = match &values[..] {
        [value] => code!(#value),
        values => code!((#(#values),*)),
    };
    let place = checked::place(entity, index.parts.iter().copied());
    let at_place = place.on(code!(#krate));
    let value = quote_spanned!(place.span()=> #at_place::command::IndexQuery::__new(#value));
    let reads = index.projection.is_some().then(|| code!(, #krate::index::Partial));
    let doc = docs::index_query(entity, index);
    quote_spanned! {place.span()=>
        #doc
        pub fn #query(#(#parameters),*) -> #at_place::command::IndexQuery<#marker #arguments #reads> {
            #value
        }
    }
}

fn joint_ident(entity: &Entity, group: &[usize]) -> Ident {
    format_ident!("{}", entity.joint_name(group), span = here())
}

/// Returns the fields of `…Fields` for fields that change together.
pub(super) fn joint_handles<'a>(
    entity: &'a Entity,
    arguments: &'a TokenStream,
) -> impl Iterator<Item = TokenStream> + 'a {
    let krate = &entity.container.krate;
    let (vis, ident) = (&entity.container.vis, &entity.container.ident);
    entity.joint.iter().map(move |group| {
        let name = joint_ident(entity, group);
        let types = group.iter().map(|field| &entity.fields[*field].ty);
        let names: Vec<String> = group.iter().map(|field| format!("`{}`", entity.fields[*field].name)).collect();
        let is_embedded = entity.embeddings.iter().any(|embedding| group.contains(&embedding.vector));
        let why = if is_embedded {
            "set together because the vector is made of the others"
        } else if entity.unique.iter().any(|unique| group.iter().all(|field| unique.fields.contains(field))) {
            "set together because they are unique together"
        } else {
            "set together because they form the key of an index"
        };
        let values: Vec<&str> = group.iter().map(|field| &*entity.fields[*field].name).collect();
        let how = if entity.has_update() {
            format!("In an update: `.with({ident}::fields().{name}.set(({})))`.", values.join(", "))
        } else {
            "For the conditions of writes: this entity has no updates.".to_owned()
        };
        let doc = docs::paragraphs(format!("The fields {}, {why}.", names.join(", ")), how);
        code!(#doc #vis #name: #krate::field::Joint<#ident #arguments, (#(#types),*)>)
    })
}

/// Returns the values of these fields.
pub(super) fn joint_values(entity: &Entity) -> impl Iterator<Item = TokenStream> {
    let krate = &entity.container.krate;
    entity.joint.iter().map(move |group| {
        let name = joint_ident(entity, group);
        let idents: Vec<&Ident> = group.iter().map(|field| &entity.fields[*field].ident).collect();
        let types = group.iter().map(|field| &entity.fields[*field].ty);
        code! {
            #name: #krate::field::Joint::__new(|(#(#idents),*): &(#(#types),*)| {
                ::std::vec![#(<Self as #krate::Entity>::FIELDS.#idents.__set(#idents)),*]
            })
        }
    })
}
