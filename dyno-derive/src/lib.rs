//! The derive macros of dyno. Use them through the crate `dyno-runtime`, which re-exports them as
//! `dyno::Entity` and `dyno::Document` and has the traits that they implement.
//!
//! Here are the entry points; the reference of an entity's attributes is in `reference`, a file for each. The stages of a derive
//! are named in `derive`, in their order. The rooms, of which each one knows those before it, and no other:
//!
//! 1. `given`: values with their places, then `diag`: what is wrong, collected
//! 2. `attr`: what was written
//! 3. `model`: what it means, as data
//! 4. `lower`: from `attr` to `model`; the only one that sees both
//! 5. `check`: what cannot be said together; sees `model` and `diag` alone
//! 6. `expand`: from `model` to code; sees nothing else, and cannot fail
//! 7. `derive`: the pipeline

mod attr;
mod check;
mod derive;
mod diag;
mod expand;
mod given;
mod lower;
mod model;

#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

#[doc = include_str!("reference/start.md")]
#[doc = include_str!("reference/entity.md")]
#[doc = include_str!("reference/keys.md")]
#[doc = include_str!("reference/attribute.md")]
#[doc = include_str!("reference/ratchet.md")]
#[doc = include_str!("reference/fence.md")]
#[doc = include_str!("reference/tombstone.md")]
#[doc = include_str!("reference/ttl.md")]
#[doc = include_str!("reference/version.md")]
#[doc = include_str!("reference/history_table.md")]
#[doc = include_str!("reference/idempotency.md")]
#[doc = include_str!("reference/transactional.md")]
#[doc = include_str!("reference/index.md")]
#[doc = include_str!("reference/generated.md")]
#[doc = ""]
#[doc = include_str!("reference/links.md")]
#[proc_macro_derive(
    Entity,
    attributes(
        entity,
        partition_key,
        sort_key,
        attribute,
        ratchet,
        fence,
        tombstone,
        ttl,
        version,
        history_table,
        idempotency,
        transactional,
        index
    )
)]
pub fn derive_entity(input: TokenStream) -> TokenStream {
    derive::ENTITY.run(input.into()).into()
}

/// Derives a projection: a struct with some fields of an entity, by their names and types, to be read without the others.
/// The trait of the same name has an example.
///
/// A name that the entity does not have, and another type than the field's, do not compile. What tells whether an item is
/// live comes along. DynamoDB reads, and charges for, whole items all the same (of an index: whole items of the index).
///
/// # Attributes
///
/// | Attribute | Meaning |
/// |---|---|
/// | `#[projection(of = Order)]` | The entity. |
/// | `#[projection(index = OrderByStatus)]` | It is read from this index, too, which holds only some attributes: that these are among them is checked. May be repeated. |
/// | `#[projection(crate = "::path")]` | As for an entity. |
#[proc_macro_derive(Projection, attributes(projection))]
pub fn derive_projection(input: TokenStream) -> TokenStream {
    derive::PROJECTION.run(input.into()).into()
}

/// Derives a list of the entities that share a table: an enum with a variant for each, and perhaps one for other items.
///
/// A query of any of them reads the items of all: `Customer::query("ada").entities::<Row>()`. What an item is, its mark
/// says (`type_name`), or its key does.
///
/// Two entities that could have the same key do not compile. Templates are told apart by text before the first hole or
/// behind the last one (`Profile`, `Order#{id}`), by digits (`Order#{number}` ends where `Order#{number}#Item#{item}` goes
/// on), or by what follows a hole (`Order#{id}#` is no `Order#{id}#Item#{item}`: no value contains what follows its hole).
///
/// | Attribute | On | Meaning |
/// |---|---|---|
/// | `#[entities(unknown)]` | a variant of an `Item` | Items of none of the entities; else they are an error, or passed over. |
/// | `#[entities(crate = "::path")]` | the enum | As for an entity. |
#[proc_macro_derive(Entities, attributes(entities))]
pub fn derive_entities(input: TokenStream) -> TokenStream {
    derive::ENTITIES.run(input.into()).into()
}

/// Derives an aggregate: a struct of all items in a partition of a table that several entities share. A field is an entity,
/// of which there is one, an `Option` of it, or a `Vec` of all of them, in the order of their sort keys.
///
/// A query of any of them reads it: `Customer::query("ada").aggregate::<Account>()`. The entities are checked as those of
/// [`Entities`](macro@Entities) are. `#[aggregate(crate = "::path")]` is as for an entity.
#[proc_macro_derive(Aggregate, attributes(aggregate))]
pub fn derive_aggregate(input: TokenStream) -> TokenStream {
    derive::AGGREGATE.run(input.into()).into()
}

/// Derives a document: a struct or enum that is a value inside an item.
///
/// | Type | Stored as |
/// |---|---|
/// | a struct with named fields | M, a member for each field |
/// | a struct of one field without a name | as its field; it can be a key where the field can |
/// | an enum | a variant without fields: S, its name. Any other: M of its name, with the field or a map of the fields |
/// | an enum with a `tag` | M with the variant's name under the tag, next to its fields |
///
/// A struct with named fields has a handle for each member, wherever it is part of an entity: `fields.address.fields().city`.
///
/// # Attributes
///
/// | Attribute | On | Meaning |
/// |---|---|---|
/// | `#[document(rename_all = "camelCase")]` | the type | The case of the stored names: a struct's fields, an enum's variants. |
/// | `#[document(tag = "type")]` | an enum | Where the variant's name is stored. |
/// | `#[document(order = "declared")]` | an enum without fields | The stored names sort as the variants are declared, which is checked. Then there are `<`, ranges and sort keys between two variants, which DynamoDB would else answer by the alphabet: without it they do not compile, and there are equality, `is_in` and keys. |
/// | `#[document(crate = "::path")]` | the type | As for an entity. |
/// | `#[attribute(rename = "…")]` | a field, a variant | The stored name. |
/// | `#[attribute(default)]`, `skip`, `serde`, `with = "…"`, `format = "…"` | a field | As for an entity. |
/// | `#[attribute(rest)]` | a field | The field, a `dyno::Item`, holds the members that no other field is stored in, and they are written back. |
#[proc_macro_derive(Document, attributes(document, attribute))]
pub fn derive_document(input: TokenStream) -> TokenStream {
    derive::DOCUMENT.run(input.into()).into()
}
