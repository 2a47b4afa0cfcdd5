//! A sweep of items: the result for each intent that it finds.

use super::{Account, EPOCH, account, applied, committed, head, held, lane, stored, with_lanes, write};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::command::SweepReport;
use dyno::{ErrorKind, Item, Repository, Sweep};
use dyno_tests::{NOW, is_remote, item, n, pause, s};
use std::time::Duration;
use tokio::time::Instant;

async fn sweep(repository: &Repository) -> SweepReport {
    Sweep::new().of::<Account>().send(repository).await.expect("swept")
}

/// The row, with this member added to its intent.
fn with(mut row: Item, name: &str, value: AttributeValue) -> Item {
    let mut intent = row["_x"].as_m().expect("a map").clone();
    intent.insert(name.to_owned(), value);
    row.insert("_x".to_owned(), AttributeValue::M(intent));
    row
}

/// The placeholder of an account that a transaction is about to create.
fn placeholder(id: &str, ticket: &str) -> Item {
    let mut row = with(held(id, ticket, 9), "new", AttributeValue::Bool(true));
    row.retain(|name, _| ["id", "_x"].contains(&name.as_str()));
    row.insert("deleted".to_owned(), AttributeValue::Bool(true));
    row
}

/// The TTL of a tombstone, which its intent keeps.
fn parked() -> AttributeValue {
    AttributeValue::M(item([("ttl", n(NOW))]))
}

#[tokio::test]
async fn a_sweep_resolves_every_intent() {
    pause();
    let world = with_lanes().await;
    let mut dead = head(2, 0);
    dead.insert("void".to_owned(), n(7));
    write(&world, "dyno-lanes", [committed(1, 4, 0, &["committed"]), dead, head(3, 0)]).await;
    let rows = [
        held("committed", "1/born/4/try", 7),
        held("other try", "1/born/4/other", 7),
        held("dead", "2/born/7/try", 7),
        placeholder("place", "2/born/6/try"),
        with(held("parked", "2/born/5/try", 7), "parked", parked()),
        held("open", "3/born/2/try", 7),
        placeholder("open place", "3/born/2/try"),
        account("free", 5),
    ];
    write(&world, "accounts", rows).await;
    let report = sweep(&world.repository).await;
    assert_eq!(
        (report.rolled_forward(), report.rolled_back(), report.aborted(), report.failed()),
        (1, 6, 1, 0),
        "{report:?}"
    );
    assert_eq!(stored(&world, "committed").await, applied("committed", 7));
    for id in ["other try", "dead", "open", "free"] {
        assert_eq!(stored(&world, id).await, account(id, 5));
    }
    assert_eq!(stored(&world, "parked").await["ttl"], n(NOW));
    assert_eq!(world.stored::<Account>().await.len(), 6);
    assert_eq!(lane(&world, 3).await["void"], n(2));
    // A second sweep has nothing left to do.
    let metered = world.repository.metered();
    let again = sweep(&metered).await;
    assert_eq!((again.rolled_forward(), again.rolled_back(), again.failed()), (0, 0, 0));
    assert_eq!((metered.usage().requests, metered.usage().write_units), (2, 0.0));
}

/// For all items of one transaction, the lane is read once, because the outcome of a transaction never changes.
#[tokio::test]
async fn a_sweep_reads_the_lane_of_many_items_once() {
    pause();
    let world = with_lanes().await;
    let mut dead = head(2, 0);
    dead.insert("void".to_owned(), n(9));
    write(&world, "dyno-lanes", [committed(1, 4, 0, &[]), dead]).await;
    let ids = ["a", "b", "c", "d", "e"];
    write(&world, "accounts", ids.map(|id| held(id, "1/born/4/try", 7))).await;
    write(&world, "accounts", ["f", "g"].map(|id| held(id, "2/born/9/try", 7))).await;
    let metered = world.repository.metered();
    let report = Sweep::new().of::<Account>().send(&metered).await.expect("swept");
    assert_eq!((report.rolled_forward(), report.rolled_back(), report.failed()), (5, 2, 0), "{report:?}");
    // Two tables, two lanes, and a write for each of the seven items.
    assert_eq!(metered.usage().requests, 2 + 2 + 7);
    for id in ids {
        assert_eq!(stored(&world, id).await, applied(id, 7));
    }
}

/// An intent that the sweep cannot resolve is left as it is, and listed.
#[tokio::test]
async fn a_sweep_lists_the_intents_that_it_cannot_resolve() {
    pause();
    let world = with_lanes().await;
    let rows = [
        with(held("no ticket", "1/born/4/try", 7), "id", s("4")),
        with(held("the key", "1/born/4/try", 7), "set", AttributeValue::M(item([("id", s("2"))]))),
        held("far", &format!("1/born/{}/try", 9 * EPOCH), 7),
        held("no lane", "9/born/4/try", 7),
        // This intent is of another lane table, which has a lane of the same name.
        held("other lane", "1/elsewhere/4/try", 7),
    ];
    write(&world, "dyno-lanes", [committed(1, 4, 0, &[])]).await;
    write(&world, "accounts", rows.clone()).await;
    for _ in 0..2 {
        let metered = world.repository.metered();
        let report = sweep(&metered).await;
        let mut found: Vec<_> =
            report.unresolved().iter().map(|one| (one.key()["id"].clone(), one.error().kind())).collect();
        found.sort_by_key(|(id, _)| id.as_s().expect("a text").clone());
        let expected = [
            ("far", ErrorKind::Decode),
            ("no lane", ErrorKind::LaneMissing),
            ("no ticket", ErrorKind::Decode),
            ("other lane", ErrorKind::LaneMissing),
            ("the key", ErrorKind::Decode),
        ];
        assert_eq!(found, expected.map(|(id, kind)| (s(id), kind)));
        assert!(report.unresolved().iter().all(|one| one.table() == "accounts"));
        assert_eq!((report.failed(), metered.usage().write_units), (5, 0.0));
    }
    for row in rows {
        assert_eq!(stored(&world, row["id"].as_s().expect("a text")).await, row);
    }
}

/// Many processes died before their commit, each with intents in place.
#[tokio::test]
async fn a_sweep_waits_for_150_dead_transactions_at_once() {
    pause();
    if is_remote() {
        return; // There, time does not wait for the engine.
    }
    let world = with_lanes().await;
    write(&world, "dyno-lanes", (1..=150).map(|at| head(at, 0))).await;
    // Two rows for each process.
    let held =
        (1..=150).flat_map(|at| ["a", "b"].map(|half| held(&format!("{at}{half}"), &format!("{at}/born/3/try"), 7)));
    write(&world, "accounts", held).await;
    let begun = Instant::now();
    let report = sweep(&world.repository).await;
    assert_eq!((report.rolled_back(), report.aborted(), report.failed()), (300, 150, 0));
    // Each lane must be silent for 5 seconds, and the sweep waits for all lanes at once.
    let lasted = begun.elapsed();
    assert!(lasted >= Duration::from_secs(5) && lasted < Duration::from_secs(10), "{lasted:?}");
    assert!(world.stored::<Account>().await.iter().all(|row| !row.contains_key("_x")));
}

/// A transaction that sends heartbeats is not aborted.
#[tokio::test]
async fn a_sweep_does_not_abort_a_transaction_with_heartbeats() {
    pause();
    let world = with_lanes().await;
    write(&world, "dyno-lanes", [head(1, 0)]).await;
    write(&world, "accounts", [held("1", "1/born/3/try", 7)]).await;
    let repository = world.repository.clone();
    let swept = tokio::spawn(async move { sweep(&repository).await });
    for beat in 1..=5 {
        tokio::time::sleep(Duration::from_secs(4)).await;
        let mut living = head(1, 0);
        living.insert("beat".to_owned(), n(NOW + beat));
        write(&world, "dyno-lanes", [living]).await;
    }
    write(&world, "dyno-lanes", [committed(1, 3, 0, &["1"])]).await;
    let report = swept.await.expect("no panic");
    assert_eq!((report.rolled_forward(), report.rolled_back(), report.aborted()), (1, 0, 0));
    assert_eq!(stored(&world, "1").await, applied("1", 7));
}
