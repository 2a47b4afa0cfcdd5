//! `modify`: load, change, write, and try again after a conflict.

use super::{Cart, Fenced, Paper, cart, fenced, paper, stored_cart};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{EpochSeconds, Error, ErrorKind, Found, Outcome, Reason, Repository};
use dyno_tests::{World, item, n, pause, s, world};

/// Loads an item of version 1 to change it. Before the change is written, the item is deleted, and another item of version 1
/// is created.
async fn modified_meanwhile<E: Send + 'static>(
    world: &World,
    modify: impl Future<Output = Result<Outcome<E, E>, Error>> + Send + 'static,
    another: impl Future<Output = ()>,
) -> Outcome<E, E> {
    world.faults.hold_after(1);
    let modify = tokio::spawn(modify);
    world.faults.held().await;
    another.await;
    world.faults.release();
    modify.await.expect("no panic").expect("sent")
}

#[tokio::test]
async fn modify_does_not_overwrite_another_item_of_the_same_version() {
    pause();
    let world = world::<Cart>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    applied!(cart(1, 0).create(), &other);
    let modify = async move { Cart::modify("1", |cart| cart.lines += 1).send(&repository).await };
    let modified = modified_meanwhile(&world, modify, async {
        applied!(Cart::delete("1", 1u64), &other);
        applied!(Cart { note: Some("another".to_owned()), ..cart(10, 0) }.create(), &other);
    });
    let expected = Cart { note: Some("another".to_owned()), ..cart(11, 2) };
    assert_eq!(modified.await.applied().expect("applied"), expected);
    assert_eq!(stored_cart(&other).await, Some(expected));
}

#[tokio::test]
async fn modify_does_not_overwrite_an_item_created_after_a_removal_by_ttl() {
    pause();
    let world = world::<Paper>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    applied!(paper("a", 0).create(), &other);
    let modify = async move { Paper::modify("1", |paper| paper.text.push('!')).send(&repository).await };
    let modified = modified_meanwhile(&world, modify, async {
        let removed = other.client().delete_item().table_name("papers").key("id", s("1"));
        removed.send().await.expect("as DynamoDB does");
        applied!(paper("b", 0).create(), &other);
    });
    assert_eq!(Box::pin(modified).await.applied().expect("applied"), paper("b!", 2));
    assert_eq!(Paper::get("1").send(&other).await.expect("a get"), Some(paper("b!", 2)));
}

/// The item and its tombstone are removed, and another item of version 1 is created.
async fn purged_and_begun_again(repository: &Repository) {
    let there = Fenced::get("1").consistent().send(repository).await.expect("a get").expect("there");
    applied!(Fenced::delete("1", there.fence, there.version), repository);
    let found = Fenced::get("1").include_deleted().send(repository).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
    applied!(Fenced::purge(&tombstone), repository);
    applied!(Fenced { text: "another".to_owned(), ..fenced(50, 0) }.create(), repository);
}

fn shout(repository: &Repository) -> impl Future<Output = Result<Outcome<Fenced, Fenced>, Error>> + Send + 'static {
    let repository = repository.clone();
    async move { Fenced::modify("1", |fenced| fenced.text.push('!')).send(&repository).await }
}

#[tokio::test]
async fn modify_does_not_overwrite_an_item_created_after_a_purge() {
    pause();
    let world = world::<Fenced>().await;
    let other = world.other();
    applied!(fenced(1, 0).create(), &other);
    world.faults.hold_after(1);
    let modify = tokio::spawn(shout(&world.repository));
    world.faults.held().await;
    purged_and_begun_again(&other).await;
    world.faults.release();
    let expected = Fenced { text: "another!".to_owned(), ..fenced(50, 2) };
    assert_eq!(modify.await.expect("no panic").expect("sent").applied().expect("applied"), expected);
    // A second attempt does not overwrite it, either, if the first attempt may have changed the item that was removed.
    purged_and_begun_again(&other).await;
    world.faults.hold_after(1);
    let modify = tokio::spawn(shout(&world.repository));
    world.faults.held().await;
    world.lose_answers(1);
    world.faults.hold_after(1);
    world.faults.held().await;
    purged_and_begun_again(&other).await;
    world.faults.release();
    assert!(modify.await.expect("no panic").expect_err("unknown").is_outcome_unknown());
    let there = Fenced::get("1").consistent().send(&other).await.expect("a get").expect("there");
    assert_eq!(there, Fenced { text: "another".to_owned(), ..fenced(50, 1) });
}

/// Another program counts versions, but writes no write id. Its item is another item than one that dyno wrote.
#[tokio::test]
async fn modify_distinguishes_items_with_and_without_a_write_id() {
    pause();
    let world = world::<Cart>().await;
    let counted = item([("id", s("1")), ("lines", n(1)), ("version", n(1))]);
    world.write_foreign::<Cart>(counted).await;
    let (repository, other) = (world.repository.clone(), world.other());
    world.faults.hold_after(1);
    let modify =
        tokio::spawn(async move { Cart::modify("1", |cart| cart.note = Some("mine".into())).send(&repository).await });
    world.faults.held().await;
    applied!(Cart::delete("1", 1u64), &other);
    applied!(cart(5, 0).create(), &other);
    world.faults.release();
    let expected = Cart { note: Some("mine".to_owned()), ..cart(5, 2) };
    assert_eq!(modify.await.expect("no panic").expect("sent").applied().expect("applied"), expected);
    let stored = world.stored::<Cart>().await;
    assert!(matches!(stored[0].get("_w"), Some(AttributeValue::S(_))), "{stored:?}");
}

#[tokio::test]
async fn modify_loads_changes_and_writes_again_after_a_conflict() {
    pause();
    let world = world::<Cart>().await;
    let repository = &world.repository;
    applied!(cart(1, 0).create(), repository);
    let metered = repository.metered();
    assert_eq!(applied!(Cart::modify("1", |cart| cart.lines += 1), &metered), cart(2, 2));
    assert_eq!(metered.usage().requests, 2);
    // Another writer writes between the read and the write.
    let slow = {
        let repository = repository.clone();
        async move { Cart::modify("1", |cart| cart.lines *= 10).send(&repository).await }
    };
    world.faults.hold_after(1);
    let slow = tokio::spawn(slow);
    world.faults.held().await;
    applied!(cart(3, 2).put(), &world.other());
    world.faults.release();
    assert_eq!(slow.await.expect("no panic").expect("sent").applied().expect("applied"), cart(30, 4));
    // A change of the version by the closure is ignored.
    let modify = Cart::modify("1", |cart| {
        cart.version = 77;
        cart.lines = 1;
    });
    assert_eq!(applied!(modify, repository), cart(1, 5));
}

#[tokio::test]
async fn concurrent_modifications_are_all_applied() {
    pause();
    let world = world::<Cart>().await;
    applied!(cart(0, 0).create(), &world.repository);
    let workers = (0..8).map(|_| {
        let repository = world.repository.clone();
        tokio::spawn(async move {
            for _ in 0..5 {
                applied!(Cart::modify("1", |cart| cart.lines += 1).attempts(50), &repository);
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.expect("no panic");
    }
    assert_eq!(stored_cart(&world.repository).await, Some(cart(40, 41)));
}

#[tokio::test]
async fn modify_fails_as_contended_with_its_last_conflict() {
    pause();
    let world = world::<Cart>().await;
    applied!(cart(1, 0).create(), &world.repository);
    let other = world.other();
    // The number of requests before each attempt's write. The second attempt uses the item that came with the refusal.
    for before in [vec![1], vec![1, 1], vec![1, 1, 2, 2]] {
        let attempts = u32::try_from(before.len()).expect("few");
        let repository = world.repository.clone();
        world.faults.hold_after(0);
        let modify = tokio::spawn(async move {
            let mut runs = 0;
            let sent = Cart::modify("1", |cart| {
                runs += 1;
                cart.lines = 0;
            });
            let sent = sent.attempts(attempts).send(&repository).await;
            (sent, runs)
        });
        for requests in before {
            world.faults.held().await;
            world.faults.hold_after(requests);
            world.faults.held().await;
            // In each attempt, another writer is faster, between the read and the write.
            applied!(Cart::update("1").unchecked().with(Cart::fields().lines.set(9)), &other);
            world.faults.hold_after(0);
        }
        world.faults.release();
        let (sent, runs) = modify.await.expect("no panic");
        let error = sent.expect_err("contended");
        assert_eq!((error.kind(), runs), (ErrorKind::Contended, attempts), "{error:?}");
        assert!(error.refusal::<Cart>().expect("a refusal").is_conflict());
        assert_eq!(
            error.to_string(),
            "modify of `Cart` (id = \"1\"): another writer changed the item during each attempt, and nothing was applied: send it again later"
        );
    }
    let error = Cart::modify("1", |_| ()).attempts(0).send(&world.repository).await.expect_err("no attempt");
    assert!(error.is_invalid_input());
}

#[derive(Debug, PartialEq)]
struct Full;

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the cart is full")
    }
}

impl std::error::Error for Full {}

#[tokio::test]
async fn an_error_of_the_closure_aborts_modify() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    applied!(cart(1, 0).create(), repository);
    let modify = Cart::modify("1", |_| Err::<(), Full>(Full));
    let error = modify.send(repository).await.expect_err("aborted");
    assert_eq!(error.kind(), ErrorKind::Aborted);
    assert_eq!(error.closure_error().and_then(|error| error.downcast_ref()), Some(&Full));
    assert!(error.to_string().ends_with("the closure returned an error: the cart is full"), "{error}");
    let fine = Cart::modify("1", |cart| {
        cart.lines = 2;
        Ok::<(), Full>(())
    });
    assert_eq!(applied!(fine, repository), cart(2, 2));
    let moved = Cart::modify("1", |cart| cart.id = "2".to_owned()).send(repository).await.expect_err("moved");
    assert!(moved.is_invalid_input(), "{moved:?}");
    assert_eq!(stored_cart(repository).await, Some(cart(2, 2)));
}

/// The closure makes a new write each time. So a command that is sent again is not the write whose answer was lost.
#[tokio::test]
async fn the_error_of_modify_warns_against_resending() {
    pause();
    let world = world::<Cart>().await;
    applied!(cart(1, 0).create(), &world.repository);
    let advice = "the change may have been applied: load the item and decide, because sending the command again makes another change";
    let client = world.client(RetryConfig::disabled());
    let repository = Repository::new(client);
    let modify = || Cart::modify("1", |cart| cart.lines += 1).send(&repository);
    // The answer to the read is lost, so nothing was written.
    world.lose_answers(1);
    let error = modify().await.expect_err("lost");
    assert!(error.is_unreachable() && !error.to_string().contains("may have been applied"), "{error:?}");
    // The answer to the write is lost, whatever the last attempt ends with.
    for retries in [1, 2] {
        let repository = Repository::new(world.client(RetryConfig::standard().with_max_attempts(retries)));
        world.faults.hold_after(1);
        let run = tokio::spawn(async move { Cart::modify("1", |cart| cart.lines += 1).send(&repository).await });
        world.faults.held().await;
        world.lose_answers(1);
        world.faults.throttle(1);
        world.faults.release();
        let error = run.await.expect("no panic").expect_err("lost");
        assert!(error.is_outcome_unknown() && error.to_string().ends_with(advice), "{error:?}");
        // The message says so only once: the error of the inner write gives no advice of its own.
        assert_eq!(error.to_string().matches("may have been applied").count(), 1, "{error}");
        world.faults.throttle(0);
    }
    assert_eq!(stored_cart(&world.repository).await, Some(cart(3, 3)));
}

#[tokio::test]
async fn modify_changes_live_items_only() {
    let world = world::<Paper>().await;
    let repository = &world.repository;
    let modify = || Paper::modify("1", |paper| paper.text.push('!'));
    assert_eq!(refused!(modify(), repository), [Reason::Missing]);
    applied!(paper("a", 0).create(), repository);
    applied!(Paper::delete("1", 1u32), repository);
    assert_eq!(refused!(modify(), repository), [Reason::Deleted]);
    let expired = EpochSeconds::new(world.clock_seconds() - 1);
    applied!(Paper { expires: Some(expired), ..paper("b", 0) }.create(), repository);
    assert_eq!(refused!(modify(), repository), [Reason::Expired]);
}
