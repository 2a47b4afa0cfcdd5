//! How a lease ends.

use crate::error::{Error, ErrorKind};
use std::fmt;

/// Why a lock is not held any more.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lost {
    /// No heartbeat was confirmed in time: others may take it over by now.
    #[non_exhaustive]
    Expired {
        /// What the last heartbeat was answered, if it failed.
        error: Option<String>,
    },
    /// Another one has it.
    #[non_exhaustive]
    TakenOver {
        /// The fence of the lease by which it was taken over, or of a later one.
        fence: u64,
    },
    /// Its row is not as dyno has written it: it was removed, or written by another program.
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

/// [`ErrorKind::LockLost`], so that `?` passes it on: `held.during(work).await?`.
impl From<Lost> for Error {
    fn from(lost: Lost) -> Self {
        error("the lock", lost)
    }
}

/// The same, of one of several locks: `all.during(work).await?`.
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

/// What came of releasing a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Released {
    /// It is free, or was until another one acquired it.
    Free,
    /// It had been lost before, or a greater fence stands by now. The row is as it was.
    Lost,
}
