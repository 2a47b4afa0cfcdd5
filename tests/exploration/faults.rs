//! Each fault is tried, and does what it says.

use crate::{Seat, failure_of, open, seat, sell};
use dyno::local::explore::{Explore, Fault};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

/// Sells one seat to one buyer. Returns the outcomes that were seen: what the buyer was told, whether the seat was sold, and how many
/// minutes it took.
fn outcomes(fault: Fault) -> BTreeSet<String> {
    let seen = RefCell::new(BTreeSet::new());
    let report = Explore::new().with([fault]).check(async |world| {
        let repository = open(&world, 1).await?;
        let ada = world.process("ada", async |repository| {
            let begun = tokio::time::Instant::now();
            let told = sell(&repository, 1, "ada").await;
            (told, begun.elapsed().as_secs() / 60)
        });
        let told = match world.run(ada).await {
            None => "died".to_owned(),
            Some((Ok(is_sold), minutes)) => format!("{is_sold} {minutes} min"),
            Some((Err(error), minutes)) => format!("{:?} {minutes} min", error.kind()),
        };
        let is_sold = seat(&repository, 1).await?.buyer.is_some();
        seen.borrow_mut().insert(format!("{told}, {}", if is_sold { "sold" } else { "free" }));
        Ok(())
    });
    assert!(report.is_complete(), "{report}");
    seen.take()
}

#[test]
fn a_process_sees_its_faults() {
    let set = |outcomes: &[&str]| outcomes.iter().map(|&outcome| outcome.to_owned()).collect::<BTreeSet<_>>();
    for (fault, expected) in [
        // The SDK's retry finds the write applied, and dyno recognises it.
        (Fault::AnswerLost, &["true 0 min, sold"][..]),
        (Fault::RequestLost, &["true 0 min, sold"]),
        (Fault::Late, &["true 0 min, sold"]),
        (Fault::Duplicated, &["true 0 min, sold"]),
        (Fault::Crash, &["died, free", "died, sold", "true 0 min, sold"]),
        (Fault::Throttled, &["true 0 min, sold"]),
        (Fault::Conflict, &["true 0 min, sold"]),
        (Fault::Slow(Duration::from_mins(2)), &["true 0 min, sold", "true 2 min, sold"]),
        (Fault::Stop(Duration::from_mins(2)), &["true 0 min, sold", "true 2 min, sold"]),
    ] {
        assert_eq!(outcomes(fault), set(expected), "{fault:?}");
    }
}

/// A buyer who reads without `consistent` sees a seat as free that was sold before.
#[test]
fn a_stale_read_is_of_an_earlier_state() {
    let failure = failure_of(&Explore::new().with([Fault::StaleRead]), async |world| {
        let repository = open(&world, 1).await?;
        assert!(sell(&repository, 1, "ada").await?);
        let bob = world.process("bob", async |repository| Seat::get(("Up", 1u32)).send(&repository).await);
        let seen = world.run(bob).await.expect("no crash")?;
        if seen.is_some_and(|seat| seat.buyer.is_none()) { Err("the sold seat is free".into()) } else { Ok(()) }
    });
    assert_eq!((&*failure.message, &*failure.schedule), ("the sold seat is free", "bob:stale-1"));
    assert!(failure.chart.contains("(answered from the state before the last write)"), "{failure}");
}

/// A slow answer lets a timer of the same process go off.
#[test]
fn a_slow_answer_lets_time_pass() {
    let failure = failure_of(&Explore::new().with([Fault::Slow(Duration::from_mins(1))]), async |world| {
        open(&world, 1).await?;
        let ada = world.process("ada", async |repository| {
            tokio::time::timeout(Duration::from_secs(5), sell(&repository, 1, "ada")).await.is_err()
        });
        if world.run(ada).await == Some(true) { Err("too late".into()) } else { Ok(()) }
    });
    assert_eq!((&*failure.message, &*failure.schedule), ("too late", "ada:slow-before-60000ms"));
}

/// A write that its client gave up arrives all the same, at any later time.
#[test]
fn an_abandoned_write_arrives() {
    let seen = RefCell::new(BTreeSet::new());
    Explore::new().with([Fault::Slow(Duration::from_mins(1))]).check(async |world| {
        let repository = open(&world, 1).await?;
        let ada = world.process("ada", async |repository| {
            let seat = seat(&repository, 1).await.expect("a seat");
            let sold = Seat { buyer: Some("ada".to_owned()), ..seat };
            let write = sold.put().send(&repository);
            tokio::time::timeout(Duration::from_secs(5), write).await.is_err()
        });
        let is_late = world.run(ada).await.expect("no crash");
        let is_sold = seat(&repository, 1).await?.buyer.is_some();
        seen.borrow_mut().insert((is_late, is_sold));
        Ok(())
    });
    assert_eq!(seen.take(), BTreeSet::from([(false, true), (true, true)]));
}

/// The clock of a run begins at the same time, and only waiting takes time.
#[test]
fn each_run_has_the_same_time() {
    use dyno::Entity;
    #[derive(Entity)]
    #[entity(table = "notes")]
    struct Note {
        #[partition_key]
        id: u32,
        #[updated]
        at: dyno::EpochMillis,
    }
    let seen = RefCell::new(BTreeSet::new());
    Explore::new().at(dyno::EpochMillis::new(1_893_456_000_000)).faults(0).check(async |world| {
        let repository = world.repository();
        repository.create_table::<Note>().await?;
        let write = |name, id: u32| {
            world.process(name, async move |repository| {
                tokio::time::sleep(Duration::from_secs(id.into())).await;
                Note { id, at: dyno::EpochMillis::new(0) }.put().send(&repository).await
            })
        };
        world.run((write("ada", 1), write("bob", 60))).await;
        let mut times = Vec::new();
        for id in [1u32, 60] {
            times.push(Note::get(id).consistent().send(&repository).await?.expect("a note").at.get());
        }
        seen.borrow_mut().insert(times);
        Ok(())
    });
    let times = seen.take();
    assert!(times.contains(&vec![1_893_456_001_000, 1_893_456_060_000]), "{times:?}");
}
