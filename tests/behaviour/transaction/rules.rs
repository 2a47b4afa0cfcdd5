//! Each action of a transaction keeps the rules of its entity.

use super::{Account, Cart, Rating, Session, Transfer, balances, bank, cart, rating, reasons, transfer};
use dyno::{EpochMillis, EpochSeconds, Found, Reason, Transaction};
use dyno_tests::{NOW, s};

#[tokio::test]
async fn each_action_obeys_the_rules_of_its_entity() {
    let world = bank().await;
    let repository = &world.repository;
    // Several entities in one transaction, each under its own rules.
    let all = |version| {
        Transaction::new()
            .put([rating("r", 10).put()])
            .put(cart(version).put())
            .delete(Rating::delete("gone", EpochMillis::new(NOW)))
            .put(Session { id: "s".to_owned(), expires: EpochSeconds::new(NOW / 1000 + 60) }.create())
    };
    let committed = all(0).send(repository).await.expect("an answer").applied().expect("applied");
    assert_eq!(committed.version_of::<Cart>(1), Some(1));
    assert_eq!(committed.version_of::<Cart>(0), None, "of another entity");
    let gone = Rating::get("gone").include_deleted().send(repository).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = gone else { panic!("{gone:?}") };
    assert_eq!(tombstone.expires(), Some(EpochSeconds::new(NOW / 1000 + 7 * 86_400)));

    let outcome = Transaction::new()
        .put(rating("r", 5).put())
        .put(rating("gone", -5).put())
        .update(Cart::update("cart").version(7).with(Cart::fields().lines.set(3)))
        .check(Session::check("s"))
        .send(repository)
        .await
        .expect("an answer");
    let stale = Reason::Stale { attribute: "at", tie: false };
    assert_eq!(
        reasons(&outcome),
        [
            (0, vec![stale.clone()]),
            (1, vec![stale, Reason::Deleted]),
            (2, vec![Reason::Conflict { expected: 7, found: Some(1) }]),
        ]
    );
    assert!(!outcome.refusal().expect("refused").is_superseded(), "the update is not old news");

    // An expired item counts as absent, by the repository's clock.
    world.clock.advance(61_000);
    let outcome = Transaction::new().check(Session::check("s")).put(cart(1).put()).send(repository).await;
    assert_eq!(reasons(&outcome.expect("an answer")), [(0, vec![Reason::Expired])]);
    let outcome = Transaction::new().check(Session::check("s").absent()).delete(Cart::delete("cart", 1u64));
    let committed = outcome.send(repository).await.expect("an answer").applied().expect("applied");
    assert_eq!(committed.version_of::<Cart>(1), Some(2));
}

/// The create continues the version numbers of the tombstone, in a second request with a token of its own.
#[tokio::test]
async fn a_create_over_a_tombstone_continues_its_versions() {
    for token in [None, Some("mine")] {
        let world = bank().await;
        cart(0).create().send(&world.repository).await.expect("sent").applied().expect("applied");
        Cart::delete("cart", 1u64).send(&world.repository).await.expect("sent").applied().expect("applied");
        let mut transaction =
            Transaction::new().put(cart(0).create()).update(Account::update(1).with(Account::fields().balance.add(1)));
        if let Some(token) = token {
            transaction = transaction.token(token);
        }
        let metered = world.repository.metered();
        let committed = transaction.clone().send(&metered).await.expect("an answer").applied().expect("applied");
        assert_eq!((committed.version_of::<Cart>(0), metered.usage().requests), (Some(3), 2));
        // A clone starts with the request that was applied, so it sends only one.
        let again = transaction.send(&metered).await.expect("an answer").applied().expect("applied");
        assert_eq!((again.version_of::<Cart>(0), metered.usage().requests), (Some(3), 3));
        assert_eq!(balances(&world).await, (101, 100));
        assert_eq!(Cart::get("cart").send(&world.repository).await.expect("a get"), Some(cart(3)));
    }
}

#[tokio::test]
async fn an_undelete_and_a_purge_are_applied_in_a_transaction() {
    let world = bank().await;
    let repository = &world.repository;
    for id in ["a", "b"] {
        Rating::delete(id, EpochMillis::new(NOW)).send(repository).await.expect("sent").applied().expect("applied");
    }
    let found = Rating::get("b").include_deleted().send(repository).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
    let both = || Transaction::new().put(rating("a", 1).undelete()).delete(Rating::purge(&tombstone));
    assert!(both().send(repository).await.expect("an answer").is_applied());
    assert_eq!(world.stored::<Rating>().await.len(), 1);
    Rating::delete("b", EpochMillis::new(NOW + 5)).send(repository).await.expect("sent").applied().expect("applied");
    let outcome = both().send(repository).await.expect("an answer");
    assert_eq!(reasons(&outcome)[1], (1, vec![Reason::Changed]));
    assert!(reasons(&outcome)[0].1.contains(&Reason::NotDeleted), "{outcome:?}");
}

/// A repeated delete that is sent alone counts as applied. In a transaction it is refused, because the other actions were
/// not applied.
#[tokio::test]
async fn a_repeated_delete_refuses_the_transaction() {
    let world = bank().await;
    let delete = || Rating::delete("r", EpochMillis::new(NOW));
    assert!(delete().send(&world.repository).await.expect("an answer").is_applied());
    assert!(delete().send(&world.repository).await.expect("an answer").is_applied());
    let outcome = Transaction::new().delete(delete()).put(transfer("a").put()).send(&world.repository).await;
    let outcome = outcome.expect("an answer");
    let tie = vec![Reason::Stale { attribute: "at", tie: true }, Reason::Deleted];
    assert_eq!(reasons(&outcome), [(0, tie.clone())]);
    assert!(!outcome.refusal().expect("refused").is_superseded(), "the put was not");
    assert!(world.stored::<Transfer>().await.iter().all(|item| item["id"] == s("r")));
    // If all writes of a transaction are old news, nothing is lost.
    rating("q", 9).put().send(&world.repository).await.expect("sent").applied().expect("applied");
    let outcome = Transaction::new().delete(delete()).put(rating("q", 3).put()).check(Account::check(1));
    let outcome = outcome.send(&world.repository).await.expect("an answer");
    assert!(outcome.refusal().expect("refused").is_superseded());
    assert!(outcome.accept_stale().expect("old news").is_none());
}

#[tokio::test]
async fn a_command_sent_alone_is_another_write_in_a_transaction() {
    let world = bank().await;
    let create = cart(0).create();
    assert!(create.clone().send(&world.repository).await.expect("an answer").is_applied());
    let transaction = Transaction::new().put(create).put(transfer("a").create());
    let outcome = transaction.send(&world.repository).await.expect("an answer");
    assert_eq!(reasons(&outcome), [(0, vec![Reason::Exists])]);
    assert_eq!(world.stored::<Transfer>().await.len(), 1);
}

#[tokio::test]
async fn a_check_refuses_by_its_condition_and_writes_nothing() {
    let world = bank().await;
    let repository = &world.repository;
    cart(0).create().send(repository).await.expect("sent").applied().expect("applied");
    rating("gone", 0).put().send(repository).await.expect("sent").applied().expect("applied");
    Rating::delete("gone", EpochMillis::new(NOW + 1)).send(repository).await.expect("sent").applied().expect("applied");
    let before = world.stored::<Transfer>().await;
    let outcome = Transaction::new()
        .check(Cart::check("cart").version(1u64))
        .check(Rating::check("gone").absent())
        .check([Transfer::check("none").absent()])
        .check(Account::check(1).condition(Account::fields().balance.ge(100)));
    let metered = repository.metered();
    assert!(outcome.send(&metered).await.expect("an answer").is_applied());
    assert_eq!(metered.usage().requests, 1);
    let mut after = world.stored::<Transfer>().await;
    after.sort_by_key(|item| item["id"].as_s().cloned().unwrap_or_default());
    let mut before = before;
    before.sort_by_key(|item| item["id"].as_s().cloned().unwrap_or_default());
    assert_eq!(before, after);

    let outcome = Transaction::new()
        .check(Cart::check("cart").version(2u64))
        .check(Rating::check("gone"))
        .check(Account::check(1).absent())
        .check(Transfer::check("none"));
    let outcome = outcome.send(repository).await.expect("an answer");
    assert_eq!(
        reasons(&outcome),
        [
            (0, vec![Reason::Conflict { expected: 2, found: Some(1) }]),
            (1, vec![Reason::Deleted]),
            (2, vec![Reason::Exists]),
            (3, vec![Reason::Missing]),
        ]
    );
}
