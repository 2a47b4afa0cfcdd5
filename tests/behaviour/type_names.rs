//! A row with another entity's type name at a key of this entity: no write that checks the row first changes it.

use dyno::{Entity, EpochMillis, Item, Reason, Transaction};
use dyno_tests::{World, item, n, pause, s, world};
use std::collections::BTreeSet;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "desk", type_name = "agent")]
struct Agent {
    #[partition_key]
    id: String,
    #[attribute(default)]
    name: String,
    #[attribute(default)]
    skills: Vec<String>,
    #[attribute(default)]
    tags: BTreeSet<String>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "desk", type_name = "ticket")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
struct Ticket {
    #[partition_key]
    id: String,
    title: String,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "desk", type_name = "reading")]
#[tombstone(ttl_days = 7)]
struct Reading {
    #[partition_key]
    id: String,
    value: i32,
    #[ratchet]
    at: EpochMillis,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "desk", type_name = "counter")]
#[idempotency(window_secs = 60, max_rps = 5)]
struct Counter {
    #[partition_key]
    id: String,
    count: u64,
}

/// An item of a fourth entity, with attributes that these entities could have, too.
fn foreign() -> Item {
    item([
        ("id", s("1")),
        ("_type", s("invoice")),
        ("name", s("Bill")),
        ("title", s("Bill")),
        ("version", n(3)),
        ("value", n(9)),
        ("at", n(900)),
        ("count", n(5)),
    ])
}

async fn desk() -> World {
    let world = world::<Ticket>().await;
    world.write_foreign::<Agent>(foreign()).await;
    world
}

/// Asserts that a write was refused because the item is another entity's, and that nothing changed.
macro_rules! refused_as_anothers {
    ($world:expr, $($command:expr),* $(,)?) => {$({
        let outcome = $command.send(&$world.repository).await.expect(stringify!($command));
        let refusal = outcome.refusal().expect(stringify!($command));
        let other = Reason::OtherEntity { found: "invoice".to_owned() };
        assert!(refusal.is_of_other_entity() && refusal.reasons().contains(&other), "{}: {refusal}", stringify!($command));
        assert!(!refusal.is_superseded(), "{}: {refusal}", stringify!($command));
        assert_eq!(refusal.item(), Some(&foreign()), "{}", stringify!($command));
        assert_eq!($world.stored::<Agent>().await, [foreign()], "{}", stringify!($command));
    })*};
}

#[tokio::test]
async fn no_update_or_checked_write_touches_another_entitys_row() {
    pause();
    let world = desk().await;
    let agent = Agent { id: "1".into(), name: "Ada".into(), skills: vec![], tags: BTreeSet::new() };
    let fields = Agent::fields;
    let update = || Agent::update("1");
    refused_as_anothers!(
        world,
        update().with(fields().name.set("Ada")),
        update().with(fields().name.set("Ada")).upsert(),
        update().with(fields().tags.insert("x")),
        update().with(fields().skills.push("x")),
        update().with(fields().skills.remove_value("x")),
        agent.create(),
        agent.replace(),
        agent.put().condition(fields().name.eq("Bill")),
        Agent::delete("1").condition(fields().name.eq("Bill")),
    );
    let refusal = update().with(fields().name.set("Ada")).send(&world.repository).await.expect("an answer");
    // The message shortens a type name of any length.
    let long = Reason::OtherEntity { found: format!("\n{}", "x".repeat(100_000)) };
    let (mark, debug) = (long.to_string(), format!("{long:?}"));
    assert!(mark.len() < 250 && mark.contains("marked \"\\nxxx"), "{mark}");
    assert!(debug.len() < 250 && debug.starts_with("OtherEntity { found: \"\\nxxx"), "{debug}");
    assert_eq!(
        refusal.refusal().expect("a refusal").to_string(),
        "update of `Agent` (id = \"1\") was refused: the key holds an item of another entity, marked \"invoice\""
    );
}

#[tokio::test]
async fn no_versioned_write_touches_another_entitys_row() {
    pause();
    let world = desk().await;
    let ticket = |version| Ticket { id: "1".into(), title: "Help".into(), version };
    refused_as_anothers!(
        world,
        ticket(3).put(),
        ticket(0).put(),
        ticket(3).create(),
        ticket(3).replace(),
        ticket(3).undelete(),
        Ticket::delete("1", 3u64),
    );
    let history = world.repository.client().scan().table_name("desk-history").send().await.expect("a scan");
    assert_eq!(history.items(), [], "nothing of it is in the history of tickets");
    assert!(Ticket::modify("1", |_| {}).send(&world.repository).await.is_err_and(|error| error.is_decode()));
    let rolled_back = Ticket::rollback("1", 1u64).send(&world.repository).await;
    assert!(rolled_back.is_err() || rolled_back.is_ok_and(|outcome| !outcome.is_applied()));
    assert_eq!(world.stored::<Agent>().await, [foreign()]);
}

#[tokio::test]
async fn a_ratcheted_write_refused_by_another_entitys_row_is_not_stale() {
    pause();
    let world = desk().await;
    let reading = |at| Reading { id: "1".into(), value: 1, at: EpochMillis::new(at) };
    let delete = |at| Reading::delete("1", EpochMillis::new(at));
    refused_as_anothers!(
        world,
        reading(1).put(),
        reading(900).put(),
        reading(1000).put(),
        delete(1),
        delete(900),
        delete(1000)
    );
    refused_as_anothers!(world, reading(1000).undelete(), reading(1).create());
    reading(1).put().send(&world.repository).await.expect("an answer").accept_stale().expect_err("no old news");
    // A delete does not take another entity's tombstone with the same token for its own.
    let stone = item([
        ("id", s("1")),
        ("_type", s("invoice")),
        ("at", n(900)),
        ("deleted", dyno::aws_sdk_dynamodb::types::AttributeValue::Bool(true)),
    ]);
    world.write_foreign::<Agent>(stone.clone()).await;
    let deleted = delete(900).send(&world.repository).await.expect("an answer");
    assert!(deleted.refusal().is_some_and(dyno::Refusal::is_of_other_entity), "{deleted:?}");
    assert_eq!(world.stored::<Agent>().await, [stone]);
}

#[tokio::test]
async fn no_keyed_update_or_transaction_touches_another_entitys_row() {
    pause();
    let world = desk().await;
    refused_as_anothers!(
        world,
        Counter::update("1").with(Counter::fields().count.add(1)).idempotency_key("a"),
        Counter::update("1").with(Counter::fields().count.add(1)),
        Counter { id: "1".into(), count: 1 }.create(),
    );
    let repository = &world.repository;
    let update = Agent::update("1").with(Agent::fields().name.set("Ada"));
    for transaction in [
        Transaction::new().update(update.clone()),
        Transaction::new().check(Agent::check("1")),
        Transaction::new().delete(Ticket::delete("1", 3u64)),
    ] {
        let outcome = transaction.send(repository).await.expect("an answer");
        let error = outcome.applied().expect_err("another entity's");
        assert!(error.to_string().contains("an item of another entity, marked \"invoice\""), "{error}");
        assert_eq!(world.stored::<Agent>().await, [foreign()]);
    }
}

#[tokio::test]
async fn a_row_without_a_type_name_is_recognized_by_its_key() {
    pause();
    let world = world::<Agent>().await;
    let repository = &world.repository;
    let unmarked = item([("id", s("1")), ("name", s("Ada"))]);
    world.write_foreign::<Agent>(unmarked).await;
    let named = || Agent::update("1").with(Agent::fields().name.set("Eve"));
    named().send(repository).await.expect("an answer").applied().expect("applied");
    Transaction::new().check(Agent::check("1")).send(repository).await.expect("an answer").applied().expect("there");
    named().upsert().send(repository).await.expect("an answer").applied().expect("applied");
    assert_eq!(world.stored::<Agent>().await, [item([("id", s("1")), ("name", s("Eve")), ("_type", s("agent"))])]);
}

#[tokio::test]
async fn a_plain_put_or_delete_replaces_another_entitys_row() {
    pause();
    let world = desk().await;
    let repository = &world.repository;
    let agent = Agent { id: "1".into(), name: "Ada".into(), skills: vec![], tags: BTreeSet::new() };
    agent.put().send(repository).await.expect("a put");
    assert_eq!(Agent::get("1").send(repository).await.expect("a get"), Some(agent));
    world.write_foreign::<Agent>(foreign()).await;
    Agent::delete("1").send(repository).await.expect("a delete");
    assert!(world.stored::<Agent>().await.is_empty());
}
