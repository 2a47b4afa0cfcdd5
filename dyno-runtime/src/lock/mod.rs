//! Locks across processes: leases on rows of a table, with fencing tokens.
//!
//! A [`Lock`] is a name. Who [acquires](Lock::acquire) it holds a lease, which [heartbeats](Held::drive) renew: as long as
//! they go on, nobody else gets it. Where they stop, since the holder has crashed, was stopped or cannot reach DynamoDB, the
//! next one takes the lock over one lease later: one that waits for as long as that. A program that starts anew each time
//! remembers nothing of its last look, and needs [`persist_observations`](Lock::persist_observations).
//!
//! No lock across processes keeps a holder from going on that has been stopped for so long and knows nothing of it. So each
//! lease has a [fence](Held::fence): a number that is greater with each. What the lock guards must refuse the lesser one. An entity
//! with [`#[fence]`](derive@crate::Entity#fence) does, of writes that are `fenced(&held)`.
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
//! No clock is compared with another's, but with [`persist_observations`](Lock::persist_observations). A waiter takes over a row
//! which has not changed for one lease by its own clock, counted from the answer that first showed it. A holder counts from
//! before it sent the heartbeat that was confirmed last, and gives up after nine tenths of the lease. So two never both believe that they hold, while the clock of no one who waits runs
//! more than a ninth faster than the holder's. Beyond that, they can; the fences tell them apart.
//!
//! A holder's time is told by the clock's wall hand or by its monotonic hand, whichever says more: one can be set back, and
//! the other stands still on some systems while they sleep. One of the two must tell: a machine whose wall clock is set back
//! while it sleeps can believe for too long. See [`Clock`](crate::Clock).
//!
//! # The table
//!
//! `dyno-locks`, behind the repository's prefix, with the partition key `name` (S). A row is about 150 bytes. It stays when the
//! lock is released. Whoever removes it removes the number with it: fences begin again at 1.
//!
//! | Attribute | |
//! |---|---|
//! | `name` (S) | the lock's name |
//! | `version` (N), `_w` (S) | as [`#[version]`](derive@crate::Entity#version) keeps them: another one with each write |
//! | `fence` (N) | how many leases there have been |
//! | `holder` (S) | the name of the lease; absent, where nobody holds it |
//! | `lease_millis` (N) | after how long without a change others may take it over |
//! | `owner`, `reason` (S), `data` | what the holder says of itself |
//! | `observed_version` (N), `observed_at` (N) | the version that a program has seen, and when, in milliseconds since 1970: with [`persist_observations`](Lock::persist_observations) |
//!
//! # What it does not do
//!
//! A lock is held once: who holds it and acquires it again waits for itself. There are no shared locks for readers. A lock holds
//! in one region: in a global table with eventual consistency, two regions can both hold it, with the same fence.

mod acquire;
mod beat;
mod held;
mod lease;
mod lost;
mod many;
mod named;
mod observation;
mod release;
mod row;
mod term;
mod wait;

pub use held::{Held, Inspection};
pub use lost::{Lost, Released};
pub use many::{AllHeld, Locks};
pub use named::Lock;
