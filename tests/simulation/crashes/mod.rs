//! A transaction by intents that is broken off, or disturbed, at each of its requests in turn; and each kind of request that
//! then meets what it has left. All of it is there, or nothing; what was acknowledged is there; what is said not to be applied
//! never comes; and a sweep leaves nothing behind.
//!
//! Each run is the same each time. By default, every fourth kind meets what each position has left, in turn; all of them do with
//! `DYNO_SEEDS` above 1.

#![allow(clippy::print_stdout, reason = "how many runs there were, for who asks with `--nocapture`")]

mod model;
mod play;
mod sender;
mod stage;

use crate::runs::{run, seeds};
use dyno_tests::endpoint;
use dyno_tests::faults::Fault;
use model::Shape;
use play::{Case, Meeter, Mishap, play};
use stage::Size;
use std::panic::{AssertUnwindSafe, catch_unwind};

const SHAPES: [Shape; 2] = [Shape::Closure, Shape::Plain];

const ALL: [Meeter; 10] = [
    Meeter::Get,
    Meeter::Put,
    Meeter::Add,
    Meeter::Aside,
    Meeter::Native,
    Meeter::Intents,
    Meeter::Adopter,
    Meeter::Sweeper,
    Meeter::Own,
    Meeter::Clone,
];
/// Of processes that live, and know what became of it.
const LIVING: &[Meeter] = ALL.split_at(9).0;
const STRANGERS: &[Meeter] = ALL.split_at(8).0;

/// Each position, and each of these who meet it then.
fn each(size: Size, mishap: Mishap, meeters: &[Meeter]) {
    if endpoint().is_some() {
        // Time passes there, and what is dropped while it is under way arrives, or does not.
        return;
    }
    let every = if seeds(1, 1) > 1 { 1 } else { meeters.len().min(4) };
    let (mut runs, mut failed) = (0, Vec::new());
    for shape in SHAPES {
        for position in 1.. {
            let mut is_over = true;
            for meeter in meeters.iter().copied().skip(position % every).step_by(every) {
                let case = Case { shape, size, mishap, position, meeter };
                match catch_unwind(AssertUnwindSafe(|| run(1, play(case)))) {
                    Ok(false) => continue,
                    Ok(true) => {}
                    Err(_) => failed.push(format!("{case:?}")),
                }
                (runs, is_over) = (runs + 1, false);
            }
            if is_over {
                assert!(position > 10, "a transaction of 4 items has {position} positions");
                break;
            }
        }
    }
    println!("{size:?}, {mishap:?}: {runs} runs, of which {} failed", failed.len());
    assert!(failed.is_empty(), "{} of {runs} runs failed: {failed:#?}", failed.len());
}

macro_rules! matrix {
    ($($name:ident: $size:ident, $mishap:expr, $meeters:expr;)*) => {
        $(
            #[test]
            fn $name() {
                each(Size::$size, $mishap, $meeters);
            }
        )*
    };
}

const FEW: [Meeter; 3] = [Meeter::Get, Meeter::Add, Meeter::Intents];
const PAGED: [Meeter; 4] = [Meeter::Get, Meeter::Intents, Meeter::Adopter, Meeter::Sweeper];

matrix! {
    it_dies_before_a_request: Small, Mishap::Meets(Fault::DiesBefore), STRANGERS;
    it_dies_before_an_answer: Small, Mishap::Meets(Fault::DiesAfter), STRANGERS;
    it_dies_and_a_request_comes_late: Small, Mishap::Meets(Fault::DiesPostponed), STRANGERS;
    an_answer_is_lost: Small, Mishap::Meets(Fault::AnswerLost), LIVING;
    a_request_comes_twice: Small, Mishap::Meets(Fault::Twice), LIVING;
    a_request_comes_again_late: Small, Mishap::Meets(Fault::Kept), LIVING;
    a_request_comes_late: Small, Mishap::Meets(Fault::Postponed), LIVING;
    an_answer_is_lost_for_good: Small, Mishap::Once(Fault::AnswerLost), &ALL;
    a_request_is_lost_for_good_and_comes_late: Small, Mishap::Once(Fault::Postponed), &ALL;
    all_answers_are_lost_for_a_while: Small, Mishap::Outage(Fault::AnswerLost), &ALL;
    all_requests_are_lost_for_a_while: Small, Mishap::Outage(Fault::RequestLost), &ALL;
    all_requests_come_late: Small, Mishap::Outage(Fault::Postponed), &ALL;
    it_is_dropped_before_a_request: Small, Mishap::Dropped(Fault::DiesBefore), &ALL;
    it_is_dropped_before_an_answer: Small, Mishap::Dropped(Fault::DiesAfter), &ALL;
    it_is_dropped_and_a_request_comes_late: Small, Mishap::Dropped(Fault::DiesPostponed), &ALL;
    it_is_dropped_at_any_poll: Small, Mishap::Polled, &[Meeter::Add, Meeter::Clone, Meeter::Own];
    it_pauses_before_a_request: Small, Mishap::Held, STRANGERS;
    two_clones_and_an_answer_is_lost: Small, Mishap::Twins(Fault::AnswerLost), &FEW;
    two_clones_and_a_request_comes_late: Small, Mishap::Twins(Fault::Postponed), &FEW;
    two_clones_of_a_process_that_dies: Small, Mishap::Twins(Fault::DiesAfter), &FEW;
    one_of_two_clones_is_dropped: Small, Mishap::TwinPolled, &FEW;
    with_pages_it_dies_before_an_answer: Paged, Mishap::Meets(Fault::DiesAfter), &PAGED;
    with_pages_it_dies_and_a_request_comes_late: Paged, Mishap::Meets(Fault::DiesPostponed), &PAGED;
    with_pages_all_answers_are_lost_for_a_while: Paged, Mishap::Outage(Fault::AnswerLost), &PAGED;
    with_pages_it_is_dropped_before_an_answer: Paged, Mishap::Dropped(Fault::DiesAfter), &ALL;
    by_puts_it_dies_before_an_answer: Wide, Mishap::Meets(Fault::DiesAfter), STRANGERS;
    by_puts_a_request_comes_again_late: Wide, Mishap::Meets(Fault::Kept), &FEW;
    by_puts_it_is_dropped_before_an_answer: Wide, Mishap::Dropped(Fault::DiesAfter), &ALL;
}
