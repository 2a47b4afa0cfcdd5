//! The checker agrees with a search through all orders.

use crate::orders::is_explained;
use crate::shapes::{Shape, shape};
use dyno_checker::{History, Rejection, check};
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Returns the number of histories: `times` times `DYNO_SEEDS` if that is set, and otherwise `default`.
fn cases(default: u32, times: u32) -> u32 {
    std::env::var("DYNO_SEEDS").map_or(default, |seeds| times * seeds.parse::<u32>().expect("`DYNO_SEEDS` is a number"))
}

/// Judges `cases` histories, the same ones in each run, and counts the verdicts.
fn judge(cases: u32, shapes: impl Strategy<Value = Shape>, judge: impl Fn(&Shape) -> Result<String, String>) -> Told {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let told = RefCell::new(Told::new());
    let result = runner.run(&shapes, |shape| {
        let kind = judge(&shape).map_err(TestCaseError::fail)?;
        *told.borrow_mut().entry(kind).or_default() += 1;
        Ok(())
    });
    if let Err(TestError::Fail(why, shape)) = &result {
        panic!("{why}\n{shape:#?}");
    }
    result.expect("no case is given up");
    told.into_inner()
}

/// How often each verdict occurred.
type Told = BTreeMap<String, usize>;

/// Returns the kind of the last anomaly, or `none`. It is an error if the checker and the search through all orders disagree.
fn verdict(history: &History) -> Result<String, String> {
    let is_explained = is_explained(history);
    match check(history) {
        Ok(_) if is_explained => Ok("none".to_owned()),
        Err(Rejection::Anomalous(anomalies)) if !is_explained => {
            // Cycles are reported last, so the last anomaly is a cycle if there is one.
            let last = anomalies.last().ok_or("rejected for nothing")?;
            Ok(last.kind.to_string())
        }
        judged => Err(format!("explained: {is_explained}; judged: {judged:#?}\n{history:#?}")),
    }
}

fn mistaken(shape: &Shape) -> Result<String, String> {
    let mut history = shape.serial();
    for mistake in &shape.mistakes {
        mistake.make(&mut history);
    }
    verdict(&history)
}

/// All verdicts, with each kind of cycle.
const ALL: [&str; 22] = [
    "G0",
    "G0-process",
    "G0-realtime",
    "G1a",
    "G1b",
    "G1c",
    "G1c-process",
    "G1c-realtime",
    "G2-item",
    "G2-item-process",
    "G2-item-realtime",
    "G-single",
    "G-single-process",
    "G-single-realtime",
    "duplicate",
    "fractured",
    "garbage",
    "incompatible-order",
    "internal",
    "lost-append",
    "misordered",
    "none",
];

#[test]
fn serial_histories_are_accepted_and_one_mistake_is_judged_as_by_full_search() {
    let told = judge(cases(4_000, 100), shape(6, 4, 1), |shape| {
        verdict(&shape.serial()).and_then(|first| if first == "none" { mistaken(shape) } else { Err(first) })
    });
    println!("up to one mistake: {told:?}");
}

#[test]
fn histories_with_many_mistakes_are_judged_as_by_full_search() {
    let told = judge(cases(12_000, 100), shape(6, 4, 6), mistaken);
    println!("up to 6 mistakes: {told:?}");
    let missing: Vec<_> = ALL.iter().filter(|kind| !told.contains_key(**kind)).collect();
    assert!(missing.is_empty(), "never: {missing:?}");
}

/// The histories are too long for a search through all orders, but a serial history is accepted whatever its size.
#[test]
fn long_serial_histories_are_accepted() {
    let told = judge(cases(200, 2), shape(120, 6, 0), |shape| match check(&shape.serial()) {
        Ok(summary) => Ok(format!("{} reads", if summary.reads > 60 { "over 60" } else { "up to 60" })),
        Err(told) => Err(told.to_string()),
    });
    println!("up to 120 transactions: {told:?}");
    assert!(told.contains_key("over 60 reads"), "{told:?}");
}

/// The strategy makes all random choices, so the same seed makes the same history.
#[test]
fn a_shape_draws_the_same_history_from_the_same_seed() {
    let draw = || {
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let drawn = shape(6, 4, 3).new_tree(&mut runner).expect("a shape").current();
        drawn.serial()
    };
    assert_eq!(draw(), draw());
}
