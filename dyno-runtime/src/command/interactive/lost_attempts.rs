//! The attempts by intents that others were faster than: after three, the next one keeps others out of the rows of the last.

use crate::error::{Error, ErrorKind};
use crate::exchange::{Moment, Priority, Repository};
use crate::transaction::client_side::{Claim, ClaimTarget};
use crate::transaction::closure::Session;
use std::time::Duration;

/// After how many lost attempts others are kept out.
const LOST: u32 = 3;

/// For how long, as a multiple of patience, all closures of one transaction keep others out, taken together.
const PATIENCES: u32 = 6;

/// The attempts by intents that one transaction has lost.
#[derive(Default)]
pub(super) struct Lost {
    attempts: u32,
    /// The rows of the last one.
    rows: Vec<ClaimTarget>,
    /// For how long its closures have kept others out until now, and since when the present one does.
    held: Duration,
    claimed: Option<Moment>,
}

impl Lost {
    /// One more was lost, with these rows.
    pub(super) fn count(&mut self, rows: Vec<ClaimTarget>) {
        (self.attempts, self.rows) = (self.attempts + 1, rows);
    }

    /// Keeps others out of the rows of the last attempt, where too many were lost, and the closures may still do so.
    pub(super) async fn claim(&mut self, repository: &Repository, priority: &Priority) -> Result<Option<Claim>, Error> {
        let left = (repository.patience() * PATIENCES).saturating_sub(self.held);
        if self.attempts < LOST || self.rows.is_empty() || left.is_zero() {
            return Ok(None);
        }
        self.claimed = Some(repository.moment());
        Claim::place(repository, &self.rows, priority, left).await.map(Some)
    }

    /// Waits for the closure, while the claim keeps others out; what it has returned, and the claim, if it still stands.
    pub(super) async fn during<T>(
        &mut self,
        repository: &Repository,
        claim: Claim,
        session: &Session,
        closure: impl Future<Output = T> + Unpin,
    ) -> (T, Option<Claim>) {
        let returned = claim.run_closure(repository, closure, || session.give_back()).await;
        let claimed = self.claimed.take();
        self.held += claimed.map_or(Duration::ZERO, |claimed| claimed.until(repository.moment()));
        returned
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
