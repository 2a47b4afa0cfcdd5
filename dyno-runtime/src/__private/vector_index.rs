//! The parts of a vector index, which check the types of its fields.

use crate::attribute::kind::{FilterKind, KeyKind};
use crate::attribute::{Attribute, Value, Vector};
use crate::error::text::Text;
use crate::schema::{KeyAttribute, KeyForm, VectorAttribute};

/// Returns the attribute of a vector in a field of type `T`. `is_optional` tells whether the field was seen to be an `Option`.
#[must_use]
pub const fn vector<T: Attribute<Present: Vector>>(name: &'static str, is_optional: bool) -> VectorAttribute {
    let dimensions = <T::Present as Vector>::DIMENSIONS;
    if dimensions == 0 || dimensions > MOST_DIMENSIONS {
        Text::new()
            .text("a vector has 1 to ")
            .number(MOST_DIMENSIONS as u64)
            .text(" dimensions, and that of `")
            .text(name)
            .text("` has ")
            .number(dimensions as u64)
            .panic();
    }
    if T::REQUIRED == is_optional {
        Text::new()
            .text("the type of `")
            .text(name)
            .text("` is another name for an `Option`: write the `Option` itself, because it decides how the vector changes")
            .panic();
    }
    VectorAttribute { name, dimensions, is_optional }
}

/// DynamoDB's limit. (Developer guide, "Vector indexes".)
const MOST_DIMENSIONS: usize = 4096;

/// Returns the attribute of a vector index's partition, which is a field of type `T`.
#[must_use]
pub const fn search_partition<T: Value<Kind: KeyKind>>(name: &'static str) -> KeyAttribute {
    KeyAttribute { name, key_type: <T::Kind as KeyKind>::TYPE, form: KeyForm::Field(0) }
}

/// Returns the attribute of a vector index's filter, which is a field of type `T`.
#[must_use]
pub const fn search_filter<T: Attribute<Kind: FilterKind>>(name: &'static str) -> KeyAttribute {
    KeyAttribute { name, key_type: <T::Kind as KeyKind>::TYPE, form: KeyForm::Field(0) }
}

/// Returns the name of an attribute that a vector is made of, and checks its type `T`.
#[must_use]
pub const fn embedded<T: Attribute>(name: &'static str) -> &'static str {
    if !T::__EMBEDDABLE {
        Text::new()
            .text("a vector cannot be made of `")
            .text(name)
            .text("`: `of(…)` takes strings, integers, booleans, bytes, sets, and lists of these; an embedding is stored only if the item still has the values that it was made of, and two programs can store the same float or document differently")
            .panic();
    }
    name
}
