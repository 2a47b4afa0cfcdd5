//! The compile-time check of the indexes of entities that share a table.

use crate::attribute::AttributeKind;
use crate::error::text::{Text, contains, is_same};
use crate::schema::{KeyAttribute, Schema};
use aws_sdk_dynamodb::types::ScalarAttributeType;

/// Begins a message about two entities.
pub(super) const fn both(one: &Schema, other: &Schema) -> Text {
    Text::new().text("`").text(one.entity).text("` and `").text(other.entity).text("` ")
}

/// Checks the indexes of both entities. Indexes of the same name are one index of the table, so their keys must be the same, and
/// an attribute has one type in the keys of all indexes.
pub(super) const fn check_indexes(one: &Schema, other: &Schema) {
    let mut position = 0;
    while position < one.indexes.len() {
        let index = &one.indexes[position];
        let mut of_other = 0;
        while of_other < other.indexes.len() {
            let another = &other.indexes[of_other];
            let is_one = index.is_local == another.is_local
                && are_same_attributes(index.partition, another.partition)
                && are_same_attributes(index.sort, another.sort);
            if is_same(index.name, another.name) && !is_one {
                both(one, other)
                    .text("have an index `")
                    .text(index.name)
                    .text("` with other key attributes; give them the same names and types, or the index another name")
                    .panic();
            }
            check_types(one, other, index.partition, [another.partition, another.sort]);
            check_types(one, other, index.sort, [another.partition, another.sort]);
            of_other += 1;
        }
        position += 1;
    }
}

/// Checks the keys of one entity's indexes against the attributes that another one stores: DynamoDB refuses an item that has an
/// attribute of another type than an index of its table takes, whoever writes it.
pub(super) const fn check_stored_types(one: &Schema, other: &Schema) {
    let mut position = 0;
    while position < one.indexes.len() {
        check_stored(one, other, one.indexes[position].name, one.indexes[position].partition);
        check_stored(one, other, one.indexes[position].name, one.indexes[position].sort);
        position += 1;
    }
    position = 0;
    while position < one.vector_indexes.len() {
        let index = &one.vector_indexes[position];
        check_stored(one, other, index.name, index.partition);
        check_stored(one, other, index.name, index.filters);
        position += 1;
    }
}

const fn check_stored(one: &Schema, other: &Schema, index: &str, keys: &[KeyAttribute]) {
    let mut key = 0;
    while key < keys.len() {
        let mut position = 0;
        while position < other.attributes.len() {
            let attribute = &other.attributes[position];
            let is_it = is_same(attribute.name, keys[key].name) || contains(attribute.aliases, keys[key].name);
            if is_it && !takes(&keys[key].key_type, attribute.kind) {
                both(one, other)
                    .text("both store `")
                    .text(keys[key].name)
                    .text("`, and the index `")
                    .text(index)
                    .text("` of the first takes it as ")
                    .text(type_name(&keys[key].key_type))
                    .text(" only, while the second stores ")
                    .text(attribute.kind.name())
                    .text(": DynamoDB would refuse its items; rename one of the two")
                    .panic();
            }
            position += 1;
        }
        key += 1;
    }
}

const fn type_name(key_type: &ScalarAttributeType) -> &'static str {
    match key_type {
        ScalarAttributeType::S => "S",
        ScalarAttributeType::N => "N",
        _ => "B",
    }
}

/// Returns true if an index with a key of this type takes a value of this kind. A field of any kind says nothing.
const fn takes(key_type: &ScalarAttributeType, kind: AttributeKind) -> bool {
    matches!(
        (key_type, kind),
        (ScalarAttributeType::S, AttributeKind::S)
            | (ScalarAttributeType::N, AttributeKind::N)
            | (ScalarAttributeType::B, AttributeKind::B)
            | (_, AttributeKind::Any)
    )
}

/// Checks the vector indexes of one entity against the attributes and indexes of another. Every item of the table that has the
/// vector's attribute would be in the index, and DynamoDB refuses a value in it that is no such vector.
pub(super) const fn check_vector_indexes(one: &Schema, other: &Schema) {
    let mut position = 0;
    while position < one.vector_indexes.len() {
        let index = &one.vector_indexes[position];
        if stores(other, index.vector.name) {
            both(one, other)
                .text("both store `")
                .text(index.vector.name)
                .text("`, which is the vector of the index `")
                .text(index.name)
                .text("`: items of both would be in the index; rename one of the two")
                .panic();
        }
        let mut of_other = 0;
        while of_other < other.vector_indexes.len() + other.indexes.len() {
            let vectors = other.vector_indexes.len();
            let (name, others) = if of_other < vectors {
                let another = &other.vector_indexes[of_other];
                (another.name, [another.partition, another.filters])
            } else {
                let another = &other.indexes[of_other - vectors];
                (another.name, [another.partition, another.sort])
            };
            if is_same(index.name, name) {
                both(one, other)
                    .text("both have an index `")
                    .text(name)
                    .text("`: give one of them another name")
                    .panic();
            }
            check_types(one, other, index.partition, others);
            check_types(one, other, index.filters, others);
            of_other += 1;
        }
        position += 1;
    }
}

/// Checks that no attribute of `keys` has another type in an index of the other entity.
const fn check_types(one: &Schema, other: &Schema, keys: &[KeyAttribute], others: [&[KeyAttribute]; 2]) {
    let mut position = 0;
    while position < keys.len() {
        let key = &keys[position];
        if has_other_type(key, others[0]) || has_other_type(key, others[1]) {
            both(one, other)
                .text("have the attribute `")
                .text(key.name)
                .text("` in keys of indexes, with different types; in the keys of a table's indexes an attribute has one type, so rename one of the two")
                .panic();
        }
        position += 1;
    }
}

/// Returns true if items of an entity can have an attribute of this name.
const fn stores(schema: &Schema, name: &str) -> bool {
    let mut position = 0;
    while position < schema.attributes.len() {
        let attribute = &schema.attributes[position];
        if is_same(attribute.name, name) || contains(attribute.aliases, name) {
            return true;
        }
        position += 1;
    }
    false
}

const fn has_other_type(key: &KeyAttribute, others: &[KeyAttribute]) -> bool {
    let mut position = 0;
    while position < others.len() {
        if is_same(key.name, others[position].name) && !is_same_attribute(key, &others[position]) {
            return true;
        }
        position += 1;
    }
    false
}

const fn are_same_attributes(one: &[KeyAttribute], other: &[KeyAttribute]) -> bool {
    let mut position = 0;
    while position < one.len() && position < other.len() {
        if !is_same_attribute(&one[position], &other[position]) {
            return false;
        }
        position += 1;
    }
    one.len() == other.len()
}

pub(super) const fn is_same_attribute(one: &KeyAttribute, other: &KeyAttribute) -> bool {
    let same_type = matches!(
        (&one.key_type, &other.key_type),
        (ScalarAttributeType::S, ScalarAttributeType::S)
            | (ScalarAttributeType::N, ScalarAttributeType::N)
            | (ScalarAttributeType::B, ScalarAttributeType::B)
    );
    same_type && is_same(one.name, other.name)
}
