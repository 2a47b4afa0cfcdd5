//! Batch reads: order, duplicates, projections, and keys of several entities in one request.

use super::{Order, Rating, User, both, ids, put_all, user, users};
use dyno::{BatchWrite, Entity, EpochMillis, EpochSeconds, Found, Projection};
use dyno_tests::faults::Unprocessed;
use dyno_tests::{batch_get_units, pause, world};

/// An order without its total, under the same key as `Order`.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Order#{number}")]
struct Summary {
    user: u32,
    number: u32,
}

fn order(user: u32, number: u32) -> Order {
    Order { user, number, total: number * 2 }
}

/// The read units for an absent item: as many as for the smallest item.
const NOTHING: f64 = 0.5;

#[tokio::test]
async fn results_are_in_the_order_of_the_keys() {
    pause();
    let world = users(200).await;
    let metered = world.repository.metered();
    // 250 keys, of which those from 200 on have no item.
    let keys = || (0..250).map(|key| key * 77 % 250);
    let found = User::batch_get(keys()).send(&metered).await.expect("a batch");
    let expected: Vec<_> = keys().map(|key| (key < 200).then_some(key)).collect();
    assert_eq!(ids(&found), expected);
    assert!(found.iter().flatten().all(|found| *found == user(found.id)));
    let usage = metered.usage();
    assert_eq!(
        (usage.requests, usage.read_units, usage.write_units),
        (3, batch_get_units(100.0 + 50.0 * NOTHING), 0.0)
    );
    let metered = world.repository.metered();
    let found = User::batch_get(0..100).consistent().send(&metered).await.expect("a batch");
    assert_eq!(found.len(), 100);
    assert_eq!((metered.usage().requests, metered.usage().read_units), (1, batch_get_units(100.0)));
}

#[tokio::test]
async fn a_key_given_twice_is_read_once() {
    pause();
    let world = users(3).await;
    let metered = world.repository.metered();
    let keys = [2, 1, 2, 9, 1, 2, 9].repeat(50);
    let found = User::batch_get(keys.iter().copied()).send(&metered).await.expect("a batch");
    let expected: Vec<_> = keys.iter().map(|key| (*key < 3).then_some(*key)).collect();
    assert_eq!(ids(&found), expected);
    assert_eq!((metered.usage().requests, metered.usage().read_units), (1, batch_get_units(1.0 + NOTHING)));
}

#[tokio::test]
async fn keys_that_differ_in_one_part_are_different_keys() {
    pause();
    let world = both().await;
    let orders: Vec<Order> = [(1, 1), (1, 2), (2, 1), (2, 2), (11, 2), (1, 12)].map(|(a, b)| order(a, b)).into();
    let written = orders.iter().map(Order::put).collect::<BatchWrite>().send(&world.repository).await;
    written.expect("a batch").applied().expect("all of them");
    let keys = orders.iter().map(|order| (order.user, order.number));
    let found = Order::batch_get(keys).send(&world.repository).await.expect("a batch");
    assert_eq!(found.into_iter().flatten().collect::<Vec<_>>(), orders);
}

#[tokio::test]
async fn equal_numbers_are_one_key_however_they_are_spelled() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "prices")]
    struct Price {
        #[partition_key]
        price: rust_decimal::Decimal,
    }
    pause();
    let world = world::<Price>().await;
    let price = |text: &str| Price { price: text.parse().expect("a number") };
    price("1.50").put().send(&world.repository).await.expect("a put");
    let keys = ["1.5", "1.50", "15"].map(|text| price(text).price);
    let metered = world.repository.metered();
    let found = Price::batch_get(keys).send(&metered).await.expect("a batch");
    assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!((metered.usage().requests, metered.usage().read_units), (1, batch_get_units(0.5 + NOTHING)));
    let twice = [price("2.0"), price("2.00")].iter().map(Price::put).collect::<BatchWrite>();
    assert!(twice.send(&metered).await.expect_err("one item").is_invalid_input());
}

#[tokio::test]
async fn tombstones_and_expired_items_count_as_absent() {
    pause();
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

#[tokio::test]
async fn a_batch_projection_reads_only_the_attributes_that_it_names() {
    pause();
    let world = both().await;
    let repository = &world.repository;
    put_all(repository, 0..150).await.applied().expect("all of them");
    let expired = User { expires: Some(EpochSeconds::new(world.clock_seconds())), ..user(3) };
    expired.put().send(repository).await.expect("a put");
    let metered = repository.metered();
    let names = User::batch_get(0..200).project::<Name>().send(&metered).await.expect("a batch");
    let expected = (0..200).map(|id| (id < 150 && id != 3).then(|| Name { name: user(id).name }));
    assert!(names.into_iter().eq(expected), "what has expired is known as such");
    assert_eq!((metered.usage().requests, metered.usage().read_units), (2, batch_get_units(75.0 + 50.0 * NOTHING)));
    let each = User::batch_get([1, 3]).project::<Name>().consistent().send_each(repository).await;
    let each: Vec<_> = each.into_iter().map(|name| name.expect("a read")).collect();
    assert_eq!(each, [Some(Name { name: user(1).name }), None]);
    // With `include_deleted`, the read returns the whole item again, despite the projection.
    let found = User::batch_get([3]).project::<Name>().include_deleted().send(repository).await.expect("a batch");
    assert_eq!(found, [Some(Found::Expired(expired))]);
}

/// A request has one projection for each table, so the projections of several entities are combined.
#[tokio::test]
async fn projections_of_several_entities_share_requests() {
    pause();
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
    // A read without a projection gets the whole item, although another read of the item has a projection.
    let metered = repository.metered();
    let (found, whole) = dyno::batch_get((totals(), Order::batch_get([(1, 7)]))).send(&metered).await.expect("a batch");
    assert_eq!(found, [Some(Total { number: 7, total: 14 }), None]);
    assert_eq!(whole, [Some(order(1, 7))]);
    let (whole, found) = dyno::batch_get((Order::batch_get([(1, 7)]), totals())).send(&metered).await.expect("a batch");
    assert_eq!((whole, found.len()), (vec![Some(order(1, 7))], 2));
    assert_eq!(metered.usage().requests, 2);
    // Unprocessed keys are requested again with the same projections.
    world.faults.leave_unprocessed(Unprocessed::Half);
    let (found, rated) = dyno::batch_get((totals(), ratings())).send(repository).await.expect("a batch");
    assert_eq!(found, [Some(Total { number: 7, total: 14 }), None]);
    assert_eq!(rated, [Some(Rated { at: EpochMillis::new(5) }), None]);
}

#[tokio::test]
async fn the_keys_of_several_entities_share_requests() {
    pause();
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
    assert_eq!((metered.usage().requests, metered.usage().read_units), (2, batch_get_units(100.0)));
}

#[tokio::test]
async fn a_key_requested_by_two_entities_is_read_once() {
    pause();
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
    assert_eq!((metered.usage().requests, metered.usage().read_units), (1, batch_get_units(0.5 + 2.0 * NOTHING)));

    // A request reads a table either consistently or not. A key that is requested in both ways is read consistently.
    let metered = world.repository.metered();
    let (orders, summaries) =
        dyno::batch_get((Order::batch_get([(1, 7)]), Summary::batch_get([(1, 7), (1, 8)]).consistent()))
            .send(&metered)
            .await
            .expect("a batch");
    assert_eq!((orders, summaries), (vec![Some(order(1, 7))], vec![Some(summary), None]));
    assert_eq!((metered.usage().requests, metered.usage().read_units), (1, batch_get_units(1.0 + 2.0 * NOTHING)));
    let metered = world.repository.metered();
    let mixed = (Order::batch_get([(1, 7)]), Summary::batch_get([(1, 8)]).consistent(), User::batch_get([1]));
    dyno::batch_get(mixed).send(&metered).await.expect("a batch");
    assert_eq!((metered.usage().requests, metered.usage().read_units), (2, batch_get_units(0.5 + 3.0 * NOTHING)));
}

/// A key without fields identifies a single item.
#[tokio::test]
async fn an_item_with_a_constant_key_shares_a_request_with_other_entities() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "main")]
    #[partition_key(name = "PK", template = "Settings")]
    #[sort_key(name = "SK", template = "Settings")]
    struct Settings {
        limit: u32,
    }
    pause();
    let world = both().await;
    let settings = Settings { limit: 7 };
    let batch = BatchWrite::new().add(settings.put()).add(order(1, 1).put());
    batch.send(&world.repository).await.expect("a batch").applied().expect("both");
    let metered = world.repository.metered();
    let found = dyno::batch_get((Settings::batch_get(), Order::batch_get([(1, 1)]))).send(&metered).await;
    assert_eq!(found.expect("a batch"), (vec![Some(settings)], vec![Some(order(1, 1))]));
    assert_eq!((metered.usage().requests, metered.usage().read_units), (1, batch_get_units(1.0)));
}
