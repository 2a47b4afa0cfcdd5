//! Idempotency keys: each update is made once, whatever comes twice, how late, and by whose clock.

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis, ErrorKind, Found, ManualClock, Outcome, Reason, Repository};
use dyno_tests::{NOW, World, n, s, world};
use std::sync::Arc;
use std::time::Duration;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(window_secs = 60, max_skew_secs = 60)]
struct Bill {
    #[partition_key]
    id: String,
    total: u64,
    lines: Vec<String>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(keys = 3, raw, key_bytes = 8)]
struct Counted {
    #[partition_key]
    id: String,
    total: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(store = "row", window_secs = 3600, max_skew_secs = 10)]
struct Rowed {
    #[partition_key]
    id: String,
    total: u64,
    lines: Vec<String>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[tombstone(ttl_days = 7)]
#[idempotency(window_secs = 60)]
struct Versioned {
    #[partition_key]
    id: String,
    total: u64,
    note: String,
    #[version]
    version: u64,
}

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

/// Of any of them.
macro_rules! add {
    ($entity:ident, $repository:expr, $key:expr, $amount:expr) => {
        $entity::update("1")
            .with($entity::fields().total.add($amount))
            .idempotency_key($key)
            .send($repository)
            .await
            .expect("an answer")
    };
}

macro_rules! total {
    ($entity:ident, $world:expr) => {
        $entity::get("1").consistent().send(&$world.other()).await.expect("a get").expect("a bill").total
    };
}

fn bill() -> Bill {
    Bill { id: "1".to_owned(), total: 0, lines: Vec::new() }
}

async fn bills() -> World {
    let world = world::<Bill>().await;
    bill().create().send(&world.repository).await.expect("a create").applied().expect("applied");
    world
}

fn is_duplicate<E, T>(outcome: &Outcome<E, T>) -> bool {
    outcome.refusal().is_some_and(dyno::Refusal::is_duplicate)
}

/// The same database for a writer whose clock is so far off.
fn writer(world: &World, millis: i64) -> Repository {
    let time = world.repository.now().get() + millis;
    world.other().with_clock(Arc::new(ManualClock::new(EpochMillis::new(time))))
}

#[tokio::test]
async fn an_update_that_comes_twice_is_made_once() {
    let world = bills().await;
    let repository = &world.repository;
    assert!(add!(Bill, repository, "a", 5).is_applied());
    let before = repository.usage().requests;
    let again = add!(Bill, repository, "a", 5);
    assert_eq!(repository.usage().requests - before, 1);
    let refusal = again.refusal().expect("a duplicate");
    assert_eq!(refusal.reasons(), [Reason::Duplicate]);
    // With the item as it is.
    assert_eq!(refusal.current().expect("it decodes"), Some(Found::Live(Bill { total: 5, ..bill() })));
    assert!(again.accept_duplicate().expect("it has been made").is_none());
    assert!(add!(Bill, repository, "b", 5).accept_duplicate().expect("applied").is_some());
    assert_eq!(total!(Bill, world), 10);
    // Another item has keys of its own.
    let other = Bill { id: "2".to_owned(), ..bill() };
    other.create().send(repository).await.expect("a create").applied().expect("applied");
    let update = Bill::update("2").with(Bill::fields().total.add(1)).idempotency_key("a");
    assert!(update.send(repository).await.expect("an answer").is_applied());
    // A key is bytes.
    assert!(add!(Bill, repository, [1u8, 2, 3], 1).is_applied());
    assert!(is_duplicate(&add!(Bill, repository, vec![1u8, 2, 3], 1)));
}

#[tokio::test]
async fn other_reasons_stand_beside_and_a_key_alone_is_no_reason() {
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
    // There is nothing left to spend, and it was spent by this.
    let again = spend.send(repository).await.expect("an answer");
    assert!(is_duplicate(&again));
    assert!(again.accept_duplicate().expect("made").is_none());
    let missing = Bill::update("9").with(Bill::fields().total.add(1)).idempotency_key("a");
    let missing = missing.send(repository).await.expect("an answer");
    assert_eq!(missing.refusal().map(|refusal| refusal.reasons().to_vec()), Some(vec![Reason::Missing]));
    // A refusal leaves no key.
    let update = Bill::update("1").condition(Bill::fields().total.eq(1)).with(Bill::fields().total.add(1));
    let update = update.idempotency_key("condition").send(repository).await.expect("an answer");
    assert!(update.refusal().is_some_and(dyno::Refusal::is_condition));
    assert!(add!(Bill, repository, "condition", 1).is_applied());
}

#[tokio::test]
async fn an_upsert_makes_the_item_with_its_first_key() {
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

/// The promise: for a window, while clocks differ by at most the skew.
#[tokio::test]
async fn a_key_is_remembered_for_a_window_by_any_clock_within_the_skew() {
    for (writes, asks) in [(0, 0), (0, 60_000), (60_000, 0), (30_000, -30_000), (-30_000, 30_000)] {
        let world = bills().await;
        assert!(add!(Bill, &writer(&world, writes), "a", 1).is_applied());
        for step in 0..=12 {
            world.clock.set(EpochMillis::new(NOW + step * 5_000));
            // Others keep the sets turning, by both clocks.
            assert!(add!(Bill, &writer(&world, writes), format!("w{step}"), 0).is_applied());
            assert!(add!(Bill, &writer(&world, asks), format!("a{step}"), 0).is_applied());
            assert!(is_duplicate(&add!(Bill, &writer(&world, asks), "a", 1)), "{writes} {asks} {step}");
        }
        assert_eq!(total!(Bill, world), 1);
    }
}

#[tokio::test]
async fn a_key_is_forgotten_in_the_end_and_the_item_stays_small() {
    let world = bills().await;
    assert!(add!(Bill, &world.repository, "a", 1).is_applied());
    let mut most = 0;
    for step in 0..40 {
        world.clock.set(EpochMillis::new(NOW + step * 10_000));
        let before = world.repository.usage().requests;
        assert!(add!(Bill, &world.repository, format!("{step}"), 1).is_applied());
        assert_eq!(world.repository.usage().requests - before, 1, "one request, each time");
        let sets = &world.stored::<Bill>().await[0];
        let keys = sets.values().map(|value| value.as_bs().map_or(0, Vec::len));
        most = most.max(keys.sum::<usize>());
    }
    // 60 + 60 + 15 seconds, one each 10 seconds, and what says which turn a set is of.
    assert!(most <= 14 + 10, "{most}");
    assert!(add!(Bill, &world.repository, "a", 1).is_applied(), "long forgotten");
}

/// A name that comes into use again after an idle time holds keys of another turn.
#[tokio::test]
async fn after_an_idle_time_a_set_of_an_earlier_turn_is_replaced() {
    let world = bills().await;
    let (bucket, sets) = (15_000, 26);
    let mut requests = Vec::new();
    for turn in 0..4 {
        world.clock.set(EpochMillis::new(NOW + turn * bucket * sets));
        let before = world.repository.usage().requests;
        assert!(add!(Bill, &world.repository, format!("{turn}"), 1).is_applied());
        requests.push(world.repository.usage().requests - before);
        assert!(is_duplicate(&add!(Bill, &world.repository, format!("{turn}"), 1)));
        let stored = &world.stored::<Bill>().await[0];
        let keys: Vec<usize> = stored.values().filter_map(|value| Some(value.as_bs().ok()?.len())).collect();
        assert_eq!(keys, [2], "one set, with one key and its turn");
    }
    assert_eq!(requests, [1, 2, 2, 2]);
    assert_eq!(total!(Bill, world), 4);
    // From a clock that is a whole turn behind, it is refused, and nothing is lost.
    let late = add!(Bill, &writer(&world, -bucket * sets), "late", 1);
    let reasons = late.refusal().map(|refusal| refusal.reasons().to_vec());
    assert_eq!(reasons, Some(vec![Reason::Behind { seconds: bucket * sets / 1000 }]));
    assert_eq!(total!(Bill, world), 4);
}

#[tokio::test]
async fn a_set_that_another_writer_made_something_else_of_is_named() {
    let world = bills().await;
    let mut row = world.stored::<Bill>().await[0].clone();
    for set in 0..26 {
        row.insert(format!("_k{set}"), s("x"));
    }
    world.write_foreign::<Bill>(row).await;
    let refused = add!(Bill, &world.repository, "a", 1);
    let reasons = refused.refusal().map(|refusal| refusal.reasons().to_vec()).expect("refused");
    assert!(
        matches!(&reasons[..], [Reason::Corrupt { expected: "a set of bytes (BS)", found: "S", .. }]),
        "{reasons:?}"
    );
}

#[tokio::test]
async fn the_last_so_many_keys_are_in_a_list() {
    let world = world::<Counted>().await;
    let repository = &world.repository;
    Counted { id: "1".to_owned(), total: 0 }.create().send(repository).await.expect("sent").applied().expect("applied");
    let stored = async || {
        let keys = world.stored::<Counted>().await[0]["_k"].as_l().expect("a list").clone();
        let text =
            |key: &AttributeValue| String::from_utf8(key.as_b().expect("bytes").as_ref().to_vec()).expect("text");
        keys.iter().map(text).collect::<Vec<_>>().join(" ")
    };
    for (key, requests, keys) in [
        ("a", 1, "a"),
        ("b", 1, "a b"),
        ("c", 1, "a b c"),
        // It was taken to have room.
        ("d", 2, "b c d"),
        ("e", 1, "c d e"),
        ("f", 1, "d e f"),
    ] {
        let before = repository.usage().requests;
        assert!(add!(Counted, repository, key, 1).is_applied(), "{key}");
        assert_eq!((repository.usage().requests - before, stored().await.as_str()), (requests, keys));
        assert!(is_duplicate(&add!(Counted, repository, key, 1)), "{key}");
    }
    assert_eq!(total!(Counted, world), 6);
    // Another process does not know yet that the list is full.
    let other = world.other();
    assert!(add!(Counted, &other, "g", 1).is_applied());
    assert_eq!(other.usage().requests, 2);
    // Out of the window, out of mind.
    assert!(add!(Counted, repository, "a", 1).is_applied());
    let long = Counted::update("1").with(Counted::fields().total.add(1)).idempotency_key("123456789");
    let error = long.send(repository).await.expect_err("too long");
    assert!(
        error.is_invalid_input() && error.to_string().contains("9 bytes, but `key_bytes` says at most 8"),
        "{error}"
    );
    let empty = Counted::update("1").with(Counted::fields().total.add(1)).idempotency_key("");
    assert!(empty.send(repository).await.expect_err("empty").to_string().contains("cannot be empty"));
}

#[tokio::test]
async fn a_key_in_a_row_of_its_own_goes_with_the_update_or_not_at_all() {
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
    // Refused, it leaves no row.
    let missing = Rowed::update("2").with(Rowed::fields().total.add(1)).idempotency_key("a");
    let missing = missing.send(repository).await.expect("an answer");
    assert_eq!(missing.refusal().map(|refusal| refusal.reasons().to_vec()), Some(vec![Reason::Missing]));
    // A put forgets nothing.
    rowed.put().send(repository).await.expect("a put");
    assert!(is_duplicate(&add!(Rowed, repository, "a", 5)));
    // Nor does a delete.
    Rowed::delete("1").send(repository).await.expect("a delete");
    let gone = add!(Rowed, repository, "a", 5);
    let reasons = gone.refusal().map(|refusal| refusal.reasons().to_vec());
    assert_eq!(reasons, Some(vec![Reason::Missing, Reason::Duplicate]));
    rowed.put().send(repository).await.expect("a put");
    // An element that is gone was taken out by the update that comes again.
    let push = Rowed::update("1").with(Rowed::fields().lines.push("x")).idempotency_key("push");
    assert!(push.send(repository).await.expect("an answer").is_applied());
    let remove = Rowed::update("1").with(Rowed::fields().lines.remove_value("x")).idempotency_key("remove");
    assert!(remove.clone().send(repository).await.expect("an answer").is_applied());
    assert!(is_duplicate(&remove.send(repository).await.expect("an answer")));
    let error = Rowed::update("1").with(Rowed::fields().total.add(1)).idempotency_key("z").return_new();
    assert!(error.send(repository).await.expect_err("a transaction").to_string().contains("returns no item"));
}

#[tokio::test]
async fn an_element_that_is_gone_was_taken_out_by_the_update_that_comes_again() {
    let world = bills().await;
    let push = Bill::update("1").with(Bill::fields().lines.push("x")).idempotency_key("push");
    assert!(push.send(&world.repository).await.expect("an answer").is_applied());
    let remove = Bill::update("1").with(Bill::fields().lines.remove_value("x")).idempotency_key("remove");
    assert!(remove.clone().send(&world.repository).await.expect("an answer").is_applied());
    let again = remove.send(&world.repository).await.expect("an answer");
    let reasons = again.refusal().map(|refusal| refusal.reasons().to_vec());
    assert_eq!(reasons, Some(vec![Reason::Duplicate, Reason::NotContained { path: "lines".to_owned() }]));
}

/// Its own first attempt is a duplicate like any other.
#[tokio::test]
async fn after_a_lost_answer_a_keyed_update_is_sent_again_and_made_once() {
    for lost in [1, 2] {
        let world = bills().await;
        world.lose_answers(lost);
        assert!(is_duplicate(&add!(Bill, &world.repository, "a", 5)));
        assert_eq!(total!(Bill, world), 5);
    }
    let world = world::<Rowed>().await;
    let rowed = Rowed { id: "1".to_owned(), total: 0, lines: Vec::new() };
    rowed.put().send(&world.repository).await.expect("a put");
    // DynamoDB knows a transaction that is sent again by its token.
    world.lose_answers(1);
    assert!(add!(Rowed, &world.repository, "a", 5).is_applied());
    assert_eq!(total!(Rowed, world), 5);
}

/// Without a key, what would count twice is not sent again: the plain SDK does, and counts twice.
#[tokio::test]
async fn without_a_key_an_increment_is_not_sent_again_and_the_outcome_is_unknown() {
    let world = bills().await;
    let f = Bill::fields;
    for change in [f().total.add(1), f().total.increment(1), f().lines.push("x"), f().lines.extend(["y", "z"])] {
        let before = world.stored::<Bill>().await;
        world.lose_answers(1);
        let error = Bill::update("1").with(change).send(&world.repository).await.expect_err("nobody knows");
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
        assert_eq!(
            error.to_string(),
            "update of `Bill` (id = \"1\"): no answer came from DynamoDB; the update may have been applied, and was \
             not sent again, since it would count twice: load the item and decide, and give such updates an idempotency \
             key"
        );
        assert!(std::error::Error::source(&error).is_some());
        assert_ne!(world.stored::<Bill>().await, before, "it was applied, once");
    }
    assert_eq!(total!(Bill, world), 2);
    world.lose_answers(1);
    let remove = Bill::update("1").with(f().lines.remove_at(0, "x")).send(&world.repository).await;
    assert!(remove.expect_err("nobody knows").is_outcome_unknown());

    // The plain SDK.
    let client = world.client(RetryConfig::standard().with_initial_backoff(Duration::from_millis(1)));
    let raw = client.update_item().table_name("bills").key("id", s("1")).update_expression("ADD #t :n");
    let raw = raw.expression_attribute_names("#t", "total").expression_attribute_values(":n", n(1));
    world.lose_answers(1);
    raw.send().await.expect("it says that all is well");
    assert_eq!(total!(Bill, world), 4, "1 was added, twice");
}

#[tokio::test]
async fn without_a_key_what_can_be_sent_again_is() {
    let world = bills().await;
    let f = Bill::fields;
    for change in [f().total.set(7), f().total.set_if_absent(9), f().lines.set(vec!["x".to_owned()])] {
        world.lose_answers(1);
        assert!(Bill::update("1").with(change).send(&world.repository).await.expect("sent again").is_applied());
    }
    // A refusal says that the list has it.
    world.lose_answers(1);
    let unique = Bill::update("1").with(f().lines.push_unique("y")).send(&world.repository).await.expect("sent again");
    let contained = Reason::Contained { path: "lines".to_owned() };
    assert_eq!(unique.refusal().map(|refusal| refusal.reasons().to_vec()), Some(vec![contained]));
    let bill = Bill::get("1").consistent().send(&world.repository).await.expect("a get").expect("a bill");
    assert_eq!((bill.total, bill.lines), (7, vec!["x".to_owned(), "y".to_owned()]));
}

/// Of throttling it is sure that nothing was applied.
#[tokio::test]
async fn a_throttled_increment_is_sent_again() {
    let world = bills().await;
    world.faults.throttle(2);
    let update = Bill::update("1").with(Bill::fields().total.add(1)).send(&world.repository).await;
    assert!(update.expect("the third attempt").is_applied());
    world.faults.throttle(5);
    let error =
        Bill::update("1").with(Bill::fields().total.add(1)).send(&world.repository).await.expect_err("throttled");
    assert!(error.is_throttled(), "{error}");
    world.faults.throttle(0);
    assert_eq!(total!(Bill, world), 1);
    // After a failure of DynamoDB's own, it is not.
    world.faults.fail(1);
    let error = Bill::update("1").with(Bill::fields().total.add(1)).send(&world.repository).await.expect_err("a 500");
    assert!(error.is_outcome_unknown(), "{error}");
}

#[tokio::test]
async fn keys_go_with_versions() {
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
    // What `modify` writes keeps the keys, though the entity does not know them.
    let modify = Versioned::modify("1", |bill| bill.note = "b".to_owned()).send(repository).await.expect("sent");
    assert_eq!(modify.applied().expect("applied").version, 4);
    assert!(is_duplicate(&add("a").send(repository).await.expect("sent")));
    // Without a key: not sent again, but for a version it expects.
    world.lose_answers(1);
    let keyless = Versioned::update("1").unchecked().with(Versioned::fields().total.add(1)).send(repository).await;
    assert!(keyless.expect_err("nobody knows").is_outcome_unknown());
    world.lose_answers(1);
    let checked = Versioned::update("1").version(5u64).with(Versioned::fields().total.add(1)).send(repository).await;
    assert_eq!(checked.expect("sent again").applied().expect("its own"), 6);
    assert_eq!(total!(Versioned, world), 4);
    // A deletion ends what the item remembers.
    Versioned::delete("1", 6u64).send(repository).await.expect("sent").applied().expect("applied");
    let gone = add("a").send(repository).await.expect("sent");
    assert_eq!(gone.refusal().map(|refusal| refusal.reasons().to_vec()), Some(vec![Reason::Deleted]));
}

#[tokio::test]
async fn a_list_of_keys_goes_with_versions_too() {
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

/// Two deliveries at once: one is made.
#[tokio::test]
async fn of_two_at_once_one_is_made() {
    let world = bills().await;
    let repository = world.repository.clone();
    let first = async move { add!(Bill, &repository, "a", 5) };
    let other = world.other();
    let first = world.meanwhile(first, async { assert!(is_duplicate(&add!(Bill, &other, "a", 5))) }).await;
    assert!(is_duplicate(&first));
    assert_eq!(total!(Bill, world), 5);
}

/// Where a table of keys is named, or is the wrong one.
#[tokio::test]
async fn the_table_of_keys_has_the_name_it_is_given() {
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
    assert!(error.expect_err("the same table").to_string().contains("cannot be that of its own idempotency keys"));
}

/// Whatever others have done since: the item has the key.
#[tokio::test]
async fn a_checked_update_that_was_overtaken_finds_its_key() {
    let world = world::<Versioned>().await;
    let new = Versioned { id: "1".to_owned(), total: 0, note: "a".to_owned(), version: 0 };
    new.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    let (repository, other) = (world.repository.clone(), world.other());
    let update = async move {
        let update = Versioned::update("1").version(1u64).with(Versioned::fields().total.add(1)).idempotency_key("a");
        update.send(&repository).await.expect("an answer")
    };
    let overtake = async {
        let update = Versioned::update("1").version(2u64).with(Versioned::fields().note.set("b"));
        assert!(update.send(&other).await.expect("an answer").is_applied());
    };
    assert!(is_duplicate(&world.meanwhile(update, overtake).await));
    assert_eq!(total!(Versioned, world), 1);
}

/// A clone of a checked command is the same write, also where it first looks for an element.
#[tokio::test]
async fn a_clone_that_finds_its_element_gone_knows_that_it_took_it_out() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "lists")]
    struct List {
        #[partition_key]
        id: String,
        lines: Vec<String>,
        #[version]
        version: u64,
    }
    for overtaken in [false, true] {
        let world = world::<List>().await;
        let repository = &world.repository;
        let list = List { id: "1".to_owned(), lines: vec!["x".to_owned()], version: 0 };
        list.create().send(repository).await.expect("sent").applied().expect("applied");
        let remove = List::update("1").version(1u64).with(List::fields().lines.remove_value("x"));
        world.faults.hold_after(1);
        let first = tokio::spawn({
            let (remove, repository) = (remove.clone(), repository.clone());
            async move { remove.send(&repository).await }
        });
        world.faults.held().await;
        world.lose_answers(3);
        world.faults.release();
        first.await.expect("no panic").expect_err("no answer");
        if overtaken {
            let other = List::update("1").version(2u64).with(List::fields().lines.push("y"));
            assert!(other.send(&world.other()).await.expect("sent").is_applied());
            assert!(remove.send(repository).await.expect_err("others have been there").is_outcome_unknown());
        } else {
            assert_eq!(remove.send(repository).await.expect("sent").applied().expect("its own"), 2);
        }
    }
}

/// A command without a name of its own is another one each time it is sent.
#[tokio::test]
async fn what_an_unchecked_clone_has_done_is_not_in_doubt() {
    let world = world::<Versioned>().await;
    let new = Versioned { id: "1".to_owned(), total: 0, note: "a".to_owned(), version: 0 };
    new.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    let add = Versioned::update("1").unchecked().with(Versioned::fields().total.add(1));
    assert!(add.clone().send(&world.repository).await.expect("sent").is_applied());
    world.faults.throttle(9);
    assert!(add.send(&world.repository).await.expect_err("throttled").is_throttled());
}

/// Tables that share a table of keys, each with an item of one key.
#[tokio::test]
async fn rows_of_keys_say_of_which_table_they_are() {
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
    let error = update.request(&one).expect_err("a transaction");
    assert!(error.to_string().contains("cannot be shown"), "{error}");
}

/// What looks like a turn and is none: from another writer, or of keys of another length.
#[tokio::test]
async fn strange_elements_of_a_set_are_no_turns() {
    for strange in [i64::MIN.to_be_bytes(), i64::MAX.to_be_bytes()] {
        for zeros in [9, 0] {
            let world = bills().await;
            let mut row = world.stored::<Bill>().await[0].clone();
            let mut element = if zeros == 9 { vec![0; 9] } else { vec![7; 9] };
            element.extend(strange);
            for set in 0..26 {
                let set_of_it = vec![dyno::aws_sdk_dynamodb::primitives::Blob::new(element.clone())];
                row.insert(format!("_k{set}"), AttributeValue::Bs(set_of_it));
            }
            world.write_foreign::<Bill>(row).await;
            let outcome = add!(Bill, &world.repository, "a", 1);
            let is_ahead = zeros == 9 && strange == i64::MAX.to_be_bytes();
            let is_behind = |reason: &Reason| matches!(reason, Reason::Behind { .. });
            let reasons = outcome.refusal().map(|refusal| refusal.reasons().to_vec()).unwrap_or_default();
            assert_eq!(reasons.iter().any(is_behind), is_ahead, "{reasons:?}");
            assert_eq!(outcome.is_applied(), !is_ahead);
        }
    }
}

/// What is as late as clocks may differ is not sent again.
#[tokio::test(start_paused = true)]
async fn an_update_is_not_sent_later_than_the_skew() {
    if dyno_tests::endpoint().is_some() {
        // Another process has its own time.
        return;
    }
    let world = bills().await;
    let start = tokio::time::Instant::now();
    world.faults.hold_after(0);
    let update = Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("a");
    let error = update.send(&world.repository).await.expect_err("no answer");
    assert!(
        error.is_unreachable() && error.to_string().contains("within `max_skew_secs`"),
        "{error:?} {:?}",
        start.elapsed()
    );
    assert_eq!(start.elapsed().as_secs(), 60);
    world.faults.release();
    assert_eq!(total!(Bill, world), 0);
    // Of a versioned entity, too.
    let world = dyno_tests::world::<Versioned>().await;
    let new = Versioned { id: "1".to_owned(), total: 0, note: "a".to_owned(), version: 0 };
    new.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    world.faults.hold_after(0);
    let update = Versioned::update("1").unchecked().with(Versioned::fields().total.add(1)).idempotency_key("a");
    let error = update.send(&world.repository).await.expect_err("no answer");
    assert!(error.is_unreachable() && error.to_string().contains("within `max_skew_secs`"), "{error:?}");
}
