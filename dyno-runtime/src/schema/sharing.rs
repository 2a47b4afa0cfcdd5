//! The compile-time check of entities that share a table: their keys must be distinguishable.

use super::shared_indexes::{both, check_indexes, check_stored_types, check_vector_indexes, is_same_attribute};
use super::templates::{can_meet, templates_meet};
use crate::attribute::Characters;
use crate::error::text::{Text, contains, is_same};
use crate::schema::{History, KeyAttribute, KeyForm, Layout, Schema, Segment, names};

/// Fails to compile if two of these entities cannot share a table.
pub const fn check_shared(schemas: &[&Schema]) {
    let mut one = 0;
    while one < schemas.len() {
        let mut other = 0;
        while other < one {
            check_pair(schemas[other], schemas[one]);
            other += 1;
        }
        one += 1;
    }
}

/// Fails to compile if a query that reads items of these entities was made from another entity.
pub(crate) const fn check_asked(asked: &Schema, schemas: &[&Schema]) {
    let mut position = 0;
    while position < schemas.len() {
        // Entities of different modules can have the same name. Their keys distinguish them.
        if is_same(schemas[position].entity, asked.entity) && keys_meet(schemas[position], asked) {
            return;
        }
        position += 1;
    }
    // A schema without a name stands for an entity that did not compile (`__private::STUB`), whose errors have been reported.
    if !asked.entity.is_empty() {
        Text::new()
            .text("the query is for `")
            .text(asked.entity)
            .text("`, which is not among the entities to read: add it, or start from the query of one that is")
            .panic();
    }
}

const fn check_pair(one: &Schema, other: &Schema) {
    // A schema without a name stands for an entity that did not compile (`__private::STUB`), whose errors have been reported.
    if one.entity.is_empty() || other.entity.is_empty() {
        return;
    }
    // Both are in one table, with one key schema and one TTL.
    if let (Some(table), Some(another)) = (one.table, other.table)
        && !is_same(table, another)
    {
        both(one, other)
            .text("are in different tables: `")
            .text(table)
            .text("` and `")
            .text(another)
            .text("`; name one table in both")
            .panic();
    }
    let same_sort = match (&one.sort, &other.sort) {
        (None, None) => true,
        (Some(sort), Some(another)) => is_same_attribute(sort, another),
        _ => false,
    };
    if !is_same_attribute(&one.partition, &other.partition) || !same_sort {
        both(one, other)
            .text("cannot share a table: their key attributes have other names or types; give them the same with `#[partition_key(name = …)]` and `#[sort_key(name = …)]`")
            .panic();
    }
    if let (Some(ttl), Some(another)) = (one.table_ttl(), other.table_ttl())
        && !is_same(ttl, another)
    {
        let of_revisions = one.ttl.is_none() || other.ttl.is_none();
        both(one, other)
            .text("have different TTL attributes: `")
            .text(ttl)
            .text("` and `")
            .text(another)
            .text("`; a table has one")
            .text(if of_revisions { " (revisions have their entity's, or `_ttl` if it has none)" } else { "" })
            .panic();
    }
    // Their marks tell them apart.
    if let (Some(mark), Some(another)) = (&one.entity_type, &other.entity_type) {
        if !is_same(mark.attribute, another.attribute) {
            both(one, other).text("keep their entity types in different attributes; use one `type_attribute`").panic();
        }
        if is_same(mark.name, another.name) {
            both(one, other)
                .text("have the same entity type `")
                .text(mark.name)
                .text("`; change one `type_name`")
                .panic();
        }
    }
    if let (Some(ttl), None) = (one.table_ttl(), other.table_ttl()) {
        check_no_ttl(one, ttl, other);
    }
    if let (None, Some(ttl)) = (one.table_ttl(), other.table_ttl()) {
        check_no_ttl(other, ttl, one);
    }
    // They agree about guards, indexes and types.
    check_unique_names(one, other);
    check_indexes(one, other);
    check_vector_indexes(one, other);
    check_vector_indexes(other, one);
    check_stored_types(one, other);
    check_stored_types(other, one);
    // No item of one can have the key of an item, or of a revision, of the other.
    if keys_meet(one, other) {
        both(one, other)
            .text("can have the same key, so that one could overwrite the other: let the templates of their keys begin with different text, as in `Order#{id}` and `Line#{order}#{line}`, or end with it, as in `Order#{id}#Order`; or give the fields types whose text contains no `#`: numbers, `Ulid`, `Uuid`")
            .panic();
    }
    if can_meet(&one.partition, &other.partition) && (meets_revisions(one, other) || meets_revisions(other, one)) {
        both(one, other)
            .text("can have the same key, one of them in a revision: revisions that share a table with items have sort keys that begin with `")
            .text(names::REVISION)
            .text("`, so let the template of the sort key begin with other text")
            .panic();
    }
}

/// Fails to compile if both entities have a unique value of one name: a value of one would be taken for the other, and neither is
/// looked for in the items of the other.
const fn check_unique_names(one: &Schema, other: &Schema) {
    let mut position = 0;
    while position < one.unique.len() {
        let mut of_other = 0;
        while of_other < other.unique.len() {
            let name = one.unique[position].name;
            if is_same(name, other.unique[of_other].name) {
                both(one, other)
                    .text("have a unique value `")
                    .text(name)
                    .text("`, and share the table of its guards; give one of them another name: `#[unique(name = \"…\")]`")
                    .panic();
            }
            of_other += 1;
        }
        position += 1;
    }
}

/// Fails to compile if `other` stores an attribute under the name of the table's TTL attribute: DynamoDB would remove its items
/// by it.
const fn check_no_ttl(of: &Schema, ttl: &'static str, other: &Schema) {
    let mut position = 0;
    while position < other.attributes.len() {
        let attribute = &other.attributes[position];
        if is_same(attribute.name, ttl) || contains(attribute.aliases, ttl) {
            Text::new()
                .text("the attribute `")
                .text(ttl)
                .text("` is the TTL of `")
                .text(of.entity)
                .text("`, and so of the table, and the field `")
                .text(attribute.field)
                .text("` of `")
                .text(other.entity)
                .text("` is stored there: DynamoDB would remove its items by it; mark it with `#[ttl]`, or rename one of the two")
                .panic();
        }
        position += 1;
    }
}

/// Returns true if items of two entities can have the same key.
const fn keys_meet(one: &Schema, other: &Schema) -> bool {
    let sorts_meet = match (&one.sort, &other.sort) {
        (Some(sort), Some(another)) => can_meet(sort, another),
        _ => true,
    };
    can_meet(&one.partition, &other.partition) && sorts_meet
}

/// Returns true if no item can be of both entities, which share a table: their marks differ, or their keys.
pub(crate) fn are_distinct(one: &Schema, other: &Schema) -> bool {
    let marks = one.entity_type.as_ref().zip(other.entity_type.as_ref());
    marks.is_some_and(|(mark, other)| mark.attribute == other.attribute && mark.name != other.name)
        || !keys_meet(one, other)
}

/// Returns true if revisions of two entities can have the same key, in a table of revisions.
pub(crate) const fn revisions_meet(one: &Schema, other: &Schema) -> bool {
    one.sort.is_some() == other.sort.is_some() && keys_meet(one, other)
}

/// The sort keys of revisions that share a table with items, as `History::sort` forms them.
const REVISIONS: &[Segment] = &[
    Segment::Literal(names::REVISION),
    Segment::Hole { field: 0, width: 0, characters: Characters::Any },
    Segment::Literal("|"),
    Segment::Hole { field: 0, width: 20, characters: Characters::Number },
];

/// Returns true if a revision of `one` can have a sort key of `other`.
const fn meets_revisions(one: &Schema, other: &Schema) -> bool {
    match (&one.history, &other.sort) {
        (Some(History { layout: Layout::SameTable, .. }), Some(KeyAttribute { form: KeyForm::Template(sort), .. })) => {
            templates_meet(REVISIONS, sort)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{StoredAttribute, Ttl};
    use aws_sdk_dynamodb::types::ScalarAttributeType;

    const TEXT: Segment = Segment::Hole { field: 0, width: 0, characters: Characters::Any };

    /// Returns an entity with this template and nothing else.
    fn schema(template: &'static [Segment]) -> Schema {
        let form = KeyForm::Template(template);
        let partition = KeyAttribute { name: "PK", key_type: ScalarAttributeType::S, form };
        Schema { entity: "Entity", partition, key_fields: &["field"], ..Schema::PLAIN }
    }

    #[test]
    #[should_panic(expected = "the field `expires` of `Entity` is stored there")]
    fn an_alias_equal_to_another_entity_s_ttl_attribute_is_refused() {
        const EXPIRES: StoredAttribute = StoredAttribute {
            name: "expires",
            aliases: &["until", "ttl"],
            field: "expires",
            required: true,
            ..StoredAttribute::PLAIN
        };
        let mut one = schema(&[Segment::Literal("One#"), TEXT]);
        one.ttl = Some(Ttl { attribute: "ttl" });
        let mut other = schema(&[Segment::Literal("Other#"), TEXT]);
        other.attributes = &[EXPIRES];
        check_shared(&[&one, &other]);
    }
}
