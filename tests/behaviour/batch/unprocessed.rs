//! Unprocessed keys and writes are sent again, and reported if they stay unprocessed.

use super::{User, ids, indices, put_all, user, users};
use dyno::{BatchWrite, ErrorKind};
use dyno_tests::faults::Unprocessed;
use dyno_tests::{batch_get_units, pause, world};
use std::collections::BTreeSet;
use tokio::time::{Duration, Instant};

#[tokio::test]
async fn unprocessed_keys_are_requested_until_all_are_read() {
    pause();
    let world = users(1000).await;
    let metered = world.repository.metered();
    world.faults.leave_unprocessed(Unprocessed::Half);
    let found = User::batch_get(0..1000).send(&metered).await.expect("a batch");
    assert_eq!(ids(&found), (0..1000).map(Some).collect::<Vec<_>>());
    // 1000, 500, 250, 125, 62, 31, 15, 7, 3 and 1 keys, in requests of 100.
    assert_eq!((metered.usage().requests, metered.usage().read_units), (10 + 5 + 3 + 2 + 6, batch_get_units(500.0)));
}

#[tokio::test]
async fn unprocessed_writes_are_resent_until_all_are_written() {
    pause();
    let world = world::<User>().await;
    let metered = world.repository.metered();
    world.faults.leave_unprocessed(Unprocessed::Half);
    put_all(&metered, 0..1000).await.applied().expect("all of them");
    // 1000, 480, 230, 110, 53, 25, 12, 6, 3 and 1 writes, in requests of 25.
    assert_eq!((metered.usage().requests, metered.usage().write_units), (40 + 20 + 10 + 5 + 3 + 5, 1000.0));
    world.faults.leave_unprocessed(Unprocessed::Nothing);
    let found = User::batch_get(0..1000).send(&world.repository).await.expect("a batch");
    assert_eq!(ids(&found), (0..1000).map(Some).collect::<Vec<_>>());
}

/// Each of 40 rounds reads only one more key. The batch continues, because each round makes progress.
#[tokio::test]
async fn a_batch_is_retried_as_long_as_each_round_makes_progress() {
    pause();
    let world = users(40).await;
    world.faults.leave_unprocessed(Unprocessed::AllButOne);
    let metered = world.repository.metered();
    let found = User::batch_get(0..40).send(&metered).await.expect("a batch");
    assert_eq!(ids(&found), (0..40).map(Some).collect::<Vec<_>>());
    assert_eq!((metered.usage().requests, metered.usage().read_units), (40, batch_get_units(20.0)));
}

#[tokio::test]
async fn only_keys_that_stay_unprocessed_are_reported() {
    pause();
    let world = users(300).await;
    let keys = [7, 77, 277];
    let left = keys.map(|key| format!(r#""N":"{key}""#)).into();
    world.faults.leave_unprocessed(Unprocessed::Matching(left));
    let metered = world.repository.metered();
    let start = Instant::now();
    let found = User::batch_get(0..300).send_each(&metered).await;
    assert!(start.elapsed() > Duration::ZERO, "it does not ask again at once");
    // Three requests, and then eight retries of the three keys.
    assert_eq!((metered.usage().requests, metered.usage().read_units), (3 + 8, batch_get_units(148.5)));
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
        "batch_get of `User` (id = 7): DynamoDB kept leaving it unprocessed, as it does when it throttles: try again later, or give the table more capacity; 2 more of the 300 keys were not read either"
    );
}

#[tokio::test]
async fn only_writes_that_stay_unprocessed_are_reported() {
    pause();
    let world = users(10).await;
    let left = ["name of 7", "name of 70", "name of 77"].map(|name| format!("{name:?}"));
    // A delete contains no name, so it is matched by its key.
    world.faults.leave_unprocessed(Unprocessed::Matching(left.into_iter().chain([r#""N":"3""#.to_owned()]).collect()));
    let metered = world.repository.metered();
    let users: Vec<User> = (10..100).chain([7]).map(user).collect();
    let batch = BatchWrite::new().add_all((0..5_u32).map(User::delete)).add_all(users.iter().map(User::put));
    assert_eq!(batch.len(), 96);
    let written = batch.send(&metered).await.expect("a batch");
    // Four requests, and then eight retries of the four writes.
    assert_eq!((metered.usage().requests, metered.usage().write_units), (4 + 8, 92.0));
    assert!(!written.is_complete());
    assert_eq!(indices(&written), [3, 65, 72, 95]);
    let failed: Vec<_> = written.failures().iter().map(|failure| (failure.entity(), failure.key())).collect();
    assert_eq!(failed, ["id = 3", "id = 70", "id = 77", "id = 7"].map(|key| ("User", Some(key))));
    assert!(written.failures().iter().all(|failure| failure.error().is_throttled()));
    let said = written.failures()[0].to_string();
    assert!(said.starts_with("write 3 of the batch: delete of `User` (id = 3): "), "{said}");

    // The failed writes can be sent again as a batch.
    world.faults.leave_unprocessed(Unprocessed::Nothing);
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

#[tokio::test]
async fn the_error_of_an_incomplete_batch_lists_all_failures() {
    pause();
    let world = world::<User>().await;
    world.faults.leave_unprocessed(Unprocessed::All);
    let metered = world.repository.metered();
    let error = put_all(&metered, 1..=30).await.applied().expect_err("none of them");
    assert_eq!(
        error.to_string(),
        "put of `User` (id = 1): DynamoDB kept leaving it unprocessed, as it does when it throttles: try again later, or give the table more capacity; 29 more of the 30 writes of the batch failed"
    );
    assert!(error.is_throttled());
    let keys: Vec<_> = error.batch_failures().iter().filter_map(|failure| failure.key()).collect();
    assert_eq!(keys, (1..=30).map(|id| format!("id = {id}")).collect::<Vec<_>>());
    assert_eq!((metered.usage().requests, metered.usage().write_units), (2 * 9, 0.0));
    assert!(world.stored::<User>().await.is_empty());
}
