//! Rows in a queried range that other transactions have locked.

use super::{Booking, book, booking, is_free, process, room, there};
use dyno::Transaction;
use dyno_tests::faults::Fault;
use dyno_tests::witness::{is_commit, is_end};
use std::time::Duration;

/// A query shows the rows of a committed transaction. It waits for an undecided one, and then aborts it.
#[tokio::test]
async fn a_query_in_a_closure_resolves_the_intents_in_its_range() {
    for (is_committed, shown) in [(true, vec![(1, 2), (4, 5)]), (false, vec![(1, 2), (3, 4)])] {
        let world = room([(1, 2), (3, 4)]).await;
        let dying = process(&world);
        dying.faults.on_request(1, if is_committed { is_end } else { is_commit }, Fault::DiesBefore);
        let moving =
            Transaction::new().delete(Booking::delete(("blue", 3), 1)).put(booking(4, 5).create()).client_side();
        assert!(dying.run(moving.send(&dying.repository)).await.is_none());
        let mut reader = process(&world);
        reader.repository = reader.repository.with_lock_timeout(Duration::ZERO);
        let reading = Transaction::interactive(|tx| async move {
            let found = tx.query(Booking::query("blue")).await?;
            Ok(found.iter().map(|booking| (booking.from, booking.to)).collect::<Vec<_>>())
        });
        let read = reading.send(&reader.repository).await.expect("sent").applied().expect("applied");
        assert_eq!(read, shown);
        assert_eq!(there(&world).await, shown);
        assert!(is_free(&world).await);
    }
}

/// Many processes book one room at once, and no two bookings overlap.
#[tokio::test]
async fn concurrent_bookings_of_a_room_never_overlap() {
    dyno_tests::pause();
    let world = room([]).await;
    let processes: Vec<_> = (0..8).map(|_| process(&world).along()).collect();
    let booking = processes.iter().enumerate().map(|(at, process)| book(process, at as u64, at as u64 + 4));
    let booked = futures_util::future::join_all(booking).await;
    let there = there(&world).await;
    assert_eq!(booked.iter().filter(|booked| booked.is_ok()).count(), there.len());
    assert!(!there.is_empty() && there.windows(2).all(|two| two[0].1 <= two[1].0), "{there:?}");
    assert!(is_free(&world).await);
}
