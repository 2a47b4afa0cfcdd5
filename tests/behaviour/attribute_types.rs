//! The attribute types in the schema follow from the types of the fields.

#![allow(dead_code, reason = "only the types of the fields matter")]

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::value::AttributeKind;
use dyno::{Document, Entity, EpochMillis};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// An entity with a field of each kind.
#[derive(Entity)]
struct Kinds {
    #[partition_key]
    id: String,
    text: Option<Box<str>>,
    number: u64,
    float: Option<f32>,
    flag: bool,
    bytes: Vec<u8>,
    list: Vec<String>,
    array: [f32; 3],
    map: BTreeMap<String, u32>,
    document: Inner,
    texts: BTreeSet<String>,
    numbers: BTreeSet<u32>,
    blobs: Option<AttributeValue>,
    #[attribute(default)]
    tags: HashSet<Vec<u8>>,
    #[attribute(serde)]
    coded: Vec<u32>,
    kind: Letter,
    at: EpochMillis,
}

#[derive(Document)]
struct Inner {
    number: u32,
}

#[derive(Document)]
enum Letter {
    A,
}

#[test]
fn the_schema_says_the_type_of_each_attribute() {
    use AttributeKind::{Any, B, Bool, Bs, L, M, N, Ns, S, Ss};
    let kinds: Vec<_> = Kinds::SCHEMA.attributes.iter().map(|attribute| (attribute.name, attribute.kind)).collect();
    let expected = [
        ("text", S),
        ("number", N),
        ("float", N),
        ("flag", Bool),
        ("bytes", B),
        ("list", L),
        ("array", L),
        ("map", M),
        ("document", M),
        ("texts", Ss),
        ("numbers", Ns),
        ("blobs", Any),
        ("tags", Bs),
        ("coded", Any),
        ("kind", S),
        ("at", N),
    ];
    assert_eq!(kinds, expected);
}
