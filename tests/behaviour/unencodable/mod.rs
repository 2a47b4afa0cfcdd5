//! Rows of other programs with values that are read and cannot be written, such as a time that is finer than the `format` of its
//! field. A write that has read such a row keeps these values as they are stored.

mod closures;
mod nested;
mod whole_rows;

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Item};
use dyno_tests::{World, item, n, s, world};
use jiff::Timestamp;

/// A time that no format but `micros` and `nanos` can tell.
const FINE: &str = "2024-07-23T21:11:00.1204Z";

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "visits")]
#[tombstone(ttl_days = 7)]
#[transactional]
#[index(name = "by_day", partition(name = "day_key", template = "DAY#{day}"))]
struct Visit {
    #[partition_key]
    id: String,
    #[attribute(format = "millis")]
    at: Timestamp,
    /// Another program leaves it empty, and no key is made of an empty text.
    day: String,
    #[attribute(format = "millis", immutable)]
    booked: Option<Timestamp>,
    #[created]
    #[attribute(format = "millis")]
    created: Timestamp,
    #[updated]
    #[attribute(format = "seconds")]
    updated: Timestamp,
    #[attribute(default)]
    notes: u32,
    #[version]
    version: u64,
}

/// The row of another program, none of whose times can be written as it is.
fn row() -> Item {
    item([
        ("id", s("1")),
        ("at", s(FINE)),
        ("day", s("")),
        ("booked", s(FINE)),
        ("created", s(FINE)),
        ("updated", s(FINE)),
        ("notes", n(1)),
        ("version", n(1)),
        ("_w", s("0123456789abcdef-")),
    ])
}

async fn foreign() -> World {
    let world = world::<Visit>().await;
    world.write_foreign::<Visit>(row()).await;
    world
}

async fn stored(world: &World) -> Item {
    world.stored::<Visit>().await.pop().expect("an item")
}

/// Asserts that the stored item has the foreign values, and these notes.
async fn assert_kept(world: &World, notes: u32) {
    let item = stored(world).await;
    let kept = ["at", "day", "booked", "created"];
    let expected = row();
    for name in kept {
        assert_eq!(item.get(name), expected.get(name), "{name}");
    }
    assert_eq!(item["notes"], n(notes));
    assert_eq!(item["updated"], s("2100-01-01T00:00:00Z"), "the rule writes it");
    assert_eq!(item.get("day_key"), None);
}

fn list(elements: Vec<AttributeValue>) -> AttributeValue {
    AttributeValue::L(elements)
}
