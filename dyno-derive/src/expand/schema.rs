//! `const SCHEMA`: the entity as data.

use super::checked::{checked, checked_present};
use super::derived::spanned;
use super::{codec, index};
use crate::given::{Word, here};
use crate::model::{
    Entity, EntityType, Field, History, Idempotency, Index, KeyAttribute, KeyForm, KeyStore, Layout, Metric, Mode,
    Ratchet, SchemaVersion, Segment, Storage, Tombstone, Unique, VectorIndex, Version, is_option,
};
use proc_macro2::TokenStream;
use quote::{ToTokens as _, format_ident, quote_spanned};
use syn::spanned::Spanned as _;

/// Generates the schema. It names only what the entity has, so a rule that the entity does not use changes nothing here.
pub(super) fn expand(entity: &Entity) -> TokenStream {
    let private = private(entity);
    let name = entity.container.ident.to_string();
    let part = |part: usize| checked(entity, entity.key.parts[part]);
    let partition = key_attribute(entity, &entity.key.partition, part);
    let key_fields = entity.key.parts.iter().map(|part| &entity.fields[*part].name);
    let key_types = entity.key.parts.iter().map(|part| {
        let (krate, ty) = (&entity.container.krate, &entity.fields[*part].ty);
        quote_spanned!(ty.span()=> <#ty as #krate::Value>::__stored_type)
    });
    let table = some("table", entity.table.as_ref());
    let sort = some("sort", entity.key.sort.as_ref().map(|sort| key_attribute(entity, sort, part)));
    let attributes = entity.fields.iter().filter_map(stored_attribute);
    let ratchets = entity.ratchets.iter().map(|ratchet| self::ratchet(entity, ratchet));
    let unique = entity.unique.iter().map(|unique| self::unique(entity, unique));
    let indexes = entity.indexes.iter().map(|index| self::index(entity, index));
    let vector_indexes = entity.vector_indexes.iter().map(|index| vector_index(entity, index));
    let further = [
        some("entity_type", entity.entity_type.as_ref().map(|mark| entity_type(entity, mark))),
        list("attributes", attributes),
        some("schema_version", entity.schema_version.as_ref().map(|version| schema_version(entity, version))),
        list("ratchets", ratchets),
        some("fence", entity.fence.map(|field| fence(entity, field))),
        list("immutable", entity.immutable().map(|field| field.stored.to_token_stream())),
        some("created", entity.created.map(|field| time(entity, field))),
        some("updated", entity.updated.map(|field| time(entity, field))),
        some("tombstone", entity.tombstone.as_ref().map(|tombstone| self::tombstone(entity, tombstone))),
        some("ttl", entity.ttl().map(|attribute| ttl(entity, attribute))),
        some("version", entity.version.as_ref().map(|version| self::version(entity, version))),
        some("write_id", entity.version.as_ref().and_then(|version| write_id(entity, version))),
        some("history", entity.history.as_ref().map(|history| self::history(entity, history))),
        some("idempotency", entity.idempotency.as_ref().map(|idempotency| self::idempotency(entity, idempotency))),
        list("unique", unique),
        entity.transactional.map(|_| code!(is_transactional: true,)),
        list("indexes", indexes),
        list("vector_indexes", vector_indexes),
        entity.rest().map(|_| code!(has_rest: true,)),
    ];
    let further = further.into_iter().flatten();
    code! {
        #private::Schema {
            entity: #name,
            #table
            partition: #partition,
            #sort
            key_fields: &[#(#key_fields),*],
            key_types: #private::key_types(&[#(#key_types),*]),
            #(#further)*
            ..#private::Schema::PLAIN
        }
    }
}

/// Returns a field of the schema, if it has a value.
fn some(field: &str, value: Option<impl quote::ToTokens>) -> Option<TokenStream> {
    let (field, value) = (format_ident!("{field}", span = here()), option(Some(value?)));
    Some(code!(#field: #value,))
}

/// Returns a list of the schema, if it is not empty.
fn list(field: &str, items: impl Iterator<Item = TokenStream>) -> Option<TokenStream> {
    let (field, mut items) = (format_ident!("{field}", span = here()), items.peekable());
    items.peek()?;
    Some(code!(#field: &[#(#items),*],))
}

fn entity_type(entity: &Entity, mark: &EntityType) -> TokenStream {
    let private = private(entity);
    let EntityType { attribute, name } = mark;
    code!(#private::EntityType { attribute: #attribute, name: #name })
}

fn schema_version(entity: &Entity, version: &SchemaVersion) -> TokenStream {
    let private = private(entity);
    let (attribute, current) = (&version.attribute, &version.current);
    // All tokens have the span, so that an error about the function's type points at the path.
    let upgrade = version.upgrade.as_ref().map(|path| {
        let path = &path.value;
        quote_spanned!(path.span()=> |item, from| #private::upgrade_by(item, from, #path))
    });
    let upgrade = option(upgrade);
    code!(#private::SchemaVersion { attribute: #attribute, current: #current, upgrade: #upgrade })
}

fn tombstone(entity: &Entity, tombstone: &Tombstone) -> TokenStream {
    let private = private(entity);
    let Tombstone { deleted, ttl, ttl_days, mark, .. } = tombstone;
    code!(#private::Tombstone { deleted: #deleted, ttl: #ttl, ttl_days: #ttl_days, mark: #mark })
}

fn fence(entity: &Entity, field: usize) -> TokenStream {
    let private = private(entity);
    let (attribute, ty) = (entity.stored(field), checked(entity, field));
    quote_spanned!(ty.span()=> #private::fence::<#ty>(#attribute))
}

/// Returns the attribute of a time that writes set.
fn time(entity: &Entity, field: usize) -> TokenStream {
    let private = private(entity);
    let (attribute, ty) = (entity.stored(field), checked(entity, field));
    match entity.form(field) {
        None => quote_spanned!(ty.span()=> #private::time::<#ty>(#attribute)),
        Some(form) => {
            let form = codec::form_type(&entity.container.krate, form.value);
            quote_spanned!(ty.span()=> #private::time_in_form::<#ty, #form>(#attribute))
        }
    }
}

fn version(entity: &Entity, version: &Version) -> TokenStream {
    let private = private(entity);
    let (attribute, ty) = (entity.stored(version.field), checked(entity, version.field));
    quote_spanned!(ty.span()=> #private::version::<#ty>(#attribute))
}

fn write_id(entity: &Entity, version: &Version) -> Option<TokenStream> {
    let (private, attribute) = (private(entity), version.write_id.as_ref()?);
    Some(code!(#private::WriteId { attribute: #attribute }))
}

fn option(value: Option<impl quote::ToTokens>) -> TokenStream {
    match value {
        Some(value) => code!(::core::option::Option::Some(#value)),
        None => code!(::core::option::Option::None),
    }
}

/// Returns a key attribute. `type_of` returns the types of the fields in the key.
fn key_attribute(entity: &Entity, key: &KeyAttribute, type_of: impl Fn(usize) -> TokenStream) -> TokenStream {
    let private = private(entity);
    let name = &key.name;
    let (key_type, form) = match &key.form {
        KeyForm::Field(part) => {
            let ty = type_of(*part);
            (quote_spanned!(ty.span()=> #private::key_type::<#ty>()), code!(#private::KeyForm::Field(#part)))
        }
        KeyForm::Template(segments) => {
            let segments = segments.iter().map(|segment| match segment {
                Segment::Literal(literal) => code!(#private::Segment::Literal(#literal)),
                Segment::Hole { part, width } => {
                    let ty = type_of(*part);
                    match width {
                        0 => quote_spanned!(ty.span()=> #private::hole::<#ty>(#part)),
                        width => {
                            quote_spanned!(ty.span()=> #private::padded_hole::<#ty>(#part, #width))
                        }
                    }
                }
            });
            (
                code!(#private::key_type::<::std::string::String>()),
                code!(#private::KeyForm::Template(&[#(#segments),*])),
            )
        }
    };
    code!(#private::KeyAttribute { name: #name, key_type: #key_type, form: #form })
}

fn unique(entity: &Entity, unique: &Unique) -> TokenStream {
    let private = private(entity);
    let name = &unique.name;
    let attributes = unique.fields.iter().map(|field| {
        let (stored, ty) = (entity.stored(*field), checked_present(entity, *field));
        quote_spanned!(ty.span()=> #private::unique_attribute::<#ty>(#stored))
    });
    code!(#private::Unique { name: #name, attributes: &[#(#attributes),*] })
}

fn index(entity: &Entity, index: &Index) -> TokenStream {
    let private = private(entity);
    let Index { name, is_local, .. } = index;
    let attribute = |key: &KeyAttribute| key_attribute(entity, key, |part| index::part_type(entity, index, part));
    let (partition, sort) = (index.partition.iter().map(attribute), index.sort.iter().map(attribute));
    let fields = index.parts.iter().map(|field| &entity.fields[*field].name);
    let projection = projected(entity, index.projection.as_deref());
    code! {
        #private::SchemaIndex {
            name: #name,
            is_local: #is_local,
            partition: &[#(#partition),*],
            sort: &[#(#sort),*],
            key_fields: &[#(#fields),*],
            projection: #projection,
        }
    }
}

fn vector_index(entity: &Entity, index: &VectorIndex) -> TokenStream {
    let private = private(entity);
    let VectorIndex { name, vector, of, metric, partition, filters, projection, .. } = index;
    let metric = match metric {
        Metric::Cosine => code!(Cosine),
        Metric::Euclidean => code!(Euclidean),
        Metric::DotProduct => code!(DotProduct),
    };
    let vector = {
        let (ty, stored) = (checked(entity, vector.value), entity.stored(vector.value));
        let is_optional = is_option(&entity.fields[vector.value].ty);
        let private = spanned(code!(#private), ty.span());
        quote_spanned!(ty.span()=> #private::vector::<#ty>(#stored, #is_optional))
    };
    let partition = partition.map(|field| {
        let (ty, stored) = (checked(entity, field.value), entity.stored(field.value));
        quote_spanned!(ty.span()=> #private::search_partition::<#ty>(#stored))
    });
    let partition = partition.into_iter();
    let filters = filters.iter().map(|field| {
        let (ty, stored) = (checked(entity, field.value), entity.stored(field.value));
        quote_spanned!(ty.span()=> #private::search_filter::<#ty>(#stored))
    });
    let of = of.iter().map(|field| {
        let (ty, stored) = (checked(entity, field.value), entity.stored(field.value));
        let private = spanned(code!(#private), ty.span());
        quote_spanned!(ty.span()=> #private::embedded::<#ty>(#stored))
    });
    let projection = projected(entity, projection.as_deref());
    code! {
        #private::SchemaVectorIndex {
            name: #name,
            vector: #vector,
            metric: #private::Metric::#metric,
            partition: &[#(#partition),*],
            filters: &[#(#filters),*],
            projection: #projection,
            of: &[#(#of),*],
        }
    }
}

/// Returns the attributes that an index holds besides its keys.
fn projected(entity: &Entity, projection: Option<&[Word]>) -> TokenStream {
    let private = private(entity);
    match projection {
        None => code!(#private::Projected::All),
        Some(attributes) => code!(#private::Projected::Only(&[#(#attributes),*])),
    }
}

/// Returns an attribute that is not a key.
fn stored_attribute(field: &Field) -> Option<TokenStream> {
    let (Storage::Attribute | Storage::AttributeAndTemplate) = field.storage else {
        return None;
    };
    let (ident, name) = (&field.ident, &field.name);
    Some(code!(Self::FIELDS.#ident.__stored(#name)))
}

fn ratchet(entity: &Entity, ratchet: &Ratchet) -> TokenStream {
    let private = private(entity);
    let attribute = entity.stored(ratchet.field);
    let span = entity.fields[ratchet.field].ty.span();
    let ty = codec::stored_type(entity, ratchet.field);
    let strict = ratchet.strict;
    let max_ahead_secs = option(ratchet.max_ahead_secs);
    let tiebreak = option(ratchet.tiebreak().map(|field| {
        let name = entity.stored(field);
        let span = entity.fields[field].ty.span();
        let ty = codec::stored_type(entity, field);
        quote_spanned!(span=> #private::tiebreak::<#ty>(#name))
    }));
    let guards = ratchet.guards.iter().map(|guard| entity.stored(guard.value));
    let inspect = if ratchet.max_ahead_secs.is_some() {
        quote_spanned!(span=> #private::inspect_time::<#ty>)
    } else {
        quote_spanned!(span=> #private::inspect::<#ty>)
    };
    code! {
        #private::Ratchet {
            attribute: #attribute,
            tiebreak: #tiebreak,
            strict: #strict,
            max_ahead_secs: #max_ahead_secs,
            guards: #private::guards(&[#(#guards),*]),
            inspect: #inspect,
            shape: #private::shape::<#ty>(),
            respell: #private::respell::<#ty>,
        }
    }
}

fn history(entity: &Entity, history: &History) -> TokenStream {
    let private = private(entity);
    let mode = match *history.mode {
        Mode::Atomic => code!(Atomic),
        Mode::Ordered => code!(Ordered),
    };
    let sort_field = entity.key.sort.as_ref().and_then(|sort| match sort.form {
        KeyForm::Field(part) => Some(checked(entity, entity.key.parts[part])),
        KeyForm::Template(_) => None,
    });
    let layout = match (*history.layout, sort_field) {
        (Layout::SecondTable, _) => {
            let name = option(history.name.as_ref());
            code!(#private::Layout::Table(#name))
        }
        (Layout::SameTable, Some(ty)) => quote_spanned!(ty.span()=> #private::shared_sort::<#ty>()),
        (Layout::SameTable, None) => code!(#private::Layout::SameTable),
    };
    let ttl_days = option(history.ttl_days);
    code!(#private::History { mode: #private::Mode::#mode, layout: #layout, ttl_days: #ttl_days })
}

fn idempotency(entity: &Entity, idempotency: &Idempotency) -> TokenStream {
    let private = private(entity);
    let bytes = idempotency.key_bytes.value as usize;
    let keys = if idempotency.raw { code!(Raw(#bytes)) } else { code!(Hashed(#bytes)) };
    let window = window(entity, idempotency);
    let store = match &*idempotency.store {
        KeyStore::Time { attributes, .. } => code!(Time { window: #window, attributes: &[#(#attributes),*] }),
        KeyStore::Count { keys, attribute } => code!(Count { attribute: #attribute, keys: #keys }),
        KeyStore::Row { table, keep_secs } => {
            let table = option(table.as_ref());
            code!(Row { table: #table, keep_secs: #keep_secs })
        }
    };
    code!(#private::Idempotency { store: #private::Store::#store, keys: #private::Keys::#keys })
}

/// Returns the values from which the runtime computes the capacity.
fn window(entity: &Entity, idempotency: &Idempotency) -> TokenStream {
    let private = private(entity);
    let Idempotency { key_bytes, body_bytes, .. } = idempotency;
    match &*idempotency.store {
        KeyStore::Time { window_secs, max_skew_secs, .. } => code! {
            #private::TimeWindow {
                window_secs: #window_secs,
                max_skew_secs: #max_skew_secs,
                key_bytes: #key_bytes,
                body_bytes: #body_bytes,
            }
        },
        KeyStore::Count { keys, .. } => {
            code!(#private::CountWindow { keys: #keys, key_bytes: #key_bytes, body_bytes: #body_bytes })
        }
        KeyStore::Row { .. } => TokenStream::new(),
    }
}

/// Returns the check that the keys fit into an item, if it can be made here. If they do not fit, it is a compile error.
pub(super) fn capacity(entity: &Entity) -> Option<TokenStream> {
    let idempotency = entity.idempotency.as_ref()?;
    let private = private(entity);
    let window = window(entity, idempotency);
    let (check, rps) = match (&*idempotency.store, idempotency.max_rps) {
        (KeyStore::Time { .. }, Some(rps)) => (code!(check_time_window), rps),
        // The size of a list does not depend on the rate.
        (KeyStore::Count { .. }, rps) => (code!(check_count_window), rps.unwrap_or(0)),
        _ => return None,
    };
    let rps = u64::from(rps);
    let checked = code!(const _: () = #private::#check(#window, #rps););
    // All tokens have the span, so that an error points at the attribute.
    Some(spanned(checked, idempotency.span))
}

fn ttl(entity: &Entity, attribute: &str) -> TokenStream {
    let private = private(entity);
    match entity.ttl_field {
        Some(field) => {
            let ty = checked(entity, field);
            quote_spanned!(ty.span()=> #private::ttl::<#ty>(#attribute))
        }
        None => code!(#private::Ttl { attribute: #attribute }),
    }
}

fn private(entity: &Entity) -> TokenStream {
    let krate = &entity.container.krate;
    code!(#krate::__private)
}
