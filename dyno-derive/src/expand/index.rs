//! Secondary indexes: a type for each, the function that queries it, and handles of fields that change together.

use super::derived::{at, derived, spanned};
use super::generics::{Generics, without_default};
use super::{docs, keys};
use crate::model::{Entity, Index, KeyAttribute, KeyForm, Segment};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{GenericArgument, Ident, Path, PathArguments, Type, TypePath};

/// Returns the type inside the `Option`, if the type is one. A type with another name may be an alias of one, so the type
/// itself decides.
pub(super) fn present(krate: &Path, ty: &Type) -> Type {
    match ty {
        Type::Path(path) => {
            let last = path.path.segments.last().filter(|last| last.ident == "Option");
            match last.map(|last| &last.arguments) {
                Some(PathArguments::AngleBracketed(arguments)) => match arguments.args.first() {
                    Some(GenericArgument::Type(inner)) => inner.clone(),
                    _ => ty.clone(),
                },
                _ if is_plain(path) => ty.clone(),
                _ => Type::Verbatim(quote_spanned!(ty.span()=> <#ty as #krate::Attribute>::Present)),
            }
        }
        Type::Group(group) => present(krate, &group.elem),
        Type::Paren(paren) => present(krate, &paren.elem),
        _ => ty.clone(),
    }
}

/// Returns whether the type has the name of one of the types that most keys have.
fn is_plain(ty: &TypePath) -> bool {
    const PLAIN: [&str; 15] = [
        "String",
        "EpochMillis",
        "EpochSeconds",
        "u8",
        "u16",
        "u32",
        "u64",
        "u128",
        "usize",
        "i8",
        "i16",
        "i32",
        "i64",
        "i128",
        "isize",
    ];
    ty.path.segments.last().is_some_and(|last| PLAIN.iter().any(|plain| last.ident == plain))
}

/// Returns the type of a field of an index's key, without its `Option`: an item in the index has all of these fields.
pub(super) fn part_type(entity: &Entity, index: &Index, part: usize) -> Type {
    present(&entity.container.krate, &entity.fields[index.parts[part]].ty)
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
    quote! {
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

fn tuple(types: &[Type]) -> TokenStream {
    match types {
        [ty] => quote!(#ty),
        types => quote!((#(#types),*)),
    }
}

/// Generates the type that stands for an index.
fn marker(entity: &Entity, generics: &Generics, position: usize, index: &Index) -> TokenStream {
    let krate = &entity.container.krate;
    let (vis, ident, marker) = (&entity.container.vis, &entity.container.ident, marker_ident(entity, index));
    let (params, arguments, clause) = generics.split();
    let own_params = entity.container.generics.params.iter().map(without_default);
    let own_params = (!entity.container.generics.params.is_empty()).then(|| quote!(<#(#own_params),*>));
    let own_clause = &entity.container.generics.where_clause;
    let types: Vec<Type> = (0..index.parts.len()).map(|part| part_type(entity, index, part)).collect();
    let (partition, rest) = types.split_at(index.partition_parts);
    let partition = tuple(partition);
    let sort = sort_state(krate, index, rest);
    let holds = if index.projection.is_some() { quote!(SomeAttributes) } else { quote!(WholeItems) };
    let (derived, lints) = (derived(&entity.container), &entity.container.lints);
    let is_consistent = index.is_local && entity.transactional.is_none();
    let consistent = is_consistent.then(|| {
        quote! {
            #derived
            impl #params #krate::index::ConsistentIndex for #marker #arguments #clause {}
        }
    });
    let ordered = generics.with_predicates(&order_predicates(entity, index));
    let doc = format!("The index `{}` of [`{ident}`].", index.name);
    quote! {
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
        #derived
        #[allow(unused_lifetimes, reason = "it puts the question off to where it is asked")]
        impl #params #krate::index::OrderedIndex for #marker #arguments #ordered {}
    }
}

/// Returns the type state of the sort key in a query: conditions on one attribute, or on several from the left.
fn sort_state(krate: &Path, index: &Index, rest: &[Type]) -> TokenStream {
    let states = quote!(#krate::index);
    match &index.sort[..] {
        [] => quote!(#states::Asked),
        [_] if rest.is_empty() => quote!(#states::Asked),
        [_] => {
            let rest = tuple(rest);
            quote!(#states::Whole<#rest>)
        }
        // Each attribute of such a key is a field.
        _ => rest.iter().rfold(quote!(#states::Asked), |behind, ty| quote!(#states::Parts<#ty, #behind>)),
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
    let idents: Vec<&Ident> = parts.clone().map(|part| &entity.fields[index.parts[part]].ident).collect();
    let types: Vec<Type> = parts.map(|part| part_type(entity, index, part)).collect();
    let values = idents
        .iter()
        .zip(&types)
        .map(|(ident, ty)| quote_spanned!(at(ty)=> #krate::value::IntoField::<#ty>::into_field(#ident)));
    let values: Vec<TokenStream> = values.collect();
    let parameters = quote!(#(#idents: impl #krate::value::IntoField<#types>),*);
    let value = match &values[..] {
        [value] => quote!(#value),
        values => quote!((#(#values),*)),
    };
    let place = types.first().map_or_else(Span::call_site, at);
    let at_place = spanned(quote!(#krate), place);
    let value = quote_spanned!(place=> #at_place::command::IndexQuery::__new(#value));
    let reads = index.projection.is_some().then(|| quote!(, #krate::index::Partial));
    let doc = docs::index_query(index);
    quote! {
        #doc
        pub fn #query(#parameters) -> #krate::command::IndexQuery<#marker #arguments #reads> {
            #value
        }
    }
}

fn joint_ident(entity: &Entity, group: &[usize]) -> Ident {
    format_ident!("{}", entity.joint_name(group))
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
            "which a vector is made of, and the vector"
        } else if entity.unique.iter().any(|unique| group.iter().all(|field| unique.fields.contains(field))) {
            "which are unique together"
        } else {
            "which stand in the key of an index together"
        };
        let doc = format!("{}, {why}", names.join(", "));
        quote!(#[doc = #doc] #vis #name: #krate::field::Joint<#ident #arguments, (#(#types),*)>)
    })
}

/// Returns the values of these fields.
pub(super) fn joint_values(entity: &Entity) -> impl Iterator<Item = TokenStream> {
    let krate = &entity.container.krate;
    entity.joint.iter().map(move |group| {
        let name = joint_ident(entity, group);
        let idents: Vec<&Ident> = group.iter().map(|field| &entity.fields[*field].ident).collect();
        let types = group.iter().map(|field| &entity.fields[*field].ty);
        quote! {
            #name: #krate::field::Joint::__new(|(#(#idents),*): &(#(#types),*)| {
                ::std::vec![#(<Self as #krate::Entity>::FIELDS.#idents.__set(#idents)),*]
            })
        }
    })
}
