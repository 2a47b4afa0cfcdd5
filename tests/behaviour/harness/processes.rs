//! Processes that die, pause and come back, while other processes continue.

use super::{Account, account, balance, bank, receipt, retries, transfer};
use dyno::Reason;
use dyno_tests::faults::{Event, Fault, Rates};
use dyno_tests::pause;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[tokio::test]
async fn a_killed_process_does_not_stop_other_processes() {
    pause();
    let (world, one) = bank().await;
    let other = world.process(retries());
    let before = world.faults.events().len();
    one.faults.kill();
    assert_eq!(one.run(transfer(one.repository.clone(), 30)).await.map(|sent| sent.is_ok()), None);
    let left = other.run(transfer(other.repository.clone(), 10)).await.expect("alive").expect("sent");
    assert_eq!((left, balance(&world, "b").await), (90, 110));
    let sent = [&one.faults, &other.faults, &world.faults].map(|faults| faults.events().len());
    assert_eq!(sent, [0, 3, before]);
    // The killed process comes back.
    one.faults.go_on();
    assert_eq!(transfer(one.repository.clone(), 30).await.expect("sent"), 60);
}

/// The work of a dead process is dropped where it is, and the tasks that it has spawned send no more requests.
#[tokio::test]
async fn a_dead_process_and_its_tasks_send_no_more_requests() {
    pause();
    let (world, process) = bank().await;
    let steps = Arc::<AtomicUsize>::default();
    let work = {
        let (steps, repository) = (Arc::clone(&steps), process.repository.clone());
        async move {
            loop {
                steps.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(transfer(repository.clone(), 10)).await.expect("no panic").expect("sent");
            }
        }
    };
    // Request 7 is the first read of the third transfer.
    process.faults.on_request(7, Event::is_any, Fault::DiesAfter);
    let done: Option<()> = process.run(work).await;
    assert_eq!((done, steps.load(Ordering::SeqCst)), (None, 3));
    assert_eq!((Arc::strong_count(&steps), process.faults.events().len()), (1, 7), "dropped, and silent");
    assert_eq!(balance(&world, "a").await, 80);
}

#[tokio::test]
async fn a_fault_stops_only_its_own_process() {
    pause();
    for (served, left) in [(false, 100), (true, 70)] {
        let (world, one) = bank().await;
        let other = world.process(retries());
        one.faults.dies_of(3, served);
        assert!(one.run(transfer(one.repository.clone(), 30)).await.is_none());
        assert_eq!(balance(&world, "a").await, left);
        assert_eq!(transfer(other.repository, 10).await.expect("sent"), left - 10);
    }
}

#[tokio::test]
async fn a_held_write_conflicts_with_writes_sent_meanwhile() {
    pause();
    let (world, one) = bank().await;
    let other = world.process(retries());
    one.faults.hold_after(0);
    let stale = account("a", 1, 1).put();
    let sending = tokio::spawn({
        let repository = one.repository.clone();
        async move { stale.send(&repository).await.expect("sent") }
    });
    one.faults.held().await;
    assert_eq!(transfer(other.repository, 10).await.expect("sent"), 90);
    assert!(one.faults.events().is_empty() && !sending.is_finished());
    one.faults.release();
    let reasons = dyno_tests::reasons(&sending.await.expect("no panic"));
    assert!(matches!(reasons[..], [Reason::Conflict { expected: 1, .. }]), "{reasons:?}");
    assert_eq!(balance(&world, "a").await, 90);
}

#[tokio::test]
async fn each_process_has_its_own_faults() {
    pause();
    let (world, one) = bank().await;
    let other = world.process(retries());
    one.faults.throttle(2);
    other.faults.lose_answers(1);
    let attempts = |events: Vec<Event>| events.iter().map(|event| (event.attempt, event.fault)).collect::<Vec<_>>();
    for process in [&one, &other] {
        receipt("1").put().send(&process.repository).await.expect("sent");
    }
    assert_eq!(attempts(one.faults.events()), [(1, Fault::Throttled), (2, Fault::Throttled), (3, Fault::Served)]);
    assert_eq!(attempts(other.faults.events()), [(1, Fault::AnswerLost), (2, Fault::Served)]);
    // Each process also has its own rates of faults.
    one.faults.rates(Rates { refuse_connection: 1.0, ..Rates::NONE });
    Account::get("a").send(&one.repository).await.expect_err("nobody is there");
    Account::get("a").send(&other.repository).await.expect("a get");
    one.faults.calm();
    Account::get("a").send(&one.repository).await.expect("a get");
}
