//! Encoding and decoding. Every attribute has one handle (`Field`) with its name and codec, and the generated code encodes
//! and decodes each field with its handle, in one line.

use super::checked::checked;
use super::derived::{at, spanned};
use crate::given::here;
use crate::model::{Codec, DefaultValue, Entity, Field, Form, Storage};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::Path;
use syn::spanned::Spanned as _;

/// Returns the handle of an entity's field that is stored under this name.
pub(super) fn handle(entity: &Entity, field: usize, name: &str) -> TokenStream {
    handle_of(&entity.container.krate, &entity.fields[field], name, &checked(entity, field))
}

/// Returns the handle of a field of this type that is stored under this name. Its span is that of the field's type, so an error
/// about the type is reported once, and points there.
fn handle_of(krate: &Path, field: &Field, name: &str, ty: &TokenStream) -> TokenStream {
    let private = code!(#krate::__private);
    let coded = |module: TokenStream, place: Span, optional: bool| {
        let (krate, private) = (spanned(code!(#krate), place), spanned(private.clone(), place));
        let (encode, decode) = if optional {
            (quote_spanned!(place=> encode_option_with), quote_spanned!(place=> decode_option_with))
        } else {
            (quote_spanned!(place=> encode_with), quote_spanned!(place=> decode_with))
        };
        let required = !optional;
        quote_spanned! {place=>
            #krate::Field::__coded(
                #name,
                |value| #private::#encode(value, |value| #module::encode(value)),
                |value| #private::#decode(value, #module::decode),
                #required,
            )
        }
    };
    let handle = match &field.codec {
        Codec::Type => quote_spanned!(ty.span()=> #private::attribute::<#ty, _, _>(#name)),
        Codec::Functions { path, optional } => coded(code!(#path), at(path), *optional),
        Codec::Serde { optional } => coded(spanned(code!(#private::serde), at(ty)), at(ty), *optional),
        Codec::Form(form) => {
            let form = form_type(krate, form.value);
            quote_spanned!(ty.span()=> #private::attribute_in_form::<#ty, #form, _, _>(#name))
        }
    };
    let handle = match &field.aliases[..] {
        [] => handle,
        aliases => code!(#handle.__also(&[#(#aliases),*])),
    };
    match &field.default {
        DefaultValue::Type => handle,
        DefaultValue::Trait => code!(#handle.__or(<#ty as ::core::default::Default>::default)),
        DefaultValue::Function(path) => code!(#handle.__or(#path)),
    }
}

/// Returns the access of a field with this codec. `access` is what the field allows apart from the codec, if that is not everything.
pub(super) fn access(krate: &Path, codec: &Codec, access: Option<TokenStream>) -> Option<TokenStream> {
    let access_within = access.as_ref().map(|access| code!(, #access));
    match codec {
        // The types store their times in this form themselves.
        Codec::Type => access,
        Codec::Form(form) if form.value == Form::Nanos => access,
        Codec::Form(form) if form.sorts() => {
            let form = form_type(krate, form.value);
            Some(code!(#krate::field::access::Formatted<#form #access_within>))
        }
        Codec::Form(_) | Codec::Functions { .. } | Codec::Serde { .. } => {
            let access = access.map(|access| code!(<#access>));
            Some(code!(#krate::field::access::Coded #access))
        }
    }
}

pub(super) fn form_type(krate: &Path, form: Form) -> TokenStream {
    let form = format_ident!("{}", form.name(), span = here());
    code!(#krate::value::form::#form)
}

/// Returns the type that a field is stored as: its own, or the form of its text.
pub(super) fn stored_type(entity: &Entity, field: usize) -> TokenStream {
    let krate = &entity.container.krate;
    let ty = checked(entity, field);
    match entity.form(field) {
        None => ty,
        Some(form) => {
            let form = form_type(krate, form.value);
            quote_spanned!(ty.span()=> #krate::TextTime<#ty, #form>)
        }
    }
}

/// Returns the body of `__encode`.
pub(super) fn encode_entity(entity: &Entity) -> TokenStream {
    let krate = &entity.container.krate;
    let parts = parts(entity, &code!(self));
    let templates = entity.key.templates();
    let encode_templates =
        (templates > 0).then(|| code!(#krate::__private::encode_templates(Self::SCHEMA, #parts, &mut item)?;));
    let stored = entity.fields.iter().filter(|field| field.attribute().is_some());
    let fields: Vec<TokenStream> = stored
        .map(|field| {
            let ident = &field.ident;
            code!(fields.#ident.__codec.put(&mut item, &self.#ident)?;)
        })
        .collect();
    let version = entity.schema_version.as_ref();
    let encode_version = version.map(|_| code!(#krate::__private::encode_schema_version(Self::SCHEMA, &mut item);));
    let index_keys = index_keys(entity);
    let rest = entity.rest().map(|field| {
        let ident = &field.ident;
        code!(#krate::__private::put_rest(Self::SCHEMA, &self.#ident, &mut item)?;)
    });
    let mark = entity.entity_type.as_ref().map(|_| code!(#krate::__private::mark(Self::SCHEMA, &mut item);));
    let further = usize::from(version.is_some()) + usize::from(mark.is_some());
    let capacity = fields.len() + templates + index_keys.len() + further;
    let handles = handles(entity);
    code! {
        #handles
        let mut item = #krate::__private::item(#capacity);
        #encode_templates
        #(#fields)*
        #encode_version
        #(#index_keys)*
        #mark
        #rest
        ::core::result::Result::Ok(item)
    }
}

/// Returns the statements that add the index keys that are templates.
fn index_keys(entity: &Entity) -> Vec<TokenStream> {
    let krate = &entity.container.krate;
    let indexes = entity.indexes.iter().enumerate();
    let with_templates = indexes.filter(|(_, index)| index.templates(&entity.key).next().is_some());
    with_templates
        .map(|(position, index)| {
            let parts = index.parts.iter().map(|field| {
                let (ident, ty) = (&entity.fields[*field].ident, checked(entity, *field));
                let krate = spanned(code!(#krate), at(&ty));
                quote_spanned!(at(&ty)=> #krate::__private::key_part::<#ty>(&self.#ident))
            });
            code!(#krate::__private::encode_index_keys(Self::SCHEMA, #position, &[#(#parts),*], &mut item)?;)
        })
        .collect()
}

/// Returns the body of `__decode`. It takes the rest after all attributes that it takes by name, and the key last, so that
/// after an error the remaining item still contains the key.
pub(super) fn decode_entity(entity: &Entity) -> TokenStream {
    let krate = &entity.container.krate;
    let is_key = |field: &&(usize, &Field)| entity.key.parts.contains(&field.0);
    let is_token = |field: &usize| entity.ratchets.iter().any(|ratchet| ratchet.field == *field);
    let fields: Vec<(usize, &Field)> = entity.fields.iter().enumerate().collect();
    let is_rest = |field: &&(usize, &Field)| field.1.storage == Storage::Rest;
    let others = fields.iter().filter(|field| !is_key(field) && !is_rest(field));
    let (rest, keys) = (fields.iter().filter(is_rest), fields.iter().filter(is_key));
    let fields = others.chain(rest).chain(keys).map(|(index, field)| {
        let ident = &field.ident;
        let value = match &field.storage {
            Storage::Attribute if is_token(index) => code!(fields.#ident.__codec.take_token(item)?),
            Storage::Attribute => code!(fields.#ident.__codec.take(item)?),
            Storage::Key | Storage::Template | Storage::AttributeAndTemplate => {
                let part = entity.key.parts.iter().position(|part| part == index);
                let (krate, ty) = (spanned(code!(#krate), at(&field.ty)), checked(entity, *index));
                match &field.storage {
                    Storage::Key => quote_spanned!(at(&ty)=> fields.#ident.__codec.take_key::<#ty>(item)?),
                    Storage::Template => {
                        quote_spanned!(at(&ty)=> #krate::__private::decode_key::<#ty>(Self::SCHEMA, item, #part)?)
                    }
                    _ => quote_spanned! {at(&ty)=>
                        #krate::__private::decode_stored_key::<#ty>(Self::SCHEMA, item, #part, &fields.#ident.__codec)?
                    },
                }
            }
            Storage::Rest => {
                let ty = &field.ty;
                quote_spanned!(ty.span()=> #krate::__private::take_rest::<#ty>(Self::SCHEMA, item))
            }
            Storage::Skipped => quote_spanned!(at(&field.ty)=> ::core::default::Default::default()),
        };
        code!(#ident: #value)
    });
    let upgrade = upgrade(entity);
    let handles = handles(entity);
    if entity.key.templates() == 0 {
        return code!(#handles #upgrade ::core::result::Result::Ok(Self { #(#fields),* }));
    }
    let parts = parts(entity, &code!(entity));
    code! {
        #handles
        #upgrade
        let entity = Self { #(#fields),* };
        #krate::__private::check_templates(Self::SCHEMA, #parts, item)?;
        ::core::result::Result::Ok(entity)
    }
}

/// Binds the table of handles, if it has any: by reference, so that no copy of it is made for each field.
fn handles(entity: &Entity) -> Option<TokenStream> {
    let is_stored = entity.fields.iter().any(|field| field.attribute().is_some());
    is_stored.then(|| code!(let fields = &Self::FIELDS;))
}

/// Converts a row of another schema version before it is decoded.
fn upgrade(entity: &Entity) -> Option<TokenStream> {
    let krate = &entity.container.krate;
    entity.schema_version.as_ref().map(|_| code!(#krate::__private::upgrade(Self::SCHEMA, item)?;))
}

/// Returns the fields of the key.
fn parts(entity: &Entity, of: &TokenStream) -> TokenStream {
    let krate = &entity.container.krate;
    let parts = entity.key.parts.iter().map(|part| {
        let (ident, ty) = (&entity.fields[*part].ident, checked(entity, *part));
        let (of, krate) = (spanned(of.clone(), at(&ty)), spanned(code!(#krate), at(&ty)));
        quote_spanned!(at(&ty)=> #krate::__private::key_field::<#ty>(&#of.#ident))
    });
    code!(&[#(#parts),*])
}

/// Returns the statements that encode a document's fields into `item`. `value` gives the value of a field. Skipped fields
/// have none.
pub(super) fn encode_members(krate: &Path, fields: &[Field], value: impl Fn(&Field) -> TokenStream) -> TokenStream {
    let stored = fields.iter().filter_map(|field| {
        let (handle, value) = (member(krate, field)?, value(field));
        Some(code!(#handle.__codec.put_member(item, #value)?;))
    });
    let names = fields.iter().filter_map(|field| field.attribute());
    let rest = fields.iter().find(|field| field.storage == Storage::Rest).map(|field| {
        let value = value(field);
        code!(#krate::__private::put_rest_of_members(&[#(#names),*], #value, item)?;)
    });
    code!(#(#stored)* #rest)
}

/// Returns the fields of a struct expression, which takes them out of `item`, the rest after all others.
pub(super) fn decode_members(krate: &Path, fields: &[Field]) -> TokenStream {
    let is_rest = |field: &&Field| field.storage == Storage::Rest;
    let names: Vec<_> = fields.iter().filter_map(Field::attribute).collect();
    let (others, rest) = (fields.iter().filter(|field| !is_rest(field)), fields.iter().filter(is_rest));
    let fields = others.chain(rest).map(|field| {
        let (ident, ty) = (&field.ident, &field.ty);
        let value = match (member(krate, field), &field.storage) {
            (Some(handle), _) => code!(#handle.__codec.take(item)?),
            (None, Storage::Rest) => {
                quote_spanned!(ty.span()=> #krate::__private::take_rest_of_members::<#ty>(&[#(#names),*], item))
            }
            (None, _) => quote_spanned!(at(ty)=> ::core::default::Default::default()),
        };
        code!(#ident: #value)
    });
    code!(#(#fields),*)
}

/// Returns the handle of a document's field. Documents have no table of handles.
pub(super) fn member(krate: &Path, field: &Field) -> Option<TokenStream> {
    let ty = &field.ty;
    let handle = handle_of(krate, field, field.attribute()?, &code!(#ty));
    Some(code!(#krate::__private::member::<#ty>(#handle)))
}
