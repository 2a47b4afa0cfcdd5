//! Cycles that consist only of appends and reads.

use super::rejects_only;

#[test]
fn a_cycle_of_writes_is_rejected() {
    let text = "
        1 1 4 committed x+1 y+1001
        2 2 5 committed x+2 y+1002
        end x=1,2 y=1002,1001";
    rejects_only("G0", &[1, 2], "T1 appended 1 to x, and T2 the next, 2", text);
    rejects_only("G0", &[1, 2], "T2 appended 1002 to y, and T1 the next, 1001", text);
}

#[test]
fn two_transactions_that_see_each_other_s_appends_are_rejected() {
    rejects_only(
        "G1c",
        &[1, 2],
        "T1 appended 1 to x, and T2 saw it",
        "
        1 1 4 committed x+1 y=2
        2 2 5 committed y+2 x=1
        end x=1 y=2",
    );
}

#[test]
fn a_lost_update_is_rejected() {
    rejects_only(
        "G-single",
        &[1, 2],
        "lost update",
        "
        1 1 4 committed x= x+1
        2 2 5 committed x= x+2
        end x=1,2",
    );
}

#[test]
fn read_skew_is_rejected() {
    rejects_only(
        "G-single",
        &[1, 2],
        "read skew",
        "
        1 1 4 committed x+1 y+2
        2 2 5 committed x= y=2
        end x=1 y=2",
    );
}

#[test]
fn write_skew_is_rejected() {
    rejects_only(
        "G2-item",
        &[1, 2],
        "write skew",
        "
        1 1 4 committed x= y= x+1
        2 2 5 committed x= y= y+2
        end x=1 y=2",
    );
}

#[test]
fn write_skew_of_three_transactions_is_rejected() {
    rejects_only(
        "G2-item",
        &[1, 2, 3],
        "T3 saw x as [], without 1, which T1 appended",
        "
        1 1 7 committed y= x+1
        2 2 8 committed z= y+2
        3 3 9 committed x= z+3
        end x=1 y=2 z=3",
    );
}

#[test]
fn a_long_fork_is_rejected() {
    rejects_only(
        "G2-item",
        &[1, 3, 2, 4],
        "long fork",
        "
        1 1 9 committed x+1
        2 2 9 committed y+2
        3 3 9 committed x=1 y=
        4 4 9 committed x= y=2
        end x=1 y=2",
    );
}

/// A lower number is worse. If the same transactions form several cycles, only the worst is reported.
#[test]
fn the_worst_anomaly_of_a_cycle_is_reported() {
    rejects_only(
        "G0",
        &[1, 2],
        "",
        "
        1 1 4 committed x= x+1 y+1001
        2 2 5 committed x= x+2 y+1002
        end x=1,2 y=1002,1001",
    );
}
