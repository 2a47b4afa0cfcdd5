//! The requests that a query in a transaction costs.

use super::{Booking, booking, process, room};
use dyno::Transaction;
use dyno_tests::World;

async fn operations(world: &World, is_written: bool, ways: usize) -> Vec<String> {
    let process = process(world);
    let mut before = 0;
    for at in 0..ways {
        before = process.faults.events().len();
        let transaction = Transaction::interactive(|tx| async move {
            let found = tx.query(Booking::query("blue")).await?;
            if is_written {
                tx.put(booking(100 + at as u64, 200).create());
            }
            Ok(found.len())
        });
        transaction.send(&process.repository).await.expect("sent").applied().expect("applied");
    }
    process.faults.events()[before..].iter().map(|event| event.operation.clone()).collect()
}

/// A query with a limit is validated by one more query, up to the last row that it has read.
#[tokio::test]
async fn a_query_with_a_limit_is_validated_by_one_more_query() {
    let world = room([(1, 2), (3, 4), (5, 6), (7, 8)]).await;
    let process = process(&world);
    for limit in [1, 3, 4, 5] {
        let before = process.faults.events().len();
        let reading =
            Transaction::interactive(
                |tx| async move { Ok(tx.query(Booking::query("blue").limit(limit)).await?.len()) },
            );
        let read = reading.send(&process.repository).await.expect("sent").applied().expect("nothing can be refused");
        assert_eq!((read, process.faults.events().len() - before), (limit.min(4), 2), "{limit}");
    }
}

#[tokio::test]
async fn validating_a_query_takes_one_more_query_and_no_write() {
    let world = room([(1, 2), (3, 4), (5, 6)]).await;
    assert_eq!(operations(&world, false, 1).await, ["Query", "Query"]);
    // The intent of the new row, the validating query, the commit and the apply. (The first transaction also takes a lane.)
    let written = ["Query", "PutItem", "Query", "UpdateItem", "UpdateItem"];
    assert_eq!(operations(&world, true, 2).await, written);
}
