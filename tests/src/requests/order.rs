//! The tests whose requests are in no certain order, each with its reason.

use std::collections::BTreeSet;

/// How a test's requests are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// In the order in which they are sent.
    Sent,
    /// In any order.
    Any,
    /// Only by the forms that there are, and not how many.
    Forms,
}

use Order::{Any, Forms};

/// Names of tests, wherever they are.
const TESTS: &[(&str, Order, &str)] = &[
    ("a_checkpoint_goes_on_with_what_it_was_made_by_and_with_nothing_else", Any, "segments are read at once"),
    ("a_run_that_is_broken_off_goes_on_where_it_was", Forms, "segments are changed at once, and broken off anywhere"),
    ("a_scan_can_be_split", Any, "segments are read at once"),
    ("attempts_end_before_the_token_is_forgotten", Forms, "pauses are of random length, and end by the clock"),
    ("many_modifications_at_once_are_all_applied", Forms, "who meets whom is left to chance"),
    ("money_is_neither_made_nor_lost", Forms, "the faults are drawn from a seed"),
    ("nothing_is_lost_whatever_the_network_does", Forms, "the faults are drawn from a seed"),
    ("of_two_at_once_one_is_applied", Forms, "who is first is left to chance"),
    ("of_two_at_once_one_is_made", Forms, "who is first is left to chance"),
    ("requests_under_way_are_bounded", Any, "requests of a batch are under way at once"),
];

/// How a test's requests are to be compared.
pub(super) fn of(test: &str) -> Order {
    let name = name_of(test);
    let found = TESTS.iter().find(|(of, ..)| *of == name);
    found.map_or(Order::Sent, |(_, order, _)| *order)
}

/// The names here that no test has.
pub(super) fn stale(tests: &BTreeSet<String>) -> impl Iterator<Item = &'static str> {
    let names: BTreeSet<&str> = tests.iter().map(|test| name_of(test)).collect();
    TESTS.iter().map(|(name, ..)| *name).filter(move |name| !names.contains(name))
}

fn name_of(test: &str) -> &str {
    test.rsplit("::").next().unwrap_or(test)
}
