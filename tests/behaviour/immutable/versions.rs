//! Entities with a version and a history: writes over a loaded item, `modify`, and rollbacks.

use dyno::{Entity, ErrorKind, Item, Reason};
use dyno_tests::{item, n, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "contracts", schema_version = 2, upgrade = "Self::upgrade")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Contract {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    client: Option<String>,
    text: String,
    #[version]
    version: u64,
}

impl Contract {
    /// Rows of schema version 1 hold the client's number.
    #[allow(clippy::unnecessary_wraps, reason = "what `upgrade` takes")]
    fn upgrade(item: &mut Item, _: u32) -> Result<(), &'static str> {
        if let Some(number) = item.get("client").and_then(|client| client.as_n().ok()).cloned() {
            item.insert("client".to_owned(), s(&format!("client {number}")));
        }
        Ok(())
    }
}

fn contract(client: &str, text: &str, version: u64) -> Contract {
    Contract { id: "1".to_owned(), client: Some(client.to_owned()), text: text.to_owned(), version }
}

const CHANGED: [Reason; 1] = [Reason::Immutable { attribute: "client" }];

#[tokio::test]
async fn a_write_over_the_loaded_item_keeps_the_value() {
    let world = world::<Contract>().await;
    let repository = &world.repository;
    applied!(contract("a", "1", 0).put(), repository);
    assert_eq!(refused!(contract("b", "2", 1).put(), repository), CHANGED);
    assert_eq!(refused!(contract("b", "2", 1).replace(), repository), CHANGED);
    let loaded = Contract::get("1").consistent().loaded().send(repository).await.expect("a get").expect("a contract");
    assert_eq!(refused!(contract("b", "2", 1).put().over(&loaded), repository), CHANGED);
    world.lose_answers(1);
    applied!(contract("a", "2", 1).put().over(&loaded), repository);
    assert_eq!(Contract::revisions("1").send(repository).await.expect("revisions").items.len(), 2);
}

#[tokio::test]
async fn a_modify_that_changes_the_value_sends_no_write() {
    let world = world::<Contract>().await;
    let repository = &world.repository;
    applied!(contract("a", "1", 0).put(), repository);
    let before = world.faults.events().len();
    let modify = Contract::modify("1", |contract| contract.client = Some("b".to_owned()));
    let error = modify.send(repository).await.expect_err("a mistake");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("`client` is immutable and was changed"), "{error}");
    assert_eq!(world.faults.events().len() - before, 1, "the read");
    let kept = applied!(Contract::modify("1", |contract| contract.text.push('!')), repository);
    assert_eq!(kept, contract("a", "1!", 2));
}

#[tokio::test]
async fn a_modify_sets_an_absent_value() {
    let world = world::<Contract>().await;
    let none = Contract { client: None, ..contract("", "1", 0) };
    applied!(none.put(), &world.repository);
    let set = Contract::modify("1", |contract| contract.client = Some("a".to_owned()));
    assert_eq!(applied!(set, &world.repository), contract("a", "1", 2));
}

/// A put does not know the upgraded form of the stored value, so it is refused. `modify` knows it.
#[tokio::test]
async fn an_upgrade_may_store_the_value_in_another_form() {
    let world = world::<Contract>().await;
    let repository = &world.repository;
    let row = item([("id", s("1")), ("client", n(7)), ("text", s("1")), ("version", n(1)), ("_v", n(1))]);
    world.write_foreign::<Contract>(row).await;
    let loaded = Contract::get("1").send(repository).await.expect("a get").expect("a contract");
    assert_eq!(loaded, contract("client 7", "1", 1));
    assert_eq!(refused!(loaded.put(), repository), CHANGED);
    assert_eq!(refused!(loaded.replace(), repository), CHANGED);
    let progress = Contract::scan().modify_each(|_| ()).send(repository).await.expect("sent");
    assert_eq!(progress.completed().expect("complete").changed(), 1);
    applied!(contract("client 7", "2", 2).put(), repository);
}

/// The item was deleted, and created again with another value.
#[tokio::test]
async fn a_rollback_to_a_revision_with_another_value_is_refused() {
    let world = world::<Contract>().await;
    let repository = &world.repository;
    applied!(contract("a", "1", 0).put(), repository);
    applied!(Contract::delete("1", 1u64), repository);
    applied!(contract("b", "2", 0).put(), repository);
    assert_eq!(refused!(Contract::rollback("1", 1u64), repository), CHANGED);
    applied!(Contract::modify("1", |contract| contract.text.push('!')), repository);
    assert_eq!(applied!(Contract::rollback("1", 3u64), repository).text, "2");
    applied!(Contract::delete("1", 5u64), repository);
    assert_eq!(applied!(Contract::rollback("1", 1u64), repository), contract("a", "1", 7));
}

/// A revision from before the value was set has no value, so the rollback keeps the current value.
#[tokio::test]
async fn a_rollback_to_a_revision_without_the_value_keeps_it() {
    let world = world::<Contract>().await;
    let repository = &world.repository;
    applied!(Contract { client: None, ..contract("", "1", 0) }.put(), repository);
    applied!(Contract::modify("1", |contract| contract.client = Some("a".to_owned())), repository);
    applied!(Contract::modify("1", |contract| contract.text.push('!')), repository);
    assert_eq!(applied!(Contract::rollback("1", 1u64), repository), contract("a", "1", 4));
}

/// The live row has the value in the form of schema version 1.
#[tokio::test]
async fn a_rollback_over_a_row_of_an_older_shape_keeps_the_upgraded_value() {
    let world = world::<Contract>().await;
    let repository = &world.repository;
    applied!(Contract { client: None, ..contract("", "1", 0) }.put(), repository);
    let row = item([("id", s("1")), ("client", n(7)), ("text", s("2")), ("version", n(1)), ("_v", n(1))]);
    world.write_foreign::<Contract>(row).await;
    assert_eq!(applied!(Contract::rollback("1", 1u64), repository), contract("client 7", "1", 2));
    let read = Contract::get("1").consistent().send(repository).await.expect("a get");
    assert_eq!(read, Some(contract("client 7", "1", 2)));
    applied!(contract("client 7", "3", 2).put(), repository);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "tickets")]
#[tombstone(ttl_days = 7)]
#[history_table]
#[index(name = "by_team", query = by_team, partition(name = "PK1", template = "team#{team}"), sort = id)]
#[index(name = "by_queue", query = by_queue, partition(name = "PK2", template = "queue#{queue}"), sort = id)]
struct Ticket {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    team: Option<String>,
    #[attribute(immutable, default)]
    queue: u32,
    text: String,
    #[version]
    version: u64,
}

/// The same in an older program.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "tickets")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct OlderTicket {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

/// The revision is from before the values existed. The keys of indexes are made of the values that stay.
#[tokio::test]
async fn a_rollback_that_keeps_a_value_keeps_the_index_key_made_of_it() {
    let world = world::<Ticket>().await;
    let repository = &world.repository;
    applied!(OlderTicket { id: "1".to_owned(), text: "1".to_owned(), version: 0 }.put(), repository);
    let set = Ticket::modify("1", |ticket| (ticket.team, ticket.queue) = (Some("a".to_owned()), 7));
    applied!(set, repository);
    let restored = applied!(Ticket::rollback("1", 1u64), repository);
    assert_eq!((restored.team.as_deref(), restored.queue, restored.version), (Some("a"), 7, 3));
    let restored = [restored];
    assert_eq!(Ticket::by_team("a").send(repository).await.expect("a query").items, restored);
    assert_eq!(Ticket::by_queue(7u32).send(repository).await.expect("a query").items, restored);
}

/// Schema version 1 has another name for the value, so a condition cannot find it.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "files", schema_version = 2, upgrade = "Self::upgrade")]
struct Renamed {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    owner: String,
    text: String,
}

impl Renamed {
    #[allow(clippy::unnecessary_wraps, reason = "what `upgrade` takes")]
    fn upgrade(item: &mut Item, _: u32) -> Result<(), &'static str> {
        if let Some(owner) = item.remove("owner_id") {
            item.insert("owner".to_owned(), owner);
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_value_that_an_upgrade_renames_is_kept() {
    let world = world::<Renamed>().await;
    let repository = &world.repository;
    let file = |owner: &str| Renamed { id: "1".to_owned(), owner: owner.to_owned(), text: "2".to_owned() };
    let outdated = [Reason::Outdated { found: 1, current: 2 }];
    for shape in [None, Some(n(1)), Some(n(-1))] {
        let row = item([("id", s("1")), ("owner_id", s("ann")), ("text", s("1"))]);
        let shape = shape.map(|shape| ("_v".to_owned(), shape));
        world.write_foreign::<Renamed>(row.into_iter().chain(shape).collect()).await;
        for owner in ["ann", "bob"] {
            assert_eq!(refused!(file(owner).put(), repository), outdated);
            assert_eq!(refused!(file(owner).replace(), repository), outdated);
        }
    }
    let progress = Renamed::scan().modify_each(|_| ()).send(repository).await.expect("sent");
    assert_eq!(progress.completed().expect("complete").changed(), 1);
    assert_eq!(refused!(file("bob").put(), repository), [Reason::Immutable { attribute: "owner" }]);
    applied!(file("ann").put(), repository);
    Renamed::delete("1").send(repository).await.expect("a delete");
    applied!(file("bob").put(), repository);
}

/// The same with a token.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "files", schema_version = 2, upgrade = "Renamed::upgrade")]
#[tombstone(ttl_days = 7)]
struct Dated {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    owner: String,
    #[ratchet]
    at: u64,
}

/// The stored owner can be another one, so a put with the same token is no old news.
#[tokio::test]
async fn a_put_that_cannot_be_compared_with_the_stored_value_is_not_superseded() {
    let world = world::<Dated>().await;
    let repository = &world.repository;
    world.write_foreign::<Dated>(item([("id", s("1")), ("owner_id", s("ann")), ("at", n(5))])).await;
    for (at, is_superseded) in [(4, true), (5, false), (6, false)] {
        let put = Dated { id: "1".to_owned(), owner: "bob".to_owned(), at }.put();
        let outcome = put.send(repository).await.expect("sent");
        let refusal = outcome.refusal().expect("refused");
        assert_eq!(refusal.is_superseded(), is_superseded, "{at}: {refusal:?}");
    }
}
