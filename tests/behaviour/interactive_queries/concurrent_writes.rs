//! Concurrent writes of other processes: a change in a range that a closure has queried is always noticed.

use super::{Booking, book, booking, is_free, process, room, there};
use dyno::{ErrorKind, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::witness::{is_commit, is_place};
use dyno_tests::{World, is_remote};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A change by another process in the room.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Create(u64),
    Update(u64),
    Delete(u64),
    /// Creates a booking and deletes it again, which leaves a tombstone.
    Pass(u64),
    Book(u64),
}

impl Deed {
    async fn be_done(self, world: &World) {
        let other = world.other();
        match self {
            Self::Create(at) => _ = applied!(booking(at, at + 1).create(), &other),
            Self::Update(at) => {
                applied!(Booking::update(("blue", at)).unchecked().with(Booking::fields().to.set(at + 2)), &other);
            }
            Self::Delete(at) => _ = applied!(Booking::delete(("blue", at), 1), &other),
            Self::Pass(at) => {
                applied!(booking(at, at + 1).create(), &other);
                applied!(Booking::delete(("blue", at), 1), &other);
            }
            Self::Book(at) => {
                book(&process(world), at, at + 1).await.expect("sent").applied().expect("applied");
            }
        }
    }
}

/// Returns how often the closure runs. It queries bookings 3 to 6 and writes booking 20, and another process makes the
/// change before or after the closure's intent is placed.
async fn runs(deed: Deed, is_before: bool) -> usize {
    let world = room([(1, 2), (3, 4), (5, 6), (8, 9)]).await;
    let (process, runs) = (process(&world), &AtomicUsize::new(0));
    let transaction = Transaction::interactive(|tx| async move {
        runs.fetch_add(1, Ordering::Relaxed);
        let found = tx.query(Booking::query("blue").sort_between(3u64, 6u64)).await?;
        tx.put(booking(20, 20 + found.len() as u64).create());
        Ok(found.len())
    });
    // The requests: the query, two for a lane, one that describes the table's indexes, one that places the intent, and the
    // query again.
    process.faults.hold_after(if is_before { 1 } else { 5 });
    let repository = process.repository.clone();
    let (sent, ()) = tokio::join!(transaction.send(&repository), async {
        process.faults.held().await;
        let placed = process.faults.events().iter().filter(|event| is_place(event)).count();
        assert_eq!(placed, usize::from(!is_before));
        deed.be_done(&world).await;
        process.faults.release();
    });
    let shown = sent.expect("sent").applied().expect("applied");
    let to = there(&world).await.into_iter().find(|(from, _)| *from == 20);
    assert_eq!(to, Some((20, 20 + shown as u64)));
    assert!(is_free(&world).await);
    runs.load(Ordering::Relaxed)
}

#[tokio::test]
async fn a_change_in_a_queried_range_runs_the_closure_again() {
    for deed in [Deed::Create(4), Deed::Create(6), Deed::Update(3), Deed::Delete(5), Deed::Pass(4), Deed::Book(4)] {
        for is_before in [true, false] {
            assert_eq!(runs(deed, is_before).await, 2, "{deed:?}, {is_before}");
        }
    }
}

#[tokio::test]
async fn a_change_outside_a_queried_range_does_not_run_the_closure_again() {
    for deed in [Deed::Create(7), Deed::Create(2), Deed::Update(1), Deed::Delete(8), Deed::Pass(7)] {
        for is_before in [true, false] {
            assert_eq!(runs(deed, is_before).await, 1, "{deed:?}, {is_before}");
        }
    }
}

/// Two bookings of overlapping times have different keys. One of the two concurrent closures aborts.
#[tokio::test]
async fn one_of_two_overlapping_bookings_is_aborted() {
    let world = room([]).await;
    let [one, other] = [process(&world), process(&world)];
    one.faults.hold_after(4);
    let (first, second) = tokio::join!(book(&one, 1, 10), async {
        one.faults.held().await;
        // The second transaction ends before the first one places an intent.
        let second = book(&other, 5, 15).await;
        one.faults.release();
        second
    });
    assert_eq!(second.expect("sent").applied().expect("applied"), 0);
    assert_eq!(first.expect_err("it is taken").kind(), ErrorKind::Aborted);
    assert_eq!(there(&world).await, [(5, 15)]);
}

/// The rows that a closure only queries are from one moment, too, and so are the rows that make it abort.
#[tokio::test]
async fn a_closure_that_only_queries_sees_one_moment() {
    let world = room([(1, 2), (3, 4)]).await;
    for aborts in [false, true] {
        let (process, runs) = (process(&world), &AtomicUsize::new(0));
        let transaction = Transaction::interactive(|tx| async move {
            runs.fetch_add(1, Ordering::Relaxed);
            let found = tx.query(Booking::query("blue")).await?;
            if aborts { Err(found.len().to_string().into()) } else { Ok(found.len()) }
        });
        process.faults.hold_after(1);
        let repository = process.repository.clone();
        let (sent, ()) = tokio::join!(transaction.send(&repository), async {
            process.faults.held().await;
            Deed::Create(if aborts { 7 } else { 5 }).be_done(&world).await;
            process.faults.release();
        });
        match sent {
            Ok(outcome) => assert_eq!(outcome.applied().expect("nothing can be refused"), 3),
            Err(error) => {
                let told = error.closure_error().expect("the closure's").to_string();
                assert!(aborts && told == "4", "{told}");
            }
        }
        assert_eq!(runs.load(Ordering::Relaxed), 2);
    }
}

/// A failed query has no range that could be validated. But each row that it has read must be unchanged, or the closure runs
/// again.
#[tokio::test]
async fn rows_read_by_a_failed_query_are_validated() {
    let world = room([(1, 2), (3, 4)]).await;
    let dying = process(&world);
    dying.faults.on_request(1, is_commit, Fault::DiesBefore);
    let held = Booking::update(("blue", 3)).unchecked().with(Booking::fields().to.set(9));
    assert!(dying.run(Transaction::new().update(held).client_side().send(&dying.repository)).await.is_none());
    let (process, runs) = (process(&world), &AtomicUsize::new(0));
    // The second row is locked, so dyno sends a `GetItem` to resolve it. That request is lost.
    process.faults.on_request(2, |event| event.operation == "GetItem", Fault::RequestLost);
    process.faults.hold_after(3);
    let transaction = Transaction::interactive(|tx| async move {
        runs.fetch_add(1, Ordering::Relaxed);
        let first = tx.get(Booking::get(("blue", 1))).await?.ok_or("it is not there")?;
        let _is_lost = tx.query(Booking::query("blue")).await;
        tx.put(booking(20, first.to).create());
        Ok(())
    });
    let repository = process.repository.with_lock_timeout(Duration::ZERO);
    let (sent, ()) = tokio::join!(transaction.client_side().send(&repository), async {
        process.faults.held().await;
        Deed::Update(1).be_done(&world).await;
        process.faults.release();
    });
    sent.expect("sent").applied().expect("applied");
    assert_eq!(runs.load(Ordering::Relaxed), 2);
    assert!(there(&world).await.contains(&(20, 3)));
}

/// If the closure ignores the error of a read, the rows that make it abort are still from one moment.
#[tokio::test]
async fn an_abort_after_an_ignored_read_error_is_by_rows_of_one_moment() {
    let world = room([(1, 2), (3, 4)]).await;
    let (process, runs, other) = (process(&world), &AtomicUsize::new(0), &world);
    process.faults.on_request(1, |event| event.operation == "Query", Fault::RequestLost);
    let transaction = Transaction::interactive(|tx| async move {
        let _is_lost = tx.query(Booking::query("green")).await;
        let first = tx.get(Booking::get(("blue", 1))).await?.ok_or("it is not there")?;
        if runs.fetch_add(1, Ordering::Relaxed) == 0 {
            for at in [1, 3] {
                Deed::Update(at).be_done(other).await;
            }
        }
        let second = tx.get(Booking::get(("blue", 3))).await?.ok_or("it is not there")?;
        if second.to - first.to == 2 { Ok(()) } else { Err("they do not fit".into()) }
    });
    transaction.send(&process.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(runs.load(Ordering::Relaxed), 2);
}

/// A check and a query of one closure hold at the same moment.
#[tokio::test]
async fn a_check_holds_at_the_moment_of_the_query() {
    for (deed, runs_expected) in [(Deed::Create(5), 2), (Deed::Update(1), 2)] {
        let world = room([(1, 2), (3, 4)]).await;
        let (process, runs) = (process(&world), &AtomicUsize::new(0));
        let transaction = Transaction::interactive(|tx| async move {
            runs.fetch_add(1, Ordering::Relaxed);
            let found = tx.query(Booking::query("blue").sort_ge(3u64)).await?;
            if found.len() == 1 {
                tx.check(Booking::check(("blue", 1)).version(1));
            }
            Ok(found.len())
        });
        process.faults.hold_after(1);
        let repository = process.repository.clone();
        let (sent, ()) = tokio::join!(transaction.send(&repository), async {
            process.faults.held().await;
            deed.be_done(&world).await;
            process.faults.release();
        });
        match deed {
            Deed::Create(_) => assert_eq!(sent.expect("sent").applied().expect("applied"), 2),
            _ => assert!(sent.expect("sent").refusal().is_some()),
        }
        assert!(runs.load(Ordering::Relaxed) <= runs_expected);
        let operations: Vec<_> = process.faults.events().iter().map(|event| event.operation.clone()).collect();
        assert!(!operations.iter().any(|operation| operation.contains("Write")), "{operations:?}");
    }
}

/// The TTL removes a tombstone while the closure runs.
#[tokio::test]
async fn removing_a_tombstone_from_a_queried_range_is_no_change() {
    if is_remote() {
        return; // Nobody can be held there without a clock.
    }
    let world = room([(1, 2), (3, 4)]).await;
    Deed::Delete(3).be_done(&world).await;
    let (process, runs) = (process(&world), &AtomicUsize::new(0));
    let transaction = Transaction::interactive(|tx| async move {
        runs.fetch_add(1, Ordering::Relaxed);
        let found = tx.query(Booking::query("blue")).await?;
        tx.put(booking(20, 21).create());
        Ok(found.len())
    });
    process.faults.hold_after(1);
    let repository = process.repository.clone();
    let (sent, ()) = tokio::join!(transaction.send(&repository), async {
        process.faults.held().await;
        let dead = world.other();
        let key = [("room".to_owned(), dyno_tests::s("blue")), ("from".to_owned(), dyno_tests::n(3))];
        let delete = dead.client().delete_item().table_name("bookings").set_key(Some(key.into()));
        delete.send().await.expect("the TTL's doing");
        process.faults.release();
    });
    assert_eq!((sent.expect("sent").applied().expect("applied"), runs.load(Ordering::Relaxed)), (1, 1));
}

/// A booking whose process dies before its commit has no effect. If the process dies after its commit, the booking is
/// applied.
#[tokio::test]
async fn a_booking_of_a_dead_process_is_all_or_nothing() {
    for (fault, bookings) in [(Fault::DiesBefore, vec![]), (Fault::DiesAfter, vec![(1, 10)])] {
        let world = room([]).await;
        let dying = process(&world);
        dying.faults.on_request(1, is_commit, fault);
        assert!(dying.run(book(&dying, 1, 10)).await.is_none());
        let mut next = process(&world);
        next.repository = next.repository.with_lock_timeout(Duration::ZERO);
        let booked = book(&next, 5, 15).await;
        assert_eq!(booked.is_ok(), bookings.is_empty());
        assert_eq!(there(&world).await, if bookings.is_empty() { vec![(5, 15)] } else { bookings });
        assert!(is_free(&world).await);
    }
}
