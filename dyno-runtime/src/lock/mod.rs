//! Locks across processes: leases on rows of a table, with fencing tokens.
//!
//! A [`Lock`] is a name. The process that [acquires](Lock::acquire) it holds a lease, which [heartbeats](Held::drive) renew: as
//! long as they continue, no other process gets the lock. If they stop, because the holder has crashed, was stopped or cannot
//! reach DynamoDB, a process that waits takes the lock over one lease later. A program that starts anew each time cannot wait for
//! so long, and remembers nothing of its last look, so it needs [`persist_observations`](Lock::persist_observations).
//!
//! A holder that was stopped for that long does not know that it has lost the lock, and no lock across processes can keep it
//! from writing. So each lease has a [fence](Held::fence), the fencing token: a number that is greater than that of every lease
//! before. The resource that the lock guards must refuse a write with a lesser number. An entity with
//! [`#[fence]`](derive@crate::Entity#fence) does so if all of its writes are `fenced(&held)`.
//!
//! ```no_run
//! use dyno::{Entity, Repository, lock::Lock};
//! use std::time::Duration;
//!
//! #[derive(Entity)]
//! #[entity(table = "reports")]
//! struct Report {
//!     #[partition_key]
//!     name: String,
//!     lines: u32,
//!     #[fence]
//!     epoch: u64,
//! }
//!
//! # async fn example(repository: Repository, report: Report) -> Result<(), dyno::Error> {
//! Lock::create_table(&repository).await?;
//! let lock = Lock::new("reports/nightly").lease(Duration::from_secs(10)).owner("worker 3");
//! let held = lock.acquire(&repository).await?;
//! match held.during(report.put().fenced(&held).send(&repository)).await {
//!     Ok(written) => written?.applied()?,
//!     Err(lost) => println!("another one goes on: {lost}"),
//! }
//! held.release().await?;
//! # Ok(()) }
//! ```
//!
//! # Time
//!
//! Clocks of two processes are never compared, except with [`persist_observations`](Lock::persist_observations). A waiter takes
//! over a row that has not changed for one lease by its own clock, counted from the answer that first showed it. A holder counts
//! from before it sent the last heartbeat that was confirmed, and gives up after nine tenths of the lease. So two processes never
//! both believe that they hold the lock, unless a waiter's clock runs more than a ninth faster than the holder's. If they do, the
//! fences tell them apart.
//!
//! A holder reads its wall clock and its monotonic clock, and uses the one that shows more elapsed time: the wall clock can be
//! set back, and on some systems the monotonic clock stands still while they sleep. One of the two must be right: a machine
//! whose wall clock is set back while it sleeps can believe for too long that it holds the lock. See [`Clock`](crate::Clock).
//!
//! # The table
//!
//! `dyno-locks`, after the repository's prefix, with the partition key `name` (S). A row is about 150 bytes. It stays when the
//! lock is released. Never delete a lock's row: its counter goes with it, and fences start again at 1.
//!
//! | Attribute | |
//! |---|---|
//! | `name` (S) | the lock's name |
//! | `version` (N), `_w` (S) | as [`#[version]`](derive@crate::Entity#version) keeps them: changed by each write |
//! | `fence` (N) | the number of leases so far |
//! | `holder` (S) | the name of the lease; absent if no process holds the lock |
//! | `lease_millis` (N) | the time without a change after which other processes may take the lock over |
//! | `owner`, `reason` (S), `data` | what the holder states about itself |
//! | `observed_version` (N), `observed_at` (N) | the version that a program has seen, and when, in milliseconds since 1970: with [`persist_observations`](Lock::persist_observations) |
//!
//! # What it does not do
//!
//! Locks are not reentrant: a holder that acquires its lock again waits for itself. There are no shared locks for readers. A lock
//! holds in one region: in a global table with eventual consistency, two regions can both hold it, with the same fence.

mod acquire;
mod heartbeats;
mod held;
mod lease;
mod lease_duration;
mod lock_row;
mod lost;
mod many;
mod named;
mod observation;
mod release;
mod run;
mod wait;

pub use held::{Held, Inspection};
#[cfg(feature = "model")]
pub(crate) use lock_row::LockRow;
pub use lost::{Lost, LostLease, Released};
pub use many::{AllHeld, Locks};
pub use named::Lock;
