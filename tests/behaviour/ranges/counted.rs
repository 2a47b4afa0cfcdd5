//! What a query in a transaction costs.

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

#[tokio::test]
async fn it_is_queried_twice_and_nothing_is_written_for_that() {
    let world = room([(1, 2), (3, 4), (5, 6)]).await;
    assert_eq!(operations(&world, false, 1).await, ["Query", "Query"]);
    // An intent for what is written, a commit and an apply. (The first time, it takes a lane, too.)
    let written = ["Query", "PutItem", "Query", "UpdateItem", "UpdateItem"];
    assert_eq!(operations(&world, true, 2).await, written);
}
