//! The token of a transaction, by which it is applied once: retries, and clones that are sent again.

use super::{Account, Cart, Rating, Session, balances, bank, cart, patient, pay, reasons, transfer};
use dyno::{EpochMillis, EpochSeconds, ErrorKind, Reason, Transaction};
use dyno_tests::faults::{IN_PROGRESS, cancelled};
use dyno_tests::{NOW, is_remote, pause};

/// A retry by the SDK: the answer to the first attempt is lost, and the SDK sends the same request again.
#[tokio::test]
async fn a_transaction_resent_by_the_sdk_applies_once() {
    pause();
    let world = bank().await;
    let metered = world.repository.metered();
    let add = Account::update(1).with(Account::fields().balance.add(1));
    world.lose_answers(2);
    let outcome = Transaction::new().update(add).put(transfer("a").create()).send(&metered).await.expect("an answer");
    assert!(outcome.is_applied());
    assert_eq!(metered.usage().requests, 1, "the SDK's own");
    let sent = world.faults.transactions();
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().all(|body| *body == sent[0]));
    assert_eq!(balances(&world).await, (101, 100));
}

/// A retry by the application: whatever has changed since, a clone sends exactly the same request.
#[tokio::test]
async fn a_clone_sent_after_an_error_repeats_the_same_request() {
    pause();
    for served in [true, false] {
        let world = bank().await;
        let repository = patient(&world);
        let at = EpochMillis::new(NOW);
        let transaction = Transaction::new()
            .update(Account::update(1).with(Account::fields().balance.add(1)))
            .delete(Rating::delete("r", at))
            .put(cart(0).create())
            .put(Session { id: "s".to_owned(), expires: EpochSeconds::new(NOW / 1000 + 9) }.create());
        if served {
            world.lose_answers(1);
        } else {
            world.faults.throttle(1);
        }
        let error = transaction.clone().send(&repository).await.expect_err("no answer");
        if served {
            assert!(
                error.is_unreachable() && error.to_string().contains("may have been applied: send this transaction"),
                "{error}"
            );
        } else {
            assert!(error.is_throttled(), "{error}");
        }
        world.clock.advance(60_000);
        let committed = transaction.send(&repository).await.expect("an answer").applied().expect("applied");
        assert_eq!(committed.version_of::<Cart>(2), Some(1));
        assert_eq!(repository.usage().requests, 2);
        let sent = world.faults.transactions();
        assert_eq!(sent.len(), 2);
        assert_eq!(sent[0], sent[1], "token, time, write id, and the order of everything");
        assert_eq!(balances(&world).await, (101, 100));
    }
}

#[tokio::test]
async fn a_changed_clone_is_another_transaction() {
    pause();
    let world = bank().await;
    let add = || Account::update(1).with(Account::fields().balance.add(1));
    let transaction = Transaction::new().update(add());
    assert!(transaction.clone().send(&world.repository).await.expect("an answer").is_applied());
    let metered = world.repository.metered();
    assert!(transaction.clone().send(&metered).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (101, 100), "the same one");
    // DynamoDB only reads the item, and charges twice the units of a consistent read.
    let usage = metered.usage();
    assert!(usage.write_units.abs() < 0.01 && (usage.read_units - 2.0).abs() < 0.01, "{usage:?}");
    let other = transaction.put(transfer("a").create());
    assert!(other.clone().send(&world.repository).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (102, 100));
    assert!(Transaction::new().update(add()).send(&world.repository).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (103, 100));
}

/// A refused transaction changed nothing. If it is sent again, it is judged by the current time and the current items.
#[tokio::test]
async fn a_refused_transaction_sent_again_is_evaluated_again() {
    let world = bank().await;
    let session = Session { id: "s".to_owned(), expires: EpochSeconds::new(NOW / 1000 + 60) };
    session.put().send(&world.repository).await.expect("a put");
    let transaction = Transaction::new()
        .check(Session::check("s").absent())
        .update(Account::update(1).with(Account::fields().balance.add(1)));
    let outcome = transaction.clone().send(&world.repository).await.expect("an answer");
    assert_eq!(reasons(&outcome), [(0, vec![Reason::Exists])]);
    world.clock.advance(61_000);
    assert!(transaction.send(&world.repository).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (101, 100));
}

#[tokio::test]
async fn a_token_that_dynamodb_may_have_forgotten_is_not_resent() {
    pause();
    let world = bank().await;
    let repository = patient(&world);
    let transaction = Transaction::new().update(Account::update(1).with(Account::fields().balance.add(1)));
    world.lose_answers(1);
    transaction.clone().send(&repository).await.expect_err("no answer");
    world.clock.advance(9 * 60_000);
    let error = transaction.clone().send(&repository).await.expect_err("too late");
    assert!(error.is_outcome_unknown() && error.to_string().contains("ten minutes"), "{error}");
    assert_eq!(repository.usage().requests, 1);
    assert_eq!(balances(&world).await, (101, 100));
    // Setting the clock back makes no difference: the time that has passed still counts.
    world.clock.advance(-2 * 60_000);
    let error = transaction.send(&repository).await.expect_err("too late");
    assert!(error.is_outcome_unknown(), "{error}");
    assert_eq!(repository.usage().requests, 1);
}

#[tokio::test]
async fn a_remembered_token_is_resent_and_its_outcome_stays_known() {
    pause();
    let world = bank().await;
    let repository = patient(&world);
    let transaction = Transaction::new().update(Account::update(1).with(Account::fields().balance.add(1)));
    world.lose_answers(1);
    transaction.clone().send(&repository).await.expect_err("no answer");
    // Setting the clock back does not reduce the age of the transaction.
    world.clock.advance(-60 * 60_000);
    world.clock.advance(8 * 60_000);
    assert!(transaction.clone().send(&repository).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (101, 100));
    world.clock.advance(60 * 60_000);
    assert!(transaction.send(&repository).await.expect("it is known").is_applied());
    assert_eq!(repository.usage().requests, 2);
}

/// If an attempt hangs, the runtime's clock ends it.
#[tokio::test]
async fn attempts_end_before_the_token_is_forgotten() {
    pause();
    if is_remote() {
        return;
    }
    let world = bank().await;
    let start = tokio::time::Instant::now();
    world.faults.dies_of(1, true);
    let transaction = Transaction::new().update(Account::update(1).with(Account::fields().balance.add(1)));
    let error = transaction.send(&world.repository).await.expect_err("it hangs");
    assert!(error.is_outcome_unknown(), "{error}");
    assert_eq!(start.elapsed().as_secs(), 9 * 60);
}

#[tokio::test]
async fn a_caller_s_token_makes_equal_transactions_one() {
    let world = bank().await;
    let add = |amount: u64| {
        let update = Account::update(1).with(Account::fields().balance.add(amount));
        Transaction::new().update(update).token("message 1")
    };
    assert!(add(1).send(&world.repository).await.expect("an answer").is_applied());
    assert!(add(1).send(&world.other()).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (101, 100));
    let error = add(2).send(&world.other()).await.expect_err("other contents");
    assert_eq!(error.kind(), ErrorKind::TokenMismatch);
    assert!(error.is_token_mismatch() && error.to_string().contains("may have been applied"), "{error}");
    assert_eq!(balances(&world).await, (101, 100));
}

/// Each versioned write gets a write id of its own, and a TTL is compared with the time. So the contents differ each time.
#[tokio::test]
async fn a_caller_s_token_mismatches_if_write_ids_or_times_differ() {
    let world = bank().await;
    let versioned = || Transaction::new().put(cart(0).create()).token("message 1");
    assert!(versioned().send(&world.repository).await.expect("an answer").is_applied());
    assert!(versioned().send(&world.other()).await.expect_err("another name").is_token_mismatch());
    let session = Session { id: "s".to_owned(), expires: EpochSeconds::new(NOW / 1000 + 60) };
    let timed = || Transaction::new().put(session.create()).token("message 2");
    assert!(timed().send(&world.repository).await.expect("an answer").is_applied());
    assert!(timed().send(&world.other()).await.expect("an answer").is_applied(), "within the second");
    world.clock.advance(1_000);
    assert!(timed().send(&world.other()).await.expect_err("another time").is_token_mismatch());
}

#[tokio::test]
async fn a_transaction_in_progress_is_waited_for() {
    pause();
    let world = bank().await;
    let repository = patient(&world);
    world.faults.refuse([IN_PROGRESS, IN_PROGRESS]);
    assert!(pay("a").send(&repository).await.expect("an answer").is_applied());
    assert_eq!(repository.usage().requests, 3);
    world.faults.refuse(vec![IN_PROGRESS; 9]);
    let error = pay("b").send(&repository).await.expect_err("it does not end");
    assert!(error.is_in_progress() && error.to_string().contains("still in progress"), "{error}");
    assert_eq!(repository.usage().requests, 3 + 9);
    let sent = world.faults.transactions();
    assert!(sent[3..].iter().all(|body| *body == sent[3]), "one token");
    assert_eq!(balances(&world).await, (90, 110));
}

/// A condition that does not hold is no refusal while a conflict or throttling affects another action.
#[tokio::test]
async fn conflicts_are_retried_before_any_other_refusal_is_reported() {
    const CONFLICT: &str = "TransactionConflict";
    pause();
    let world = bank().await;
    let repository = patient(&world);
    world.faults.refuse([
        cancelled(vec!["None", CONFLICT, "None"]),
        cancelled(vec!["ConditionalCheckFailed", "None", CONFLICT]),
        cancelled(vec!["None", "ThrottlingError", "None"]),
    ]);
    assert!(pay("a").send(&repository).await.expect("an answer").is_applied());
    assert_eq!(repository.usage().requests, 4);
    for (cause, kind) in [(CONFLICT, ErrorKind::Contended), ("ProvisionedThroughputExceeded", ErrorKind::Throttled)] {
        let before = repository.usage().requests;
        world.faults.refuse(vec![cancelled(vec!["ConditionalCheckFailed", "None", cause]); 9]);
        let error = pay("b").send(&repository).await.expect_err("others hold it");
        assert_eq!((error.kind(), repository.usage().requests - before), (kind, 9), "{error}");
    }
    // After a lost answer, it is not certain that nothing was applied.
    world.lose_answers(1);
    let transaction = pay("c");
    transaction.clone().send(&repository).await.expect_err("no answer");
    world.faults.refuse(vec![cancelled(vec![CONFLICT, "None", "None"]); 9]);
    let error = transaction.clone().send(&repository).await.expect_err("others hold it");
    assert!(error.is_unreachable() && error.to_string().contains("may have been applied"), "{error}");
    assert!(transaction.send(&repository).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (80, 120));
}

#[tokio::test]
async fn a_clone_for_other_tables_is_refused() {
    pause();
    let world = bank().await;
    let repository = patient(&world);
    let transaction = pay("a");
    world.lose_answers(1);
    transaction.clone().send(&repository).await.expect_err("no answer");
    let error = transaction.send(&repository.with_table_prefix("no-")).await.expect_err("other tables");
    assert!(error.is_invalid_input() && error.to_string().contains("other tables"), "{error}");
}
