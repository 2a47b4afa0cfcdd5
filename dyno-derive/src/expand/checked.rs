//! The types of fields that keys and rules use. If such a type lacks a trait, the compiler says so once: see
//! `attribute::checked` in the runtime.

use super::derived::{at, spanned};
use super::generics::mentions;
use crate::given::here;
use crate::model::{Codec, Entity, Field, Ratchet, VectorIndex, is_option};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::{GenericArgument, Ident, Path, PathArguments, Type};

/// Returns the type of a field for code that requires traits of it.
pub(super) fn checked(entity: &Entity, field: usize) -> TokenStream {
    let (krate, ty) = (&entity.container.krate, &entity.fields[field].ty);
    match alias(entity, field) {
        Some(alias) => {
            let alias = Ident::new(alias, at(ty));
            let path = spanned(code!(#krate::__private::#alias), at(ty));
            quote_spanned!(at(ty)=> #path<#ty>)
        }
        None => code!(#ty),
    }
}

/// Returns the type of an entity for code that requires that it is one.
pub(super) fn checked_entity(krate: &Path, ty: &Type) -> TokenStream {
    let path = spanned(code!(#krate::__private::CheckedEntity), at(ty));
    quote_spanned!(at(ty)=> #path<#ty>)
}

/// Returns the place of code that names the entity's associated types: the first of these types that may lack a trait, so that
/// its report is the same there.
pub(super) fn place_of_types(entity: &Entity) -> Place {
    let version = entity.version.as_ref().map(|version| version.field);
    let tokens = entity.ratchets.iter().flat_map(Ratchet::tokens);
    place(entity, entity.key.parts.iter().copied().chain(version).chain(tokens))
}

/// Returns the place of the first of these fields' types that may lack a trait, or else that of generated code.
pub(super) fn place(entity: &Entity, fields: impl IntoIterator<Item = usize>) -> Place {
    let mut fields = fields.into_iter();
    Place(fields.find(|field| alias(entity, *field).is_some()).map(|field| at(&entity.fields[field].ty)))
}

/// A place of generated code: a type, or else the usual one.
#[derive(Clone, Copy)]
pub(super) struct Place(Option<Span>);

impl Place {
    pub(super) fn span(self) -> Span {
        self.0.unwrap_or_else(here)
    }

    /// Moves the code there.
    pub(super) fn on(self, code: TokenStream) -> TokenStream {
        match self.0 {
            Some(span) => spanned(code, span),
            None => code,
        }
    }
}

/// `name: impl IntoField<T>`, for a field without its `Option`.
pub(super) fn parameter(entity: &Entity, field: usize) -> TokenStream {
    let (place, ident, ty) = (place(entity, [field]), &entity.fields[field].ident, present(entity, field));
    let krate = &entity.container.krate;
    let krate = place.on(code!(#krate));
    quote_spanned!(place.span()=> #ident: impl #krate::value::IntoField<#ty>)
}

/// Returns the value of such a parameter.
pub(super) fn argument(entity: &Entity, field: usize) -> TokenStream {
    let (place, ident, ty) = (place(entity, [field]), &entity.fields[field].ident, checked_present(entity, field));
    let krate = &entity.container.krate;
    let krate = place.on(code!(#krate));
    quote_spanned!(place.span()=> #krate::value::IntoField::<#ty>::into_field(#ident))
}

/// Returns the type of a field without its `Option`, for code that requires traits of it.
pub(super) fn checked_present(entity: &Entity, field: usize) -> TokenStream {
    let (krate, ty) = (&entity.container.krate, &entity.fields[field].ty);
    match present(entity, field) {
        Type::Verbatim(present) => present,
        present if is_known(&present) => code!(#present),
        _ => {
            let (krate, checked) = (spanned(code!(#krate), at(ty)), checked(entity, field));
            quote_spanned!(at(ty)=> <#checked as #krate::Attribute>::Present)
        }
    }
}

/// Returns the type of a field without its `Option`, for signatures. A type with another name may be an alias of an `Option`,
/// so the type itself decides.
pub(super) fn present(entity: &Entity, field: usize) -> Type {
    let (krate, ty) = (&entity.container.krate, &entity.fields[field].ty);
    let inner = inner(ty);
    if is_option(ty) || is_known(inner) || !matches!(inner, Type::Path(_)) {
        return inner.clone();
    }
    let (krate, checked) = (spanned(code!(#krate), at(ty)), checked(entity, field));
    Type::Verbatim(quote_spanned!(at(ty)=> <#checked as #krate::Attribute>::Present))
}

/// Returns the type that is written inside the `Option`, or else the type.
fn inner(ty: &Type) -> &Type {
    match ty {
        Type::Path(path) => match path.path.segments.last().map(|last| (&last.ident, &last.arguments)) {
            Some((ident, PathArguments::AngleBracketed(arguments))) if ident == "Option" => {
                match arguments.args.first() {
                    Some(GenericArgument::Type(inner)) => inner,
                    _ => ty,
                }
            }
            _ => ty,
        },
        Type::Group(group) => inner(&group.elem),
        Type::Paren(paren) => inner(&paren.elem),
        _ => ty,
    }
}

/// Returns whether the type has the name of one that is a value: one of those that most keys and rules have.
fn is_known(ty: &Type) -> bool {
    const KNOWN: [&str; 18] = [
        "String",
        "EpochMillis",
        "EpochSeconds",
        "bool",
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
        "f32",
        "f64",
    ];
    is_one_of(inner(ty), &KNOWN)
}

fn is_one_of(ty: &Type, names: &[&str]) -> bool {
    match ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name)),
        Type::Array(array) => is_one_of(&array.elem, names),
        _ => false,
    }
}

fn mentions_param(entity: &Entity, ty: &Type) -> bool {
    let params: Vec<Ident> = entity.container.generics.type_params().map(|param| param.ident.clone()).collect();
    mentions(ty.to_token_stream(), &params)
}

/// Returns the alias for the type of a field, if a key or a rule uses the field and the type may lack a trait.
fn alias(entity: &Entity, field: usize) -> Option<&'static str> {
    let Field { ty, codec, .. } = &entity.fields[field];
    let alias = role(entity, field)?;
    let is_sure = match alias {
        "CheckedVersion" => is_one_of(ty, &["u8", "u16", "u32", "u64", "usize"]),
        "CheckedToken" | "CheckedFence" => !is_option(ty) && is_known(ty),
        _ => is_known(ty),
    };
    // The derive knows the bounds of a type parameter, but not its kind.
    (matches!(codec, Codec::Type) && !is_sure && !mentions_param(entity, ty)).then_some(alias)
}

/// Returns the alias for what a key or a rule makes of a field.
fn role(entity: &Entity, field: usize) -> Option<&'static str> {
    let is = |other: Option<usize>| other == Some(field);
    let of_vectors =
        |uses: fn(&VectorIndex, usize) -> bool| entity.vector_indexes.iter().any(|index| uses(index, field));
    if is(entity.version.as_ref().map(|version| version.field)) {
        Some("CheckedVersion")
    } else if is(entity.fence) {
        Some("CheckedFence")
    } else if entity.ratchets.iter().any(|ratchet| ratchet.field == field) {
        Some("CheckedToken")
    } else if is(entity.created) || is(entity.updated) {
        Some("CheckedTime")
    } else if entity.key.parts.contains(&field)
        || is(entity.ttl_field)
        || entity.ratchets.iter().any(|ratchet| ratchet.tiebreak() == Some(field))
        || entity.indexes.iter().any(|index| index.parts.contains(&field))
        || entity.unique.iter().any(|unique| unique.fields.contains(&field))
        || of_vectors(|index, field| {
            let used = index.of.iter().chain(&index.partition).chain(&index.filters).chain([&index.vector]);
            used.into_iter().any(|other| other.value == field)
        })
    {
        Some("Checked")
    } else {
        None
    }
}
