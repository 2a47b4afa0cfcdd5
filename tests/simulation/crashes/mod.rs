//! A client-side transaction is interrupted or disturbed at each of its requests in turn, and then each kind of request
//! meets its remains. The transaction is applied as a whole or not at all. If it reported "applied", it is applied. If it
//! reported that it is not applied, it never is. A sweep leaves nothing behind.
//!
//! Each run gives the same result each time. By default, only every fourth kind of request meets the remains at a position,
//! beginning with another kind at the next position. With `DYNO_SEEDS` above 1, all kinds do.
//!
//! A small transaction whose requests meet one fault each is explored in `exploration::pairs::client_side`.

#![allow(clippy::print_stdout, reason = "how many runs there were, for who asks with `--nocapture`")]

mod model;
mod play;
mod sender;
mod stage;

use crate::runs::{run, seeds};
use dyno_tests::faults::Fault;
use dyno_tests::is_remote;
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
const STRANGERS: &[Meeter] = ALL.split_at(8).0;

/// Runs the cases of each position, with some or all of these meeters.
fn each(size: Size, mishap: Mishap, meeters: &[Meeter]) {
    if is_remote() {
        // On a remote engine, time passes by itself, and a request that is dropped in flight may or may not arrive.
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
    a_lost_answer_without_sdk_retries_leaves_all_or_nothing: Small, Mishap::Once(Fault::AnswerLost), &ALL;
    a_late_request_without_sdk_retries_leaves_all_or_nothing: Small, Mishap::Once(Fault::Postponed), &ALL;
    an_outage_that_loses_answers_leaves_all_or_nothing: Small, Mishap::Outage(Fault::AnswerLost), &ALL;
    an_outage_that_loses_requests_leaves_all_or_nothing: Small, Mishap::Outage(Fault::RequestLost), &ALL;
    an_outage_that_delays_requests_leaves_all_or_nothing: Small, Mishap::Outage(Fault::Postponed), &ALL;
    a_future_dropped_before_any_request_leaves_all_or_nothing: Small, Mishap::Dropped(Fault::DiesBefore), &ALL;
    a_future_dropped_before_any_answer_leaves_all_or_nothing: Small, Mishap::Dropped(Fault::DiesAfter), &ALL;
    a_future_dropped_with_a_late_request_leaves_all_or_nothing: Small, Mishap::Dropped(Fault::DiesPostponed), &ALL;
    a_future_dropped_at_any_poll_leaves_all_or_nothing: Small, Mishap::Polled, &[Meeter::Add, Meeter::Clone, Meeter::Own];
    a_pause_before_any_request_leaves_all_or_nothing: Small, Mishap::Held, STRANGERS;
    two_clones_with_a_lost_answer_apply_at_most_once: Small, Mishap::Twins(Fault::AnswerLost), &FEW;
    two_clones_with_a_late_request_apply_at_most_once: Small, Mishap::Twins(Fault::Postponed), &FEW;
    two_clones_of_a_process_that_dies_apply_at_most_once: Small, Mishap::Twins(Fault::DiesAfter), &FEW;
    two_clones_of_which_one_is_dropped_apply_at_most_once: Small, Mishap::TwinPolled, &FEW;
    a_crash_with_participant_pages_leaves_all_or_nothing: Paged, Mishap::Meets(Fault::DiesAfter), &PAGED;
    a_crash_with_participant_pages_and_a_late_request_leaves_all_or_nothing: Paged, Mishap::Meets(Fault::DiesPostponed), &PAGED;
    an_outage_with_participant_pages_leaves_all_or_nothing: Paged, Mishap::Outage(Fault::AnswerLost), &PAGED;
    a_future_dropped_with_participant_pages_leaves_all_or_nothing: Paged, Mishap::Dropped(Fault::DiesAfter), &ALL;
    a_crash_of_a_transaction_applied_by_puts_leaves_all_or_nothing: Wide, Mishap::Meets(Fault::DiesAfter), STRANGERS;
    a_request_delivered_again_late_to_puts_leaves_all_or_nothing: Wide, Mishap::Meets(Fault::DuplicateKept), &FEW;
    a_dropped_future_of_a_transaction_applied_by_puts_leaves_all_or_nothing: Wide, Mishap::Dropped(Fault::DiesAfter), &ALL;
}
