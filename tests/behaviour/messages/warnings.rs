//! What a log shows: the lines of the warnings and other events.

use super::shop::{Counter, Shop, counter, order};
use super::{Messages, NONE};
use crate::what_you_see::Log;
use dyno::Transaction;
use dyno::local::Fault;
use dyno::lock::Lock;

pub(super) async fn messages(to: &mut Messages) {
    to.group("Lines of a log");
    let shop = Shop::open().await;
    let (repository, once) = (&shop.repository, &shop.once);
    Lock::create_table(repository).await.expect("a table");
    order("1", 0).create().send(repository).await.expect("sent").applied().expect("applied");
    let (log, _guard) = Log::listen();
    let mut note = |situation: &str| {
        let lines: Vec<String> = log.lines().iter().map(|line| without_number(line)).collect();
        to.note(situation, if lines.is_empty() { NONE.to_owned() } else { lines.join("\n") });
    };
    for (situation, fault) in [
        ("a throttled attempt", Fault::Throttled),
        ("an attempt without an answer", Fault::AnswerLost),
        ("an internal error of DynamoDB", Fault::ServerError { served: false }),
        ("a denied request", Fault::ErrorCode("AccessDeniedException")),
    ] {
        shop.faults.next([fault]);
        let _sent = Counter::get("1").send(once).await;
        note(situation);
    }
    let _sent = Counter::get("1").send(&once.clone().with_table_prefix("test-")).await;
    note("a missing table");
    shop.faults.next([Fault::AnswerLost]);
    let _sent = counter(1).put().send(once).await;
    note("a write that may have been applied");
    shop.faults.next([Fault::AnswerLost]);
    let _sent = Transaction::new().put(order("2", 0).create()).send(once).await;
    note("a transaction that may have been applied");
    let _sent = order("1", 0).create().send(once).await;
    note("a refused write");
    shop.faults.next([Fault::Conflict]);
    let _sent = counter(1).put().send(repository).await;
    note("a transaction holds the item of a write");
    let held = Lock::new("nightly").acquire(repository).await.expect("free");
    shop.clock.advance(60_000);
    assert!(held.left().is_err());
    note("a lost lock");
}

/// Returns a line without the number of the embedded engine's request, which depends on the other tests.
fn without_number(line: &str) -> String {
    match line.split_once("EMBEDDED-ENGINE-") {
        Some((before, after)) => {
            format!("{before}EMBEDDED-ENGINE{}", after.trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        None => line.to_owned(),
    }
}
