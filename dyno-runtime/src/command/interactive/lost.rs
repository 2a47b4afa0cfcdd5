//! The attempts by intents that others were faster than: after three, the next one keeps others out of the rows of the last.

use crate::error::{Error, ErrorKind};
use crate::exchange::Repository;
use crate::intent::Age;
use crate::write::{Claim, Wanted};

/// After how many lost attempts others are kept out.
const LOST: u32 = 3;

/// The attempts by intents that one transaction has lost.
#[derive(Default)]
pub(super) struct Lost {
    attempts: u32,
    /// The rows of the last one.
    rows: Vec<Wanted>,
}

impl Lost {
    /// One more was lost, with these rows.
    pub(super) fn count(&mut self, rows: Vec<Wanted>) {
        (self.attempts, self.rows) = (self.attempts + 1, rows);
    }

    /// Keeps others out of the rows of the last attempt, where too many were lost.
    pub(super) async fn claim(&self, repository: &Repository, age: &Age) -> Result<Option<Claim>, Error> {
        if self.attempts < LOST || self.rows.is_empty() {
            return Ok(None);
        }
        Claim::stake(repository, &self.rows, age).await.map(Some)
    }
}

/// There are no more attempts; with the last error that one of them met, if any did.
pub(super) fn contended(attempts: u32, obstacle: Option<Error>) -> Error {
    let Some(obstacle) = obstacle else {
        let text =
            format!("others were faster in each of the transaction's {attempts} attempts, and nothing was applied");
        return Error::new(ErrorKind::Contended, text);
    };
    let text = format!("none of the transaction's {attempts} attempts was applied; the last obstacle was: {obstacle}");
    Error::new(ErrorKind::Contended, text).with_source(obstacle)
}
