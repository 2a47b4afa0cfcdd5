//! Faults by the position of a request, and requests that are served when the test says so.

use super::{Account, Receipt, account, balance, bank, receipt, retries, transfer};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::{is_remote, pause};
use futures_util::future::join_all;

const DEADLY: [Fault; 3] = [Fault::DiesBefore, Fault::DiesAfter, Fault::DiesPostponed];
const OTHERS: [Fault; 6] = [
    Fault::RequestLost,
    Fault::AnswerLost,
    Fault::ServedTwice,
    Fault::DuplicateKept,
    Fault::Postponed,
    Fault::ServerError { served: true },
];

/// A transfer is two reads and a transaction. Each fault hits each of these requests.
#[tokio::test]
async fn a_transfer_moves_all_or_nothing_under_any_fault() {
    pause();
    for fault in DEADLY.into_iter().chain(OTHERS) {
        for position in 1..=3 {
            let (world, process) = bank().await;
            process.faults.on_request(position, Event::is_any, fault);
            let sent = process.run(transfer(process.repository.clone(), 30)).await;
            assert_eq!(process.faults.unmet(), 0, "{fault:?} at {position}");
            let is_dead = DEADLY.contains(&fault);
            assert_eq!(sent.is_none(), is_dead, "{fault:?} at {position}");
            assert!(sent.is_none_or(|sent| sent.is_ok_and(|left| left == 70)), "{fault:?} at {position}");
            let moved = if is_dead && (fault, position) != (Fault::DiesAfter, 3) { 0 } else { 30 };
            assert_eq!(balance(&world, "b").await, 100 + moved, "{fault:?} at {position}");
            let is_kept = matches!(fault, Fault::DuplicateKept | Fault::Postponed | Fault::DiesPostponed);
            assert_eq!(process.faults.undelivered(), usize::from(is_kept), "{fault:?} at {position}");
            let Some(delivered) = process.faults.deliver().await else { continue };
            // A second delivery of an applied transaction succeeds, because DynamoDB knows its token.
            assert_eq!(delivered.status, 200, "{fault:?} at {position}: {delivered:?}");
            let moved = if is_dead && position < 3 { 0 } else { 30 };
            let balances = (balance(&world, "a").await, balance(&world, "b").await);
            assert_eq!(balances, (100 - moved, 100 + moved), "{fault:?} at {position}");
            assert_eq!(process.faults.undelivered(), 0);
        }
    }
}

#[tokio::test]
async fn a_fault_position_counts_only_matching_requests_sent_later() {
    pause();
    let (_world, process) = bank().await;
    transfer(process.repository.clone(), 1).await.expect("sent");
    process.faults.on_request(2, Event::is_write, Fault::AnswerLost);
    process.faults.on_request(2, |event| event.operation == "GetItem", Fault::Throttled);
    process.faults.on_request(1, |event| event.tables().contains("receipts"), Fault::DuplicateKept);
    transfer(process.repository.clone(), 1).await.expect("sent");
    receipt("1").put().send(&process.repository).await.expect("sent");
    assert_eq!(process.faults.unmet(), 0);
    let events = process.faults.events();
    let faults: Vec<_> = events[3..].iter().map(|event| (&*event.operation, event.fault)).collect();
    assert_eq!(
        faults,
        [
            ("GetItem", Fault::Served),
            ("GetItem", Fault::Throttled),
            ("GetItem", Fault::Served),
            ("TransactWriteItems", Fault::Served),
            // This request is the second write and also the first one of a receipt. The fault that was set first applies.
            ("PutItem", Fault::AnswerLost),
            ("PutItem", Fault::Served),
        ]
    );
    // A fault without a matching request stays unmet.
    process.faults.on_request(2, Event::is_write, Fault::DuplicateKept);
    receipt("1").put().send(&process.repository).await.expect("sent");
    assert_eq!((process.faults.unmet(), process.faults.undelivered()), (1, 0));
}

#[tokio::test]
async fn a_duplicated_request_without_a_condition_applies_twice() {
    pause();
    let (_world, process) = bank().await;
    receipt("1").put().send(&process.repository).await.expect("sent");
    let add = || Receipt::update("1").with(Receipt::fields().sum.add(1));
    process.faults.on_request(1, Event::is_write, Fault::ServedTwice);
    applied!(add(), &process.repository);
    assert_eq!(Receipt::get("1").send(&process.repository).await.expect("a get").expect("a receipt").sum, 3);
    // A kept duplicate is served once more, after the next update.
    process.faults.on_request(1, Event::is_write, Fault::DuplicateKept);
    applied!(add(), &process.repository);
    applied!(Receipt::update("1").with(Receipt::fields().sum.set(10)), &process.repository);
    assert_eq!(process.faults.deliver().await.expect("one is kept").status, 200);
    assert_eq!(Receipt::get("1").send(&process.repository).await.expect("a get").expect("a receipt").sum, 11);
    assert!(process.faults.deliver().await.is_none());
}

/// The process of a write is dead, and another process changes the item before the write arrives. The write is refused.
#[tokio::test]
async fn a_late_write_is_checked_against_the_current_item() {
    pause();
    let (world, process) = bank().await;
    process.faults.on_request(1, Event::is_write, Fault::DiesPostponed);
    assert!(process.run(account("a", 1, 1).put().send(&process.repository)).await.is_none());
    assert_eq!(balance(&world, "a").await, 100);
    let other = world.process(retries());
    transfer(other.repository, 10).await.expect("sent");
    let late = process.faults.deliver().await.expect("one is kept");
    assert_eq!((late.status, &*late.request.operation), (400, "PutItem"));
    assert!(late.body.contains("ConditionalCheckFailedException"), "{late:?}");
    assert_eq!(balance(&world, "a").await, 90);
}

/// Postponed requests are delivered in the order in which they were sent.
#[tokio::test]
async fn postponed_requests_are_delivered_in_the_order_of_sending() {
    pause();
    let (world, process) = bank().await;
    process.faults.on_request(1, Event::is_write, Fault::Postponed);
    process.faults.on_request(2, Event::is_write, Fault::Postponed);
    let put = account("a", 5, 1).put();
    let put = put.send(&process.repository).await.expect("sent").applied().expect("by the third attempt");
    assert_eq!(put, 2);
    let add = Account::update("a").version(2).with(Account::fields().balance.add(1));
    applied!(add, &process.repository);
    let attempts: Vec<_> = [process.faults.deliver().await, process.faults.deliver().await]
        .map(|late| late.map(|late| (late.request.attempt, late.status)))
        .into();
    assert_eq!(attempts, [Some((1, 400)), Some((2, 400))]);
    assert_eq!(balance(&world, "a").await, 6);
}

/// No request is sent after the one that kills the process. Earlier requests arrive if there is no latency. With latency, only
/// the killing request is served, and the requests in flight end with the process.
#[tokio::test(start_paused = true)]
async fn no_request_is_sent_after_the_request_that_kills_the_process() {
    if is_remote() {
        // On a remote engine, a request in flight when the process dies may or may not arrive.
        return;
    }
    for (fault, latency, arrived) in [
        (Fault::DiesBefore, 0, &["0", "1", "2", "3"][..]),
        (Fault::DiesAfter, 0, &["0", "1", "2", "3", "4"]),
        (Fault::DiesAfter, 2, &["4"]),
    ] {
        let (world, process) = bank().await;
        process.faults.latency_ms(latency, latency);
        process.faults.on_request(5, Event::is_write, fault);
        let puts = (0..10).map(|id| receipt(&id.to_string()).put().send(&process.repository));
        assert!(process.run(join_all(puts)).await.is_none());
        let mut stored = Receipt::scan().send(&world.other()).await.expect("a scan").items;
        stored.sort_by(|one, other| one.id.cmp(&other.id));
        assert_eq!(stored.iter().map(|receipt| &*receipt.id).collect::<Vec<_>>(), arrived, "{fault:?} {latency}");
        assert_eq!(process.faults.events().len(), 5);
    }
}
