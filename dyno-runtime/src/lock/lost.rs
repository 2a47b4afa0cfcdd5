//! The ways in which a lease ends: the holder loses it, or releases it.

use crate::error::foreign_text::value;
use crate::error::{Error, ErrorKind};
use std::fmt;
use std::time::Duration;

/// The reason why a lock is no longer held.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lost {
    /// No heartbeat was confirmed in time, so another process may already have taken the lock over.
    #[non_exhaustive]
    Expired {
        /// The lease that was lost.
        lease: LostLease,
        /// The error of the last heartbeat, if it failed.
        error: Option<String>,
    },
    /// Another holder has the lock.
    #[non_exhaustive]
    TakenOver {
        /// The lease that was lost.
        lease: LostLease,
        /// The fence of the lease that took the lock over, or of a later one.
        fence: u64,
    },
    /// The lock's row is not as dyno wrote it: another program has removed or changed it.
    #[non_exhaustive]
    Interfered {
        /// The lease that was lost.
        lease: LostLease,
    },
}

/// The lease that a [`Lost`] is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostLease {
    /// The name of the lock.
    pub lock: String,
    /// The fence that the holder had.
    pub fence: u64,
    /// How long the lease lasted after each heartbeat.
    pub duration: Duration,
}

impl Lost {
    /// Returns the lease that was lost, with the name of its lock.
    #[must_use]
    pub fn lease(&self) -> &LostLease {
        let (Self::Expired { lease, .. } | Self::TakenOver { lease, .. } | Self::Interfered { lease }) = self;
        lease
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LostLease { lock, fence, duration } = self.lease();
        write!(f, "the lock `{}` (fence {fence}, lease {duration:?}) was lost: ", value(lock))?;
        match self {
            Self::Expired { error: None, .. } => f.write_str("no heartbeat was sent in time"),
            Self::Expired { error: Some(error), .. } => write!(f, "no heartbeat was confirmed in time: {error}"),
            Self::TakenOver { fence, .. } => write!(f, "another process has acquired it, with the fence {fence}"),
            Self::Interfered { .. } => f.write_str("another program has removed or changed its row"),
        }
    }
}

impl std::error::Error for Lost {}

/// Converts into [`ErrorKind::LockLost`], so that `?` passes it on: `held.during(work).await?`.
impl From<Lost> for Error {
    fn from(lost: Lost) -> Self {
        let advice = "writes sent under it may have been applied: acquire it again, load the items and decide";
        Self::new(ErrorKind::LockLost, format!("{lost}; {advice}")).with_source(lost)
    }
}

/// The result of releasing a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Released {
    /// The lock is free, or was until another process acquired it.
    Free,
    /// Another process has acquired the lock, or another program has removed or changed its row: before the release, or after it
    /// and before `release` learned that it was applied.
    Lost,
}
