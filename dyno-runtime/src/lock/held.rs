//! What whoever holds a lock has of it.

use super::lease::Lease;
use super::lost::{Lost, Released};
use super::row::LockRow;
use crate::error::Error;
use crate::rule::IntoFence;
use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// A lock that is held, while heartbeats renew its lease.
///
/// The library has no runtime of its own: nothing sends the heartbeats but a future that is polled. Work
/// [`during`](Self::during) it, or spawn [`drive`](Self::drive). Without either, the lock is lost after nine tenths of its
/// lease.
///
/// Dropped, it is not released: the heartbeats end, and the lock is free one lease later.
#[derive(Debug)]
#[must_use = "dropped, the lock is free only when its lease has run out"]
pub struct Held(pub(super) Arc<Lease>);

impl Held {
    /// The lock's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The number of this lease: greater than that of every lease before. Give it to whatever the lock guards, which must refuse
    /// what has a lesser one than it has seen: to writes of an entity as `.fenced(&held)`.
    #[must_use]
    pub fn fence(&self) -> u64 {
        self.0.fence
    }

    /// For how long it is held without a further heartbeat, by the holder's own time.
    ///
    /// # Errors
    /// It is lost.
    pub fn left(&self) -> Result<Duration, Lost> {
        self.0.left()
    }

    /// Sends the heartbeats, until the lock is lost, released or dropped. To be spawned, where the runtime has that:
    /// `tokio::spawn(held.drive())`. Each is an `UpdateItem` of one write unit, three for each lease.
    pub fn drive(&self) -> impl Future<Output = ()> + Send + use<> {
        let lease = Arc::clone(&self.0);
        async move { lease.drive().await }
    }

    /// Waits until the lock is lost, for `select!`. It sends nothing. Timers wake it, and some of them stand still while the
    /// machine sleeps: then it can be late by a third of the lease. What must not go on asks for what is [`left`](Self::left), as
    /// [`during`](Self::during) does.
    pub async fn lost(&self) -> Lost {
        self.0.lost().await
    }

    /// Does this while the lock is held, and sends the heartbeats. The work is dropped where the lock is lost: it does not go on
    /// after a stop of the whole process either. What it has sent by then may be under way: see [`fence`](Self::fence).
    ///
    /// Whatever blocks the thread keeps the heartbeats from being sent.
    ///
    /// # Errors
    /// The lock was lost, and the work is not done.
    pub async fn during<T>(&self, work: impl Future<Output = T>) -> Result<T, Lost> {
        while_held(work, join(self.0.drive(), self.0.lost()), || self.left().err()).await
    }

    /// Gives the lock back: one `UpdateItem`. After a loss it is no error. If the answer is lost, it reads the row to learn what
    /// became of the release, and sends it again while this lease still holds the lock.
    ///
    /// # Errors
    /// What DynamoDB answers. Then the lock is free at the latest when its lease has run out.
    pub async fn release(self) -> Result<Released, Error> {
        self.0.release().await
    }
}

/// Does this while nothing is lost, and keeps what is held. Each time before the work goes on, it is asked whether something is
/// lost: the process can have been stopped since, and then nothing else has been polled either.
pub(super) async fn while_held<T, L>(
    work: impl Future<Output = T>,
    kept: impl Future<Output = ((), L)>,
    lost: impl Fn() -> Option<L>,
) -> Result<T, L> {
    let (mut work, mut kept) = (pin!(work), pin!(kept));
    poll_fn(|context| {
        if let Some(lost) = lost() {
            return Poll::Ready(Err(lost));
        }
        match work.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Ok(done)),
            Poll::Pending => kept.as_mut().poll(context).map(|((), lost)| Err(lost)),
        }
    })
    .await
}

/// `.fenced(&held)`: whoever has lost the lock is refused.
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

/// What the row of a lock says.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Inspection {
    /// The lock's name.
    pub name: String,
    /// The number of its last lease.
    pub fence: u64,
    /// Whether somebody holds it, or has held it and did not release it.
    pub is_held: bool,
    /// After how long without a heartbeat others take it over.
    pub lease: Duration,
    /// Who holds it, as the holder says.
    pub owner: Option<String>,
    /// What it is held for.
    pub reason: Option<String>,
    /// What else the holder says.
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
