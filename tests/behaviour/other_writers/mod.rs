//! Attributes and members that other programs keep in a row: they stay as they are, at every depth, whatever a command
//! changes.

mod history;
mod plain_updates;
mod rest_fields;
mod undeclared_attributes;
mod unversioned_rows;

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Document, Entity, Item};
use dyno_tests::{World, item, n, s};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Document, Clone, Debug, PartialEq)]
struct Line {
    sku: String,
    quantity: u32,
}

#[derive(Document, Clone, Debug, PartialEq)]
#[document(tag = "kind")]
enum State {
    Open,
    Shipped { by: String, line: Line },
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
struct Order {
    #[partition_key]
    id: String,
    main: Line,
    lines: Vec<Line>,
    by_day: BTreeMap<u32, Line>,
    state: State,
    weight: f64,
    placed: chrono::DateTime<chrono::Utc>,
    tags: BTreeSet<String>,
    note: Option<String>,
    #[version]
    version: u64,
}

fn m<const N: usize>(members: [(&str, AttributeValue); N]) -> AttributeValue {
    AttributeValue::M(item(members))
}

fn l<const N: usize>(elements: [AttributeValue; N]) -> AttributeValue {
    AttributeValue::L(elements.into())
}

/// A line with a member that `Line` does not declare.
fn line(sku: &str, quantity: &str, color: &str) -> AttributeValue {
    m([("sku", s(sku)), ("quantity", n(quantity)), ("color", m([("rgb", l([s(color), AttributeValue::Null(true)]))]))])
}

/// An order as another program writes it.
fn row() -> Item {
    item([
        ("id", s("1")),
        ("main", line("m", "1", "red")),
        ("lines", l([line("a", "1", "blue"), line("b", "2", "green"), line("c", "3", "white")])),
        ("by_day", m([("01", line("x", "7", "black")), ("2", line("y", "8", "grey"))])),
        ("state", m([("kind", s("Shipped")), ("by", s("sea")), ("line", line("z", "9", "pink")), ("since", n(3))])),
        ("weight", n("0.12345678901234567890123456789")),
        ("placed", s("2026-01-02T03:04:05.000Z")),
        ("tags", AttributeValue::Ss(vec!["t".to_owned()])),
        ("note", AttributeValue::Null(true)),
        ("other", m([("deep", l([m([("x", n("100"))])]))])),
        ("version", n(4)),
        ("_w", s("-x")),
    ])
}

/// Sets one attribute from another process, without a condition.
async fn set_plain<E: Entity>(world: &World, attribute: &str, value: &str) {
    let other = world.other();
    let table = other.table_name::<E>().expect("a table");
    let update = other.client().update_item().table_name(table).key("id", s("1"));
    let update = update.update_expression("SET #a = :a").expression_attribute_names("#a", attribute);
    update.expression_attribute_values(":a", s(value)).send().await.expect("an update");
}

async fn stored(world: &World) -> Item {
    world.stored::<Order>().await.remove(0)
}

/// The stored row after a change, with the original version and write id.
async fn changed(world: &World, change: impl FnMut(&mut Order) + Send) -> Item {
    world.write_foreign::<Order>(row()).await;
    let order = Order::modify("1", change).send(&world.repository).await.expect("sent").applied().expect("applied");
    let mut stored = stored(world).await;
    assert_eq!(Order::from_item(stored.clone()).expect("an order"), order);
    assert_eq!(stored.insert("version".to_owned(), n(4)), Some(n(5)));
    assert_ne!(stored.insert("_w".to_owned(), s("-x")), Some(s("-x")));
    stored
}

/// A document with a rest field for the members that it does not declare.
#[derive(Document, Clone, Debug, PartialEq)]
struct Open {
    sku: String,
    note: Option<String>,
    #[attribute(rest)]
    rest: Item,
}
