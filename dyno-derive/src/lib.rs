//! The derive macros of dyno. Use them through the crate `dyno-runtime`, which re-exports them as `dyno::Entity` and
//! `dyno::Document` and has the traits that they implement.
//!
//! This file has the entry points. The reference of an entity's attributes is in `reference`, a file for each attribute.
//! `derive` names the stages of a derive, in their order. Each module may use only the modules before it in this list:
//!
//! 1. `given`: values with their places, then `diag`: the mistakes found, collected
//! 2. `attr`: what the user wrote, parsed
//! 3. `model`: its meaning, as data
//! 4. `lower`: from `attr` to `model`; the only module that sees both
//! 5. `check`: which declarations contradict each other; sees only `model` and `diag`
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
#[doc = include_str!("reference/write_times.md")]
#[doc = include_str!("reference/version.md")]
#[doc = include_str!("reference/history_table.md")]
#[doc = include_str!("reference/idempotency.md")]
#[doc = include_str!("reference/transactional.md")]
#[doc = include_str!("reference/unique.md")]
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
        created,
        updated,
        history_table,
        idempotency,
        transactional,
        unique,
        index,
        // Words that users may try, and that a message answers.
        immutable,
        vector,
        hash_key,
        range_key
    )
)]
pub fn derive_entity(input: TokenStream) -> TokenStream {
    derive::ENTITY.run(input.into()).into()
}

/// Derives a projection: a struct with some fields of an entity, by their names and types, to be read without the other
/// fields. The trait of the same name has an example.
///
/// A name that the entity does not have, or another type than the field's, does not compile. A read also fetches the
/// attributes that show whether an item is live. DynamoDB still reads whole items, and charges for them (for an index: whole
/// items of the index).
///
/// # Attributes
///
/// | Attribute | Meaning |
/// |---|---|
/// | `#[projection(of = Order)]` | The entity. |
/// | `#[projection(index = OrderByStatus)]` | The projection is also read from this index. If the index holds only some attributes, the derive checks that the projection's are among them. May be repeated. |
/// | `#[projection(crate = "::path")]` | As for an entity. |
#[proc_macro_derive(
    Projection,
    attributes(
        projection,
        // Words of entities and documents, which a message answers.
        entity,
        partition_key,
        sort_key,
        attribute,
        ratchet,
        fence,
        tombstone,
        ttl,
        version,
        created,
        updated,
        history_table,
        idempotency,
        transactional,
        unique,
        index
    )
)]
pub fn derive_projection(input: TokenStream) -> TokenStream {
    derive::PROJECTION.run(input.into()).into()
}

/// Derives a list of the entities that share a table: an enum with a variant for each entity, and optionally one for other
/// items.
///
/// A query of any of the entities can read the items of all: `Customer::query("ada").entities::<Row>()`. The mark of an item
/// (`type_name`), or else its key, decides which entity it is.
///
/// Two entities that could have the same key do not compile. The derive tells templates apart by text before the first hole
/// or after the last one (`Profile`, `Order#{id}`), by digits (`Order#{number}` ends where `Order#{number}#Item#{item}`
/// continues), or by the text that follows a hole (`Order#{id}#` differs from `Order#{id}#Item#{item}`, because no value
/// contains the text that follows its hole).
///
/// | Attribute | On | Meaning |
/// |---|---|---|
/// | `#[entities(unknown)]` | a variant of an `Item` | Items that belong to none of the entities; without it they are an error, or skipped. |
/// | `#[entities(crate = "::path")]` | the enum | As for an entity. |
#[proc_macro_derive(Entities, attributes(entities))]
pub fn derive_entities(input: TokenStream) -> TokenStream {
    derive::ENTITIES.run(input.into()).into()
}

/// Derives an aggregate: a struct of all items in a partition of a table that several entities share. A field is an entity,
/// of which there is exactly one, an `Option` of it, or a `Vec` of all of them, in the order of their sort keys.
///
/// A query of any of the entities reads the aggregate: `Customer::query("ada").aggregate::<Account>()`. The entities are
/// checked as those of [`Entities`](macro@Entities) are. `#[aggregate(crate = "::path")]` is as for an entity.
#[proc_macro_derive(Aggregate, attributes(aggregate))]
pub fn derive_aggregate(input: TokenStream) -> TokenStream {
    derive::AGGREGATE.run(input.into()).into()
}

/// Derives a document: a struct or enum that is a value inside an item.
///
/// | Type | Stored as |
/// |---|---|
/// | a struct with named fields | M, a member for each field |
/// | a struct of one unnamed field | as its field; it can be a key if the field can |
/// | an enum | a variant without fields: S, its name. Any other: M of its name, with the field or a map of the fields |
/// | an enum with a `tag` | M with the variant's name under the tag, next to its fields |
///
/// A struct with named fields has a handle for each member, in every entity that contains it: `fields.address.fields().city`.
///
/// # Attributes
///
/// | Attribute | On | Meaning |
/// |---|---|---|
/// | `#[document(rename_all = "camelCase")]` | the type | The case of the stored names: a struct's fields, an enum's variants. |
/// | `#[document(tag = "type")]` | an enum | The name under which the variant's name is stored. |
/// | `#[document(order = "declared")]` | an enum without fields | Asserts that the stored names sort as the variants are declared, and checks it. Then the enum has `<`, ranges and sort keys between two variants. Without it they do not compile, because DynamoDB would compare the names alphabetically; equality, `is_in` and keys remain. |
/// | `#[document(crate = "::path")]` | the type | As for an entity. |
/// | `#[attribute(rename = "…")]` | a field, a variant | The stored name. |
/// | `#[attribute(default)]`, `skip`, `serde`, `with = "…"`, `format = "…"` | a field | As for an entity. |
/// | `#[attribute(rest)]` | a field | The field, a `dyno::Item`, holds the members that no other field stores, and a write puts them back. |
#[proc_macro_derive(
    Document,
    attributes(
        document,
        attribute,
        // Words of entities, which a message answers.
        entity,
        partition_key,
        sort_key,
        ratchet,
        fence,
        tombstone,
        ttl,
        version,
        created,
        updated,
        history_table,
        idempotency,
        transactional,
        unique,
        index
    )
)]
pub fn derive_document(input: TokenStream) -> TokenStream {
    derive::DOCUMENT.run(input.into()).into()
}
