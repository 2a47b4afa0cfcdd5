//! The loop of a transaction: it runs the closure and sends the attempt, and runs the closure again after a conflict.

use super::clone_memory::Progress;
use super::closure_error::{ClosureError, Failure};
use super::tx::Tx;
use super::{Interactive, Reported};
use crate::command::write::in_doubt::InDoubt;
use crate::entity::TransactionOutcome;
use crate::error::Error;
use crate::exchange::{BackOff, Repository, trace_events};
use crate::transaction::attempt::{AttemptResult, Report, Run};
use crate::transaction::client_side::Claim;
use crate::transaction::closure::{Attempt, Prepared, Session};
use std::pin::pin;
use std::sync::Arc;

/// The same, or an error; `None` if the closure must run again, or the attempt must be sent again.
type Ended<T, X> = Result<Option<Reported<T>>, Failure<<X as ClosureError>::OfSend>>;

/// How the caller can learn whether an attempt was applied.
const AGAIN: &str = "send a clone of the transaction to find out";

impl<F, Fut, T, X> Interactive<F, T, X>
where
    F: FnMut(Tx) -> Fut,
    Fut: Future<Output = Result<T, X::OfClosure>>,
    X: ClosureError,
{
    /// Returns the outcome, and the number of attempts.
    pub(super) async fn run(&mut self, repository: &Repository) -> (Result<Reported<T>, Failure<X::OfSend>>, u32) {
        let mut pauses = BackOff::new(repository, self.attempts - 1);
        let mut in_doubt = InDoubt::new(repository, self.in_doubt_timeout);
        let mut attempts = 1;
        loop {
            match self.attempt(repository).await {
                Ok(Some(outcome)) => return (Ok(outcome), attempts),
                Err(Failure::Dyno(error)) if self.memory.is_in_doubt() && in_doubt.ask_again(&error).await => {}
                Err(failure) => return (Err(failure), attempts),
                Ok(None) if pauses.pause().await => {
                    trace_events::attempt_lost(attempts);
                    attempts += 1;
                }
                Ok(None) => return (self.give_up().map_err(Failure::Dyno), attempts),
            }
        }
    }

    /// Ends a transaction that has no more attempts. Its last attempt was not applied, unless a clone is sending it.
    fn give_up(&mut self) -> Result<Reported<T>, Error> {
        let error = self.lost.give_up(self.attempts);
        // One look at the memory: a clone can note at any time that the attempt was applied.
        match self.memory.progress() {
            Progress::Applied(_) => self.memory.applied().map(TransactionOutcome::Applied).ok_or(error),
            Progress::Sent(attempt) if attempt.may_be_applied() => Err(in_doubt(error)),
            Progress::Sent(_) | Progress::Nothing => Err(error),
        }
    }

    /// Makes one attempt: runs the closure, unless there is an attempt to continue, and sends the attempt.
    async fn attempt(&mut self, repository: &Repository) -> Ended<T, X> {
        let mut without_attempt = None;
        loop {
            match (self.memory.progress(), without_attempt.take()) {
                (Progress::Applied(_), _) => return Ok(Some(self.applied()?)),
                (Progress::Sent(attempt), _) => {
                    let ended = self.send_attempt(repository, attempt).await;
                    return self.unless_duplicate(repository, ended.map_err(Failure::Dyno)).await;
                }
                (Progress::Nothing, None) => {
                    let ended = self.run_closure(repository).await;
                    without_attempt = Some(self.unless_duplicate(repository, ended).await);
                }
                // No clone has an attempt in progress, and none was applied, so no clone's writes caused this outcome.
                (Progress::Nothing, Some(ended)) => return ended,
            }
        }
    }

    /// Runs the closure. Returns the outcome if nothing needs to be sent, and otherwise keeps the attempt.
    async fn run_closure(&mut self, repository: &Repository) -> Ended<T, X> {
        let priority = self.memory.priority(repository);
        // Other processes wait for a claim, so a pace does not delay what happens under it.
        let undelayed = repository.without_delay();
        let claim = match self.lost.claim(&undelayed, &priority).await {
            Ok(claim) => claim,
            Err(error) => return self.retry_after(error),
        };
        let repository = if claim.is_some() { &undelayed } else { repository };
        let claimed = claim.as_ref().map(Claim::items).unwrap_or_default();
        let session = Session::new(repository, priority, claimed);
        let (returned, mut claim) = {
            // Pinned here and not boxed: the closure's future has whatever size the caller gives it.
            let returned = pin!((self.closure)(Tx::new(&session)));
            match claim {
                Some(claim) => Box::pin(self.lost.run_claimed(repository, claim, &session, returned)).await,
                None => (returned.await, None),
            }
        };
        if let (Some(request), Ok(_), true) = (&self.request, &returned, session.is_writing()) {
            request.enlist(&Tx::new(&session), session.now());
        }
        let run = session.close();
        // Without a run to prepare, the claim is of no use.
        if let Some(claim) = claim.take_if(|_| run.is_err() || returned.is_err()) {
            claim.release(repository).await;
        }
        let run = run?;
        let value = match returned {
            Ok(value) => value,
            Err(error) => return self.end_in_error(run, Failure::Closure(X::__of_send(error))).await,
        };
        match run.prepare(self.strategy, claim).await {
            Ok(Prepared::Nothing) => return Ok(Some(TransactionOutcome::Applied((value, Report::default())))),
            Ok(Prepared::Refused(refused)) => return Ok(Some(TransactionOutcome::refused(refused))),
            Ok(Prepared::Send(attempt)) => self.memory.keep(attempt, value),
            Ok(Prepared::RunAgain(targets)) if targets.is_empty() => {}
            Ok(Prepared::RunAgain(targets)) => self.lost.add(targets),
            // If another transaction holds a row that is to be read again, nothing has been sent.
            Err(error) => return self.retry_after(error),
        }
        Ok(None)
    }

    /// Sends an attempt, for the first time or again.
    async fn send_attempt(
        &mut self,
        repository: &Repository,
        attempt: Arc<Attempt>,
    ) -> Result<Option<Reported<T>>, Error> {
        match attempt.send(repository).await {
            Ok(AttemptResult::Applied(report)) => {
                self.memory.note_applied(&attempt, report);
                return self.applied().map(Some);
            }
            // The memory keeps the attempt, so that a clone can learn the outcome.
            Err(error) if attempt.may_be_applied() => return Err(in_doubt(error)),
            Ok(AttemptResult::Refused(refused)) => {
                self.memory.forget_unless_open(attempt);
                return Ok(Some(TransactionOutcome::refused(refused)));
            }
            // The memory keeps the attempt: if another one were sent, both could be applied, because a request may arrive again.
            Ok(AttemptResult::SendAgain) => {}
            Ok(AttemptResult::RunAgain) => {
                self.memory.forget(&attempt);
                self.lost.add(attempt.claim_targets());
            }
            Err(error) => {
                if let Err(error) = self.lost.retry_after(error) {
                    self.memory.forget_unless_open(attempt);
                    return Err(error);
                }
            }
        }
        Ok(None)
    }

    /// Ends in the error of the closure, if everything that the closure read was current at one moment.
    async fn end_in_error(&mut self, run: Run, failure: Failure<X::OfSend>) -> Ended<T, X> {
        // If a row could not be read, and the closure passes that error on, the reads are not repeated.
        let is_read_error = run.has_failed && !failure.is_abort();
        match if is_read_error { Ok(true) } else { run.is_valid().await } {
            Ok(true) => match failure.dyno().and_then(Error::transaction_refusal) {
                Some(refusal) if run.has_seen_refusal => Ok(Some(TransactionOutcome::Refused(refusal.clone()))),
                _ => Err(failure),
            },
            Ok(false) => Ok(None),
            Err(error) => self.retry_after(error),
        }
    }

    /// Keeps an error after which another attempt may pass; returns any other error.
    fn retry_after(&mut self, error: Error) -> Ended<T, X> {
        self.lost.retry_after(error)?;
        Ok(None)
    }

    /// Returns the outcome. But if that is an error or a refusal, and an earlier run has served the request, returns the refusal
    /// as a duplicate, because the earlier run may have caused the outcome.
    async fn unless_duplicate(&self, repository: &Repository, ended: Ended<T, X>) -> Ended<T, X> {
        let is_doubtful = match &ended {
            Ok(Some(outcome)) => !outcome.is_applied(),
            Ok(None) => false,
            Err(failure) => failure.is_abort(),
        };
        if let (Some(request), true) = (&self.request, is_doubtful)
            && let Some(duplicate) = request.duplicate(repository).await?
        {
            return Ok(Some(TransactionOutcome::Refused(duplicate)));
        }
        ended
    }

    /// Returns the outcome of the transaction, which was applied.
    fn applied(&self) -> Result<Reported<T>, Error> {
        let returned =
            || Error::invalid("the transaction was applied, and an earlier `send` has returned the closure's value");
        self.memory.applied().map(TransactionOutcome::Applied).ok_or_else(returned)
    }
}

/// Adds to an error that the attempt may have been applied, unless the error says so already.
fn in_doubt(error: Error) -> Error {
    if error.may_be_applied() { error } else { error.in_doubt("transaction", AGAIN) }
}
