//! The reduction leaves out only runs that are equal to others: with and without it, the same final states and results are seen.

use crate::{Checked, open, seat, sell};
use dyno::local::explore::{Explore, World};
use dyno::{Entity, Item};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A scenario, which returns what it has seen in the end.
type Scenario = fn(World) -> futures_util::future::LocalBoxFuture<'static, Result<String, dyno::Error>>;

/// A note that other programs write as they like.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
struct Note {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

/// Two buyers of one seat.
fn one_seat(world: World) -> futures_util::future::LocalBoxFuture<'static, Result<String, dyno::Error>> {
    Box::pin(async move {
        let repository = open(&world, 1).await?;
        let ada = world.process("ada", async |repository| sell(&repository, 1, "ada").await.ok());
        let bob = world.process("bob", async |repository| sell(&repository, 1, "bob").await.ok());
        let outcomes = world.run((ada, bob)).await;
        Ok(format!("{outcomes:?} {:?}", seat(&repository, 1).await?))
    })
}

/// Buyers of two seats each, in opposite orders.
fn two_seats(world: World) -> futures_util::future::LocalBoxFuture<'static, Result<String, dyno::Error>> {
    Box::pin(async move {
        let repository = open(&world, 2).await?;
        let process = |name: &'static str, seats: [u32; 2]| {
            world.process(name, async move |repository| {
                (sell(&repository, seats[0], name).await.ok(), sell(&repository, seats[1], name).await.ok())
            })
        };
        let outcomes = world.run((process("ada", [1, 2]), process("bob", [2, 1]))).await;
        Ok(format!("{outcomes:?} {:?} {:?}", seat(&repository, 1).await?, seat(&repository, 2).await?))
    })
}

/// A reader of all seats, and two writers of different seats.
fn a_scan(world: World) -> futures_util::future::LocalBoxFuture<'static, Result<String, dyno::Error>> {
    Box::pin(async move {
        let repository = open(&world, 2).await?;
        let ada = world.process("ada", async |repository| sell(&repository, 1, "ada").await.ok());
        let bob = world.process("bob", async |repository| sell(&repository, 2, "bob").await.ok());
        let reader = world.process("reader", async |repository| {
            let seats = crate::Seat::query("Up").consistent().send(&repository).await?;
            Ok::<_, dyno::Error>(seats.items.into_iter().map(|seat| seat.buyer).collect::<Vec<_>>())
        });
        let (ada, bob, seen) = world.run((ada, bob, reader)).await;
        let seen = seen.map(Result::ok);
        Ok(format!("{ada:?} {bob:?} {seen:?} {:?} {:?}", seat(&repository, 1).await?, seat(&repository, 2).await?))
    })
}

/// Writers of three notes, one of which two write, and a transaction of another program's.
fn notes(world: World) -> futures_util::future::LocalBoxFuture<'static, Result<String, dyno::Error>> {
    Box::pin(async move {
        let repository = world.repository();
        repository.create_table::<Note>().await?;
        let note = |id: &str, text: &str| Note { id: id.to_owned(), text: text.to_owned(), version: 0 };
        let one = world.process("one", async move |repository| {
            let first = note("a", "one").create().send(&repository).await.map(|outcome| outcome.is_applied()).ok();
            let second = note("b", "one").create().send(&repository).await.map(|outcome| outcome.is_applied()).ok();
            (first, second)
        });
        let two = world.process("two", async move |repository| {
            let both = dyno::Transaction::new().put(note("b", "two").create()).put(note("c", "two").create());
            both.send(&repository).await.map(|outcome| outcome.is_applied()).ok()
        });
        let outcomes = world.run((one, two)).await;
        let mut stored: Vec<Item> =
            repository.client().scan().table_name("notes").send().await.expect("a scan").items.unwrap_or_default();
        stored.sort_by_key(|item| item["id"].as_s().cloned().ok());
        // A retried transaction has a token of its own, but it stores none.
        Ok(format!("{outcomes:?} {:?}", stored.iter().map(|item| (&item["id"], &item["text"])).collect::<Vec<_>>()))
    })
}

fn seen(explore: &Explore, scenario: Scenario) -> (BTreeSet<String>, usize) {
    let seen = RefCell::new(BTreeSet::new());
    let report = explore.clone().runs(200_000).check(async |world| -> Checked {
        let outcome = scenario(world).await?;
        seen.borrow_mut().insert(outcome);
        Ok(())
    });
    assert!(report.is_complete(), "{report}");
    (seen.take(), report.runs)
}

#[test]
fn nothing_is_lost() {
    let mut table = Vec::new();
    for (name, scenario, faults) in [
        ("one_seat", one_seat as Scenario, 0),
        ("one_seat", one_seat, 1),
        ("two_seats", two_seats, 0),
        ("a_scan", a_scan, 0),
        ("notes", notes, 0),
    ] {
        let explore = Explore::new().faults(faults).every_interleaving();
        let (reduced, few) = seen(&explore, scenario);
        let (all, many) = seen(&explore.without_reduction(), scenario);
        assert_eq!(reduced, all, "{name} with {faults} faults");
        assert!(few < many, "{name} with {faults} faults: {few} of {many}");
        table.push(format!("{name} {faults} faults: {many} runs, {few} with reduction, {} outcomes", all.len()));
    }
    let expected = [
        "one_seat 0 faults: 6 runs, 4 with reduction, 2 outcomes",
        "one_seat 1 faults: 256 runs, 174 with reduction, 8 outcomes",
        "two_seats 0 faults: 38 runs, 7 with reduction, 3 outcomes",
        "a_scan 0 faults: 30 runs, 4 with reduction, 4 outcomes",
        "notes 0 faults: 3 runs, 2 with reduction, 2 outcomes",
    ];
    assert_eq!(table, expected);
}
