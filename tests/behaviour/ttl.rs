//! An entity's own TTL: an expired item counts as absent, although DynamoDB removes it only days later.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis, EpochSeconds, Found, Outcome, Reason, Transaction};
use dyno_tests::{NOW, item, n, reasons, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "sessions")]
struct Session {
    #[partition_key]
    user: String,
    #[sort_key]
    id: u32,
    note: String,
    #[ttl]
    expires: Option<EpochSeconds>,
}

const SECOND: i64 = NOW / 1000;

fn session(id: u32, expires: Option<i64>) -> Session {
    Session { user: "1".to_owned(), id, note: String::new(), expires: expires.map(EpochSeconds::new) }
}

#[tokio::test]
async fn create_table_enables_ttl_on_the_entity_s_attribute() {
    let world = world::<Session>().await;
    let described = world.repository.client().describe_time_to_live().table_name("sessions").send().await;
    let described = described.expect("a description").time_to_live_description.expect("TTL");
    assert_eq!(described.attribute_name(), Some("expires"));
}

#[tokio::test]
async fn reads_skip_expired_items() {
    let world = world::<Session>().await;
    let repository = &world.repository;
    let sessions = [session(1, None), session(2, Some(SECOND)), session(3, Some(SECOND + 1)), session(4, Some(1))];
    for session in &sessions {
        session.put().send(repository).await.expect("a put");
    }
    let [forever, now, next, ancient] = &sessions;
    let query = Session::query("1").send(repository).await.expect("a query");
    assert_eq!(query.items, [forever.clone(), next.clone()]);
    assert_eq!(Session::scan().send(repository).await.expect("a scan").items.len(), 2);
    for (session, live) in [(forever, true), (now, false), (next, true), (ancient, false)] {
        let found = Session::get(session.key()).send(repository).await.expect("a get");
        assert_eq!(found.is_some(), live, "{session:?}");
        let found = Session::get(session.key()).include_deleted().send(repository).await.expect("a get");
        let expected = if live { Found::Live(session.clone()) } else { Found::Expired(session.clone()) };
        assert_eq!(found, Some(expected));
    }
    world.clock.advance(1000);
    let query = Session::query("1").send(repository).await.expect("a query");
    assert_eq!(query.items, std::slice::from_ref(forever));
    let query = Session::query("1").include_deleted().send(repository).await.expect("a query");
    assert_eq!(query.items.len(), 4);
}

#[tokio::test]
async fn a_ttl_that_dynamodb_ignores_does_not_expire_the_item() {
    let world = world::<Session>().await;
    for ttl in [n(0), n(-5), s("2020-01-01"), AttributeValue::Null(true)] {
        let foreign = item([("user", s("1")), ("id", n(1)), ("note", s("")), ("expires", ttl.clone())]);
        world.write_foreign::<Session>(foreign).await;
        let get = Session::get(("1", 1)).send(&world.repository).await;
        match ttl {
            // A value that is not a number cannot be decoded, but the item is not absent.
            AttributeValue::S(_) => assert!(get.expect_err("not a session").is_decode()),
            _ => assert!(get.expect("a get").is_some(), "{ttl:?}"),
        }
        let create = session(1, None).create().send(&world.repository).await.expect("a create");
        assert_eq!(reasons(&create), [Reason::Exists], "{ttl:?}");
    }
}

#[tokio::test]
async fn writes_treat_expired_items_as_absent() {
    let world = world::<Session>().await;
    let repository = &world.repository;
    session(1, Some(SECOND)).put().send(repository).await.expect("a put");
    let update = Session::update(("1", 1)).with(Session::fields().note.set("x"));
    let outcome = update.clone().send(repository).await.expect("an update");
    assert_eq!(reasons(&outcome), [Reason::Expired]);
    let upsert = update.with(Session::fields().expires.set(EpochSeconds::new(SECOND + 9))).upsert();
    let outcome = upsert.send(repository).await.expect("an update");
    assert_eq!(reasons(&outcome), [Reason::Expired]);
    let replace = session(1, None).replace().send(repository).await.expect("a replace");
    assert_eq!(reasons(&replace), [Reason::Expired]);
    let create = session(1, Some(SECOND + 5)).create().send(repository).await.expect("a create");
    assert_eq!(reasons(&create), []);
    let create = session(1, None).create().send(repository).await.expect("a create");
    assert_eq!(reasons(&create), [Reason::Exists]);
    let Outcome::Refused(refusal) = create else { panic!() };
    assert_eq!(refusal.current().expect("decodes"), Some(Found::Live(session(1, Some(SECOND + 5)))));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "sessions")]
#[tombstone(ttl_days = 1)]
struct Lease {
    #[partition_key]
    id: String,
    #[ratchet]
    at: EpochMillis,
    #[ttl]
    #[attribute(rename = "expires_at")]
    expires: EpochSeconds,
}

#[tokio::test]
async fn a_tombstone_shares_the_entitys_ttl_attribute() {
    let world = world::<Lease>().await;
    let repository = &world.repository;
    let lease =
        |at, expires| Lease { id: "1".to_owned(), at: EpochMillis::new(at), expires: EpochSeconds::new(expires) };
    let put = lease(10, SECOND - 1).put().send(repository).await.expect("a put");
    assert_eq!(reasons(&put), []);
    // Expired rows keep their token.
    let put = lease(9, SECOND + 100).put().send(repository).await.expect("a put");
    assert_eq!(reasons(&put), [Reason::Stale { attribute: "at", tie: false }]);
    let delete = Lease::delete("1", EpochMillis::new(11)).send(repository).await.expect("a delete");
    assert_eq!(reasons(&delete), []);
    let [stored] = &world.stored::<Lease>().await[..] else { panic!() };
    assert_eq!(stored.get("expires_at"), Some(&n(SECOND + 24 * 60 * 60)));
    assert_eq!(stored.len(), 4, "{stored:?}");
}

#[tokio::test]
async fn nothing_has_expired_by_a_clock_in_1970() {
    let world = world::<Session>().await;
    session(1, Some(SECOND)).put().send(&world.repository).await.expect("a put");
    for now in [-1, 0, 999] {
        world.clock.set(EpochMillis::new(now));
        let found = Session::scan().stream(&world.repository).try_collect().await.expect("a scan");
        assert_eq!(found.len(), 1);
        let replace = session(1, Some(SECOND)).replace().send(&world.repository).await.expect("a replace");
        assert_eq!(reasons(&replace), []);
    }
}

#[tokio::test]
async fn a_ttl_in_milliseconds_is_refused_before_any_request() {
    let world = world::<Session>().await;
    let repository = &world.repository;
    let message = "`expires`: 4102444800000 seconds are after the year 5000, so the number is probably in milliseconds: convert it with `EpochMillis::to_seconds_ceil`";
    let metered = repository.metered();
    let late = session(1, Some(NOW));
    let (put, create) = (late.put().send(&metered).await, late.create().send(&metered).await.map(drop));
    let update = Session::update(("1", 1)).with(Session::fields().expires.set(EpochSeconds::new(NOW)));
    let update = update.send(&metered).await.map(drop);
    let mut batch = dyno::BatchWrite::new();
    batch = batch.add(late.put());
    let batch = batch.send(&metered).await.map(drop);
    for refused in [put, create, update, batch] {
        let error = refused.expect_err("milliseconds");
        assert!(error.is_invalid_input() && error.to_string().contains(message), "{error}");
    }
    assert_eq!(metered.usage().requests, 0);
    // Values that other programs have stored can be read and repaired.
    world.write_foreign::<Session>(item([("user", s("1")), ("id", n(2)), ("note", s("")), ("expires", n(NOW))])).await;
    let mut foreign = Session::get(("1", 2)).send(repository).await.expect("a get").expect("a session");
    foreign.expires = foreign.expires.map(|millis| EpochMillis::new(millis.get()).to_seconds_ceil());
    foreign.put().send(repository).await.expect("a put");
}

/// A versioned entity whose items expire.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "carts")]
#[tombstone(ttl_days = 1)]
struct Cart {
    #[partition_key]
    id: String,
    items: u32,
    #[ttl]
    expires: EpochSeconds,
    #[version]
    version: u64,
}

/// An entity that also keeps its revisions.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "drafts")]
#[tombstone(ttl_days = 1)]
#[history_table]
struct Draft {
    #[partition_key]
    id: String,
    items: u32,
    #[ttl]
    expires: EpochSeconds,
    #[version]
    version: u64,
}

/// Neither a put nor a delete of a loaded version writes over an item that has expired since, as if it were still there: alone, over
/// the loaded item, and in a transaction. DynamoDB can remove the row at any moment, and then the same write finds no item.
macro_rules! leaves_expired_items {
    ($entity:ident) => {{
        let world = world::<$entity>().await;
        let repository = &world.repository;
        let new = |items, version| $entity {
            id: "1".to_owned(),
            items,
            expires: EpochSeconds::new(SECOND + 5 + i64::from(items)),
            version,
        };
        new(1, 0).create().send(repository).await.expect("sent").applied().expect("applied");
        let loaded = $entity::get("1").loaded().send(repository).await.expect("a get").expect("an item");
        world.clock.advance(10_000);
        let row = world.stored::<$entity>().await;
        let put = new(100, 1).put().send(repository).await.expect("an answer");
        assert_eq!(reasons(&put), [Reason::Expired]);
        let put = new(100, 1).put().over(&loaded).send(repository).await.expect("an answer");
        assert_eq!(reasons(&put), [Reason::Expired]);
        let delete = $entity::delete("1", 1u64).send(repository).await.expect("an answer");
        assert_eq!(reasons(&delete), [Reason::Expired]);
        let together = |transaction: Transaction| async move {
            let outcome = transaction.send(repository).await.expect("an answer");
            let refusal = outcome.refusal().expect("refused");
            refusal.actions().flat_map(|action| action.reasons().to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(together(Transaction::new().put(new(100, 1).put())).await, [Reason::Expired]);
        assert_eq!(together(Transaction::new().put(new(100, 1).put().over(&loaded))).await, [Reason::Expired]);
        assert_eq!(together(Transaction::new().delete($entity::delete("1", 1u64))).await, [Reason::Expired]);
        assert_eq!(world.stored::<$entity>().await, row);
        // A create begins a new item, and continues the versions.
        let created = new(100, 0).create().send(repository).await.expect("sent").applied().expect("applied");
        assert_eq!(created, 2);
        world.clock.advance(1_000_000);
        // So does a put of version 0.
        let put = new(2000, 0).put().send(repository).await.expect("sent").applied().expect("applied");
        assert_eq!(put, 3);
    }};
}

#[tokio::test]
async fn a_write_of_a_loaded_version_leaves_an_expired_item() {
    leaves_expired_items!(Cart);
}

#[tokio::test]
async fn a_write_of_a_loaded_version_leaves_an_expired_item_with_a_history() {
    leaves_expired_items!(Draft);
}

/// A rollback begins a new item.
#[tokio::test]
async fn a_rollback_replaces_an_expired_item() {
    let world = world::<Draft>().await;
    let repository = &world.repository;
    let new = |items, seconds, version| Draft {
        id: "1".to_owned(),
        items,
        expires: EpochSeconds::new(SECOND + seconds),
        version,
    };
    new(1, 1000, 0).create().send(repository).await.expect("sent").applied().expect("applied");
    new(2, 5, 1).put().send(repository).await.expect("sent").applied().expect("applied");
    world.clock.advance(10_000);
    let rolled = Draft::rollback("1", 1u64).send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(rolled, new(1, 1000, 3));
    assert_eq!(Draft::get("1").send(repository).await.expect("a get"), Some(rolled));
}
