//! Changes of entities, read from streams: from the engine's own stream, from a Lambda event, and from images.

mod changes;
mod embedded;
mod records;
#[cfg(feature = "all")]
mod transactions;
mod type_names;

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::stream::{Event, Record};
use dyno::{Entity, EpochMillis, EpochSeconds, Item};
use dyno_tests::n;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Movie#{movie}")]
#[tombstone(ttl_days = 7)]
struct Rating {
    user: String,
    movie: String,
    rating: u8,
    #[ratchet]
    at: EpochMillis,
}

/// An entity in the table of the ratings, with the same partition keys.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Order#{number}")]
struct Order {
    user: String,
    number: u32,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "sessions")]
#[idempotency(keys = 10)]
struct Session {
    #[partition_key]
    id: u32,
    tags: BTreeSet<String>,
    data: Option<Vec<u8>>,
    #[ttl]
    expires: EpochSeconds,
}

/// Returns another number at each call.
fn later() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::SeqCst)
}

/// The first version counted hours.
fn upgrade(item: &mut Item, _: u32) -> Result<(), String> {
    if let Some(AttributeValue::N(hours)) = item.remove("hours") {
        let hours: u32 = hours.parse().map_err(|_| "no hours".to_owned())?;
        item.insert("minutes".to_owned(), n(60 * hours));
    }
    Ok(())
}

fn rating(rating: u8, at: i64) -> Rating {
    Rating { user: "1".to_owned(), movie: "A".to_owned(), rating, at: EpochMillis::new(at) }
}

fn session(expires: i64) -> Session {
    Session { id: 1, tags: BTreeSet::new(), data: None, expires: EpochSeconds::new(expires) }
}

fn image(entity: &impl Entity) -> Item {
    entity.to_item().expect("an item")
}

/// A tombstone as dyno writes it: the flag and a TTL, beside the key and the token.
fn tombstone(at: i64) -> Item {
    let mut item = image(&rating(0, at));
    item.remove("rating");
    item.extend([("deleted".to_owned(), AttributeValue::Bool(true)), ("ttl".to_owned(), n(7))]);
    item
}

/// A record of a write to the item that has these images.
fn record(old: Option<Item>, new: Option<Item>) -> Record {
    let event = match (&old, &new) {
        (None, _) => Event::Insert,
        (_, None) => Event::Remove,
        _ => Event::Modify,
    };
    let keys = old.as_ref().or(new.as_ref()).expect("an image").clone();
    let record = Record::new(event, keys);
    let record = old.into_iter().fold(record, Record::with_old_image);
    new.into_iter().fold(record, Record::with_new_image)
}
