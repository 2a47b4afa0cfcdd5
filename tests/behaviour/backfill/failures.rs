//! Failures: an item that fails is skipped and reported with its key, or its segment stops before it.

use super::{Film, counts, fill, film, like, live, older};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Checkpoint, ErrorKind, Reason, Repository};
use dyno_tests::faults::{Fault, Rates};
use dyno_tests::{is_remote, item, n, pause, s, world};

/// A failure of permissions, of the database or of the network would affect the next items, too, so the segment stops.
#[tokio::test]
async fn a_failure_not_caused_by_the_item_stops_the_segment_before_the_item() {
    pause();
    if is_remote() {
        // Another engine does not read the items in the order of their numbers.
        return;
    }
    let answers = [
        (400, r#"{"__type":"com.amazon.coral.service#ExpiredTokenException","message":"expired"}"#, ErrorKind::Service),
        (400, r#"{"__type":"com.amazon.coral.service#AccessDeniedException","message":"no"}"#, ErrorKind::Service),
        (500, r#"{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}"#, ErrorKind::OutcomeUnknown),
        (200, "<html>", ErrorKind::OutcomeUnknown),
    ];
    for (status, body, kind) in answers {
        let world = world::<Film>().await;
        fill(&world, 3).await;
        let repository = Repository::new(world.client(RetryConfig::disabled()));
        for done in 0..3 {
            // The next write gets this response. The next run continues from the checkpoint.
            world.faults.answer("UpdateItem", status, body);
            let stopped = Film::scan().modify_each(like).send(&repository).await.expect("sent");
            assert_eq!(counts(&stopped), [0, done, 0, 0, 0]);
            assert!(!stopped.is_finished() && stopped.failures()[0].key().is_some());
            let checkpoint: Checkpoint = stopped.checkpoint().to_string().parse().expect("a checkpoint");
            assert_eq!(stopped.completed().expect_err("it has stopped").kind(), kind);
            let next = Film::scan().modify_each(like).after(checkpoint).send(&repository).await.expect("sent");
            let next = next.completed().expect("no failure");
            assert_eq!(counts(&next), [3 - done, done, 0, 0, 0]);
            for id in done + 1..3 {
                world.write_foreign::<Film>(older(&id.to_string())).await;
            }
        }
    }
}

/// The row is of schema version 1. It is locked while it is upgraded, and unlocked if the upgrade cannot be written.
#[tokio::test]
async fn a_failed_item_of_an_older_shape_can_be_updated_by_older_programs() {
    let world = world::<Film>().await;
    let repository = &world.repository;
    world.write_foreign::<Film>(older("1")).await;
    let large = |film: &mut Film| film.note = Some("x".repeat(410_000));
    let progress = Film::scan().modify_each(large).send(repository).await.expect("sent");
    assert_eq!(counts(&progress), [0, 0, 0, 1, 0]);
    assert_eq!(world.stored::<Film>().await, [older("1")], "it was not locked");

    // The closure fails when it runs again, on the locked row.
    let mut runs = 0;
    let second = |_: &mut Film| {
        runs += 1;
        if runs == 2 { Err("the second run") } else { Ok(()) }
    };
    let progress = Film::scan().modify_each(second).send(repository).await.expect("sent");
    assert_eq!(counts(&progress), [0, 0, 0, 1, 0]);
    let mut unlocked = older("1");
    unlocked.insert("_v".to_owned(), n(1));
    assert_eq!(world.stored::<Film>().await, [unlocked], "it was unlocked");
    let progress = Film::scan().modify_each(like).send(repository).await.expect("sent");
    assert_eq!(counts(&progress), [1, 0, 0, 0, 0]);
}

#[tokio::test]
async fn failed_items_are_retried_from_the_checkpoint() {
    let world = world::<Film>().await;
    let repository = &world.repository;
    let shapeless = |id: &str| item([("id", s(id)), ("title", s("x"))]);
    for id in ["1", "2", "3", "4"] {
        world.write_foreign::<Film>(shapeless(id)).await;
    }
    film("fine").put().send(repository).await.expect("a put");
    let run = async |after: Option<String>| {
        let after: Option<Checkpoint> = after.map(|text| text.parse().expect("a checkpoint"));
        let progress = Film::scan().modify_each(like).after(after).send(repository).await.expect("sent");
        (counts(&progress), progress.checkpoint().to_string(), progress)
    };
    let (first, checkpoint, progress) = run(None).await;
    assert_eq!(first, [1, 0, 0, 4, 0]);
    assert!(progress.is_finished() && progress.completed().is_err());
    // While these items fail, a run from the checkpoint is not complete.
    let (again, checkpoint, progress) = run(Some(checkpoint)).await;
    assert_eq!((again, progress.failures().len()), ([1, 0, 0, 4, 0], 4));
    assert!(progress.completed().is_err());
    // Item 1 is repaired, item 2 already has the wanted value, and item 3 is deleted.
    world.write_foreign::<Film>(older("1")).await;
    Film { likes: 1, ..film("2") }.put().send(repository).await.expect("a put");
    let delete = repository.client().delete_item().table_name("films").key("id", s("3"));
    delete.send().await.expect("a delete");
    let (mended, checkpoint, progress) = run(Some(checkpoint)).await;
    assert_eq!((mended, progress.failures().len()), ([2, 1, 1, 1, 0], 1));
    assert!(progress.completed().is_err());
    world.write_foreign::<Film>(older("4")).await;
    let (done, _, progress) = run(Some(checkpoint)).await;
    assert_eq!(done, [3, 1, 1, 0, 0]);
    assert!(progress.completed().is_ok());
}

#[tokio::test]
async fn all_failures_are_counted_and_the_first_50_are_kept() {
    let world = world::<Film>().await;
    for id in 0..70 {
        world.write_foreign::<Film>(item([("id", s(&id.to_string())), ("title", s("x"))])).await;
    }
    let progress = Film::scan().modify_each(like).send(&world.repository).await.expect("sent");
    assert_eq!((progress.failed(), progress.failures().len()), (70, 50));
    let checkpoint = progress.checkpoint().clone();
    let error = progress.completed().expect_err("failures").to_string();
    assert!(error.ends_with("no length; 20 more of the 70 failures"), "{error}");
    assert_eq!(error.matches("no length").count(), 50, "{error}");
    for id in 0..70 {
        world.write_foreign::<Film>(older(&id.to_string())).await;
    }
    // The checkpoint has the keys of only 50 failed items, so the run does not report that it is complete.
    let again = Film::scan().modify_each(like).after(checkpoint).send(&world.repository).await.expect("sent");
    assert_eq!(counts(&again), [50, 0, 0, 20, 0]);
    assert_eq!(
        again.completed().expect_err("not all").to_string(),
        "20 items failed in an earlier run, and the checkpoint does not have their keys: modify each item once more, without `after`"
    );
    let all = Film::scan().modify_each(like).send(&world.repository).await.expect("sent").completed().expect("all");
    assert_eq!(counts(&all), [20, 50, 0, 0, 0]);
}

#[tokio::test]
async fn a_failed_item_is_skipped_and_reported_with_its_key() {
    let world = world::<Film>().await;
    world.write_foreign::<Film>(item([("id", s("no shape")), ("title", s("x"))])).await;
    for id in ["closure", "fine", "key", "size"] {
        film(id).put().send(&world.repository).await.expect("a put");
    }
    let edit = |film: &mut Film| {
        match film.id.as_str() {
            "closure" => return Err("not this one"),
            "key" => film.id = "moved".to_owned(),
            "size" => film.note = Some("x".repeat(410_000)),
            _ => film.likes = 1,
        }
        Ok(())
    };
    let progress = Film::scan().modify_each(edit).send(&world.repository).await.expect("sent");
    assert_eq!(counts(&progress), [1, 0, 0, 4, 0]);
    assert!(progress.is_finished());
    let mut failures: Vec<_> = progress.failures().iter().map(ToString::to_string).collect();
    failures.sort();
    assert_eq!(
        failures,
        [
            "decode of `Film` (id = \"no shape\"): expected a row that `upgrade` converts from schema version 1 to 2, found one that it rejects: no length",
            "modify_each of `Film` (id = \"closure\"): the closure returned an error: not this one",
            "modify_each of `Film` (id = \"key\"): the key was changed, and DynamoDB cannot change an item's key: create an item under the new key and delete this one",
            "modify_each of `Film` (id = \"size\"): the item has 410040 bytes, but DynamoDB stores at most 409600 (names included): store large values elsewhere and keep a reference",
        ]
    );
    let keys: Vec<_> = progress.failures().iter().filter_map(|failure| failure.key()?.get("id")).collect();
    assert!(keys.contains(&&s("no shape")) && keys.len() == 4);
    assert!(progress.completed().is_err());
    assert_eq!(live(&world.repository, "fine").await.map(|film| film.likes), Some(1));
}

#[tokio::test]
async fn an_item_that_changes_during_every_attempt_fails_as_contended() {
    let world = world::<Film>().await;
    film("1").put().send(&world.repository).await.expect("a put");
    let once = Film::scan().modify_each(like).attempts(1);
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let run = tokio::spawn(async move { once.send(&repository).await });
    world.faults.held().await;
    Film { minutes: 1, ..film("1") }.put().send(&world.other()).await.expect("a put");
    world.faults.release();
    let progress = run.await.expect("no panic").expect("sent");
    assert_eq!(counts(&progress), [0, 0, 0, 1, 0]);
    let error = progress.completed().expect_err("one attempt");
    assert_eq!(error.kind(), ErrorKind::Contended);
    assert_eq!(error.refusal::<Film>().expect("the last one").reasons(), [Reason::Changed]);
    let none = Film::scan().modify_each(like).attempts(0).send(&world.repository).await.expect_err("none");
    assert!(none.is_invalid_input());
}

/// A write that meets a transaction is sent nine times, like any other write, and the item is not read or changed again. An
/// item of an older schema version takes two writes, the first of which holds the row for the upgrade.
#[tokio::test]
async fn a_write_waits_for_a_transaction_that_holds_the_item() {
    pause();
    let newer = item([("id", s("1")), ("title", s("Alien")), ("minutes", n(117)), ("likes", n(0)), ("_v", n(2))]);
    for (item, writes) in [(newer, 1), (older("1"), 2)] {
        let world = world::<Film>().await;
        world.write_foreign::<Film>(item).await;
        world.faults.seed(1, Rates { conflict: 1.0, ..Rates::NONE });
        let metered = world.repository.metered();
        let held = Film::scan().modify_each(like).send(&metered).await.expect("sent");
        assert_eq!((counts(&held), metered.usage().requests), ([0, 0, 0, 1, 0], 1 + 9));
        assert_eq!(held.completed().expect_err("held").kind(), ErrorKind::Contended);
        world.faults.calm();
        world.faults.next([Fault::Served].into_iter().chain([Fault::Conflict; 8]));
        let metered = world.repository.metered();
        let done = Film::scan().modify_each(like).send(&metered).await.expect("sent").completed().expect("in the end");
        assert_eq!((counts(&done), metered.usage().requests), ([1, 0, 0, 0, 0], 1 + 8 + writes));
    }
}

#[tokio::test]
async fn throttling_stops_the_segment_before_the_item() {
    pause();
    let world = world::<Film>().await;
    fill(&world, 3).await;
    let client = world.client(RetryConfig::disabled());
    let repository = Repository::new(client);
    // The scan, and the two writes of the first item.
    world.faults.hold_after(3);
    let other = repository.clone();
    let run = tokio::spawn(async move { Film::scan().modify_each(like).send(&other).await });
    world.faults.held().await;
    world.faults.throttle(1);
    world.faults.release();
    let stopped = run.await.expect("no panic").expect("sent");
    assert_eq!(counts(&stopped), [1, 0, 0, 0, 0]);
    assert!(!stopped.is_finished() && stopped.failures()[0].key().is_some());
    let checkpoint = stopped.checkpoint().clone();
    assert!(stopped.completed().expect_err("throttled").is_throttled());
    // A throttled scan stops the run as well.
    world.faults.throttle(1);
    let stopped = Film::scan().modify_each(like).after(checkpoint.clone()).send(&repository).await.expect("sent");
    assert!(stopped.failures()[0].key().is_none() && !stopped.is_finished());
    assert_eq!(stopped.checkpoint(), &checkpoint);
    let done = Film::scan().modify_each(like).after(checkpoint).send(&repository).await.expect("sent");
    assert_eq!(counts(&done), [3, 0, 0, 0, 0]);
    assert!(done.is_finished());
}
