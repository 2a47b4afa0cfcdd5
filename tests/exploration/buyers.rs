//! Buyers of one seat: how many runs there are, and what a failure shows.

#![allow(clippy::print_stdout, reason = "a process prints for another one")]

use crate::{Checked, PlainSeat, failure_of, open, seat, sell, sell_plain};
use dyno::local::explore::{Explore, Fault, Incomplete, Report, World};
use std::time::Duration;

/// Lets these buyers buy the seat. Whoever is told that it is theirs has it.
async fn market(world: World, buyers: &[&'static str]) -> Checked {
    let repository = open(&world, 1).await?;
    let process = |buyer: &&'static str| {
        let buyer = *buyer;
        world.process(buyer, async move |repository| sell(&repository, 1, buyer).await)
    };
    let outcomes = world.run(buyers.iter().map(process).collect::<Vec<_>>()).await;
    let told = buyers.iter().zip(outcomes).filter(|(_, outcome)| matches!(outcome, Some(Ok(true))));
    let told: Vec<_> = told.map(|(buyer, _)| *buyer).collect();
    let buyer = seat(&repository, 1).await?.buyer;
    assert!(told.len() <= 1, "the seat was sold to {told:?}");
    assert!(told.first().is_none_or(|told| buyer.as_deref() == Some(*told)), "sold to {told:?}, and {buyer:?} has it");
    Ok(())
}

fn check(explore: &Explore, buyers: &[&'static str]) -> Report {
    let report = explore.check(async |world| market(world, buyers).await);
    assert!(report.is_complete(), "{report}");
    report
}

/// Two processes with two requests each have 6 interleavings, three have 90; but a buyer who finds the seat sold sends one request.
#[test]
fn every_interleaving_is_run_once() {
    let every = Explore::new().faults(0).every_interleaving().without_reduction();
    assert_eq!(check(&every, &["ada", "bob"]).runs, 6);
    assert_eq!(check(&every, &["ada", "bob", "eve"]).runs, 66);
    let none = Explore::new().faults(0).preemptions(0);
    assert_eq!(check(&none, &["ada", "bob"]).runs, 2);
    assert_eq!(check(&none, &["ada", "bob", "eve"]).runs, 6);
}

/// Whatever the last run was, the report says that there are others.
#[test]
fn an_exploration_of_fewer_runs_is_not_complete() {
    for explore in
        [Explore::new().faults(0), Explore::new().faults(0).without_reduction(), Explore::new().preemptions(0)]
    {
        let check = |explore: &Explore| explore.check(async |world| market(world, &["ada", "bob", "eve"]).await);
        let all = check(&explore);
        assert!(all.is_complete() && all.runs > 5, "{all}");
        for runs in (1..all.runs).step_by(all.runs / 6) {
            let report = check(&explore.clone().runs(runs));
            assert!(matches!(report.incomplete, Some(Incomplete::Runs { waiting: 1.. })), "{runs}: {report}");
        }
        assert!(check(&explore.clone().runs(all.runs)).is_complete());
    }
}

#[test]
fn a_seat_with_a_version_is_sold_once_under_each_fault() {
    for faults in [
        &Fault::COMMON[..],
        &[Fault::Throttled, Fault::Conflict, Fault::StaleRead],
        &[Fault::Stop(Duration::from_mins(1)), Fault::Slow(Duration::from_secs(1))],
    ] {
        check(&Explore::new().with(faults.to_vec()), &["ada", "bob"]);
    }
    check(&Explore::new().faults(2).preemptions(1), &["ada", "bob"]);
    check(&Explore::new().preemptions(1), &["ada", "bob", "eve"]);
}

async fn plain_market(world: World) -> Checked {
    let repository = world.repository();
    repository.create_table::<PlainSeat>().await?;
    PlainSeat { row: "Up".to_owned(), number: 1, buyer: None }.put().send(&repository).await?;
    let ada = world.process("ada", async |repository| sell_plain(&repository, "ada").await);
    let bob = world.process("bob", async |repository| sell_plain(&repository, "bob").await);
    let (ada, bob) = world.run((ada, bob)).await;
    let is_sold = |outcome| matches!(outcome, Some(Ok(true)));
    if is_sold(ada) && is_sold(bob) { Err("the seat was sold twice".into()) } else { Ok(()) }
}

#[test]
fn a_failure_shows_the_simplest_run() {
    let failure = failure_of(&Explore::new(), plain_market);
    let expected = r#"the seat was sold twice

In run 3 of at least 52, with no fault and 1 preemption:

   1  ada  GetItem seats {number: 1, row: "Up"} → {number: 1, row: "Up"}
   2      bob  GetItem seats {number: 1, row: "Up"} → {number: 1, row: "Up"}
   3      bob  PutItem seats {buyer: "bob", number: 1, row: "Up"} → applied
   4  ada  PutItem seats {buyer: "ada", number: 1, row: "Up"} → applied

To make this run alone: DYNO_SCHEDULE=ada.bob cargo test buyers::a_failure_shows_the_simplest_run"#;
    assert_eq!(failure.to_string(), expected);
}

#[test]
fn a_sampled_run_finds_what_is_beyond_the_bound_on_preemptions() {
    let narrow = Explore::new().faults(0).preemptions(0);
    assert!(narrow.run(plain_market).is_ok());
    let failure = failure_of(&narrow.sample(50, 1), plain_market);
    assert_eq!(failure.message, "the seat was sold twice");
    let report =
        Explore::new().faults(0).preemptions(0).sample(50, 1).check(async |world| market(world, &["ada", "bob"]).await);
    assert_eq!((report.runs, report.samples), (2, 50));
    assert!(report.to_string().contains("50 runs at random with seed 1"), "{report}");
}

#[test]
fn a_report_says_what_was_not_run() {
    let report = Explore::new().runs(10).check(async |world| market(world, &["ada", "bob"]).await);
    assert_eq!(report.runs, 10);
    let Some(Incomplete::Runs { waiting }) = report.incomplete else { panic!("{report}") };
    assert!(waiting > 0);
    let text = format!(
        "not complete: the bound on runs was reached, and {waiting} known runs were not made, with at most 1 fault and at most 2 preemptions a run; 10 runs, "
    );
    assert!(report.to_string().starts_with(&text), "{report}");
}

/// `DYNO_SCHEDULE` is of the environment, so another process runs this test: it prints what an exploration of the plain market says.
#[test]
fn probe() {
    let said = Explore::new().run(plain_market).map_or_else(|failure| failure.to_string(), |report| report.to_string());
    println!("[[{said}]]");
}

#[test]
fn a_schedule_of_the_environment_is_the_only_run() {
    let with = |schedule: &str| {
        let mut probe = std::process::Command::new(std::env::current_exe().expect("a test"));
        probe.args(["buyers::probe", "--exact", "--nocapture"]).env("DYNO_SCHEDULE", schedule);
        let output = probe.output().expect("an output");
        let output = String::from_utf8(output.stdout).expect("text");
        let (_, said) = output.split_once("[[").expect("what it said");
        said.split_once("]]").expect("what it said").0.to_owned()
    };
    let sold_twice = with("ada.bob");
    assert!(
        sold_twice.starts_with("the seat was sold twice\n\nIn run 1 of at least 1, with no fault and 1 preemption:"),
        "{sold_twice}"
    );
    assert!(sold_twice.ends_with("DYNO_SCHEDULE=ada.bob cargo test buyers::probe"), "{sold_twice}");
    for (schedule, expected) in [
        ("default", "not complete: only the schedule of DYNO_SCHEDULE was run"),
        (
            "ada.ada.bob:late",
            "DYNO_SCHEDULE is not of this scenario: its step 3 is `bob:late`, and the choices here are bob, bob:request-lost, bob:dies-before",
        ),
        ("eve", "DYNO_SCHEDULE is not of this scenario: its step 1 is `eve`, and the choices here are ada, bob, "),
        ("ada.ada.bob.ada.bob", "DYNO_SCHEDULE is not of this scenario: it has 5 steps, and the scenario ends after 3"),
    ] {
        let said = with(schedule);
        assert!(said.starts_with(expected), "{schedule}: {said}");
    }
}
