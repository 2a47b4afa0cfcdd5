//! Histories that cannot have happened are mistakes of the harness.

use crate::notation::history;
use dyno_checker::{Rejection, check};

fn is_malformed(words: &str, text: &str) {
    match check(&history(text)) {
        Err(Rejection::Malformed(why)) => assert!(why.contains(words), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_history_that_appends_an_element_twice_is_malformed() {
    is_malformed(
        "element 1 is appended twice, to x by T1 and to y by T2",
        "
        1 1 2 committed x+1
        2 3 4 aborted y+1
        end x=1",
    );
}

#[test]
fn a_transaction_that_ends_at_its_start_is_malformed() {
    is_malformed("T1 starts at 2 and ends at 2", "1 2 2 committed x+1\nend x=1");
}

#[test]
fn overlapping_transactions_of_one_process_are_malformed() {
    is_malformed(
        "process 1 starts T2 at 3, before its T1 ends at 4",
        "
        1 1 4 committed x+1
        1 3 5 committed y+2
        end x=1 y=2",
    );
}

#[test]
fn two_transactions_of_one_name_are_malformed() {
    let mut history = history("1 1 2 committed x+1\n1 3 4 committed x+2\nend x=1,2");
    history.transactions[1].id = 1;
    assert_eq!(check(&history), Err(Rejection::Malformed("two transactions are T1".to_owned())));
}
