//! `#[derive(Document)]`: the codec of structs and enums that are values inside an item.

use super::codec::{self, decode_members, encode_members, member};
use super::derived::{derived, spanned};
use super::docs;
use super::generics::{Generics, without_default};
use crate::given::{Word, here};
use crate::model::{Document, Field, Shape, Storage, Variant, VariantShape};
use proc_macro2::TokenStream;
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Ident, Path, Type, parse_quote};

pub(crate) fn expand(document: &Document) -> TokenStream {
    match &document.shape {
        Shape::Struct(fields) => expand_struct(document, fields),
        Shape::Newtype(ty) => expand_newtype(document, ty),
        Shape::Enum(variants) => expand_enum(document, variants),
    }
}

/// Expands a struct, which is stored as M with a member for each field.
fn expand_struct(document: &Document, fields: &[Field]) -> TokenStream {
    let krate = &document.container.krate;
    let ident = &document.container.ident;
    let generics = Generics::new(&document.container, fields);
    let (params, arguments, clause) = generics.split();
    let encode = encode_members(krate, fields, |field| {
        let ident = &field.ident;
        code!(&self.#ident)
    });
    let decode = decode_members(krate, fields);
    let value = value(
        document,
        &generics,
        &code!(#krate::value::kind::Map),
        &code!(#krate::__private::encode_document(self)),
        &code!(#krate::__private::decode_document(value)),
        &stored_members(krate, fields, |members| code!(#krate::__private::document_type::<Self>(parents, #members))),
    );
    let members = Members::new(document, fields);
    let derived = derived(&document.container);
    let (declaration, members_type, handles) = (members.declaration(), members.ty(), members.handles());
    let count = fields.iter().filter_map(Field::attribute).count();
    // The struct stands in a block of its own, under a name that no field's type has, so it collides with nothing.
    code! {
        const _: () = {
            #declaration
            #derived
            impl #params #krate::Document for #ident #arguments #clause {
            type Fields<__E, __A> = #members_type;
            const __MEMBERS: usize = #count;
            fn __fields<__E, __A>(place: #krate::field::Nested) -> <Self as #krate::Document>::Fields<__E, __A> {
                #handles
            }
            fn __encode_members(&self, item: &mut #krate::Item) -> ::core::result::Result<(), #krate::EncodeError> {
                #encode
                ::core::result::Result::Ok(())
            }
            fn __decode_members(item: &mut #krate::__private::Members<'_>) -> ::core::result::Result<Self, #krate::DecodeError> {
                ::core::result::Result::Ok(Self { #decode })
            }
        }
        };
        #value
    }
}

/// `struct …Members`: a typed handle for every member, wherever the document is.
struct Members<'a> {
    document: &'a Document,
    fields: &'a [Field],
    ident: Ident,
}

impl<'a> Members<'a> {
    fn new(document: &'a Document, fields: &'a [Field]) -> Self {
        Self { document, fields, ident: format_ident!("__{}Members", document.container.ident) }
    }

    fn stored(&self) -> impl Iterator<Item = (&'a Field, &'a Word)> {
        self.fields.iter().filter_map(|field| Some((field, field.attribute()?)))
    }

    /// Returns the type's own parameters, followed by those for the entity and the access.
    fn generics(&self) -> syn::Generics {
        let mut generics = self.document.container.generics.clone();
        generics.params = generics.params.iter().map(without_default).collect();
        generics.params.push(parse_quote!(__E));
        generics.params.push(parse_quote!(__A));
        generics
    }

    fn ty(&self) -> TokenStream {
        let (ident, generics) = (&self.ident, self.generics());
        let (_, arguments, _) = generics.split_for_impl();
        code!(#ident #arguments)
    }

    fn declaration(&self) -> TokenStream {
        let krate = &self.document.container.krate;
        let (vis, document, ident) = (&self.document.container.vis, &self.document.container.ident, &self.ident);
        let generics = self.generics();
        let clause = &generics.where_clause;
        let (_, own_arguments, _) = self.document.container.generics.split_for_impl();
        let fields = self.stored().map(|(field, name)| {
            let (ident, ty) = (&field.ident, &field.ty);
            let access = codec::access(krate, &field.codec, Some(code!(__A)));
            let described = docs::handle(&format!("The member `{name}`."), &field.described);
            code!(#described #vis #ident: #krate::Field<__E, #ty, #access, #krate::field::Nested>)
        });
        let doc = format!(" A handle for each member of [`{document}`], for conditions and changes.");
        let lints = &self.document.container.lints;
        code! {
            #[doc = #doc]
            #[allow(dead_code, private_interfaces, reason = "there is a handle for every member")]
            #(#lints)*
            #vis struct #ident #generics #clause {
                #(#fields,)*
                #[doc(hidden)]
                __dyno_owner: ::core::marker::PhantomData<fn() -> (#document #own_arguments, __E, __A)>,
            }
        }
    }

    fn handles(&self) -> TokenStream {
        let krate = &self.document.container.krate;
        let ident = &self.ident;
        let fields = self.stored().filter_map(|(field, _)| {
            let (ident, handle) = (&field.ident, member(krate, field)?);
            Some(code!(#ident: #handle.__within(&place)))
        });
        code!(#ident { #(#fields,)* __dyno_owner: ::core::marker::PhantomData })
    }
}

/// Expands a newtype, which is stored as its only field.
fn expand_newtype(document: &Document, ty: &Type) -> TokenStream {
    let krate = &document.container.krate;
    let ident = &document.container.ident;
    let generics = Generics::new(&document.container, []).with_bound(ty, &code!(#krate::Value));
    let (params, arguments, clause) = generics.split();
    let inner = quote_spanned!(ty.span()=> <#ty as #krate::Value>);
    let trait_of_kinds = spanned(code!(#krate::value::kind::Kind), ty.span());
    let kind = quote_spanned!(ty.span()=> <#inner::Kind as #trait_of_kinds>::Newtype);
    let derived = derived(&document.container);
    code! {
        #derived
        impl #params #krate::Value for #ident #arguments #clause {
            type Kind = #kind;
            fn encode(&self) -> ::core::result::Result<#krate::__private::AttributeValue, #krate::EncodeError> {
                #inner::encode(&self.0)
            }
            fn decode(value: #krate::__private::RawValue<'_>) -> ::core::result::Result<Self, #krate::DecodeError> {
                #inner::decode(value).map(Self)
            }
            fn __push_text(&self, text: &mut ::std::string::String) -> ::core::result::Result<(), #krate::EncodeError> {
                #inner::__push_text(&self.0, text)
            }
            fn __text_len(&self) -> usize {
                #inner::__text_len(&self.0)
            }
            fn __stored_type(parents: &mut #krate::__private::Parents) -> #krate::__private::StoredType {
                #inner::__stored_type(parents)
            }
            const __CHARACTERS: #krate::__private::Characters = #inner::__CHARACTERS;
            const __RANGE: ::core::option::Option<(i128, i128)> = #inner::__RANGE;
        }
    }
}

/// `impl Value`
fn value(
    document: &Document,
    generics: &Generics,
    kind: &TokenStream,
    encode: &TokenStream,
    decode: &TokenStream,
    stored_type: &TokenStream,
) -> TokenStream {
    let krate = &document.container.krate;
    let ident = &document.container.ident;
    let (params, arguments, clause) = generics.split();
    let derived = derived(&document.container);
    code! {
        #derived
        impl #params #krate::Value for #ident #arguments #clause {
            type Kind = #kind;
            fn encode(&self) -> ::core::result::Result<#krate::__private::AttributeValue, #krate::EncodeError> {
                #encode
            }
            fn decode(value: #krate::__private::RawValue<'_>) -> ::core::result::Result<Self, #krate::DecodeError> {
                #decode
            }
            fn __stored_type(parents: &mut #krate::__private::Parents) -> #krate::__private::StoredType {
                #stored_type
            }
        }
    }
}

/// Returns the stored form of a map of fields. `describe` gets the function that describes the members.
fn stored_members(krate: &Path, fields: &[Field], describe: impl FnOnce(TokenStream) -> TokenStream) -> TokenStream {
    let members: Vec<_> = fields
        .iter()
        .filter_map(|field| {
            let handle = member(krate, field)?;
            Some(code!(#handle.__described(parents)))
        })
        .collect();
    let parents = if members.is_empty() { code!(_) } else { code!(parents) };
    describe(code!(|#parents| ::std::vec![#(#members),*]))
}

/// Returns the stored form of an enum.
fn stored_variants(krate: &Path, tag: Option<&str>, variants: &[Variant]) -> TokenStream {
    let private = code!(#krate::__private);
    let none = code!(::core::option::Option::None);
    let has_tag = tag.is_some();
    let tag = tag.map_or_else(|| none.clone(), |tag| code!(::core::option::Option::Some(#tag)));
    let is_unit = variants.iter().all(|variant| matches!(variant.shape, VariantShape::Unit));
    let variants = variants.iter().map(|variant| {
        let name = &variant.name;
        let value = match &variant.shape {
            VariantShape::Unit => none.clone(),
            VariantShape::Newtype(ty) => {
                let stored_type = if has_tag {
                    quote_spanned!(ty.span()=> <#ty as #krate::Document>::__stored)
                } else {
                    quote_spanned!(ty.span()=> <#ty as #krate::Value>::__stored_type)
                };
                code!(::core::option::Option::Some(#stored_type(parents)))
            }
            VariantShape::Struct(fields) => stored_members(
                krate,
                fields,
                |members| code!(::core::option::Option::Some(#private::members_type(parents, #members))),
            ),
        };
        code!((#name, #value))
    });
    let parents = if is_unit { code!(_) } else { code!(parents) };
    code!(#private::enum_type::<Self>(parents, #tag, |#parents| ::std::vec![#(#variants),*]))
}

fn expand_enum(document: &Document, variants: &[Variant]) -> TokenStream {
    let tag = document.tag.as_ref().map(|tag| tag.as_str());
    let krate = &document.container.krate;
    let fields = variants.iter().flat_map(|variant| match &variant.shape {
        VariantShape::Struct(fields) => &fields[..],
        _ => &[],
    });
    let mut generics = Generics::new(&document.container, fields);
    for variant in variants {
        if let VariantShape::Newtype(ty) = &variant.shape {
            let bound = if tag.is_some() { code!(#krate::Document) } else { code!(#krate::Value) };
            generics = generics.with_bound(ty, &bound);
        }
    }
    let is_unit = |variant: &Variant| matches!(variant.shape, VariantShape::Unit);
    let kind = match tag {
        None if variants.iter().all(is_unit) => match document.ordered {
            Some(_) => code!(#krate::value::kind::Text),
            // The names sort only alphabetically, so queries cannot ask for ranges of them.
            None => code!(#krate::value::kind::Name),
        },
        None if variants.iter().any(is_unit) => code!(#krate::value::kind::Any),
        _ => code!(#krate::value::kind::Map),
    };
    let encode = variants.iter().map(|variant| encode_variant(krate, tag, variant));
    let encode = if variants.is_empty() { code!(match *self {}) } else { code!(match self { #(#encode)* }) };
    let decode = decode_enum(krate, tag, variants);
    let (encode, decode) = if variants.iter().all(is_unit) {
        (encode, decode)
    } else {
        // A variant may contain the same enum again, to any depth.
        let within = code!(#krate::__private::within);
        (code!(#within(|| #encode)), code!(#within(|| { #decode })))
    };
    value(document, &generics, &kind, &encode, &decode, &stored_variants(krate, tag, variants))
}

/// Returns a match arm from a variant to its value.
fn encode_variant(krate: &Path, tag: Option<&str>, variant: &Variant) -> TokenStream {
    let private = code!(#krate::__private);
    let (ident, name) = (&variant.ident, &variant.name);
    let finish = match tag {
        Some(tag) => code!(#private::tagged(#tag, #name, members)),
        None => code!(::core::result::Result::Ok(#private::named(#name, #private::AttributeValue::M(members)))),
    };
    match &variant.shape {
        VariantShape::Unit => {
            let value = match tag {
                Some(tag) => code!(#private::tagged(#tag, #name, #krate::__private::item(0))),
                None => code!(::core::result::Result::Ok(#private::text(#name))),
            };
            code!(Self::#ident => #value,)
        }
        VariantShape::Newtype(ty) if tag.is_some() => {
            let encode = quote_spanned!(ty.span()=> <#ty as #krate::Document>::__encode_members);
            code! {
                Self::#ident(value) => {
                    let mut members = #krate::__private::item(0);
                    #encode(value, &mut members)?;
                    #finish
                }
            }
        }
        VariantShape::Newtype(ty) => {
            let encode = quote_spanned!(ty.span()=> <#ty as #krate::Value>::encode);
            code! {
                Self::#ident(value) => #encode(value)
                    .map(|value| #private::named(#name, value))
                    .map_err(|error| error.at_name(#name)),
            }
        }
        VariantShape::Struct(fields) => {
            let stored = fields.iter().filter(|field| field.storage != Storage::Skipped);
            let bindings = stored.map(|field| {
                let (ident, binding) = (&field.ident, format_ident!("__dyno_{}", field.name, span = here()));
                code!(#ident: #binding)
            });
            let encode = encode_members(krate, fields, |field| {
                let binding = format_ident!("__dyno_{}", field.name, span = here());
                code!(#binding)
            });
            code! {
                Self::#ident { #(#bindings,)* .. } => {
                    let mut members = #krate::__private::item(0);
                    let item = &mut members;
                    #encode
                    #finish
                }
            }
        }
    }
}

/// Returns the expression from a value to the variant whose name it has.
fn decode_enum(krate: &Path, tag: Option<&str>, variants: &[Variant]) -> TokenStream {
    let private = code!(#krate::__private);
    let names = variants.iter().map(|variant| &variant.name);
    let names = code!(&[#(#names),*]);
    let arms = variants.iter().map(|variant| {
        let name = &variant.name;
        let variant = decode_variant(krate, tag, variant);
        code!(#name => #variant,)
    });
    match tag {
        Some(tag) => code! {
            let (name, mut members) = #private::untag(value, #tag)?;
            let item = &mut members;
            match name.as_str() {
                #(#arms)*
                _ => ::core::result::Result::Err(#private::unknown_variant(#names).at_name(#tag)),
            }
        },
        None => code! {
            let (name, value) = #private::unname(value)?;
            match name.as_str() {
                #(#arms)*
                _ => ::core::result::Result::Err(#private::unknown_variant(#names)),
            }
        },
    }
}

fn decode_variant(krate: &Path, tag: Option<&str>, variant: &Variant) -> TokenStream {
    let private = code!(#krate::__private);
    let (ident, name) = (&variant.ident, &variant.name);
    match &variant.shape {
        VariantShape::Unit => code!(::core::result::Result::Ok(Self::#ident)),
        VariantShape::Newtype(ty) if tag.is_some() => {
            let decode = quote_spanned!(ty.span()=> <#ty as #krate::Document>::__decode_members);
            code!(#decode(item).map(Self::#ident))
        }
        VariantShape::Newtype(ty) => {
            let decode = quote_spanned!(ty.span()=> <#ty as #krate::Value>::decode);
            code!(#decode(value).map(Self::#ident).map_err(|error| error.at_name(#name)))
        }
        VariantShape::Struct(fields) => {
            let decode = decode_members(krate, fields);
            match tag {
                Some(_) => code!(::core::result::Result::Ok(Self::#ident { #decode })),
                None => code!({
                    let mut members = #private::members(value, #name)?;
                    let item = &mut members;
                    (move || ::core::result::Result::Ok(Self::#ident { #decode }))()
                        .map_err(|error: #krate::DecodeError| error.at_name(#name))
                }),
            }
        }
    }
}
