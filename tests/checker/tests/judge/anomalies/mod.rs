//! One history for each anomaly, and its serial twin: the same operations, one transaction after the other.

mod cycles;
mod lists;
mod real_time;

use crate::notation::{history, serial_twin};
use crate::orders::is_explained;
use dyno_checker::{Rejection, check};

/// Asserts that the checker reports this anomaly, and that it accepts the history's serial twin. The search through all
/// orders agrees.
fn rejects(kind: &str, transactions: &[usize], words: &str, text: &str) {
    let made_up = history(text);
    let anomalies = match check(&made_up) {
        Err(Rejection::Anomalous(anomalies)) => anomalies,
        other => panic!("{kind}: {other:?}"),
    };
    let found = anomalies.iter().find(|anomaly| anomaly.kind.to_string() == kind && anomaly.text.contains(words));
    let found = found.unwrap_or_else(|| panic!("no {kind} with `{words}` in {anomalies:#?}"));
    assert_eq!(found.transactions, transactions, "{found}");
    assert!(!is_explained(&made_up), "{found}");
    let twin = serial_twin(&made_up);
    assert!(is_explained(&twin), "{twin:?}");
    assert!(check(&twin).is_ok(), "{twin:?}");
}

/// Asserts that the checker reports this anomaly and no other.
fn rejects_only(kind: &str, transactions: &[usize], words: &str, text: &str) {
    rejects(kind, transactions, words, text);
    let Err(Rejection::Anomalous(anomalies)) = check(&history(text)) else { unreachable!("it was rejected") };
    assert_eq!(anomalies.len(), 1, "{anomalies:#?}");
}
