//! An update that is delivered twice is applied once: with other refusals, with versions, and with other writers.

use super::{Bill, Versioned, bill, bills, is_duplicate};
use dyno::{Entity, Found, Reason};
use dyno_tests::world;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(keys = 2)]
struct VersionedCount {
    #[partition_key]
    id: String,
    total: u64,
    #[version]
    version: u64,
}

#[tokio::test]
async fn an_update_with_a_repeated_key_applies_once() {
    let world = bills().await;
    let repository = &world.repository;
    assert!(add!(Bill, repository, "a", 5).is_applied());
    let before = repository.usage().requests;
    let again = add!(Bill, repository, "a", 5);
    assert_eq!(repository.usage().requests - before, 1);
    let refusal = again.refusal().expect("a duplicate");
    assert_eq!(refusal.reasons(), [Reason::Duplicate]);
    // The refusal has the current item.
    assert_eq!(refusal.current().expect("it decodes"), Some(Found::Live(Bill { total: 5, ..bill() })));
    assert!(again.accept_duplicate().expect("it has been made").is_none());
    assert!(add!(Bill, repository, "b", 5).accept_duplicate().expect("applied").is_some());
    assert_eq!(total!(Bill, world), 10);
    // Another item has its own keys.
    let other = Bill { id: "2".to_owned(), ..bill() };
    other.create().send(repository).await.expect("a create").applied().expect("applied");
    let update = Bill::update("2").with(Bill::fields().total.add(1)).idempotency_key("a");
    assert!(update.send(repository).await.expect("an answer").is_applied());
    // A key can be any bytes.
    assert!(add!(Bill, repository, [1u8, 2, 3], 1).is_applied());
    assert!(is_duplicate(&add!(Bill, repository, vec![1u8, 2, 3], 1)));
}

#[tokio::test]
async fn a_refusal_for_another_reason_is_not_a_duplicate() {
    let world = bills().await;
    let repository = &world.repository;
    let f = Bill::fields();
    let spend = Bill::update("1").condition(f.total.ge(5)).with(f.total.decrement(5)).idempotency_key("spend");
    let refused = spend.clone().send(repository).await.expect("an answer");
    assert_eq!(
        refused.refusal().map(|refusal| refusal.reasons().to_vec()),
        Some(vec![Reason::OutOfRange { path: "total".to_owned() }])
    );
    assert!(refused.accept_duplicate().expect_err("it was not made").is_refused());
    assert!(add!(Bill, repository, "earn", 5).is_applied());
    assert!(spend.clone().send(repository).await.expect("an answer").is_applied());
    // Nothing is left to spend, but this update itself has spent it.
    let again = spend.send(repository).await.expect("an answer");
    assert!(is_duplicate(&again));
    assert!(again.accept_duplicate().expect("made").is_none());
    let missing = Bill::update("9").with(Bill::fields().total.add(1)).idempotency_key("a");
    let missing = missing.send(repository).await.expect("an answer");
    assert_eq!(missing.refusal().map(|refusal| refusal.reasons().to_vec()), Some(vec![Reason::Missing]));
    // A refused update leaves no key.
    let update = Bill::update("1").condition(Bill::fields().total.eq(1)).with(Bill::fields().total.add(1));
    let update = update.idempotency_key("condition").send(repository).await.expect("an answer");
    assert!(update.refusal().is_some_and(dyno::Refusal::is_condition));
    assert!(add!(Bill, repository, "condition", 1).is_applied());
}

#[tokio::test]
async fn an_upsert_creates_the_item_with_its_first_key() {
    let world = world::<Bill>().await;
    let upsert = |key: &str| {
        let f = Bill::fields();
        Bill::update("1").with([f.total.add(2), f.lines.push("x")]).upsert().idempotency_key(key)
    };
    for (key, applied) in [("a", true), ("a", false), ("b", true), ("a", false)] {
        assert_eq!(upsert(key).send(&world.repository).await.expect("an answer").is_applied(), applied, "{key}");
    }
    assert_eq!(total!(Bill, world), 4);
}

#[tokio::test]
async fn keys_in_sets_work_with_versions() {
    let world = world::<Versioned>().await;
    let repository = &world.repository;
    let new = Versioned { id: "1".to_owned(), total: 0, note: "a".to_owned(), version: 0 };
    assert_eq!(new.create().send(repository).await.expect("sent").applied().expect("applied"), 1);
    let add =
        |key: &str| Versioned::update("1").unchecked().with(Versioned::fields().total.add(1)).idempotency_key(key);
    assert_eq!(add("a").send(repository).await.expect("sent").applied().expect("applied"), 2);
    assert!(is_duplicate(&add("a").send(repository).await.expect("sent")));
    let checked = Versioned::update("1").version(2u64).with(Versioned::fields().total.add(1)).idempotency_key("b");
    assert_eq!(checked.clone().send(repository).await.expect("sent").applied().expect("applied"), 3);
    let fresh = Versioned::update("1").version(2u64).with(Versioned::fields().total.add(1)).idempotency_key("b");
    let again = fresh.send(repository).await.expect("sent");
    assert!(is_duplicate(&again), "{again:?}");
    // `modify` keeps the keys, although the entity does not declare them.
    let modify = Versioned::modify("1", |bill| bill.note = "b".to_owned()).send(repository).await.expect("sent");
    assert_eq!(modify.applied().expect("applied").version, 4);
    assert!(is_duplicate(&add("a").send(repository).await.expect("sent")));
    // An update without a key is sent again after a lost response only if it expects a version.
    world.lose_answers(1);
    let keyless = Versioned::update("1").unchecked().with(Versioned::fields().total.add(1)).send(repository).await;
    assert!(keyless.expect_err("nobody knows").is_outcome_unknown());
    world.lose_answers(1);
    let checked = Versioned::update("1").version(5u64).with(Versioned::fields().total.add(1)).send(repository).await;
    assert_eq!(checked.expect("sent again").applied().expect("its own"), 6);
    assert_eq!(total!(Versioned, world), 4);
    // After a delete, the item has no keys: the update is refused because of the deletion.
    Versioned::delete("1", 6u64).send(repository).await.expect("sent").applied().expect("applied");
    let gone = add("a").send(repository).await.expect("sent");
    assert_eq!(gone.refusal().map(|refusal| refusal.reasons().to_vec()), Some(vec![Reason::Deleted]));
}

#[tokio::test]
async fn a_list_of_keys_works_with_versions() {
    let world = world::<VersionedCount>().await;
    let repository = &world.repository;
    let new = VersionedCount { id: "1".to_owned(), total: 0, version: 0 };
    new.create().send(repository).await.expect("sent").applied().expect("applied");
    for (index, requests) in [(0, 1), (1, 1), (2, 2), (3, 1)] {
        let update = VersionedCount::update("1").unchecked().with(VersionedCount::fields().total.add(1));
        let update = update.idempotency_key(format!("{index}"));
        let before = repository.usage().requests;
        assert_eq!(update.clone().send(repository).await.expect("sent").applied().expect("applied"), index + 2);
        assert_eq!(repository.usage().requests - before, requests);
        let again = VersionedCount::update("1").unchecked().with(VersionedCount::fields().total.add(1));
        assert!(is_duplicate(&again.idempotency_key(format!("{index}")).send(repository).await.expect("sent")));
    }
    assert_eq!(total!(VersionedCount, world), 4);
}

/// The response to a delivery is lost, and a second delivery comes before its retry. The update is applied once, and the
/// second delivery and the retry are duplicates.
#[tokio::test]
async fn only_one_of_two_concurrent_deliveries_applies() {
    let world = bills().await;
    let repository = world.repository.clone();
    let first = async move { add!(Bill, &repository, "a", 5) };
    let other = world.other();
    let first = world.meanwhile(first, async { assert!(is_duplicate(&add!(Bill, &other, "a", 5))) }).await;
    assert!(is_duplicate(&first));
    assert_eq!(total!(Bill, world), 5);
}
