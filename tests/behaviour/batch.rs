//! Batches: chunks, order, duplicates, what is left unprocessed, what fails and what does not fail with it.
//!
//! Requests are counted exactly, and time is tokio's paused clock, so the pauses take none.

use dyno::{BatchWrite, BatchWritten, Entity, EpochMillis, EpochSeconds, ErrorKind, Found, Projection, Repository};
use dyno_tests::faults::Rates;
use dyno_tests::unprocessed::Leave;
use dyno_tests::{World, endpoint, item, n, s, world};
use std::collections::BTreeSet;
use std::error::Error as _;
use tokio::time::{Duration, Instant};

/// Without rules, but for its own TTL.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
struct User {
    #[partition_key]
    id: u32,
    name: String,
    #[ttl]
    expires: Option<EpochSeconds>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Order#{number}")]
struct Order {
    user: u32,
    number: u32,
    total: u32,
}

/// In the table of the orders.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Movie#{movie}")]
#[tombstone(ttl_days = 7)]
struct Rating {
    user: u32,
    movie: String,
    #[ratchet]
    at: EpochMillis,
}

/// What an order is to someone who knows less of it.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Order#{number}")]
struct Summary {
    user: u32,
    number: u32,
}

/// In a table that nobody has created.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "missing")]
struct Missing {
    #[partition_key]
    id: u32,
}

fn user(id: u32) -> User {
    User { id, name: format!("name of {id}"), expires: None }
}

fn order(user: u32, number: u32) -> Order {
    Order { user, number, total: number * 2 }
}

/// What a read of nothing costs: as much as one of the smallest item, but DynamoDB Local does not say so.
fn nothing() -> f64 {
    if endpoint().is_some() { 0.0 } else { 0.5 }
}

async fn put_all(repository: &Repository, users: impl Iterator<Item = u32>) -> BatchWritten {
    let users: Vec<User> = users.map(user).collect();
    users.iter().map(User::put).collect::<BatchWrite>().send(repository).await.expect("a batch")
}

/// Users from 0 on.
async fn users(count: u32) -> World {
    let world = world::<User>().await;
    put_all(&world.repository, 0..count).await.applied().expect("all of them");
    world
}

/// Both tables.
async fn both() -> World {
    let world = world::<User>().await;
    world.repository.create_table::<Order>().await.expect("a table");
    world
}

fn ids(users: &[Option<User>]) -> Vec<Option<u32>> {
    users.iter().map(|user| user.as_ref().map(|user| user.id)).collect()
}

fn indices(written: &BatchWritten) -> Vec<usize> {
    written.failures().iter().map(dyno::BatchFailure::index).collect()
}

#[tokio::test(start_paused = true)]
async fn results_are_in_the_order_of_the_keys() {
    let world = users(200).await;
    let metered = world.repository.metered();
    // 250 keys, of which the last 50 lead to nothing.
    let keys = || (0..250).map(|key| key * 77 % 250);
    let found = User::batch_get(keys()).send(&metered).await.expect("a batch");
    let expected: Vec<_> = keys().map(|key| (key < 200).then_some(key)).collect();
    assert_eq!(ids(&found), expected);
    assert!(found.iter().flatten().all(|found| *found == user(found.id)));
    let usage = metered.usage();
    assert_eq!((usage.requests, usage.read_units, usage.write_units), (3, 100.0 + 50.0 * nothing(), 0.0));
    let metered = world.repository.metered();
    let found = User::batch_get(0..100).consistent().send(&metered).await.expect("a batch");
    assert_eq!(found.len(), 100);
    assert_eq!((metered.usage().requests, metered.usage().read_units), (1, 100.0));
}

#[tokio::test(start_paused = true)]
async fn no_keys_and_no_writes_take_no_request() {
    let world = users(1).await;
    let metered = world.repository.metered();
    assert_eq!(User::batch_get([0_u32; 0]).send(&metered).await.expect("a batch"), []);
    assert!(BatchWrite::new().send(&metered).await.expect("a batch").is_complete());
    assert_eq!(metered.usage().requests, 0);
}

#[tokio::test(start_paused = true)]
async fn a_key_given_twice_is_read_once() {
    let world = users(3).await;
    let metered = world.repository.metered();
    let keys = [2, 1, 2, 9, 1, 2, 9].repeat(50);
    let found = User::batch_get(keys.iter().copied()).send(&metered).await.expect("a batch");
    let expected: Vec<_> = keys.iter().map(|key| (*key < 3).then_some(*key)).collect();
    assert_eq!(ids(&found), expected);
    assert_eq!((metered.usage().requests, metered.usage().read_units), (1, 1.0 + nothing()));
}

#[tokio::test(start_paused = true)]
async fn keys_that_differ_in_one_part_are_different_keys() {
    let world = both().await;
    let orders: Vec<Order> = [(1, 1), (1, 2), (2, 1), (2, 2), (11, 2), (1, 12)].map(|(a, b)| order(a, b)).into();
    let written = orders.iter().map(Order::put).collect::<BatchWrite>().send(&world.repository).await;
    written.expect("a batch").applied().expect("all of them");
    let keys = orders.iter().map(|order| (order.user, order.number));
    let found = Order::batch_get(keys).send(&world.repository).await.expect("a batch");
    assert_eq!(found.into_iter().flatten().collect::<Vec<_>>(), orders);
}

#[tokio::test(start_paused = true)]
async fn one_number_is_one_key_however_it_is_spelled() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "prices")]
    struct Price {
        #[partition_key]
        price: rust_decimal::Decimal,
    }
    let world = world::<Price>().await;
    let price = |text: &str| Price { price: text.parse().expect("a number") };
    price("1.50").put().send(&world.repository).await.expect("a put");
    let keys = ["1.5", "1.50", "15"].map(|text| price(text).price);
    let metered = world.repository.metered();
    let found = Price::batch_get(keys).send(&metered).await.expect("a batch");
    assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!((metered.usage().requests, metered.usage().read_units), (1, 0.5 + nothing()));
    let twice = [price("2.0"), price("2.00")].iter().map(Price::put).collect::<BatchWrite>();
    assert!(twice.send(&metered).await.expect_err("one item").is_invalid_input());
}

#[tokio::test(start_paused = true)]
async fn tombstones_and_expired_items_count_as_absent() {
    let world = both().await;
    let repository = &world.repository;
    let rating = |movie: &str, at| Rating { user: 1, movie: movie.to_owned(), at: EpochMillis::new(at) };
    for movie in ["A", "B"] {
        rating(movie, 1).put().send(repository).await.expect("a put").applied().expect("applied");
    }
    Rating::delete((1_u32, "B"), EpochMillis::new(2)).send(repository).await.expect("sent").applied().expect("applied");
    let get = Rating::batch_get([(1, "B"), (1, "A"), (1, "C")]);
    let found = get.clone().send(repository).await.expect("a batch");
    assert_eq!(found, [None, Some(rating("A", 1)), None]);
    let found = get.include_deleted().send(repository).await.expect("a batch");
    assert!(matches!(&found[..], [Some(Found::Deleted(_)), Some(Found::Live(_)), None]), "{found:?}");

    let past = EpochSeconds::new(world.clock_seconds() - 1);
    User { expires: Some(past), ..user(1) }.put().send(repository).await.expect("a put");
    assert_eq!(User::batch_get([1]).send(repository).await.expect("a batch"), [None]);
    let found = User::batch_get([1]).include_deleted().send(repository).await.expect("a batch");
    assert!(matches!(&found[..], [Some(Found::Expired(_))]), "{found:?}");
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Order)]
struct Total {
    number: u32,
    total: u32,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = User)]
struct Name {
    name: String,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Rating)]
struct Rated {
    at: EpochMillis,
}

#[tokio::test(start_paused = true)]
async fn a_projection_of_many_items_reads_only_what_it_names() {
    let world = both().await;
    let repository = &world.repository;
    put_all(repository, 0..150).await.applied().expect("all of them");
    let expired = User { expires: Some(EpochSeconds::new(world.clock_seconds())), ..user(3) };
    expired.put().send(repository).await.expect("a put");
    let metered = repository.metered();
    let names = User::batch_get(0..200).project::<Name>().send(&metered).await.expect("a batch");
    let expected = (0..200).map(|id| (id < 150 && id != 3).then(|| Name { name: user(id).name }));
    assert!(names.into_iter().eq(expected), "what has expired is known as such");
    assert_eq!((metered.usage().requests, metered.usage().read_units), (2, 75.0 + 50.0 * nothing()));
    let each = User::batch_get([1, 3]).project::<Name>().consistent().send_each(repository).await;
    let each: Vec<_> = each.into_iter().map(|name| name.expect("a read")).collect();
    assert_eq!(each, [Some(Name { name: user(1).name }), None]);
    // Asked for the whole again, it is whole.
    let found = User::batch_get([3]).project::<Name>().include_deleted().send(repository).await.expect("a batch");
    assert_eq!(found, [Some(Found::Expired(expired))]);
}

/// A request has one projection for each table.
#[tokio::test(start_paused = true)]
async fn projections_of_several_entities_share_requests() {
    let world = both().await;
    let repository = &world.repository;
    put_all(repository, 0..2).await.applied().expect("both");
    order(1, 7).put().send(repository).await.expect("a put");
    for (movie, at) in [("Up", 5), ("Her", 5)] {
        let rating = Rating { user: 1, movie: movie.to_owned(), at: EpochMillis::new(at) };
        rating.put().send(repository).await.expect("sent").applied().expect("applied");
    }
    Rating::delete((1, "Her"), EpochMillis::new(6)).send(repository).await.expect("sent").applied().expect("applied");
    let totals = || Order::batch_get([(1, 7), (1, 8)]).project::<Total>();
    let ratings = || Rating::batch_get([(1, "Up"), (1, "Her")]).project::<Rated>();
    let metered = repository.metered();
    let (found, rated, names) = dyno::batch_get((totals(), ratings(), User::batch_get([1]).project::<Name>()))
        .send(&metered)
        .await
        .expect("a batch");
    assert_eq!(found, [Some(Total { number: 7, total: 14 }), None]);
    assert_eq!(rated, [Some(Rated { at: EpochMillis::new(5) }), None], "a tombstone is none");
    assert_eq!(names, [Some(Name { name: user(1).name })]);
    assert_eq!(metered.usage().requests, 1);
    // One who wants all of an item has all of it.
    let metered = repository.metered();
    let (found, whole) = dyno::batch_get((totals(), Order::batch_get([(1, 7)]))).send(&metered).await.expect("a batch");
    assert_eq!(found, [Some(Total { number: 7, total: 14 }), None]);
    assert_eq!(whole, [Some(order(1, 7))]);
    let (whole, found) = dyno::batch_get((Order::batch_get([(1, 7)]), totals())).send(&metered).await.expect("a batch");
    assert_eq!((whole, found.len()), (vec![Some(order(1, 7))], 2));
    assert_eq!(metered.usage().requests, 2);
    // What is left unprocessed is asked for in the same way.
    world.faults.leave_unprocessed(Leave::Half);
    let (found, rated) = dyno::batch_get((totals(), ratings())).send(repository).await.expect("a batch");
    assert_eq!(found, [Some(Total { number: 7, total: 14 }), None]);
    assert_eq!(rated, [Some(Rated { at: EpochMillis::new(5) }), None]);
}

#[tokio::test(start_paused = true)]
async fn the_keys_of_several_entities_share_requests() {
    let world = both().await;
    let repository = &world.repository;
    put_all(repository, 0..150).await.applied().expect("all of them");
    let orders: Vec<Order> = (0..60).map(|number| order(1, number)).collect();
    let written = orders.iter().map(Order::put).collect::<BatchWrite>().send(repository).await.expect("a batch");
    written.applied().expect("all of them");
    let metered = repository.metered();
    let both = dyno::batch_get((User::batch_get(0..150), Order::batch_get((0..50).map(|number| (1, number)))));
    let (users, found) = both.send(&metered).await.expect("a batch");
    assert_eq!(ids(&users), (0..150).map(Some).collect::<Vec<_>>());
    assert_eq!(found.into_iter().flatten().collect::<Vec<_>>(), orders[..50]);
    assert_eq!((metered.usage().requests, metered.usage().read_units), (2, 100.0));
}

#[tokio::test(start_paused = true)]
async fn a_key_that_two_entities_ask_for_is_read_once() {
    let world = both().await;
    order(1, 7).put().send(&world.repository).await.expect("a put");
    let summary = Summary { user: 1, number: 7 };
    let metered = world.repository.metered();
    let (orders, summaries, ratings) = dyno::batch_get((
        Order::batch_get([(1, 7)]),
        Summary::batch_get([(1, 7), (1, 8)]),
        Rating::batch_get([(1, "A")]),
    ))
    .send(&metered)
    .await
    .expect("a batch");
    assert_eq!((orders, summaries, ratings), (vec![Some(order(1, 7))], vec![Some(summary.clone()), None], vec![None]));
    assert_eq!((metered.usage().requests, metered.usage().read_units), (1, 0.5 + 2.0 * nothing()));

    // A table is read in one way in one request; what is wanted both ways is read consistently.
    let metered = world.repository.metered();
    let (orders, summaries) =
        dyno::batch_get((Order::batch_get([(1, 7)]), Summary::batch_get([(1, 7), (1, 8)]).consistent()))
            .send(&metered)
            .await
            .expect("a batch");
    assert_eq!((orders, summaries), (vec![Some(order(1, 7))], vec![Some(summary), None]));
    assert_eq!((metered.usage().requests, metered.usage().read_units), (1, 1.0 + 2.0 * nothing()));
    let metered = world.repository.metered();
    let mixed = (Order::batch_get([(1, 7)]), Summary::batch_get([(1, 8)]).consistent(), User::batch_get([1]));
    dyno::batch_get(mixed).send(&metered).await.expect("a batch");
    assert_eq!((metered.usage().requests, metered.usage().read_units), (2, 0.5 + 3.0 * nothing()));
}

/// A key without fields is that of one item.
#[tokio::test(start_paused = true)]
async fn an_item_that_is_the_only_one_is_read_with_others() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "main")]
    #[partition_key(name = "PK", template = "Settings")]
    #[sort_key(name = "SK", template = "Settings")]
    struct Settings {
        limit: u32,
    }
    let world = both().await;
    let settings = Settings { limit: 7 };
    let batch = BatchWrite::new().add(settings.put()).add(order(1, 1).put());
    batch.send(&world.repository).await.expect("a batch").applied().expect("both");
    let metered = world.repository.metered();
    let found = dyno::batch_get((Settings::batch_get(), Order::batch_get([(1, 1)]))).send(&metered).await;
    assert_eq!(found.expect("a batch"), (vec![Some(settings)], vec![Some(order(1, 1))]));
    assert_eq!((metered.usage().requests, metered.usage().read_units), (1, 1.0));
}

/// As a server does, which answers each caller in a task of its own.
#[tokio::test(start_paused = true)]
async fn batches_are_sent_from_tasks() {
    let world = users(3).await;
    let repository = world.repository.clone();
    let task = tokio::spawn(async move {
        let found = dyno::batch_get((User::batch_get([1]), Rating::batch_get([(1, "A")]))).send_each(&repository).await;
        let users = User::batch_get(0..3).send(&repository).await?;
        put_all(&repository, 5..9).await.applied()?;
        Ok::<_, dyno::Error>((found.0.len(), found.1.len(), users.len()))
    });
    assert_eq!(task.await.expect("no panic").expect("sent"), (1, 1, 3));
}

/// Lost, repeated, delayed, throttled, and half of the rest unprocessed: what is not reported has been done.
#[tokio::test(start_paused = true)]
async fn nothing_is_lost_whatever_the_network_does() {
    let world = world::<User>().await;
    world.faults.leave_unprocessed(Leave::Half);
    for seed in 0..3_u32 {
        let ids = seed * 100..(seed + 1) * 100;
        world.faults.seed(u64::from(seed), Rates::MANY);
        let written = put_all(&world.repository, ids.clone()).await;
        let read = User::batch_get(ids.clone()).send_each(&world.repository).await;
        world.faults.quiet().await;
        world.faults.calm();
        let failed: BTreeSet<u32> =
            indices(&written).into_iter().map(|index| ids.start + u32::try_from(index).expect("few")).collect();
        let stored = User::batch_get(ids.clone()).send(&world.repository).await.expect("a batch");
        for ((id, stored), read) in ids.zip(stored).zip(read) {
            // What failed may have been written all the same: that is what such an error says.
            assert!(stored == Some(user(id)) || stored.is_none() && failed.contains(&id), "{id}: {stored:?}");
            match read {
                Ok(read) => assert!(read == Some(user(id)) || read.is_none() && failed.contains(&id), "{id}: {read:?}"),
                Err(error) => assert_eq!(error.key(), Some(&*format!("id = {id}"))),
            }
        }
        for failure in written.failures() {
            let error = failure.error();
            let is_known = error.is_throttled() || error.is_contended();
            assert!(is_known || error.is_unreachable() || error.kind() == ErrorKind::Service, "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn half_of_each_read_unprocessed_is_read_in_the_end() {
    let world = users(1000).await;
    let metered = world.repository.metered();
    world.faults.leave_unprocessed(Leave::Half);
    let found = User::batch_get(0..1000).send(&metered).await.expect("a batch");
    assert_eq!(ids(&found), (0..1000).map(Some).collect::<Vec<_>>());
    // 1000, 500, 250, 125, 62, 31, 15, 7, 3 and 1 keys, in requests of 100.
    assert_eq!((metered.usage().requests, metered.usage().read_units), (10 + 5 + 3 + 2 + 6, 500.0));
}

#[tokio::test(start_paused = true)]
async fn half_of_each_write_unprocessed_is_written_in_the_end() {
    let world = world::<User>().await;
    let metered = world.repository.metered();
    world.faults.leave_unprocessed(Leave::Half);
    put_all(&metered, 0..1000).await.applied().expect("all of them");
    // 1000, 480, 230, 110, 53, 25, 12, 6, 3 and 1 writes, in requests of 25.
    assert_eq!((metered.usage().requests, metered.usage().write_units), (40 + 20 + 10 + 5 + 3 + 5, 1000.0));
    world.faults.leave_unprocessed(Leave::Nothing);
    let found = User::batch_get(0..1000).send(&world.repository).await.expect("a batch");
    assert_eq!(ids(&found), (0..1000).map(Some).collect::<Vec<_>>());
}

/// As long as there is progress, there is no giving up: 40 rounds, each of one more.
#[tokio::test(start_paused = true)]
async fn slow_progress_is_progress() {
    let world = users(40).await;
    world.faults.leave_unprocessed(Leave::AllButOne);
    let metered = world.repository.metered();
    let found = User::batch_get(0..40).send(&metered).await.expect("a batch");
    assert_eq!(ids(&found), (0..40).map(Some).collect::<Vec<_>>());
    assert_eq!((metered.usage().requests, metered.usage().read_units), (40, 20.0));
}

#[tokio::test(start_paused = true)]
async fn keys_that_stay_unprocessed_are_reported_and_no_others() {
    let world = users(300).await;
    let keys = [7, 77, 277];
    let left = keys.map(|key| format!(r#""N":"{key}""#)).into();
    world.faults.leave_unprocessed(Leave::Matching(left));
    let metered = world.repository.metered();
    let start = Instant::now();
    let found = User::batch_get(0..300).send_each(&metered).await;
    assert!(start.elapsed() > Duration::ZERO, "it does not ask again at once");
    // Three requests, and then the three keys eight times more.
    assert_eq!((metered.usage().requests, metered.usage().read_units), (3 + 8, 148.5));
    for (key, found) in (0..300).zip(found) {
        match found {
            Ok(found) => assert!(found == Some(user(key)) && !keys.contains(&key)),
            Err(error) => {
                assert!(error.is_throttled() && keys.contains(&key), "{key}: {error}");
                assert_eq!(error.key(), Some(&*format!("id = {key}")));
            }
        }
    }
    let error = User::batch_get(0..300).send(&metered).await.expect_err("three are left");
    assert_eq!(error.kind(), ErrorKind::Throttled);
    assert_eq!(
        error.to_string(),
        "batch_get of `User` (id = 7): DynamoDB kept leaving it unprocessed, as it does when it is throttling; 2 more of the 300 keys were not read either"
    );
}

#[tokio::test(start_paused = true)]
async fn writes_that_stay_unprocessed_are_reported_and_no_others() {
    let world = users(10).await;
    let left = ["name of 7", "name of 70", "name of 77"].map(|name| format!("{name:?}"));
    // A delete has only its key.
    world.faults.leave_unprocessed(Leave::Matching(left.into_iter().chain([r#""N":"3""#.to_owned()]).collect()));
    let metered = world.repository.metered();
    let users: Vec<User> = (10..100).chain([7]).map(user).collect();
    let batch = BatchWrite::new().add_all((0..5_u32).map(User::delete)).add_all(users.iter().map(User::put));
    assert_eq!(batch.len(), 96);
    let written = batch.send(&metered).await.expect("a batch");
    // Four requests, and then the four writes eight times more.
    assert_eq!((metered.usage().requests, metered.usage().write_units), (4 + 8, 92.0));
    assert!(!written.is_complete());
    assert_eq!(indices(&written), [3, 65, 72, 95]);
    let failed: Vec<_> = written.failures().iter().map(|failure| (failure.entity(), failure.key())).collect();
    assert_eq!(failed, ["id = 3", "id = 70", "id = 77", "id = 7"].map(|key| ("User", Some(key))));
    assert!(written.failures().iter().all(|failure| failure.error().is_throttled()));
    let said = written.failures()[0].to_string();
    assert!(said.starts_with("write 3 of the batch: delete of `User` (id = 3): "), "{said}");

    // Those that failed are a batch again.
    world.faults.leave_unprocessed(Leave::Nothing);
    let metered = world.repository.metered();
    written.into_retry().send(&metered).await.expect("a batch").applied().expect("all of them");
    assert_eq!((metered.usage().requests, metered.usage().write_units), (1, 4.0));
    let stored: BTreeSet<u32> = User::batch_get(0..200)
        .send(&metered)
        .await
        .expect("a batch")
        .into_iter()
        .flatten()
        .map(|user| user.id)
        .collect();
    assert_eq!(stored, (5..100).collect());
}

#[tokio::test(start_paused = true)]
async fn an_incomplete_batch_is_an_error_that_has_all_failures() {
    let world = world::<User>().await;
    world.faults.leave_unprocessed(Leave::All);
    let metered = world.repository.metered();
    let error = put_all(&metered, 1..=30).await.applied().expect_err("none of them");
    assert_eq!(
        error.to_string(),
        "put of `User` (id = 1): DynamoDB kept leaving it unprocessed, as it does when it is throttling; 29 more of the 30 writes of the batch failed"
    );
    assert!(error.is_throttled());
    let keys: Vec<_> = error.batch_failures().iter().filter_map(|failure| failure.key()).collect();
    assert_eq!(keys, (1..=30).map(|id| format!("id = {id}")).collect::<Vec<_>>());
    assert_eq!((metered.usage().requests, metered.usage().write_units), (2 * 9, 0.0));
    assert!(world.stored::<User>().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_throttled_request_leaves_all_of_it() {
    let world = users(50).await;
    let metered = world.repository.metered();
    // The SDK tries three times.
    world.faults.throttle(3);
    let found = User::batch_get(0..50).send(&metered).await.expect("a batch");
    assert_eq!(ids(&found), (0..50).map(Some).collect::<Vec<_>>());
    assert_eq!((metered.usage().requests, metered.usage().read_units), (2, 25.0));
    let metered = world.repository.metered();
    world.faults.throttle(3);
    put_all(&metered, 0..25).await.applied().expect("all of them");
    assert_eq!((metered.usage().requests, metered.usage().write_units), (2, 25.0));

    world.faults.throttle(usize::MAX);
    let metered = world.repository.metered();
    let error = User::batch_get(0..50).send(&metered).await.expect_err("throttled");
    assert!(error.is_throttled() && error.source().is_some(), "{error:?}");
    assert_eq!(
        error.to_string(),
        "batch_get of `User` (id = 0): DynamoDB is throttling (ThrottlingException); 49 more of the 50 keys were not read either"
    );
    // Of 200 keys, two requests a round.
    let error = User::batch_get(0..200).concurrency(1).send(&metered).await.expect_err("throttled");
    assert!(error.to_string().ends_with("; 199 more of the 200 keys were not read either"), "{error}");
    let written = put_all(&metered, 0..25).await;
    assert_eq!(indices(&written), (0..25).collect::<Vec<_>>());
    assert!(written.failures().iter().all(|failure| failure.error().is_throttled()));
    assert_eq!(metered.usage().requests, 9 + 18 + 9);
    // Any other error ends it at once, with what is under way.
    world.faults.throttle(0);
    let metered = world.repository.metered();
    world.lose_answers(usize::MAX);
    let error = User::batch_get(0..500).concurrency(1).send(&metered).await.expect_err("no answer");
    assert!(error.is_unreachable());
    assert!(error.to_string().ends_with("; 499 more of the 500 keys were not read either"), "{error}");
    assert_eq!(metered.usage().requests, 1);
}

#[tokio::test(start_paused = true)]
async fn a_transaction_that_holds_an_item_is_waited_for() {
    let world = world::<User>().await;
    let metered = world.repository.metered();
    world.faults.seed(1, Rates { conflict: 1.0, ..Rates::NONE });
    let written = put_all(&metered, 0..25).await;
    assert_eq!(indices(&written), (0..25).collect::<Vec<_>>());
    assert!(written.failures().iter().all(|failure| failure.error().is_contended()), "{written:?}");
    assert_eq!(metered.usage().requests, 9);
    world.faults.calm();
    written.into_retry().send(&metered).await.expect("a batch").applied().expect("all of them");
    assert_eq!((metered.usage().requests, metered.usage().write_units), (10, 25.0));
}

#[tokio::test(start_paused = true)]
async fn lost_answers_change_nothing() {
    let world = users(30).await;
    let metered = world.repository.metered();
    world.lose_answers(1);
    put_all(&metered, 0..30).await.applied().expect("all of them");
    world.lose_answers(1);
    let written = (0..5_u32).map(User::delete).collect::<BatchWrite>().send(&metered).await.expect("a batch");
    written.applied().expect("all of them");
    world.lose_answers(1);
    let found = User::batch_get(0..30).send(&metered).await.expect("a batch");
    assert_eq!(ids(&found), (0..30).map(|id| (id >= 5).then_some(id)).collect::<Vec<_>>());
    // The SDK's own retries are not counted.
    assert_eq!(metered.usage().requests, 2 + 1 + 1);

    // If none comes, it is not known what was written, and that is what is said.
    world.lose_answers(usize::MAX);
    let written = put_all(&metered, 100..130).await;
    assert_eq!(indices(&written), (0..30).collect::<Vec<_>>());
    assert!(written.failures().iter().all(|failure| failure.error().is_unreachable()));
    world.lose_answers(0);
    assert_eq!(world.stored::<User>().await.len(), 25 + 30);
}

#[tokio::test(start_paused = true)]
async fn a_missing_table_fails_its_own_keys_and_writes() {
    let world = users(3).await;
    let metered = world.repository.metered();
    let both = dyno::batch_get((Missing::batch_get([1, 2]), User::batch_get([0, 1])));
    let (missing, users) = both.clone().send_each(&metered).await;
    assert!(missing.iter().all(|found| found.as_ref().is_err_and(dyno::Error::is_table_missing)), "{missing:?}");
    assert_eq!(users.into_iter().map(|user| user.expect("read")).collect::<Vec<_>>(), [Some(user(0)), Some(user(1))]);
    // Both tables in one, and then each by itself.
    assert_eq!((metered.usage().requests, metered.usage().read_units), (3, 1.0));
    let error = both.send(&metered).await.expect_err("no table");
    assert!(
        error.to_string().starts_with("batch_get of `Missing` (id = 1): the table `missing` does not exist: "),
        "{error}"
    );

    let metered = world.repository.metered();
    let batch = BatchWrite::new().add(user(7).put()).add(Missing { id: 1 }.put()).add(User::delete(0_u32));
    let written = batch.send(&metered).await.expect("a batch");
    assert_eq!(indices(&written), [1]);
    let [failure] = written.failures() else { panic!("{written:?}") };
    assert!(failure.error().is_table_missing());
    assert_eq!((failure.entity(), failure.key()), ("Missing", Some("id = 1")));
    assert_eq!((metered.usage().requests, metered.usage().write_units), (3, 2.0));
    let found = User::batch_get([0, 7]).send(&metered).await.expect("a batch");
    assert_eq!(ids(&found), [None, Some(7)]);
}

/// Its declaration says another key type than its table has.
#[derive(Entity, Debug)]
#[entity(table = "users")]
struct Misfit {
    #[partition_key]
    id: String,
}

#[tokio::test(start_paused = true)]
async fn an_entity_that_dynamodb_refuses_to_read_fails_alone() {
    let world = users(3).await;
    let metered = world.repository.metered();
    let both = dyno::batch_get((Misfit::batch_get(["x", "y"]), User::batch_get([0, 1])));
    let (misfits, users) = both.send_each(&metered).await;
    assert!(misfits.iter().all(|found| found.as_ref().is_err_and(|error| error.kind() == ErrorKind::Service)));
    assert_eq!(users.into_iter().map(|user| user.expect("read")).collect::<Vec<_>>(), [Some(user(0)), Some(user(1))]);
    assert_eq!((metered.usage().requests, metered.usage().read_units), (3, 1.0));
}

/// DynamoDB refuses a whole request for one item, and does not say for which.
#[tokio::test(start_paused = true)]
async fn an_item_that_dynamodb_refuses_fails_alone() {
    let world = world::<User>().await;
    let metered = world.repository.metered();
    let users: Vec<User> = (0..60).map(user).collect();
    let batch = BatchWrite::new().add_all(users[..30].iter().map(User::put)).add(Misfit { id: "x".to_owned() }.put());
    let written = batch.add_all(users[30..].iter().map(User::put)).send(&metered).await.expect("a batch");
    assert_eq!(indices(&written), [30]);
    let error = written.failures()[0].error();
    assert!(error.kind() == ErrorKind::Service && error.to_string().contains("ValidationException"), "{error}");
    assert_eq!(error.key(), Some(r#"id = "x""#));
    // Three requests, of which the second once more in single writes.
    assert_eq!((metered.usage().requests, metered.usage().write_units), (3 + 25, 60.0));
    assert_eq!(world.stored::<User>().await.len(), 60);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_in_a_batch_is_refused_before_any_request() {
    let world = both().await;
    let metered = world.repository.metered();
    let twice = BatchWrite::new().add(user(1).put()).add(user(2).put()).add(User::delete(1_u32));
    let error = twice.send(&metered).await.expect_err("one item twice");
    assert!(error.is_invalid_input());
    assert_eq!(
        error.to_string(),
        "delete of `User` (id = 1): write 2 of the batch: write 0 is of the same item, and a batch has no order: keep the one that counts, or send them one after the other"
    );
    let large = User { name: "x".repeat(400 * 1024), ..user(2) };
    let error = BatchWrite::new().add(user(1).put()).add(large.put()).send(&metered).await.expect_err("too large");
    assert!(error.to_string().starts_with("put of `User` (id = 2): write 1 of the batch: the item has 409"), "{error}");

    // A key that cannot be is reported at once, or in its place.
    let get = Rating::batch_get([(1, "A"), (1, ""), (1, "B")]);
    let error = get.clone().send(&metered).await.expect_err("an empty key");
    assert!(error.is_invalid_input());
    assert_eq!(error.to_string(), "batch_get of `Rating`: `movie`: a field of the key cannot be empty");
    assert_eq!(metered.usage().requests, 0);
    let each = get.send_each(&metered).await;
    assert!(matches!(&each[..], [Ok(None), Err(error), Ok(None)] if error.is_invalid_input()), "{each:?}");
    assert_eq!(metered.usage().requests, 1);
}

#[tokio::test(start_paused = true)]
async fn an_item_of_another_shape_is_an_error_in_its_place() {
    let world = users(3).await;
    world.write_foreign::<User>(item([("id", n(1)), ("name", n(7))])).await;
    world.write_foreign::<User>(item([("id", n(2)), ("name", s("b")), ("unknown", n(7))])).await;
    let error = User::batch_get(0..3).send(&world.repository).await.expect_err("no name");
    assert!(error.is_decode());
    let each = User::batch_get(0..3).send_each(&world.repository).await;
    assert!(matches!(&each[..], [Ok(Some(_)), Err(error), Ok(Some(_))] if error.is_decode()), "{each:?}");
}

#[tokio::test(start_paused = true)]
async fn requests_under_way_are_bounded() {
    let world = users(450).await;
    let repository = &world.repository;
    world.faults.seed(1, Rates { delay: 1.0, ..Rates::NONE });
    world.faults.most_under_way();
    for (concurrency, most) in [(None, 4), (Some(0), 1), (Some(1), 1), (Some(3), 3), (Some(100), 5)] {
        let mut get = User::batch_get(0..450);
        if let Some(concurrency) = concurrency {
            get = get.concurrency(concurrency);
        }
        get.send(repository).await.expect("a batch");
        assert_eq!(world.faults.most_under_way(), most);
    }
    let joint = dyno::batch_get((User::batch_get(0..225).concurrency(2), User::batch_get(225..450).concurrency(1)));
    joint.clone().send(repository).await.expect("a batch");
    assert_eq!(world.faults.most_under_way(), 2, "as many as one of them may");
    joint.concurrency(3).send(repository).await.expect("a batch");
    assert_eq!(world.faults.most_under_way(), 3);
    let deletes = |ids: std::ops::Range<u32>| ids.map(User::delete).collect::<BatchWrite>();
    for (batch, most) in [(deletes(0..225), 4), (deletes(225..450).concurrency(6), 6)] {
        batch.send(repository).await.expect("a batch").applied().expect("all of them");
        assert_eq!(world.faults.most_under_way(), most);
    }
    world.faults.calm();
    assert!(world.stored::<User>().await.is_empty());
}
