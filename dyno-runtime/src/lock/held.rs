//! A held lock: its fence, its heartbeats and its release.

use super::lease::Lease;
use super::lock_row::LockRow;
use super::lost::{Lost, Released};
use crate::exchange::Sending;
use crate::rule::IntoFence;
use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// A lock that is held, as long as heartbeats renew its lease.
///
/// The library has no runtime of its own, so only a future that you poll sends the heartbeats. Do the work
/// [`during`](Self::during) the lock, or spawn [`drive`](Self::drive). Without either, the lock is lost after nine tenths of its
/// lease.
///
/// If you drop it, the lock is not released: the heartbeats end, and the lock is free one lease later.
#[derive(Debug)]
#[must_use = "dropped, the lock is free only when its lease has run out"]
pub struct Held(pub(super) Arc<Lease>);

impl Held {
    /// Returns the lock's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the number of this lease, which is greater than that of every lease before: the fencing token. Pass it on to
    /// the resource that the lock guards, which must refuse a number less than the greatest that it has seen. Writes of an entity take it
    /// as `.fenced(&held)`.
    #[must_use]
    pub fn fence(&self) -> u64 {
        self.0.fence
    }

    /// Returns how long the lock is still held without a further heartbeat, by the holder's own time.
    ///
    /// # Errors
    /// The lock is lost.
    pub fn left(&self) -> Result<Duration, Lost> {
        self.0.left()
    }

    /// Sends the heartbeats until the lock is lost, released or dropped. Spawn it if your runtime can:
    /// `tokio::spawn(held.drive())`. Each heartbeat is an `UpdateItem` of one write unit; there are three in each lease.
    pub fn drive(&self) -> impl Future<Output = ()> + Send + use<> {
        let lease = Arc::clone(&self.0);
        async move { lease.drive().await }
    }

    /// Waits until the lock is lost, for `select!`. It sends nothing. A timer wakes it, and some timers stand still while the
    /// machine sleeps, so it can be late by a third of the lease. If code must not continue after a loss, check the time
    /// [`left`](Self::left), as [`during`](Self::during) does.
    pub async fn lost(&self) -> Lost {
        self.0.lost().await
    }

    /// Does this work while the lock is held, and sends the heartbeats. If the lock is lost, the work is dropped, and does not
    /// continue even if the whole process was stopped for a while. Requests that it has sent may still be in flight: see
    /// [`fence`](Self::fence).
    ///
    /// If the work blocks the thread, no heartbeats are sent. Tasks that the work has spawned are not dropped with it: spawn them
    /// in a `tokio::task::JoinSet` that the work owns, which aborts them, and fence what they write.
    ///
    /// # Errors
    /// The lock was lost before the work was done.
    pub async fn during<T>(&self, work: impl Future<Output = T>) -> Result<T, Lost> {
        while_held(work, join(self.0.drive(), self.0.lost()), || self.left().err()).await
    }

    /// Releases the lock: one `UpdateItem`. A lock that is already lost is no error. If the answer is lost, it reads the row to
    /// learn whether the release was applied, and sends it again while this lease still holds the lock.
    ///
    /// If you drop the future, the lock may be released or not. It is free one lease later.
    ///
    /// # Errors
    /// Those of DynamoDB. The lock is then free when its lease has run out, at the latest.
    #[must_use = "nothing is sent until it is awaited"]
    pub fn release(self) -> Sending<'static, Released> {
        Box::pin(async move { self.0.release().await })
    }
}

/// Does this work until `lost` reports a loss or `heartbeats` ends with one. It asks `lost` each time before it polls the work,
/// because if the process was stopped, nothing has polled the heartbeats either.
pub(super) async fn while_held<T>(
    work: impl Future<Output = T>,
    heartbeats: impl Future<Output = ((), Lost)>,
    lost: impl Fn() -> Option<Lost>,
) -> Result<T, Lost> {
    let (mut work, mut heartbeats) = (pin!(work), pin!(heartbeats));
    poll_fn(|context| {
        if let Some(lost) = lost() {
            return Poll::Ready(Err(lost));
        }
        match work.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Ok(done)),
            Poll::Pending => heartbeats.as_mut().poll(context).map(|((), lost)| Err(lost)),
        }
    })
    .await
}

/// Returns the lease's fence. Once a later holder has written an item, the item refuses the writes of earlier holders.
impl IntoFence for &Held {
    fn into_fence(self) -> u64 {
        self.fence()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The content of a lock's row.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Inspection {
    /// The lock's name.
    pub name: String,
    /// The number of its last lease.
    pub fence: u64,
    /// `true` if a process holds the lock, or has held it and did not release it.
    pub is_held: bool,
    /// The time without a heartbeat after which other processes take the lock over.
    pub lease: Duration,
    /// The holder, as it names itself.
    pub owner: Option<String>,
    /// The reason why the lock is held, as the holder states it.
    pub reason: Option<String>,
    /// Further data of the holder.
    pub data: Option<AttributeValue>,
}

impl Inspection {
    pub(super) fn new(row: LockRow) -> Self {
        Self {
            lease: row.lease(),
            name: row.name,
            fence: row.fence,
            is_held: row.holder.is_some(),
            owner: row.owner,
            reason: row.reason,
            data: row.data,
        }
    }
}
