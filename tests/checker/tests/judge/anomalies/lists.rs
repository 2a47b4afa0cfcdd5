//! Lists that no order of transactions can produce.

use super::{rejects, rejects_only};

#[test]
fn a_read_of_an_aborted_append_is_rejected() {
    rejects_only(
        "G1a",
        &[2, 1],
        "T2 read x as [1], with 1 of T1, which has written nothing",
        "
        1 1 2 aborted x+1
        2 3 4 committed x=1
        end x=1",
    );
    rejects(
        "G1a",
        &[2, 1],
        "with 1 of T1",
        "
        1 1 2 declined x+1
        2 3 4 committed x=1
        end x=",
    );
}

#[test]
fn an_append_after_an_aborted_append_is_rejected() {
    rejects_only(
        "G1a",
        &[1],
        "x is [1, 2] in the end, with 1 of T1",
        "
        1 1 4 aborted x+1
        2 2 5 committed x+2
        end x=1,2",
    );
}

#[test]
fn a_read_of_some_of_a_transaction_s_appends_is_rejected() {
    rejects(
        "G1b",
        &[2, 1],
        "ends with append 1 of 2 that T1 makes to it",
        "
        1 1 4 committed x+1 x+2
        2 2 3 committed x=1
        end x=1,2",
    );
}

#[test]
fn a_lost_acknowledged_append_is_rejected() {
    rejects_only(
        "lost-append",
        &[2],
        "there is no 2 of x, which was acknowledged",
        "
        1 1 2 committed x+1
        2 3 4 committed x+2
        3 5 6 committed x+3
        end x=1,3",
    );
}

#[test]
fn a_lost_append_that_was_read_is_rejected() {
    rejects_only(
        "lost-append",
        &[1],
        "there is no 1 of x, which others have seen",
        "
        1 1 2 unknown x+1
        2 3 4 committed x=1
        end x=",
    );
}

#[test]
fn a_duplicated_append_is_rejected() {
    rejects_only(
        "duplicate",
        &[1],
        "x is [1, 2, 1] in the end, with 1 twice",
        "
        1 1 2 committed x+1
        2 3 4 committed x+2
        end x=1,2,1",
    );
    rejects(
        "duplicate",
        &[2, 1],
        "T2 read x as [1, 1]",
        "
        1 1 2 committed x+1
        2 3 4 committed x=1,1
        end x=1",
    );
}

#[test]
fn lists_of_which_neither_is_a_prefix_of_the_other_are_rejected() {
    rejects(
        "incompatible-order",
        &[3],
        "T3 read x as [2], and x is [1, 2] in the end",
        "
        1 1 4 committed x+1
        2 2 5 committed x+2
        3 3 6 committed x=2
        end x=1,2",
    );
}

#[test]
fn appends_in_the_wrong_order_are_rejected() {
    rejects_only(
        "misordered",
        &[1],
        "with 1 behind what T1 has appended later",
        "
        1 1 2 committed x+1 x+2
        end x=2,1",
    );
}

#[test]
fn an_element_that_was_never_appended_is_rejected() {
    rejects_only(
        "garbage",
        &[1],
        "with 7, which nobody has appended",
        "
        1 1 2 committed x=7
        end x=7",
    );
    rejects(
        "garbage",
        &[2, 1],
        "with 1, which T1 has appended to x",
        "
        1 1 2 committed x+1
        2 3 4 committed y=1
        end x=1 y=1",
    );
}

#[test]
fn a_read_that_misses_the_transaction_s_own_append_is_rejected() {
    rejects_only(
        "internal",
        &[1],
        "T1 read x as [], which does not end with its own [1]",
        "
        1 1 2 committed x+1 x=
        end x=1",
    );
}

#[test]
fn a_read_that_shows_the_transaction_s_own_append_too_early_is_rejected() {
    rejects_only(
        "internal",
        &[1],
        "with its own 1 where it cannot be yet",
        "
        1 1 2 committed x=1 x+1
        end x=1",
    );
}

#[test]
fn a_non_repeatable_read_is_rejected() {
    rejects_only(
        "internal",
        &[2],
        "T2 read x as [1], where it had to see []",
        "
        1 1 4 committed x+1
        2 2 5 committed x= x=1
        end x=1",
    );
}

#[test]
fn a_partly_applied_transaction_of_unknown_outcome_is_rejected() {
    rejects_only(
        "fractured",
        &[1],
        "there is no 2 of y, and there is 1 of x",
        "
        1 1 2 unknown x+1 y+2
        end x=1 y=",
    );
}
