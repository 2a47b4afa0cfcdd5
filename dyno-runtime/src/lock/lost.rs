//! The ways in which a lease ends: the holder loses it, or releases it.

use crate::error::{Error, ErrorKind};
use std::fmt;

/// The reason why a lock is no longer held.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lost {
    /// No heartbeat was confirmed in time, so another process may already have taken the lock over.
    #[non_exhaustive]
    Expired {
        /// The error of the last heartbeat, if it failed.
        error: Option<String>,
    },
    /// Another holder has the lock.
    #[non_exhaustive]
    TakenOver {
        /// The fence of the lease that took the lock over, or of a later one.
        fence: u64,
    },
    /// The lock's row is not as dyno wrote it: another program has removed or changed it.
    Interfered,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expired { error: None } => f.write_str("no heartbeat was sent in time"),
            Self::Expired { error: Some(error) } => write!(f, "no heartbeat was confirmed in time: {error}"),
            Self::TakenOver { fence } => write!(f, "another one has taken the lock over, whose fence is {fence}"),
            Self::Interfered => f.write_str("another program has removed or changed the row of the lock"),
        }
    }
}

impl std::error::Error for Lost {}

/// Converts into [`ErrorKind::LockLost`], so that `?` passes it on: `held.during(work).await?`.
impl From<Lost> for Error {
    fn from(lost: Lost) -> Self {
        error("the lock", lost)
    }
}

/// Converts the loss of one of several locks: `all.during(work).await?`.
impl From<(String, Lost)> for Error {
    fn from((name, lost): (String, Lost)) -> Self {
        error(&format!("the lock `{name}`"), lost)
    }
}

fn error(lock: &str, lost: Lost) -> Error {
    let message = format!(
        "{lock} was lost: {lost}; what was sent under it may have been applied: acquire it again, load, and decide"
    );
    Error::new(ErrorKind::LockLost, message).with_source(lost)
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
