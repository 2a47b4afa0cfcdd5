//! The results of a query: the stored rows, with the earlier writes of the transaction.

use super::{Booking, booking, is_free, process, room, there};
use dyno::Transaction;

fn spans(bookings: &[Booking]) -> Vec<(u64, u64)> {
    bookings.iter().map(|booking| (booking.from, booking.to)).collect()
}

#[tokio::test]
async fn a_query_shows_the_closure_s_earlier_writes_in_order() {
    let world = room([(1, 2), (3, 4), (5, 6), (7, 8)]).await;
    let transaction = Transaction::interactive(|tx| async move {
        tx.put(booking(4, 5).create());
        tx.put(booking(9, 10).create());
        tx.update(Booking::update(("blue", 3)).unchecked().with(Booking::fields().to.set(30)));
        tx.delete(Booking::delete(("blue", 5), 1));
        let all = tx.query(Booking::query("blue")).await?;
        let descending = tx.query(Booking::query("blue").descending().limit(3)).await?;
        let within = tx.query(Booking::query("blue").sort_gt(3u64).sort_lt(9u64)).await?;
        let long = tx.query(Booking::query("blue").filter(Booking::fields().to.gt(8u64))).await?;
        let none = tx.query(Booking::query("green")).await?;
        Ok([all, descending, within, long, none].map(|found| spans(&found)))
    });
    let [all, descending, within, long, none] =
        transaction.send(&process(&world).repository).await.expect("sent").applied().expect("applied");
    assert_eq!(all, [(1, 2), (3, 30), (4, 5), (7, 8), (9, 10)]);
    assert_eq!(descending, [(9, 10), (7, 8), (4, 5)]);
    assert_eq!(within, [(4, 5), (7, 8)]);
    assert_eq!(long, [(3, 30), (9, 10)]);
    assert_eq!(none, []);
    assert_eq!(there(&world).await, all);
    assert!(is_free(&world).await);
}

/// A get and a query of one closure must show the same item. If another process changes it in between, the closure runs
/// again.
#[tokio::test]
async fn a_query_that_differs_from_an_earlier_get_runs_the_closure_again() {
    let world = room([(1, 2), (3, 4)]).await;
    let other = world.other();
    let (transaction_of, attempts) = (&other, &std::sync::atomic::AtomicUsize::new(0));
    let transaction = Transaction::interactive(|tx| async move {
        let first = tx.get(Booking::get(("blue", 1))).await?.ok_or("it is not there")?;
        if attempts.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 {
            let longer = Booking::update(("blue", 1)).unchecked().with(Booking::fields().to.set(20));
            longer.send(transaction_of).await?.applied()?;
        }
        let found = tx.query(Booking::query("blue")).await?;
        Ok((first.to, spans(&found)))
    });
    let shown = transaction.send(&process(&world).repository).await.expect("sent").applied().expect("applied");
    // In the first run, the rows would have been from two moments.
    assert_eq!((shown, attempts.load(std::sync::atomic::Ordering::Relaxed)), ((20, vec![(1, 20), (3, 4)]), 2));
}

/// A query shows tombstones only on request.
#[tokio::test]
async fn a_query_shows_tombstones_only_with_include_deleted() {
    let world = room([(1, 2), (3, 4)]).await;
    applied!(Booking::delete(("blue", 1), 1), &world.repository);
    let transaction = Transaction::interactive(|tx| async move {
        tx.delete(Booking::delete(("blue", 3), 1));
        let live = tx.query(Booking::query("blue")).await?;
        let all = tx.query(Booking::query("blue").include_deleted()).await?;
        Ok((live.len(), all.into_iter().map(|found| found.live().is_none()).collect::<Vec<_>>()))
    });
    let shown = transaction.send(&process(&world).repository).await.expect("sent").applied().expect("applied");
    assert_eq!(shown, (0, vec![true, true]));
}

/// A query reads more than one page, and stops at a limit in the middle of a page.
#[tokio::test]
async fn a_query_in_a_closure_reads_several_pages_up_to_its_limit() {
    let world = room([]).await;
    let bookings: Vec<_> = (0..150).map(|at| booking(at, at + 1).create()).collect();
    let made = Transaction::new().put(bookings).send(&world.repository).await.expect("sent");
    made.applied().expect("applied");
    for (new, (from, limit, count)) in [(0, 7, 7), (140, 20, 10), (0, 150, 150), (0, 151, 150)].into_iter().enumerate()
    {
        let transaction = Transaction::interactive(|tx| async move {
            let found = tx.query(Booking::query("blue").sort_between(from, 500u64).limit(limit)).await?;
            tx.put(booking(1000 + new as u64, 2000).create());
            Ok(found.len())
        });
        let shown = transaction.send(&process(&world).repository).await.expect("sent").applied().expect("applied");
        assert_eq!(shown, count, "{from}, {limit}");
    }
}
