//! How Rust values are stored in DynamoDB and read back, through the engine and from items of other writers.

mod attributes;
mod crates;
mod refused;
mod text_numbers;
mod values;

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Document, Entity, EpochMillis, Item};
use dyno_tests::{item, world};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

/// An item of an entity without its key.
fn attributes<E: Entity>(entity: &E) -> Item {
    let mut item = entity.to_item().expect("encodes");
    item.remove("id");
    item
}

fn document<const N: usize>(members: [(&str, AttributeValue); N]) -> AttributeValue {
    AttributeValue::M(item(members))
}

/// Writes the entity, reads it back, and returns what was stored.
async fn there_and_back<E: Entity<Key = String> + dyno::bound::Replaceable + Debug + PartialEq>(entity: E) -> Item {
    let world = world::<E>().await;
    let written = dyno::command::Put::new(&entity).send(&world.repository).await;
    assert!(written.is_ok());
    let read = dyno::command::Get::<E>::new(entity.key()).send(&world.repository).await.expect("a get");
    let stored = attributes(&entity);
    assert_eq!(read, Some(entity));
    stored
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Scalars {
    #[partition_key]
    id: String,
    byte: u8,
    small: i16,
    large: i128,
    size: usize,
    float: f32,
    double: f64,
    flag: bool,
    letter: char,
    empty: String,
    boxed: Box<str>,
    shared: Arc<str>,
    cow: Cow<'static, str>,
    nested: Box<u64>,
}

#[derive(Document, Clone, Debug, PartialEq)]
#[document(rename_all = "camelCase")]
struct Address {
    street_name: String,
    #[attribute(rename = "no")]
    number: u32,
    notes: Option<String>,
    tags: BTreeSet<String>,
    #[attribute(default)]
    floor: u8,
    #[attribute(skip)]
    cached: bool,
}

#[derive(Document, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[document(rename_all = "kebab-case")]
enum Status {
    InTransit,
    #[attribute(rename = "DONE")]
    Delivered,
}

#[derive(Document, Clone, Debug, PartialEq)]
enum Payment {
    Cash,
    Voucher(u32),
    Card { number: String, item: Option<u8> },
}

#[derive(Document, Clone, Debug, PartialEq)]
#[document(tag = "type")]
enum Event {
    Opened,
    Moved(Address),
    Renamed { to: String },
}

#[derive(Document, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OrderId(u64);

#[derive(Document, Clone, Debug, PartialEq)]
struct Wrapper<T>(T);

#[derive(Document, Clone, Debug, PartialEq)]
struct Pair<T> {
    one: T,
    other: Vec<T>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Documents {
    #[partition_key]
    id: String,
    address: Address,
    addresses: Vec<Address>,
    status: Status,
    statuses: BTreeSet<Status>,
    payments: Vec<Payment>,
    events: Vec<Event>,
    order: OrderId,
    orders: BTreeSet<OrderId>,
    wrapper: Wrapper<String>,
    pair: Pair<u8>,
    raw: AttributeValue,
}

#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
struct Settings {
    theme: String,
    sizes: Vec<f64>,
    seen: EpochMillis,
}
