//! A history that is recorded while the transactions run.

use dyno_checker::{Element, Handle, Operation, Outcome, Recorder, Summary, check};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

fn ends(last: &[(&str, &[Element])]) -> BTreeMap<String, Vec<Element>> {
    last.iter().map(|(key, list)| ((*key).to_owned(), list.to_vec())).collect()
}

#[test]
fn each_outcome_is_recorded_with_its_start_and_end() {
    let recorder = Recorder::new();
    let committed = recorder.begin(1);
    let aborted = recorder.begin(2);
    committed.read("x", []);
    committed.append("x", 1);
    aborted.append("x", 2);
    aborted.abort();
    committed.commit();
    let declined = recorder.begin(2);
    declined.read("x", [1]);
    declined.decline();
    let unknown = recorder.begin(1);
    unknown.append("x", 3);
    unknown.unknown();
    let history = recorder.into_history(ends(&[("x", &[1])]));
    let ended: Vec<_> = history.transactions.iter().map(|one| (one.process, one.start, one.end, one.outcome)).collect();
    let expected = [
        (1, 1, 4, Outcome::Committed),
        (2, 2, 3, Outcome::Aborted),
        (2, 5, 6, Outcome::Declined),
        (1, 7, 8, Outcome::Unknown),
    ];
    assert_eq!(ended, expected);
    let operations =
        [Operation::Read { key: "x".to_owned(), list: vec![] }, Operation::Append { key: "x".to_owned(), element: 1 }];
    assert_eq!(history.transactions[0].operations, operations);
    let summary = Summary {
        committed: 1,
        aborted: 1,
        declined: 1,
        unapplied: 1,
        elements: 1,
        reads: 2,
        write_read: 1,
        ..Summary::default()
    };
    assert_eq!(check(&history), Ok(summary));
}

#[test]
fn a_dropped_or_unfinished_transaction_has_an_unknown_outcome() {
    let recorder = Recorder::new();
    let dropped = recorder.begin(1);
    dropped.append("x", 1);
    drop(dropped);
    let open = recorder.begin(2);
    open.append("x", 2);
    let history = recorder.into_history(ends(&[("x", &[2, 1])]));
    // The history is already taken, so this commit is not recorded.
    open.commit();
    assert!(history.transactions.iter().all(|one| one.outcome == Outcome::Unknown), "{history:?}");
    assert_eq!(history.transactions[0].end, 2);
    let summary = check(&history).expect("both were applied, whenever");
    assert_eq!((summary.applied, summary.elements), (2, 2));
}

#[test]
fn a_restart_discards_the_operations_of_the_earlier_run() {
    let recorder = Recorder::new();
    let handle = recorder.begin(1);
    handle.read("x", [7]);
    handle.append("x", 1);
    handle.restart();
    handle.read("x", []);
    handle.append("x", 1);
    handle.commit();
    check(&recorder.into_history(ends(&[("x", &[1])]))).expect("only the last run");
}

#[test]
fn clones_of_a_recorder_draw_unique_elements() {
    let recorder = Recorder::new();
    let elements = [recorder.element(), recorder.clone().element(), recorder.element()];
    assert_eq!(elements, [1, 2, 3]);
}

#[test]
fn transactions_under_a_lock_are_recorded_as_serial() {
    let recorder = Recorder::new();
    let lists = Mutex::new(BTreeMap::<String, Vec<Element>>::new());
    let lock = || lists.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for process in 0..4 {
            let recorder = recorder.clone();
            scope.spawn(move || {
                for turn in 0..50 {
                    let key = if (process + turn) % 2 == 0 { "x" } else { "y" };
                    let handle = recorder.begin(process);
                    let mut lists = lock();
                    let list = lists.entry(key.to_owned()).or_default();
                    handle.read(key, list.as_slice());
                    list.push(recorder.element());
                    handle.append(key, list[list.len() - 1]);
                    drop(lists);
                    handle.commit();
                }
            });
        }
    });
    let last = std::mem::take(&mut *lock());
    let summary = check(&recorder.into_history(last)).expect("one after the other");
    assert_eq!((summary.committed, summary.elements, summary.reads), (200, 200, 200));
}

/// A closure's future borrows a handle and moves between threads.
#[test]
fn handles_are_shared_by_tasks() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<Recorder>();
    is_shared::<Handle>();
}
