//! Whole items by an index that holds only some attributes.

use dyno::{Cursor, Entity, EpochSeconds};
use dyno_tests::{NOW, World, s, world};

/// The index has only keys, so neither the flag of a tombstone nor the TTL.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "parcels")]
#[index(name = "by_depot", partition = depot, sort = place, projection = "keys")]
#[index(name = "by_state", partition = state)]
#[tombstone(ttl_days = 7)]
struct Parcel {
    #[partition_key]
    id: u32,
    depot: String,
    place: u32,
    state: Option<String>,
    note: String,
    #[ttl]
    until: Option<EpochSeconds>,
}

fn parcel(id: u32) -> Parcel {
    let note = format!("note {id}");
    Parcel { id, depot: "Bern".to_owned(), place: id * 10, state: Some("new".to_owned()), note, until: None }
}

async fn parcels(world: &World, count: u32) {
    for id in 1..=count {
        parcel(id).put().send(&world.repository).await.expect("sent");
    }
}

fn ids(parcels: &[Parcel]) -> Vec<u32> {
    parcels.iter().map(|parcel| parcel.id).collect()
}

#[tokio::test]
async fn whole_items_come_in_the_order_of_the_index() {
    let world = world::<Parcel>().await;
    parcels(&world, 4).await;
    let metered = world.repository.metered();
    let page = Parcel::by_depot("Bern").descending().hydrate().send(&metered).await.expect("a page");
    assert_eq!(page.items, [parcel(4), parcel(3), parcel(2), parcel(1)]);
    assert!(page.cursor.is_none());
    assert_eq!(metered.usage().requests, 2);
    let ranged = Parcel::by_depot("Bern").sort_between(20_u32, 30_u32).hydrate().send(&metered).await.expect("a page");
    assert_eq!(ids(&ranged.items), [2, 3]);
    let none = Parcel::by_depot("Basel").hydrate().send(&metered).await.expect("a page");
    assert_eq!((none.items.len(), none.cursor), (0, None));
    // Nothing was found, so nothing is loaded.
    assert_eq!(metered.usage().requests, 5);
    let mut scanned = Parcel::scan().index::<ParcelByDepot>().hydrate().send(&metered).await.expect("a page").items;
    scanned.sort_by_key(|parcel| parcel.id);
    assert_eq!(scanned, [parcel(1), parcel(2), parcel(3), parcel(4)]);
    let filtered = Parcel::by_state("new").filter(Parcel::fields().note.eq("note 3"));
    assert_eq!(filtered.hydrate().send(&metered).await.expect("a page").items, [parcel(3)]);
    let error = Parcel::by_depot("Bern").hydrate().limit(0).send(&metered).await.expect_err("refused");
    assert!(error.is_invalid_input(), "{error}");
    let error = Parcel::by_depot("Bern").hydrate().limit(0).stream(&metered).try_collect().await.expect_err("refused");
    assert!(error.is_invalid_input(), "{error}");
}

/// With a keys-only index, the tombstone and the expired item are in no sense in the index; another program leaves the keys in them.
#[tokio::test]
async fn what_counts_as_absent_is_left_out_and_a_limit_reads_on() {
    let world = world::<Parcel>().await;
    parcels(&world, 6).await;
    let expired = Parcel { until: Some(EpochSeconds::new(NOW / 1000 - 1)), ..parcel(2) };
    expired.put().send(&world.repository).await.expect("sent");
    let mut deleted = parcel(3).to_item().expect("an item");
    deleted.insert("deleted".to_owned(), dyno::aws_sdk_dynamodb::types::AttributeValue::Bool(true));
    world.write_foreign::<Parcel>(deleted).await;
    let page = |limit: usize, cursor: Option<Cursor>| {
        let read = Parcel::by_depot("Bern").hydrate().limit(limit).after(cursor);
        let repository = world.repository.clone();
        async move { read.send(&repository).await.expect("a page") }
    };
    let first = page(2, None).await;
    assert_eq!(ids(&first.items), [1, 4]);
    let cursor = first.cursor.expect("more").to_string().parse().expect("a cursor");
    let rest = page(5, Some(cursor)).await;
    assert_eq!((ids(&rest.items), rest.cursor), (vec![5, 6], None));
    let mut pages = Vec::new();
    let mut cursor = None;
    loop {
        let page = page(1, cursor).await;
        pages.extend(ids(&page.items));
        cursor = page.cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(pages, [1, 4, 5, 6]);
    let with_dead = Parcel::by_state("new").include_deleted().send(&world.repository).await.expect("a page");
    assert_eq!(with_dead.items.len(), 6);
}

/// Another writer changes an item after the query of the index, and before the item is loaded.
#[tokio::test]
async fn an_item_that_no_longer_answers_is_left_out() {
    type Change = fn(&mut Parcel);
    let changes: [(Change, bool); 4] = [
        (|parcel| parcel.depot = "Basel".to_owned(), false),
        (|parcel| parcel.place = 50, false),
        (|parcel| parcel.place = 40, true),
        (|parcel| parcel.note = "new".to_owned(), true),
    ];
    for (change, answers) in changes {
        let world = world::<Parcel>().await;
        parcels(&world, 2).await;
        world.faults.hold_after(1);
        let repository = world.repository.clone();
        let read = tokio::spawn(async move {
            Parcel::by_depot("Bern").sort_lt(50_u32).hydrate().send(&repository).await.expect("a page").items
        });
        world.faults.held().await;
        let mut parcel_1 = parcel(1);
        change(&mut parcel_1);
        parcel_1.put().send(&world.other()).await.expect("sent");
        world.faults.release();
        let expected = if answers { vec![parcel_1, parcel(2)] } else { vec![parcel(2)] };
        assert_eq!(read.await.expect("no panic"), expected);
    }
    let world = world::<Parcel>().await;
    parcels(&world, 2).await;
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let read = tokio::spawn(async move { Parcel::by_depot("Bern").hydrate().send(&repository).await });
    world.faults.held().await;
    Parcel::delete(1_u32).send(&world.other()).await.expect("sent");
    world.faults.release();
    assert_eq!(read.await.expect("no panic").expect("a page").items, [parcel(2)]);
}

/// 250 items take three pages of 100, each with a batch. An item of another shape is an error in its place.
#[tokio::test]
async fn a_stream_reads_a_hundred_items_at_a_time() {
    let world = world::<Parcel>().await;
    parcels(&world, 250).await;
    let metered = world.repository.metered();
    let all = Parcel::by_depot("Bern").hydrate().stream(&metered).try_collect().await.expect("parcels");
    assert_eq!(ids(&all), (1..=250).collect::<Vec<_>>());
    assert_eq!(metered.usage().requests, 6);
    let metered = world.repository.metered();
    let mut stream = Parcel::by_depot("Bern").hydrate().limit(250).stream(&metered);
    assert_eq!(stream.next().await.expect("one").expect("a parcel"), parcel(1));
    assert_eq!(metered.usage().requests, 2);
    let metered = world.repository.metered();
    let mut stream = Parcel::by_depot("Bern").hydrate().limit(3).stream(&metered);
    assert_eq!(stream.next().await.expect("one").expect("a parcel"), parcel(1));
    assert_eq!(stream.cursor().expect("none"), None);
    assert_eq!(ids(&stream.try_collect().await.expect("two")), [2, 3]);
    assert_eq!(metered.usage().requests, 2);
    let mut garbled = parcel(2).to_item().expect("an item");
    garbled.remove("note");
    garbled.insert("note".to_owned(), dyno::aws_sdk_dynamodb::types::AttributeValue::L(vec![s("a")]));
    world.write_foreign::<Parcel>(garbled).await;
    let mut stream = Parcel::by_depot("Bern").hydrate().limit(3).stream(&world.repository);
    let mut read = Vec::new();
    while let Some(parcel) = stream.next().await {
        read.push(parcel.map_err(|error| error.is_decode()));
    }
    assert_eq!(read, [Ok(parcel(1)), Err(true), Ok(parcel(3))]);
    let failed = Parcel::by_depot("Bern").hydrate().limit(3).send(&world.repository).await.expect_err("one");
    assert!(failed.is_decode(), "{failed}");
    let page = Parcel::by_depot("Bern").hydrate().limit(3).send_each(&world.repository).await.expect("a page");
    assert_eq!(page.items.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    assert!(page.cursor.is_some());
}
