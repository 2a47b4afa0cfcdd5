//! The requests that batches send: none for an empty batch, none for an invalid one, and a limited number at once.

use super::{Rating, User, both, put_all, user, users};
use dyno::BatchWrite;
use dyno_tests::faults::Rates;

#[tokio::test]
async fn an_empty_batch_sends_no_request() {
    dyno_tests::pause();
    let world = users(1).await;
    let metered = world.repository.metered();
    assert_eq!(User::batch_get([0_u32; 0]).send(&metered).await.expect("a batch"), []);
    assert!(BatchWrite::new().send(&metered).await.expect("a batch").is_complete());
    assert_eq!(metered.usage().requests, 0);
}

/// A server answers each caller in a task of its own, so batches must work in spawned tasks.
#[tokio::test]
async fn batches_can_be_sent_from_spawned_tasks() {
    dyno_tests::pause();
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

#[tokio::test]
async fn an_invalid_batch_is_refused_before_any_request() {
    dyno_tests::pause();
    let world = both().await;
    let metered = world.repository.metered();
    let twice = BatchWrite::new().add(user(1).put()).add(user(2).put()).add(User::delete(1_u32));
    let error = twice.send(&metered).await.expect_err("one item twice");
    assert!(error.is_invalid_input());
    assert_eq!(
        error.to_string(),
        "delete of `User` (id = 1): write 2 of the batch: write 0 is for the same item, and a batch has no order: keep one of them, or send them one after the other"
    );
    let large = User { name: "x".repeat(400 * 1024), ..user(2) };
    let error = BatchWrite::new().add(user(1).put()).add(large.put()).send(&metered).await.expect_err("too large");
    assert!(error.to_string().starts_with("put of `User` (id = 2): write 1 of the batch: the item has 409"), "{error}");

    // An invalid key fails `send` at once. `send_each` reports it in its place.
    let get = Rating::batch_get([(1, "A"), (1, ""), (1, "B")]);
    let error = get.clone().send(&metered).await.expect_err("an empty key");
    assert!(error.is_invalid_input());
    assert_eq!(
        error.to_string(),
        "batch_get of `Rating`: `movie`: it is part of a key or of an index's key, and cannot be empty"
    );
    assert_eq!(metered.usage().requests, 0);
    let each = get.send_each(&metered).await;
    assert!(matches!(&each[..], [Ok(None), Err(error), Ok(None)] if error.is_invalid_input()), "{each:?}");
    assert_eq!(metered.usage().requests, 1);
}

#[tokio::test]
async fn concurrency_bounds_the_requests_under_way() {
    dyno_tests::pause();
    let world = users(450).await;
    let repository = &world.repository;
    world.faults.seed(1, Rates { delay: 1.0, ..Rates::NONE });
    let _until_now = world.faults.most_in_flight();
    for (concurrency, most) in [(None, 4), (Some(0), 1), (Some(1), 1), (Some(3), 3), (Some(100), 5)] {
        let mut get = User::batch_get(0..450);
        if let Some(concurrency) = concurrency {
            get = get.concurrency(concurrency);
        }
        get.send(repository).await.expect("a batch");
        assert_eq!(world.faults.most_in_flight(), most);
    }
    let joint = dyno::batch_get((User::batch_get(0..225).concurrency(2), User::batch_get(225..450).concurrency(1)));
    joint.clone().send(repository).await.expect("a batch");
    assert_eq!(world.faults.most_in_flight(), 2, "as many as one of them may");
    joint.concurrency(3).send(repository).await.expect("a batch");
    assert_eq!(world.faults.most_in_flight(), 3);
    let deletes = |ids: std::ops::Range<u32>| ids.map(User::delete).collect::<BatchWrite>();
    for (batch, most) in [(deletes(0..225), 4), (deletes(225..450).concurrency(6), 6)] {
        batch.send(repository).await.expect("a batch").applied().expect("all of them");
        assert_eq!(world.faults.most_in_flight(), most);
    }
    world.faults.calm();
    assert!(world.stored::<User>().await.is_empty());
}
