//! Queries in transactions: the rows that they show, and that their ranges are unchanged when the transaction is applied.

mod concurrent_writes;
mod input;
mod locked_rows;
mod request_counts;
mod results;

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, Error, Item, Transaction, TransactionOutcome};
use dyno_tests::process::Process;
use dyno_tests::{World, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bookings")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Booking {
    #[partition_key]
    room: String,
    #[sort_key]
    from: u64,
    to: u64,
    #[version]
    version: u64,
}

fn booking(from: u64, to: u64) -> Booking {
    Booking { room: "blue".to_owned(), from, to, version: 0 }
}

/// A room with these bookings, and a lane table.
async fn room<const N: usize>(bookings: [(u64, u64); N]) -> World {
    let world = world::<Booking>().await;
    world.create_lanes().await;
    for (from, to) in bookings {
        applied!(booking(from, to).create(), &world.repository);
    }
    world
}

/// A process whose requests can be held.
fn process(world: &World) -> Process {
    world.process(RetryConfig::disabled())
}

/// Books the room, unless the booking overlaps another one.
async fn book(process: &Process, from: u64, to: u64) -> Result<TransactionOutcome<usize>, Error> {
    let book = Transaction::interactive(|tx| async move {
        let there: Vec<Booking> = tx.query(Booking::query("blue")).await?;
        if there.iter().any(|other| other.from < to && from < other.to) {
            return Err("it is taken".into());
        }
        tx.put(booking(from, to).create());
        Ok(there.len())
    });
    book.send(&process.repository).await
}

/// All live bookings, in the order of their start.
async fn there(world: &World) -> Vec<(u64, u64)> {
    let page = Booking::query("blue").consistent().send(&world.other()).await.expect("a query");
    page.items.iter().map(|booking| (booking.from, booking.to)).collect()
}

/// Returns whether no row has an intent.
async fn is_free(world: &World) -> bool {
    !world.stored::<Booking>().await.iter().any(|row: &Item| row.contains_key("_x"))
}
