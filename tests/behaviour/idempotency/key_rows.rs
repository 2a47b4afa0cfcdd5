//! Idempotency keys in rows of their own.

use super::{Rowed, is_duplicate};
use dyno::{Found, Reason, Request, Transaction};
use dyno_tests::{n, reasons, world};

#[tokio::test]
async fn a_key_row_is_written_with_its_update_or_not_at_all() {
    let world = world::<Rowed>().await;
    let repository = &world.repository;
    let rowed = Rowed { id: "1".to_owned(), total: 0, lines: Vec::new() };
    rowed.put().send(repository).await.expect("a put");
    let before = repository.usage();
    assert!(add!(Rowed, repository, "a", 5).is_applied());
    assert_eq!(repository.usage().requests - before.requests, 1);
    let before = repository.usage();
    let again = add!(Rowed, repository, "a", 5);
    assert_eq!(repository.usage().requests - before.requests, 2, "the transaction, and the item");
    let refusal = again.refusal().expect("a duplicate");
    assert_eq!(refusal.reasons(), [Reason::Duplicate]);
    assert_eq!(refusal.current().expect("it decodes"), Some(Found::Live(Rowed { total: 5, ..rowed.clone() })));
    let rows = repository.client().scan().table_name("bills-idempotency").send().await.expect("a scan");
    let rows = rows.items.unwrap_or_default();
    assert_eq!(rows.len(), 1);
    assert!(rows[0]["_key"].as_s().expect("text").starts_with("bills|Rowed|1|"), "{rows:?}");
    assert_eq!(rows[0]["_ttl"], n(world.clock_seconds() + 3610));
    // A refused update leaves no key row.
    let missing = Rowed::update("2").with(Rowed::fields().total.add(1)).idempotency_key("a");
    let missing = missing.send(repository).await.expect("an answer");
    assert_eq!(missing.refusal().map(|refusal| refusal.reasons().to_vec()), Some(vec![Reason::Missing]));
    // A put of the item keeps the key rows.
    rowed.put().send(repository).await.expect("a put");
    assert!(is_duplicate(&add!(Rowed, repository, "a", 5)));
    // A delete keeps them too.
    Rowed::delete("1").send(repository).await.expect("a delete");
    let gone = add!(Rowed, repository, "a", 5);
    let reasons = gone.refusal().map(|refusal| refusal.reasons().to_vec());
    assert_eq!(reasons, Some(vec![Reason::Missing, Reason::Duplicate]));
    rowed.put().send(repository).await.expect("a put");
    // A repeated `remove_value` is a duplicate, although the element no longer exists.
    let push = Rowed::update("1").with(Rowed::fields().lines.push("x")).idempotency_key("push");
    assert!(push.send(repository).await.expect("an answer").is_applied());
    let remove = Rowed::update("1").with(Rowed::fields().lines.remove_value("x")).idempotency_key("remove");
    assert!(remove.clone().send(repository).await.expect("an answer").is_applied());
    assert!(is_duplicate(&remove.send(repository).await.expect("an answer")));
    let error = Rowed::update("1").with(Rowed::fields().total.add(1)).idempotency_key("z").return_new();
    assert!(error.send(repository).await.expect_err("a transaction").to_string().contains("returns no item"));
}

/// The key row shows whether the update was applied. If there is none, the missing element is the reason.
#[tokio::test]
async fn removing_an_element_that_was_never_stored_is_not_a_duplicate() {
    let world = world::<Rowed>().await;
    let repository = &world.repository;
    Rowed { id: "1".to_owned(), total: 0, lines: vec!["x".to_owned()] }.put().send(repository).await.expect("a put");
    let remove = Rowed::update("1").with(Rowed::fields().lines.remove_value("y")).idempotency_key("remove");
    let missing = vec![Reason::NotContained { path: "lines".to_owned() }];
    assert_eq!(reasons(&remove.clone().send(repository).await.expect("an answer")), missing);
    let together = Transaction::new().update(remove.clone()).send(repository).await.expect("an answer");
    assert!(!together.is_applied());
    // The update was not applied, so it can be applied later.
    let push = Rowed::update("1").with(Rowed::fields().lines.push("y")).idempotency_key("push");
    assert!(push.send(repository).await.expect("an answer").is_applied());
    assert!(remove.send(repository).await.expect("an answer").is_applied());
}

/// The table of keys has the configured name, and cannot be the table of the items.
#[tokio::test]
async fn the_idempotency_table_has_the_configured_name() {
    let world = world::<Rowed>().await;
    let repository = world.repository.clone().with_idempotency_table::<Rowed>("shared-keys");
    let rowed = Rowed { id: "1".to_owned(), total: 0, lines: Vec::new() };
    rowed.put().send(&repository).await.expect("a put");
    let update = Rowed::update("1").with(Rowed::fields().total.add(1)).idempotency_key("a");
    assert!(update.clone().send(&repository).await.expect_err("there is none").is_table_missing());
    repository.create_table::<Rowed>().await.expect("tables");
    assert!(update.send(&repository).await.expect("sent").is_applied());
    let same = world.repository.clone().with_idempotency_table::<Rowed>("bills");
    let error = Rowed::update("1").with(Rowed::fields().total.add(1)).idempotency_key("b").send(&same).await;
    assert!(error.expect_err("the same table").to_string().contains("cannot also hold its own idempotency keys"));
}

#[tokio::test]
async fn a_key_row_with_too_long_a_key_is_refused_before_the_request() {
    let world = world::<Rowed>().await;
    let repository = world.repository.metered();
    // The key of the row also contains the table and the entity.
    let update = Rowed::update("x".repeat(2040)).with(Rowed::fields().total.add(1)).idempotency_key("a");
    let error = update.send(&repository).await.expect_err("too long");
    assert!(error.is_invalid_input() && error.to_string().contains("the row of the idempotency key"), "{error}");
    assert_eq!(repository.usage().requests, 0);
}

/// Two tables share a table of keys, and each has an item with the same key.
#[tokio::test]
async fn key_rows_of_different_tables_do_not_collide() {
    let world = world::<Rowed>().await;
    let one = world.repository.clone().with_idempotency_table::<Rowed>("keys");
    let other = one.clone().with_table::<Rowed>("other-bills");
    for repository in [&one, &other] {
        repository.create_table::<Rowed>().await.expect("tables");
        let rowed = Rowed { id: "1".to_owned(), total: 0, lines: Vec::new() };
        rowed.put().send(repository).await.expect("a put");
        assert!(add!(Rowed, repository, "a", 1).is_applied());
        assert!(is_duplicate(&add!(Rowed, repository, "a", 1)));
    }
    let update = Rowed::update("1").with(Rowed::fields().total.add(1)).idempotency_key("b");
    let Request::Transaction(shown) = update.request(&one).expect("a request") else { panic!("no transaction") };
    assert_eq!(shown.get_transact_items().as_ref().map(Vec::len), Some(2));
    // The request, sent through the client, applies the update.
    one.client()
        .transact_write_items()
        .set_transact_items(shown.get_transact_items().clone())
        .send()
        .await
        .expect("sent");
    assert!(is_duplicate(&add!(Rowed, &one, "b", 1)));
}
