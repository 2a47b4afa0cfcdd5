//! The expansion after mistakes, beside their reports: just enough that code which uses the type compiles, so that one
//! mistake is one error. It never runs, since the compile has failed.

use crate::given::here;
use crate::model::{Capability, Command, FUNCTIONS, Function, Parameter, is_option, is_uncountable};
use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Field, Generics, Ident, Path, parse_quote};

pub(crate) fn entity(input: &DeriveInput, krate: &Path) -> TokenStream {
    if input.generics.lifetimes().next().is_some() {
        // A type that borrows cannot be an entity, so no stub can replace it.
        return TokenStream::new();
    }
    let ident = &input.ident;
    let generics = as_entity(&input.generics);
    let (params, arguments, clause) = generics.split_for_impl();
    let never = code!(::core::unreachable!());
    let tokens = (0..fields_with(input, "ratchet")).map(|index| format_ident!("__Token{index}", span = here()));
    let tokens: Vec<_> = tokens.collect();
    let is_versioned = fields_with(input, "version") > 0;
    let is_ordered = !tokens.is_empty() || fields_with(input, "fence") > 0;
    let output = |may_be_refused: bool| match (is_versioned, may_be_refused) {
        (true, _) => code!(#krate::Outcome<Self, u64>),
        (false, true) => code!(#krate::Outcome<Self>),
        (false, false) => code!(()),
    };
    let (put_output, delete_output) =
        (output(is_ordered || has_immutable(input) || has_unique(input)), output(is_ordered));
    let version = if is_versioned { code!(u64) } else { code!(()) };
    let capabilities = Capability::ALL;
    let functions = FUNCTIONS.iter().map(|function| self::function(krate, function, &tokens, is_versioned));
    let handles = handles(input, krate);
    let checks = checks(input, krate);
    code! {
        #[automatically_derived]
        impl #params #krate::Entity for #ident #arguments #clause {
            type Key = ();
            type Partition = ();
            type Sort = #krate::__private::AnySort;
            type Fields = ();
            type Tokens = ();
            type Version = #version;
            type PutOutput = #put_output;
            type DeleteOutput = #delete_output;
            const FIELDS: () = ();
            const SCHEMA: &'static #krate::Schema = #krate::__private::STUB;
            fn key(&self) {}
            fn __encode(&self) -> ::core::result::Result<#krate::Item, #krate::EncodeError> { #never }
            fn __decode(_: &mut #krate::__private::Members<'_>) -> ::core::result::Result<Self, #krate::DecodeError> { #never }
        }
        #(
            #[automatically_derived]
            impl #params #krate::bound::#capabilities for #ident #arguments #clause {}
        )*
        #handles
        #[automatically_derived]
        #[allow(dead_code, reason = "stands in for the commands of an entity with mistakes")]
        impl #params #ident #arguments #clause {
            #(#functions)*
        }
        #checks
    }
}

/// Returns a function with as many parameters as its callers pass, of any types.
fn function(krate: &Path, function: &Function, tokens: &[Ident], is_versioned: bool) -> TokenStream {
    let (name, command) = (format_ident!("{}", function.name, span = here()), function.command);
    let (mut generics, mut parameters) = (Vec::new(), Vec::new());
    let mut ty = code!(#krate::command::#command<Self>);
    for parameter in function.takes {
        match parameter {
            Parameter::Itself => parameters.push(code!(&self)),
            Parameter::Key | Parameter::Keys | Parameter::Partition => {
                generics.push(code!(__Key));
                parameters.push(code!(_: __Key));
            }
            Parameter::Tokens => {
                generics.extend(tokens.iter().map(|token| code!(#token)));
                parameters.extend(tokens.iter().map(|token| code!(_: #token)));
            }
            Parameter::Version if !is_versioned => {}
            Parameter::Version | Parameter::Number => parameters.push(code!(_: u64)),
            Parameter::Tombstone => parameters.push(code!(_: &#krate::Tombstone<Self>)),
            Parameter::Edit => {
                generics.push(code!(__Edit: ::core::ops::FnMut(&mut Self)));
                parameters.push(code!(_: __Edit));
                ty = code!(#krate::command::#command<Self, __Edit>);
            }
        }
    }
    if function.command == Command::Update && is_versioned {
        ty = code!(#krate::command::VersionedUpdate<Self>);
    }
    let generics = (!generics.is_empty()).then(|| code!(<#(#generics),*>));
    code!(pub fn #name #generics(#(#parameters),*) -> #ty { ::core::unreachable!() })
}

/// Adds the bounds that an entity owns its data.
fn as_entity(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!('static));
    }
    generics
}

fn named_fields(input: &DeriveInput) -> impl Iterator<Item = (&Field, &Ident)> {
    let fields = match &input.data {
        Data::Struct(data) => Some(&data.fields),
        _ => None,
    };
    fields.into_iter().flatten().filter_map(|field| Some((field, field.ident.as_ref()?)))
}

fn has(field: &Field, attribute: &str) -> bool {
    field.attrs.iter().any(|attr| attr.path().is_ident(attribute))
}

/// Generates `fields()`, with a handle for every field.
fn handles(input: &DeriveInput, krate: &Path) -> TokenStream {
    let (vis, ident) = (&input.vis, &input.ident);
    let handles = format_ident!("{ident}Fields");
    let (params, arguments, clause) = input.generics.split_for_impl();
    let own = &input.generics;
    let (idents, types): (Vec<_>, Vec<_>) = named_fields(input).map(|(field, ident)| (ident, &field.ty)).unzip();
    code! {
        #[allow(dead_code, private_interfaces, missing_docs, reason = "stands in for an entity with mistakes")]
        #vis struct #handles #own #clause {
            #(#vis #idents: #krate::Field<#ident #arguments, #types>),*
        }
        #[automatically_derived]
        #[allow(dead_code, missing_docs, reason = "stands in for an entity with mistakes")]
        impl #params #ident #arguments #clause {
            pub fn fields() -> #handles #arguments { ::core::unreachable!() }
        }
    }
}

/// Checks what only the types of the fields can show, so that one compile reports it together with mistakes in attributes.
fn checks(input: &DeriveInput, krate: &Path) -> TokenStream {
    if !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    let private = code!(#krate::__private);
    // A field that has a codec of its own, or is not stored, may have any type.
    let fields = named_fields(input).filter(|(field, _)| !has(field, "attribute"));
    let checks = fields.map(|(field, _)| {
        let ty = &field.ty;
        let is_key = has(field, "partition_key") || has(field, "sort_key");
        match is_key {
            // An optional key has been reported.
            true if is_option(ty) => TokenStream::new(),
            true => quote_spanned!(ty.span()=> let _ = #private::key_type::<#ty>();),
            false if has(field, "ratchet") => quote_spanned!(ty.span()=> let _ = #private::inspect::<#ty>;),
            // An optional fence has been reported.
            false if has(field, "fence") && is_option(ty) => TokenStream::new(),
            false if has(field, "fence") && !has(field, "ttl") => {
                quote_spanned!(ty.span()=> let _ = #private::fence::<#ty>("");)
            }
            // A version of such a type has been reported, too.
            false if has(field, "version") && (is_option(ty) || is_uncountable(ty)) => TokenStream::new(),
            false if has(field, "version") => {
                quote_spanned!(ty.span()=> let _ = #private::version::<#ty>("");)
            }
            false if has(field, "ttl") => quote_spanned!(ty.span()=> let _ = #private::ttl::<#ty>("");),
            false => quote_spanned!(ty.span()=> let _ = #private::attribute::<#ty, (), ()>("");),
        }
    });
    code! {
        const _: () = {
            #[allow(dead_code, reason = "only its types matter")]
            fn __dyno_check() {
                #(#checks)*
            }
        };
    }
}

/// Counts the fields with this attribute.
fn fields_with(input: &DeriveInput, attribute: &str) -> usize {
    let Data::Struct(data) = &input.data else {
        return 0;
    };
    data.fields.iter().filter(|field| has(field, attribute)).count()
}

/// Returns whether the struct or a field has `#[unique]`.
fn has_unique(input: &DeriveInput) -> bool {
    fields_with(input, "unique") > 0 || input.attrs.iter().any(|attr| attr.path().is_ident("unique"))
}

/// Returns whether a field has `#[attribute(immutable)]`.
fn has_immutable(input: &DeriveInput) -> bool {
    let Data::Struct(data) = &input.data else {
        return false;
    };
    let attributes = data.fields.iter().flat_map(|field| &field.attrs);
    let mut lists = attributes.filter(|attr| attr.path().is_ident("attribute")).map(|attr| attr.meta.require_list());
    lists.any(|list| {
        let words = list.map(|list| list.tokens.clone().into_iter()).into_iter().flatten();
        words.into_iter().any(|word| matches!(word, TokenTree::Ident(word) if word == "immutable"))
    })
}

pub(crate) fn document(input: &DeriveInput, krate: &Path) -> TokenStream {
    let ident = &input.ident;
    let (params, arguments, clause) = input.generics.split_for_impl();
    let never = code!(::core::unreachable!());
    code! {
        #[automatically_derived]
        impl #params #krate::Value for #ident #arguments #clause {
            type Kind = #krate::value::kind::Any;
            fn encode(&self) -> ::core::result::Result<#krate::__private::AttributeValue, #krate::EncodeError> { #never }
            fn decode(_: #krate::__private::RawValue<'_>) -> ::core::result::Result<Self, #krate::DecodeError> { #never }
        }
    }
}
