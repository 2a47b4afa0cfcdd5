//! Failures in a batch, and the items that do not fail with them.

use super::{User, ids, indices, put_all, user, users};
use dyno::{BatchWrite, Entity, ErrorKind};
use dyno_tests::faults::Rates;
use dyno_tests::faults::Unprocessed;
use dyno_tests::{batch_get_units, item, n, pause, s, world};
use std::collections::BTreeSet;
use std::error::Error as _;

/// An entity whose table does not exist.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "missing")]
struct Missing {
    #[partition_key]
    id: u32,
}

/// Requests are lost, repeated, delayed or throttled, and half of the others stay unprocessed. Every write that is not
/// reported as failed is stored.
#[tokio::test]
async fn a_write_not_reported_as_failed_is_stored_under_any_network_fault() {
    pause();
    let world = world::<User>().await;
    world.faults.leave_unprocessed(Unprocessed::Half);
    for seed in 0..3_u32 {
        let ids = seed * 100..(seed + 1) * 100;
        world.faults.seed(u64::from(seed), Rates::MANY);
        let written = put_all(&world.repository, ids.clone()).await;
        let read = User::batch_get(ids.clone()).send_each(&world.repository).await;
        world.faults.settled().await;
        world.faults.calm();
        let failed: BTreeSet<u32> =
            indices(&written).into_iter().map(|index| ids.start + u32::try_from(index).expect("few")).collect();
        let stored = User::batch_get(ids.clone()).send(&world.repository).await.expect("a batch");
        for ((id, stored), read) in ids.zip(stored).zip(read) {
            // A write that is reported as failed may nevertheless be stored.
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

#[tokio::test]
async fn a_throttled_request_is_retried_and_then_fails_all_its_keys() {
    pause();
    let world = users(50).await;
    let metered = world.repository.metered();
    // The SDK tries three times.
    world.faults.throttle(3);
    let found = User::batch_get(0..50).send(&metered).await.expect("a batch");
    assert_eq!(ids(&found), (0..50).map(Some).collect::<Vec<_>>());
    assert_eq!((metered.usage().requests, metered.usage().read_units), (2, batch_get_units(25.0)));
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
        "batch_get of `User` (id = 0): DynamoDB throttled the request (ThrottlingException): try again later, or give the table or index more capacity; the request was to the table `users`; 49 more of the 50 keys were not read either"
    );
    // 200 keys take two requests per round.
    let error = User::batch_get(0..200).concurrency(1).send(&metered).await.expect_err("throttled");
    assert!(error.to_string().ends_with("; 199 more of the 200 keys were not read either"), "{error}");
    let written = put_all(&metered, 0..25).await;
    assert_eq!(indices(&written), (0..25).collect::<Vec<_>>());
    assert!(written.failures().iter().all(|failure| failure.error().is_throttled()));
    assert_eq!(metered.usage().requests, 9 + 18 + 9);
    // Any other error ends the batch at once, without another request.
    world.faults.throttle(0);
    let metered = world.repository.metered();
    world.lose_answers(usize::MAX);
    let error = User::batch_get(0..500).concurrency(1).send(&metered).await.expect_err("no answer");
    assert!(error.is_unreachable());
    assert!(error.to_string().ends_with("; 499 more of the 500 keys were not read either"), "{error}");
    assert_eq!(metered.usage().requests, 1);
}

#[tokio::test]
async fn a_batch_write_waits_for_a_transaction_that_holds_an_item() {
    pause();
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

#[tokio::test]
async fn a_lost_answer_does_not_change_the_result() {
    pause();
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

    // If no answer ever arrives, the outcome of the writes is unknown, and each write is reported as failed.
    world.lose_answers(usize::MAX);
    let written = put_all(&metered, 100..130).await;
    assert_eq!(indices(&written), (0..30).collect::<Vec<_>>());
    assert!(written.failures().iter().all(|failure| failure.error().is_unreachable()));
    world.lose_answers(0);
    assert_eq!(world.stored::<User>().await.len(), 25 + 30);
}

#[tokio::test]
async fn a_missing_table_fails_its_own_keys_and_writes() {
    pause();
    let world = users(3).await;
    let metered = world.repository.metered();
    let both = dyno::batch_get((Missing::batch_get([1, 2]), User::batch_get([0, 1])));
    let (missing, users) = both.clone().send_each(&metered).await;
    assert!(missing.iter().all(|found| found.as_ref().is_err_and(dyno::Error::is_table_missing)), "{missing:?}");
    assert_eq!(users.into_iter().map(|user| user.expect("read")).collect::<Vec<_>>(), [Some(user(0)), Some(user(1))]);
    // One request for both tables fails, and then each table gets a request of its own.
    assert_eq!((metered.usage().requests, metered.usage().read_units), (3, batch_get_units(1.0)));
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

/// An entity whose key type differs from that of its table.
#[derive(Entity, Debug)]
#[entity(table = "users")]
struct Misfit {
    #[partition_key]
    id: String,
}

#[tokio::test]
async fn an_entity_that_dynamodb_refuses_to_read_fails_alone() {
    pause();
    let world = users(3).await;
    let metered = world.repository.metered();
    let both = dyno::batch_get((Misfit::batch_get(["x", "y"]), User::batch_get([0, 1])));
    let (misfits, users) = both.send_each(&metered).await;
    assert!(misfits.iter().all(|found| found.as_ref().is_err_and(|error| error.kind() == ErrorKind::Service)));
    assert_eq!(users.into_iter().map(|user| user.expect("read")).collect::<Vec<_>>(), [Some(user(0)), Some(user(1))]);
    assert_eq!((metered.usage().requests, metered.usage().read_units), (3, batch_get_units(1.0)));
}

/// DynamoDB rejects a whole request because of one item, without naming the item. Only that item fails.
#[tokio::test]
async fn an_item_that_dynamodb_refuses_fails_alone() {
    pause();
    let world = world::<User>().await;
    let metered = world.repository.metered();
    let users: Vec<User> = (0..60).map(user).collect();
    let batch = BatchWrite::new().add_all(users[..30].iter().map(User::put)).add(Misfit { id: "x".to_owned() }.put());
    let written = batch.add_all(users[30..].iter().map(User::put)).send(&metered).await.expect("a batch");
    assert_eq!(indices(&written), [30]);
    let error = written.failures()[0].error();
    assert!(error.kind() == ErrorKind::Service && error.to_string().contains("ValidationException"), "{error}");
    assert_eq!(error.key(), Some(r#"id = "x""#));
    // Three requests, and then the 25 writes of the second one again as single writes.
    assert_eq!((metered.usage().requests, metered.usage().write_units), (3 + 25, 60.0));
    assert_eq!(world.stored::<User>().await.len(), 60);
}

#[tokio::test]
async fn an_item_that_cannot_be_decoded_is_an_error_in_its_place() {
    pause();
    let world = users(3).await;
    world.write_foreign::<User>(item([("id", n(1)), ("name", n(7))])).await;
    world.write_foreign::<User>(item([("id", n(2)), ("name", s("b")), ("unknown", n(7))])).await;
    let error = User::batch_get(0..3).send(&world.repository).await.expect_err("no name");
    assert!(error.is_decode());
    let each = User::batch_get(0..3).send_each(&world.repository).await;
    assert!(matches!(&each[..], [Ok(Some(_)), Err(error), Ok(Some(_))] if error.is_decode()), "{each:?}");
}
