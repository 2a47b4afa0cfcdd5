//! Cycles that need the order of processes or of time.

use super::rejects_only;

#[test]
fn a_stale_read_is_rejected() {
    rejects_only(
        "G-single-realtime",
        &[1, 2],
        "T1 ended at 2, and T2 started at 3",
        "
        1 1 2 committed x+1
        2 3 4 committed x=
        end x=1",
    );
}

#[test]
fn a_stale_read_of_a_declined_transaction_is_rejected() {
    rejects_only(
        "G-single-realtime",
        &[1, 2],
        "stale read",
        "
        1 1 2 committed x+1
        2 3 4 declined x= y+7
        end x=1",
    );
}

#[test]
fn a_process_that_misses_its_own_write_is_rejected() {
    rejects_only(
        "G-single-process",
        &[1, 2],
        "process 1 sent T1, and then T2",
        "
        1 1 2 committed x+1
        1 3 4 committed x=
        end x=1",
    );
}

#[test]
fn a_process_whose_reads_go_back_in_time_is_rejected() {
    rejects_only(
        "G-single-process",
        &[1, 2, 3],
        "process 2 sent T2, and then T3",
        "
        1 1 9 committed x+1
        2 2 3 committed x=1
        2 4 5 committed x=
        end x=1",
    );
}

#[test]
fn appends_against_real_time_are_rejected() {
    rejects_only(
        "G0-realtime",
        &[1, 2],
        "T2 appended 2 to x, and T1 the next, 1",
        "
        1 1 2 committed x+1
        2 3 4 committed x+2
        end x=2,1",
    );
}

#[test]
fn a_read_of_a_later_transaction_s_append_is_rejected() {
    rejects_only(
        "G1c-realtime",
        &[1, 2],
        "T1 ended at 2, and T2 started at 3",
        "
        1 1 2 committed x=1
        2 3 4 committed x+1
        end x=1",
    );
}

#[test]
fn write_skew_that_only_real_time_shows_is_rejected() {
    rejects_only(
        "G2-item-realtime",
        &[1, 2, 3],
        "T3 ended at 2, and T1 started at 3",
        "
        1 3 4 committed x=
        2 1 5 committed y= x+1
        3 1 2 committed y+2
        end x=1 y=2",
    );
}
