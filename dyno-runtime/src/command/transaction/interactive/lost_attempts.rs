//! The attempts that one `send` has lost to other writers. After three, the next one claims the rows of the last, which keeps
//! other writers out while the closure runs.

use crate::error::{Error, ErrorKind};
use crate::exchange::{Moment, Priority, Repository};
use crate::transaction::client_side::{Claim, ClaimTarget};
use crate::transaction::closure::Session;
use futures_util::future::BoxFuture;
use std::time::Duration;

/// The number of lost attempts after which the next one claims rows.
const LOST: u32 = 3;

/// The time for which all closures of one transaction together keep other writers out, as a multiple of the repository's
/// lock timeout.
const LOCK_TIMEOUTS: u32 = 6;

/// The attempts that one `send` has lost.
#[derive(Default)]
pub(super) struct LostAttempts {
    count: u32,
    /// The rows that the next attempt may claim: those of the last one, if it was client-side.
    rows: Vec<ClaimTarget>,
    /// How long claims have kept other writers out so far, and since when the present claim does.
    claimed_for: Duration,
    claimed_since: Option<Moment>,
    /// The last error after which another attempt was made.
    obstacle: Option<Error>,
}

impl LostAttempts {
    /// Counts a lost attempt with these rows.
    pub(super) fn add(&mut self, rows: Vec<ClaimTarget>) {
        (self.count, self.rows) = (self.count + 1, rows);
    }

    /// Keeps an error after which another attempt may pass; returns any other error.
    pub(super) fn retry_after(&mut self, error: Error) -> Result<(), Error> {
        if !error.is_contended() {
            return Err(error);
        }
        self.obstacle = Some(error);
        Ok(())
    }

    /// Claims the rows of the last attempt, if too many attempts were lost and the closures may still keep other writers out.
    pub(super) fn claim<'a>(
        &'a mut self,
        repository: &'a Repository,
        priority: &'a Priority,
    ) -> BoxFuture<'a, Result<Option<Claim>, Error>> {
        Box::pin(async move {
            let left = (repository.lock_timeout() * LOCK_TIMEOUTS).saturating_sub(self.claimed_for);
            if self.count < LOST || self.rows.is_empty() || left.is_zero() {
                return Ok(None);
            }
            self.claimed_since = Some(repository.moment());
            Claim::place(repository, &self.rows, priority, left).await.map(Some)
        })
    }

    /// Runs the closure under a claim. Returns the result of the closure, and the claim if it was not released meanwhile.
    pub(super) async fn run_claimed<T>(
        &mut self,
        repository: &Repository,
        claim: Claim,
        session: &Session,
        closure: impl Future<Output = T> + Unpin,
    ) -> (T, Option<Claim>) {
        let returned = claim.run_closure(repository, closure, || session.forget_claim()).await;
        let since = self.claimed_since.take();
        self.claimed_for += since.map_or(Duration::ZERO, |since| since.until(repository.moment()));
        returned
    }

    /// Returns the error of a transaction that has made all its attempts, with the last obstacle, if there was one.
    pub(super) fn give_up(&mut self, attempts: u32) -> Error {
        let Some(obstacle) = self.obstacle.take() else {
            let text = format!(
                "other writers changed the transaction's items during each of its {attempts} attempts, and nothing was applied: send it again later"
            );
            return Error::new(ErrorKind::Contended, text);
        };
        let text =
            format!("none of the transaction's {attempts} attempts was applied; the last one failed: {obstacle}");
        Error::new(ErrorKind::Contended, text).with_source(obstacle)
    }
}
