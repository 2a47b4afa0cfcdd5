//! The transaction that reads, decides and writes in a closure: `Transaction::interactive`.
//!
//! `transaction::closure` has what one run of the closure reads and writes. This file has the loop that runs the closure again.

mod clone_memory;
mod closure_error;
mod lost_attempts;
#[cfg(feature = "derive")]
mod request_id;
mod request_row;
mod stored_handle;
mod tx;

use super::in_doubt::InDoubt;
use crate::entity::TransactionOutcome;
use crate::error::Error;
use crate::exchange::{BackOff, Repository, interactive_span};
use crate::transaction::client_side::Claim;
use crate::transaction::closure::{Attempt, AttemptResult, Planned, Report, Run, Session, Strategy};
use crate::write::check_attempts;
pub(super) use clone_memory::Memory;
use clone_memory::Recalled;
use closure_error::Failure;
pub use closure_error::{AnyError, ClosureError, OwnError};
use lost_attempts::{Lost, contended};
#[cfg(feature = "derive")]
pub(crate) use request_id::RequestId;
use request_row::RequestRow;
use std::fmt;
use std::marker::PhantomData;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
pub use stored_handle::Stored;
use tracing::Instrument as _;
pub use tx::{Reading, Tx, TxChecks, TxDeletes, TxPuts, TxQuery, TxUpdates};

/// How often the closure is run, unless it is said otherwise.
const ATTEMPTS: u32 = 10;

/// How it ended, with what it has stored.
type Reported<T> = TransactionOutcome<(T, Report)>;

/// The same; `None` if the closure is to run again, or the attempt to be sent again.
type Ended<T, X> = Result<Option<Reported<T>>, Failure<<X as ClosureError>::OfSend>>;

/// How to learn whether an attempt was applied.
const AGAIN: &str = "send a clone of the transaction to learn it";

/// A transaction that reads, decides and writes in a closure: what [`Transaction::interactive`](crate::Transaction::interactive)
/// and [`Transaction::try_interactive`](crate::Transaction::try_interactive) return. `X` says which errors the closure and `send`
/// return.
#[must_use = "a transaction does nothing until it is sent"]
pub struct Interactive<F, T, X = AnyError> {
    closure: F,
    attempts: u32,
    way: Strategy,
    in_doubt_timeout: Option<Duration>,
    /// The request that it serves, if it has a name.
    request: Option<Arc<dyn RequestRow>>,
    memory: Arc<Memory<T>>,
    lost: Lost,
    /// The last error after which another attempt was made.
    obstacle: Option<Error>,
    errors: PhantomData<fn() -> X>,
}

impl<F, Fut, T, X> Interactive<F, T, X>
where
    F: FnMut(Tx) -> Fut,
    Fut: Future<Output = Result<T, X::OfClosure>>,
    X: ClosureError,
{
    pub(super) fn new(closure: F) -> Self {
        Self::again(closure, Strategy::Auto, Memory::new())
    }

    /// One that goes on with what is remembered.
    pub(super) fn again(closure: F, way: Strategy, memory: Arc<Memory<T>>) -> Self {
        Self {
            closure,
            attempts: ATTEMPTS,
            way,
            in_doubt_timeout: None,
            request: None,
            memory,
            lost: Lost::default(),
            obstacle: None,
            errors: PhantomData,
        }
    }

    /// Commits in one `TransactWriteItems`. What does not fit is refused before that request.
    pub fn native(mut self) -> Self {
        self.way = self.way.and(Strategy::Native);
        self
    }

    /// Commits by requests of its own for each item, also what would fit into one: two writes for each item, one for each
    /// revision of a history, and one of its lane. Where items that are only read are many, that is the cheaper way, since these
    /// cost no write. It takes the lane table, which [`create_lane_table`](Repository::create_lane_table) makes. See the guide,
    /// "Client-side transactions".
    pub fn client_side(mut self) -> Self {
        self.way = self.way.and(Strategy::ClientSide);
        self
    }

    /// How often the closure is run: 10 times, unless it is said here. Each run but the first follows a pause of random length,
    /// up to twice as long as the one before and at most a second.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// Sets for how long `send` keeps asking for the outcome when an answer was lost and the SDK's retries got none. The default
    /// is 10 seconds from the first such error, or no asking at all if the client's retries are off. It asks by sending the same
    /// attempt again, which is applied once, after pauses of random length, at most a second each. Zero asks never.
    ///
    /// What is still in doubt then is an error with [`may_be_applied`](Error::may_be_applied), and a clone can ask later. Do
    /// not make the transaction anew: it could meet itself.
    pub fn in_doubt_timeout(mut self, timeout: Duration) -> Self {
        self.in_doubt_timeout = Some(timeout);
        self
    }

    /// Runs the closure, and commits what it has written, if what it has read is still so; otherwise runs it again.
    ///
    /// | The closure | Requests besides its reads |
    /// |---|---|
    /// | neither reads nor writes, or reads one item | none |
    /// | reads several items | one `TransactGetItems` for every 100, whatever it returns |
    /// | queries | its queries once more; if it also writes, those of the last row, however few items it writes |
    /// | writes one item, and has read no other | those of the write by itself, as a rule one |
    /// | writes and reads others: up to 100 and 4 MB | one `TransactWriteItems`, with a `ConditionCheck` for each item that was only read |
    /// | writes and reads more | two writes for each item that is written and one for each revision of a history, one of its lane, one for each 350 KB of keys beyond 3 KB; a `BatchGetItem` for every 100 items that were only read, and one for every 100 that are written, and were neither read nor created |
    ///
    /// After three tries of many requests that were lost to others, the next one keeps others out of the items of the last: one
    /// write more for each. Then the closure runs. It keeps others out for at most 6 times the repository's
    /// [patience](Repository::with_patience), all its runs taken together: then the items are given back while it runs. A command
    /// in the closure that writes such an item without the closure's handle ends in
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput), since it would wait for the closure itself.
    ///
    /// If DynamoDB does not accept one of the last writes, which apply the committed changes, `send` repeats it for as long as
    /// its [patience](Repository::with_patience) lasts, unless the error concerns that item alone. Then it leaves the item to
    /// other processes, and an event reports this.
    ///
    /// A refusal is that of a write that what is there does not let pass, with everything else as the closure saw it. Where
    /// that is not so, the closure runs again. By intents, the history of an item is read after the items: where it refuses a
    /// write, a `TransactGetItems` for every 100 items reads them once more.
    ///
    /// # Errors
    /// The closure's own error, where what it has read was so. Nothing was written then. Of
    /// [`Transaction::interactive`](crate::Transaction::interactive), it is of the kind
    /// [`ErrorKind::Aborted`](crate::ErrorKind::Aborted), with the closure's in [`Error::closure_error`]; a [`dyno::Error`](Error)
    /// stays itself. Of [`Transaction::try_interactive`](crate::Transaction::try_interactive), it is what the closure returned, and
    /// every other error is converted into that type. Others were faster in each attempt, or held an
    /// item, or had all lanes: [`ErrorKind::Contended`](crate::ErrorKind::Contended). Its source is the last error that an
    /// attempt met, if one met any, and its message shows it. Before any request of a write
    /// ([`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput)): it does not fit into one request, and an entity has
    /// idempotency keys in rows, or it is to go [`native`](Self::native); a handle outlives the closure; a write
    /// does not know of an earlier one of the same item; the closure ran for 15 minutes or longer, and the transaction is to
    /// commit by requests of its own, or for the `max_skew_secs` of its idempotency keys or longer. Otherwise as for [`Transaction::send`](crate::Transaction::send): after an error that leaves the outcome open, send a clone to
    /// learn it.
    pub async fn send(self, repository: &Repository) -> Result<TransactionOutcome<T>, X::OfSend> {
        Ok(match self.send_reported(repository).await? {
            TransactionOutcome::Applied((value, _)) => TransactionOutcome::Applied(value),
            TransactionOutcome::Refused(refusal) => TransactionOutcome::Refused(refusal),
        })
    }

    /// The same, with what it has stored.
    pub(super) async fn send_reported(
        mut self,
        repository: &Repository,
    ) -> Result<TransactionOutcome<(T, Report)>, X::OfSend> {
        check_attempts(self.attempts)?;
        self.way.check()?;
        let span = interactive_span();
        let (sent, attempts) = self.run(repository).instrument(span.clone()).await;
        span.record("attempts", attempts);
        span.record(
            "outcome",
            match &sent {
                Ok(TransactionOutcome::Applied(_)) => "applied",
                Ok(TransactionOutcome::Refused(_)) => "refused",
                Err(failure) if failure.is_abort() => "aborted",
                Err(_) => "error",
            },
        );
        sent.map_err(Failure::into_error)
    }

    /// How it ended, and after how many attempts.
    async fn run(&mut self, repository: &Repository) -> (Result<Reported<T>, Failure<X::OfSend>>, u32) {
        let mut pauses = BackOff::new(repository, self.attempts - 1);
        let mut in_doubt = InDoubt::new(repository, self.in_doubt_timeout);
        let mut attempts = 1;
        loop {
            match self.attempt(repository).await {
                Ok(Some(outcome)) => return (Ok(outcome), attempts),
                Err(Failure::Dyno(error)) if self.memory.is_open() && in_doubt.ask_again(&error).await => {}
                Err(failure) => return (Err(failure), attempts),
                Ok(None) if pauses.pause().await => attempts += 1,
                Ok(None) => return (self.give_up().map_err(Failure::Dyno), attempts),
            }
        }
    }

    /// There are no more attempts. What is left of the last one is not applied, unless it is under way.
    fn give_up(&mut self) -> Result<Reported<T>, Error> {
        let error = contended(self.attempts, self.obstacle.take());
        match self.memory.recall() {
            Recalled::Applied(Some(value)) => Ok(TransactionOutcome::Applied(value)),
            Recalled::Sent(attempt) if attempt.is_open() => Err(in_doubt(error)),
            _ => Err(error),
        }
    }

    /// Another attempt may pass after this error. If none does, the last such error is reported.
    fn retry_after(&mut self, obstacle: Error) -> Option<Reported<T>> {
        self.obstacle = Some(obstacle);
        None
    }

    /// Runs the closure, unless there is an attempt to go on with, and sends what comes of it. `None` if others were faster.
    async fn attempt(&mut self, repository: &Repository) -> Ended<T, X> {
        let decided = match self.memory.recall() {
            Recalled::Nothing => self.decide(repository).await,
            Recalled::Applied(value) => return Ok(applied(value)?),
            Recalled::Sent(attempt) => {
                let ended = self.settle(repository, &attempt).await;
                return self.unless_served(repository, ended.map_err(Failure::Dyno)).await;
            }
        };
        // A clone can have gone further meanwhile, and what this run has seen can be its doing.
        match self.memory.recall() {
            Recalled::Nothing => decided,
            Recalled::Applied(value) => Ok(applied(value)?),
            Recalled::Sent(attempt) => {
                let ended = self.settle(repository, &attempt).await;
                self.unless_served(repository, ended.map_err(Failure::Dyno)).await
            }
        }
    }

    /// Runs the closure. What comes of it, if nothing is to be sent for that; otherwise the attempt is kept.
    async fn decide(&mut self, repository: &Repository) -> Ended<T, X> {
        let age = self.memory.age(repository);
        let claim = match Box::pin(self.lost.claim(repository, &age)).await {
            Ok(claim) => claim,
            Err(error) if error.is_contended() => return Ok(self.retry_after(error)),
            Err(error) => return Err(error.into()),
        };
        let claimed = claim.as_ref().map(Claim::items).unwrap_or_default();
        let session = Session::new(repository, age, claimed);
        let (returned, claim) = {
            // In its place: it has whatever size the caller gives it.
            let returned = pin!((self.closure)(Tx::new(&session)));
            match claim {
                Some(claim) => Box::pin(self.lost.during(repository, claim, &session, returned)).await,
                None => (returned.await, None),
            }
        };
        if let (Some(request), Ok(_), true) = (&self.request, &returned, session.is_writing()) {
            request.enlist(&Tx::new(&session), session.now());
        }
        let run = session.close();
        let (run, value) = match (run, returned) {
            (Ok(run), Ok(value)) => (run, value),
            (run, returned) => {
                release(claim, repository).await;
                return match returned {
                    Err(error) => {
                        let ended = self.aborted(run?, Failure::Closure(X::__of_send(error))).await;
                        self.unless_served(repository, ended).await
                    }
                    Ok(_) => Err(run.err().unwrap_or_else(|| contended(self.attempts, None)).into()),
                };
            }
        };
        match Box::pin(run.plan(self.way, claim)).await {
            Ok(Planned::Nothing) => Ok(Some(TransactionOutcome::Applied((value, Report::default())))),
            Ok(Planned::Refused(refused)) => {
                let refused = Ok(Some(TransactionOutcome::refused(refused)));
                self.unless_served(repository, refused).await
            }
            Ok(Planned::Moved(wanted)) => {
                if !wanted.is_empty() {
                    self.lost.count(wanted);
                }
                Ok(None)
            }
            Ok(Planned::Send(attempt)) => {
                self.memory.keep(attempt, value);
                Ok(None)
            }
            // Others held what was to be read once more, and nothing has been sent.
            Err(error) if error.is_contended() => Ok(self.retry_after(error)),
            Err(error) => Err(error.into()),
        }
    }

    /// Where the request was served before, its own doing can be what ended this run: then that is the outcome.
    async fn unless_served(&self, repository: &Repository, ended: Ended<T, X>) -> Ended<T, X> {
        let is_end = match &ended {
            Ok(Some(outcome)) => !outcome.is_applied(),
            Ok(None) => false,
            Err(failure) => failure.is_abort(),
        };
        match self.request.as_ref().filter(|_| is_end) {
            Some(request) => match request.served(repository).await? {
                Some(duplicate) => Ok(Some(TransactionOutcome::Refused(duplicate))),
                None => ended,
            },
            None => ended,
        }
    }

    /// Sends an attempt, perhaps once more, and reads what it came to.
    async fn settle(&mut self, repository: &Repository, attempt: &Arc<Attempt>) -> Result<Option<Reported<T>>, Error> {
        match Box::pin(attempt.send(repository)).await {
            Ok(AttemptResult::Applied(report)) => applied(self.memory.applied(attempt, report)),
            // It stays, and whoever sends a clone learns what became of it.
            Err(error) if attempt.is_open() => Err(in_doubt(error)),
            Ok(AttemptResult::Refused(refused)) => {
                self.memory.leave(attempt);
                Ok(Some(TransactionOutcome::refused(refused)))
            }
            // The same, once more: another could be applied beside it, if it arrives again.
            Ok(AttemptResult::Shifted) => Ok(None),
            Err(error) if error.is_contended() => Ok(self.retry_after(error)),
            Ok(AttemptResult::Moved) => {
                self.memory.forget(attempt);
                self.lost.count(attempt.wanted());
                Ok(None)
            }
            Err(error) => {
                self.memory.leave(attempt);
                Err(error)
            }
        }
    }

    /// Ends in the closure's error, if what it has read was so.
    async fn aborted(&mut self, run: Run, failure: Failure<X::OfSend>) -> Ended<T, X> {
        // Where a row could not be read, and the closure passes that error on, it is not tried once more.
        let is_told = run.has_failed && !failure.is_abort();
        let is_valid = if is_told { Ok(true) } else { Box::pin(run.is_valid()).await };
        match is_valid {
            Ok(true) => match failure.dyno().and_then(Error::transaction_refusal) {
                Some(refusal) if run.is_refused => Ok(Some(TransactionOutcome::Refused(refusal.clone()))),
                _ => Err(failure),
            },
            Ok(false) => Ok(None),
            Err(error) if error.is_contended() => Ok(self.retry_after(error)),
            Err(error) => Err(error.into()),
        }
    }
}

/// Says that an attempt may have been applied, where the error does not say it.
fn in_doubt(error: Error) -> Error {
    if error.may_be_applied() { error } else { error.in_doubt("transaction", AGAIN) }
}

fn applied<T>(value: Option<(T, Report)>) -> Result<Option<Reported<T>>, Error> {
    let given = || Error::invalid("the transaction was applied, and what its closure returned is given out already");
    value.map(|value| Some(TransactionOutcome::Applied(value))).ok_or_else(given)
}

/// Lets others in again.
async fn release(claim: Option<Claim>, repository: &Repository) {
    if let Some(claim) = claim {
        Box::pin(claim.release(repository)).await;
    }
}

impl<F: Clone, T: Clone, X> Clone for Interactive<F, T, X> {
    fn clone(&self) -> Self {
        self.memory.share(T::clone);
        let memory = Arc::clone(&self.memory);
        Self {
            closure: self.closure.clone(),
            attempts: self.attempts,
            way: self.way,
            in_doubt_timeout: self.in_doubt_timeout,
            request: self.request.clone(),
            memory,
            lost: Lost::default(),
            obstacle: None,
            errors: PhantomData,
        }
    }
}

impl<F, T, X> fmt::Debug for Interactive<F, T, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interactive").field("attempts", &self.attempts).finish_non_exhaustive()
    }
}
