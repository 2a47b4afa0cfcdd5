//! Vector indexes, checked against the fields that they name and against each other.

use crate::diag::{Diagnostics, Problem};
use crate::given::Given;
use crate::model::{Access, Embedding, Entity, Field, Ratchet, VectorIndex, is_option};
use syn::spanned::Spanned as _;

/// DynamoDB's limits. (Developer guide, "Vector indexes", quotas.)
const MOST_INDEXES: usize = 5;
const MOST_FILTERS: usize = 18;

/// The most fields that the handle of several fields takes: see `IntoFields` of the runtime.
const MOST_JOINT: usize = 8;

pub(super) fn vector_indexes(entity: &Entity, diag: &mut Diagnostics) {
    for index in entity.indexes.iter().filter(|index| is_embed(entity, &index.query.to_string())) {
        diag.push(
            Problem::new(index.query.span(), format!("`{}` is the function that stores a vector already", index.query))
                .help("say what the query of the index is called: `query = by_…`"),
        );
    }
    if let Some(sixth) = entity.vector_indexes.get(MOST_INDEXES) {
        diag.push(
            Problem::new(sixth.name.span, format!("`{}` is one vector index too many", sixth.name))
                .note(format!("a table has at most {MOST_INDEXES} vector indexes")),
        );
    }
    for (position, index) in entity.vector_indexes.iter().enumerate() {
        names(entity, position, index, diag);
        vector(entity, index, diag);
        partition(entity, index, diag);
        filters(entity, index, diag);
        of(entity, index, diag);
    }
    for embedding in &entity.embeddings {
        groups(entity, embedding, diag);
    }
}

/// Refuses two indexes of one name, or of one type.
fn names(entity: &Entity, position: usize, index: &VectorIndex, diag: &mut Diagnostics) {
    let secondary = entity.indexes.iter().map(|other| (&other.name, other.marker()));
    let earlier = entity.vector_indexes[..position].iter().map(|other| (&other.name, other.marker()));
    let others: Vec<_> = secondary.chain(earlier).collect();
    if others.iter().any(|(name, _)| **name == index.name) {
        diag.push(
            Problem::new(index.name.span, format!("a second index `{}`", index.name))
                .help("give one of them another name"),
        );
    } else if is_embed(entity, &index.query.to_string()) {
        diag.push(
            Problem::new(index.query.span(), format!("`{}` is the function that stores a vector already", index.query))
                .help("say what the search is called: `query = similar_…`"),
        );
    } else if others.iter().any(|(_, marker)| *marker == index.marker()) {
        diag.push(
            Problem::new(index.name.span, format!("two indexes are read by functions like `{}`", index.query))
                .help("say what this one's search is called: `query = similar_…`"),
        );
    }
}

/// Returns whether a function that stores a vector has this name.
fn is_embed(entity: &Entity, name: &str) -> bool {
    entity.embeddings.iter().any(|embedding| entity.embed_name(embedding) == name)
}

/// Refuses attributes on the vector that would store it elsewhere, or another value than the entity has.
fn vector(entity: &Entity, index: &VectorIndex, diag: &mut Diagnostics) {
    let field = &entity.fields[index.vector.value];
    let words = [
        "serde",
        "with",
        "format",
        "default",
        "alias",
        "immutable",
        "ratchet",
        "version",
        "fence",
        "ttl",
        "created",
        "updated",
    ];
    for word in field.said.any(&words) {
        diag.push(
            Problem::new(word.span, format!("`{word}` cannot be used on `{}`, the vector of an index", field.name))
                .help("remove it")
                .note("the index finds the vector under one name, as a list of numbers, or not at all"),
        );
    }
    if field.access == Access::Key {
        diag.push(Problem::new(index.vector.span, format!("`{}` is a key, and no vector", field.name)));
    }
}

/// Requires that each item has the partition, because the index has no others and DynamoDB says nothing about them.
fn partition(entity: &Entity, index: &VectorIndex, diag: &mut Diagnostics) {
    let Some(partition) = index.partition else { return };
    let field = &entity.fields[partition.value];
    if is_option(&field.ty) {
        diag.push(
            Problem::new(
                field.ty.span(),
                format!("an item without `{}` would leave the index `{}` without an error", field.name, index.name),
            )
            .help("make it required, or leave `partition` out"),
        );
    }
    searched(field, "the partition", "default", diag);
}

fn filters(entity: &Entity, index: &VectorIndex, diag: &mut Diagnostics) {
    if let Some(extra) = index.filters.get(MOST_FILTERS) {
        diag.push(Problem::new(
            extra.span,
            format!(
                "the vector index `{}` has {} filters, and at most {MOST_FILTERS} are possible",
                index.name,
                index.filters.len()
            ),
        ));
    }
    for filter in &index.filters {
        let field = &entity.fields[filter.value];
        if index.partition.is_some_and(|partition| partition.value == filter.value) {
            diag.push(
                Problem::new(filter.span, format!("`{}` is the partition of `{}` already", field.name, index.name))
                    .help("leave it out of `filter(…)`: each search names the partition anyway"),
            );
        }
        searched(field, "a filter", "", diag);
    }
}

/// Refuses attributes on a field that a search compares, because the index knows it under one name and as its type says.
fn searched(field: &Field, what: &str, more: &'static str, diag: &mut Diagnostics) {
    for word in field.said.any(&["serde", "with", "format", "alias", more]) {
        diag.push(
            Problem::new(word.span, format!("`{word}` cannot be used on `{}`, {what} of a vector index", field.name))
                .note("a search finds an item only by what is stored under the field's name, as its type says"),
        );
    }
}

/// Refuses fields that no vector is made of.
fn of(entity: &Entity, index: &VectorIndex, diag: &mut Diagnostics) {
    for of in &index.of {
        let field = &entity.fields[of.value];
        if of.value == index.vector.value {
            diag.push(
                Problem::new(of.span, "a vector is not made of itself")
                    .help("name the fields that you compute it from"),
            );
        } else if let Some(why) = why_not(entity, of, field) {
            diag.push(
                Problem::new(of.span, format!("`{}` cannot stand in `of(…)`: {why}", field.name)).help("leave it out"),
            );
        }
        for word in field.said.any(&["serde", "with"]) {
            diag.push(
                Problem::new(
                    word.span,
                    format!("`{word}` cannot be used on `{}`, which a vector is made of", field.name),
                )
                .note(
                    "an embedding is stored only if the item still has the values that it was made of, which their types must let DynamoDB compare",
                ),
            );
        }
    }
}

fn why_not(entity: &Entity, of: &Given<usize>, field: &Field) -> Option<&'static str> {
    if entity.vector_indexes.iter().any(|index| index.vector.value == of.value) {
        return Some("it is a vector itself, and changes with each of the fields that it is made of");
    }
    let is_token = |ratchet: &Ratchet| ratchet.tokens().any(|token| token == of.value);
    match field.access {
        Access::Key => Some("a key does not change"),
        Access::Version => Some("each write raises the version"),
        Access::Fence => Some("a lock changes the fence"),
        Access::Kept if field.said.any(&["created", "updated"]).next().is_some() => {
            Some("the write itself sets the time of a write")
        }
        _ if entity.ratchets.iter().any(is_token) => Some("a ratchet's token orders writes"),
        _ => None,
    }
}

/// Requires that an update which knows a vector's fields knows the vector, too.
fn groups(entity: &Entity, embedding: &Embedding, diag: &mut Diagnostics) {
    let fields = embedding.fields();
    let group_of = |field: usize| entity.ratchets.iter().position(|ratchet| ratchet.covers(field));
    let vector = &entity.fields[embedding.vector];
    if entity.is_grouped()
        && let Some(other) = fields.iter().find(|field| group_of(**field) != group_of(embedding.vector))
    {
        diag.push(
            Problem::new(
                vector.ident.span(),
                format!(
                    "the vector `{}` and `{}`, which it is made of, have different ratchets",
                    vector.name, entity.fields[*other].name
                ),
            )
            .help("let one ratchet guard both")
            .note("an update of one group does not know the other's fields"),
        );
    }
    if let Some(group) = entity.joint.iter().find(|group| group.contains(&embedding.vector) && group.len() > MOST_JOINT)
    {
        diag.push(
            Problem::new(
                vector.ident.span(),
                format!(
                    "`{}` changes together with {} other fields, and at most {} are possible",
                    vector.name,
                    group.len() - 1,
                    MOST_JOINT - 1
                ),
            )
            .help("put what it is made of into fewer fields"),
        );
    }
}
