//! Correct types compile whatever lints are denied: deprecated types, recursive types, types with names that lints reject,
//! and aliases of types that the derive knows by name.
#![deny(
    warnings,
    unused,
    unused_lifetimes,
    unused_qualifications,
    single_use_lifetimes,
    missing_docs,
    nonstandard_style,
    rust_2018_idioms,
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes_without_reason
)]

use dyno::{Aggregate, Document, Entities, Entity, EpochMillis, Projection, Value as _};
use std::collections::BTreeMap;

/// A generic document that contains documents of its own type.
#[derive(Document, Clone, Debug, PartialEq)]
struct Tree<T> {
    value: T,
    children: Vec<Tree<T>>,
}

/// A generic enum that contains itself, also in a map.
#[derive(Document, Clone, Debug, PartialEq)]
enum Expression<T> {
    Constant(T),
    Negated(Box<Expression<T>>),
    Sum { terms: Vec<Expression<T>>, names: BTreeMap<String, Expression<T>> },
}

#[deprecated]
#[derive(Document, Clone, Debug, PartialEq)]
struct Old {
    part: u8,
}

/// A deprecated recursive document that no other type names.
#[deprecated]
#[derive(Document, Clone, Debug, PartialEq)]
struct OldTree<T> {
    value: T,
    children: Vec<OldTree<T>>,
}

#[deprecated]
#[derive(Document, Clone, Copy, Debug, PartialEq)]
enum OldState {
    Open,
    #[deprecated]
    Shut,
}

#[deprecated = "see `Order`"]
#[derive(Document, Clone, Debug, PartialEq, Eq)]
#[expect(dead_code, reason = "only its expansion matters")]
struct OldId(String);

type Maybe<T> = Option<T>;

#[deprecated(note = "see `Line`")]
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
#[partition_key(name = "PK", template = "Order#{id}")]
#[sort_key(name = "SK", template = "Order")]
#[tombstone(ttl_days = 7)]
#[index(name = "by_state", partition = state, sort = id)]
#[index(name = "by_text", partition(name = "GSI1PK", template = "{state}#{id}"), projection(note))]
struct Order {
    #[attribute(stored)]
    id: String,
    state: String,
    note: String,
    #[ratchet(guards(state, note, old, tree))]
    at: EpochMillis,
    #[allow(deprecated, reason = "it is still there")]
    old: Old,
    tree: Tree<String>,
}

/// An entity with range queries on a sort key, fields of deprecated types, and names that lints reject.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "lines")]
#[index(name = "by_note", partition = note, sort = number)]
#[index(name = "by_text", query = by_line, partition(name = "GSI1PK", template = "{note}#{lineKind}"))]
#[expect(non_snake_case, reason = "as it is stored")]
struct Line {
    #[partition_key]
    orderId: String,
    #[sort_key]
    number: u32,
    note: Maybe<String>,
    lineKind: String,
    #[deprecated]
    before: u8,
    #[allow(deprecated, reason = "it is still there")]
    state: OldState,
}

#[derive(Projection, Debug)]
#[projection(of = Order, index = OrderByText)]
#[allow(deprecated, dead_code, reason = "it is still read")]
struct Note {
    note: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
#[partition_key(name = "PK", template = "Order#{id}")]
#[sort_key(name = "SK", template = "Part#{part}")]
struct Part {
    id: String,
    part: u8,
}

#[derive(Entities, Debug)]
#[allow(dead_code, reason = "only its expansion matters")]
enum Row {
    #[allow(deprecated, reason = "it is still there")]
    Order(Order),
    Part(Part),
}

#[derive(Aggregate, Debug)]
#[allow(dead_code, reason = "only its expansion matters")]
struct Whole {
    #[allow(deprecated, reason = "it is still there")]
    order: Order,
    parts: Vec<Part>,
}

#[test]
fn a_recursive_generic_document_round_trips() {
    let leaf = |value| Tree { value, children: Vec::new() };
    let tree = Tree { value: 1u8, children: vec![leaf(2), Tree { value: 3, children: vec![leaf(4)] }] };
    assert_eq!(Tree::decode(tree.encode().expect("encodes").into()), Ok(tree));
    let constant = Expression::Constant("x".to_owned());
    let sum = Expression::Sum {
        terms: vec![Expression::Negated(Box::new(constant.clone()))],
        names: BTreeMap::from([("y".to_owned(), constant)]),
    };
    assert_eq!(Expression::decode(sum.encode().expect("encodes").into()), Ok(sum));
}

#[test]
fn a_type_alias_of_option_makes_an_index_sparse() {
    #[allow(deprecated, reason = "it is still there")]
    let line = |note: Maybe<&str>| Line {
        orderId: "1".to_owned(),
        number: 1,
        note: note.map(str::to_owned),
        lineKind: "k".to_owned(),
        before: 1,
        state: OldState::Shut,
    };
    let keys = |line: &Line| line.to_item().expect("encodes").get("GSI1PK").cloned();
    assert_eq!(keys(&line(Some("n"))), Some(dyno_tests::s("n#k")));
    assert_eq!(keys(&line(None)), None);
    assert!(format!("{:?}", Line::by_note("n").sort_ge(3u32)).contains('3'));
    assert!(format!("{:?}", Line::by_line("n", "k")).contains("by_text"));
    let handle = Line::fields().lineKind;
    assert_eq!(handle.name(), "lineKind");
    #[allow(deprecated, reason = "it is still there")]
    let handle = Line::fields().before;
    assert_eq!(handle.name(), "before");
}
