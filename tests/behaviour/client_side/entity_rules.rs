//! All other rules of an entity, in a client-side transaction of 150 items: the result is the same as that of the same
//! writes in native transactions.

use dyno::{Entity, EpochMillis, Item, Repository, Transaction};
use dyno_tests::{World, item, n, pause, s, world};
use std::collections::{BTreeMap, BTreeSet};

/// An entity with a second schema version, a renamed attribute, an index with keys made of fields, and idempotency keys in
/// the item.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "parcels", schema_version = 2, upgrade = "upgrade")]
#[partition_key(name = "PK", template = "Parcel#{id:04}")]
#[index(
    name = "GSI1",
    query = by_city,
    partition(name = "GSI1PK", template = "City#{city}"),
    sort(name = "GSI1SK", template = "{state}#{id:04}")
)]
#[tombstone(ttl_days = 7)]
#[idempotency(window_secs = 60)]
#[transactional]
struct Parcel {
    id: u64,
    city: String,
    state: String,
    grams: u64,
    #[attribute(alias = "remark")]
    note: Option<String>,
    tags: BTreeSet<String>,
    #[version]
    version: u64,
}

/// An entity with a ratchet and a renamed attribute.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "weighings")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Weighing {
    #[partition_key]
    id: u64,
    #[attribute(alias = "weight")]
    grams: u64,
    #[ratchet]
    at: EpochMillis,
    #[version]
    version: u64,
}

fn weighing(id: u64, grams: u64, at: i64) -> Weighing {
    Weighing { id, grams, at: EpochMillis::new(at), version: 1 }
}

/// The first schema version stored the weight in kilograms.
fn upgrade(item: &mut Item, _: u32) -> Result<(), String> {
    let kilograms = item.remove("kilograms").ok_or("there is no weight")?;
    let kilograms: u64 = kilograms.as_n().map_err(|_| "no number")?.parse().map_err(|_| "no number")?;
    item.insert("grams".to_owned(), n(1000 * kilograms));
    Ok(())
}

fn parcel(id: u64) -> Parcel {
    Parcel {
        id,
        city: "Bern".to_owned(),
        state: "open".to_owned(),
        grams: id,
        note: Some("fragile".to_owned()),
        tags: BTreeSet::from(["blue".to_owned()]),
        version: 0,
    }
}

/// Creates 100 parcels and 40 weighings. The parcels from 80 on have the first schema version, and their note under its
/// first name.
async fn parcels() -> World {
    let world = world::<Parcel>().await;
    world.create_lanes().await;
    for id in 0..80 {
        applied!(parcel(id).create(), &world.repository);
    }
    for id in 80..100 {
        let old = item([
            ("PK", s(&format!("Parcel#{id:04}"))),
            ("id", n(id)),
            ("city", s("Bern")),
            ("state", s("open")),
            ("kilograms", n(id)),
            ("remark", s("fragile")),
            ("tags", dyno::aws_sdk_dynamodb::types::AttributeValue::Ss(vec!["blue".to_owned()])),
            ("version", n(1)),
            ("_w", s("-before")),
        ]);
        world.write_foreign::<Parcel>(old).await;
    }
    world.other().create_table::<Weighing>().await.expect("a new table");
    for id in 0..40 {
        let old = item([("id", n(id)), ("weight", n(3)), ("at", n(1_000)), ("version", n(1)), ("_w", s("-before"))]);
        world.write_foreign::<Weighing>(old).await;
    }
    world
}

/// Returns writes of 150 items, divided among this many transactions.
fn writes(loaded: &[Parcel], transactions: usize) -> Vec<Transaction> {
    let fields = Parcel::fields;
    let mut all = vec![Transaction::new(); transactions];
    for (at, parcel_there) in (0_u64..).zip(loaded) {
        let into = &mut all[usize::try_from(at).expect("few") % transactions];
        let transaction = std::mem::take(into);
        *into = match at % 4 {
            // An update does not upgrade a row of the first schema version, so these rows are deleted.
            _ if at >= 80 => transaction.delete(Parcel::delete(at, 1)),
            // This update moves the parcel to another city, also in the index, and has an idempotency key.
            0 => {
                let moved = Parcel::update(at).version(1).with(fields().city.set("Basel".to_owned()));
                let moved = moved.with(fields().tags.insert("red".to_owned()));
                transaction.update(moved.idempotency_key("move"))
            }
            1 => transaction.update(Parcel::update(at).version(parcel_there.version).with(fields().grams.set(77))),
            2 => transaction.delete(Parcel::delete(at, 1)),
            _ => {
                let heavier = Parcel::update(at).version(1).with(fields().grams.add(5));
                transaction.update(heavier.with(fields().note.set(Some("heavy".to_owned()))))
            }
        };
    }
    for id in 0..50 {
        let into = &mut all[usize::try_from(id).expect("few") % transactions];
        let transaction = std::mem::take(into);
        *into = match id {
            0..20 => transaction.put(weighing(id, 9, 2_000).put()),
            20..40 => transaction.delete(Weighing::delete(id, EpochMillis::new(2_000), 1)),
            _ => transaction.put(parcel(1000 + id).create()),
        };
    }
    all
}

/// Returns all stored rows, without their write ids.
async fn stored(world: &World) -> BTreeMap<String, Item> {
    let rows = [world.stored::<Parcel>().await, world.stored::<Weighing>().await].concat();
    let rows = rows.into_iter().map(|mut row| {
        assert!(row.remove("_w").is_some() && !row.contains_key("_x"), "{row:?}");
        (format!("{:?}, {:?}", row.get("PK"), row.get("id")), row)
    });
    rows.collect()
}

async fn loaded(repository: &Repository) -> Vec<Parcel> {
    let read = Parcel::batch_get(0..100).consistent().send(repository).await.expect("a batch");
    read.into_iter().flatten().collect()
}

#[tokio::test]
async fn every_other_rule_holds_in_a_transaction_of_150_items() {
    pause();
    let (native, apart) = (parcels().await, parcels().await);
    let parcels = loaded(&native.repository).await;
    assert_eq!(parcels.len(), 100);
    for transaction in writes(&parcels, 3) {
        transaction.native().send(&native.repository).await.expect("sent").applied().expect("applied");
    }
    let [transaction] = <[Transaction; 1]>::try_from(writes(&parcels, 1)).expect("one");
    let committed = transaction.send(&apart.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(committed.unapplied(), 0);
    let (native, apart_rows) = (stored(&native).await, stored(&apart).await);
    assert_eq!(native.len(), 150);
    for (key, row) in &native {
        assert_eq!(Some(row), apart_rows.get(key), "{key}");
    }
    apart.faults.thaw_replica();
    let basel = Parcel::by_city("Basel").stream(&apart.repository).try_collect().await.expect("a query");
    assert_eq!(basel.len(), 20);
}

/// Only the put has an intent, so it is the first participant, although it is the second action.
#[tokio::test]
async fn a_superseded_put_beside_a_check_is_superseded() {
    pause();
    let world = world::<Weighing>().await;
    world.create_lanes().await;
    let put = |at| Weighing { version: 0, ..weighing(1, 9, at) }.put();
    applied!(put(1_000), &world.repository);
    let transaction = || Transaction::new().check(Weighing::check(2).absent()).put(put(500));
    for transaction in [transaction().native(), transaction().client_side()] {
        let outcome = transaction.send(&world.repository).await.expect("sent");
        let refusal = outcome.refusal().expect("refused");
        assert!(refusal.refusal_of::<Weighing>(1).is_some() && refusal.is_superseded(), "{refusal:?}");
    }
}
