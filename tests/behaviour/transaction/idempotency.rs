//! Idempotency keys in a transaction: its updates are applied once and all together.

use super::{Account, assert_units, balances, bank, patient, reasons};
use dyno::{Entity, Found, Reason, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::{World, pause};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
#[idempotency(window_secs = 60, max_skew_secs = 60)]
struct Bill {
    #[partition_key]
    id: String,
    total: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
#[idempotency(keys = 2)]
struct Counted {
    #[partition_key]
    id: String,
    total: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
#[idempotency(store = "row", window_secs = 3600, max_skew_secs = 10)]
struct Rowed {
    #[partition_key]
    id: String,
    total: u64,
}

async fn bills() -> World {
    let world = bank().await;
    let repository = &world.repository;
    repository.create_table::<Rowed>().await.expect("a table");
    let bills = Transaction::new()
        .put(Bill { id: "bill".to_owned(), total: 0 }.create())
        .put(Counted { id: "counted".to_owned(), total: 0 }.create())
        .put(Rowed { id: "rowed".to_owned(), total: 0 }.create());
    bills.send(repository).await.expect("an answer").applied().expect("applied");
    world
}

fn add(key: &str) -> Transaction {
    Transaction::new()
        .update(Bill::update("bill").with(Bill::fields().total.add(1)).idempotency_key(key))
        .update(Counted::update("counted").with(Counted::fields().total.add(1)).idempotency_key(key))
        .update(Rowed::update("rowed").with(Rowed::fields().total.add(1)).idempotency_key(key))
        .update(Account::update(1).with(Account::fields().balance.add(1)))
}

#[tokio::test]
async fn keyed_updates_of_a_transaction_apply_once_and_together() {
    let world = bills().await;
    // Whether a list of keys has room is a guess at first. For the third key, a wrong guess costs a second request.
    for (key, requests, actions) in [("a", 1, 5), ("b", 1, 5), ("c", 2, 10)] {
        let metered = world.repository.metered();
        assert!(add(key).send(&metered).await.expect("an answer").is_applied(), "{key}");
        assert_eq!(metered.usage().requests, requests, "{key}");
        assert_units(metered.usage().write_units, actions);
        let metered = world.repository.metered();
        let outcome = add(key).send(&metered).await.expect("an answer");
        let duplicate = vec![Reason::Duplicate];
        assert_eq!(reasons(&outcome), [(0, duplicate.clone()), (1, duplicate.clone()), (2, duplicate)], "{key}");
        assert_eq!(metered.usage().requests, 2, "the item beside the row is read");
        let refusal = outcome.refusal().expect("refused");
        let current = refusal.refusal_of::<Rowed>(2).expect("it refused").current().expect("it decodes");
        assert!(matches!(current, Some(Found::Live(Rowed { id, .. })) if id == "rowed"));
        assert!(refusal.is_duplicate());
        assert!(outcome.accept_duplicate().expect("it has been made").is_none());
    }
    assert_eq!(balances(&world).await, (103, 100));
    // A key that a separate update has used does not make the whole transaction a duplicate.
    let alone = Bill::update("bill").with(Bill::fields().total.add(1)).idempotency_key("d");
    alone.send(&world.repository).await.expect("an answer").applied().expect("applied");
    let outcome = add("d").send(&world.repository).await.expect("an answer");
    assert_eq!(reasons(&outcome), [(0, vec![Reason::Duplicate])]);
    assert!(outcome.accept_duplicate().expect_err("the others were not made").is_refused());
}

/// A transaction that is sent again later than `max_skew_secs` gets a new time, because its old time could empty sets of
/// keys that are in use again. The keys show whether the transaction was applied.
#[tokio::test]
async fn a_keyed_transaction_that_is_sent_again_late_is_recognized_by_its_keys() {
    pause();
    for served in [true, false] {
        let world = bills().await;
        let repository = patient(&world);
        let transaction = add("a");
        if served {
            world.lose_answers(1);
        } else {
            world.faults.throttle(1);
        }
        transaction.clone().send(&repository).await.expect_err("no answer");
        world.clock.advance(60_000);
        let outcome = transaction.send(&repository).await.expect("an answer");
        assert_eq!(outcome.is_applied(), !served);
        assert!(outcome.accept_duplicate().is_ok());
        assert_eq!(balances(&world).await, (101, 100));
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
#[idempotency(window_secs = 300, max_skew_secs = 10)]
struct Basket {
    #[partition_key]
    id: String,
    articles: Vec<String>,
    total: u64,
}

/// Two baskets with a pen each.
async fn baskets() -> World {
    let world = bank().await;
    for id in ["one", "two"] {
        let basket = Basket { id: id.to_owned(), articles: vec!["pen".to_owned()], total: 5 };
        basket.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    }
    world
}

/// Takes the pen out of the basket `one`, and adds 1 to the total of the basket `two`.
fn take_pen(key: &str) -> Transaction {
    Transaction::new()
        .update(Basket::update("one").with(Basket::fields().articles.remove_value("pen")))
        .update(Basket::update("two").with(Basket::fields().total.add(1)).idempotency_key(key))
}

/// The first transaction has removed the element, so the repeated one cannot find it. The key shows that it is a duplicate.
#[tokio::test]
async fn a_repeated_removal_is_a_duplicate_although_its_element_is_missing() {
    pause();
    let world = baskets().await;
    assert!(take_pen("a").send(&world.repository).await.expect("an answer").is_applied());
    let metered = world.repository.metered();
    let outcome = take_pen("a").send(&metered).await.expect("an answer");
    let gone = vec![Reason::NotContained { path: "articles".to_owned() }];
    assert_eq!(reasons(&outcome), [(0, gone.clone()), (1, vec![Reason::Duplicate])]);
    assert_eq!((metered.usage().requests, metered.usage().write_units), (2, 0.0));
    assert!(outcome.accept_duplicate().expect("it has been made").is_none());
    // A new transaction that finds no element to remove is not a duplicate.
    let outcome = take_pen("b").send(&world.repository).await.expect("an answer");
    assert_eq!(reasons(&outcome), [(0, gone)]);
    outcome.accept_duplicate().expect_err("it was not made");
}

#[tokio::test]
async fn a_keyed_transaction_is_not_resent_once_its_keys_may_be_forgotten() {
    pause();
    for served in [true, false] {
        let world = baskets().await;
        let repository = patient(&world);
        let count = Transaction::new()
            .update(Basket::update("two").with(Basket::fields().total.add(1)).idempotency_key("a"))
            .update(Account::update(1).with(Account::fields().balance.add(1)));
        if served {
            world.lose_answers(1);
        } else {
            world.faults.refuse([Fault::RequestLost]);
        }
        count.clone().send(&repository).await.expect_err("no answer");
        world.clock.advance(200_000);
        world.faults.refuse([Fault::RequestLost]);
        count.clone().send(&repository).await.expect_err("no answer");
        // Other updates of the same item follow.
        for other in 0..12 {
            world.clock.advance(60_000);
            let update = Basket::update("two").with(Basket::fields().total.add(1)).idempotency_key(format!("{other}"));
            assert!(update.send(&world.repository).await.expect("an answer").is_applied());
        }
        let sent = count.send(&repository).await;
        assert_eq!(balances(&world).await, (100 + u64::from(served), 100), "{sent:?}");
        let error = sent.expect_err("nothing tells");
        assert!(error.is_outcome_unknown() && error.to_string().contains("idempotency keys"), "{error}");
    }
}
