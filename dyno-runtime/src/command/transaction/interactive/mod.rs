//! The transaction that reads, decides and writes in a closure: `Transaction::interactive`.
//!
//! `transaction::closure` has one run of the closure, and `run_again` the loop that runs it again after a conflict.

mod clone_memory;
mod closure_error;
mod lost_attempts;
mod of_transaction;
mod request_id;
mod request_row;
mod run_again;
mod stored_handle;
mod tx;

use crate::entity::TransactionOutcome;
use crate::exchange::{Repository, interactive_span, trace_events};
use crate::transaction::attempt::Report;
use crate::transaction::native::Strategy;
use crate::write::check_attempts;
pub(super) use clone_memory::Memory;
use closure_error::Failure;
pub use closure_error::{AnyError, ClosureError, OwnError};
use lost_attempts::LostAttempts;
pub(crate) use request_id::RequestId;
use request_row::RequestRow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;
pub use stored_handle::Stored;
use tracing::Instrument as _;
pub use tx::{Reading, Tx, TxBatchGet, TxChecks, TxDeletes, TxGet, TxPuts, TxQuery, TxUpdates};

/// The default number of runs of the closure.
const ATTEMPTS: u32 = 10;

/// The outcome of a transaction, with what it stored.
type Reported<T> = TransactionOutcome<(T, Report)>;

/// A transaction that reads, decides and writes in a closure. [`Transaction::interactive`](crate::Transaction::interactive) and
/// [`Transaction::try_interactive`](crate::Transaction::try_interactive) return it. `X` determines the error types of the closure
/// and of `send`.
#[must_use = "a transaction does nothing until it is sent"]
pub struct Interactive<F, T, X = AnyError> {
    closure: F,
    attempts: u32,
    strategy: Strategy,
    in_doubt_timeout: Option<Duration>,
    /// The request that the transaction serves, if the caller has named it.
    request: Option<Arc<dyn RequestRow>>,
    memory: Arc<Memory<T>>,
    lost: LostAttempts,
    errors: PhantomData<fn() -> X>,
}

impl<F, Fut, T, X> Interactive<F, T, X>
where
    F: FnMut(Tx) -> Fut,
    Fut: Future<Output = Result<T, X::OfClosure>>,
    X: ClosureError,
{
    pub(super) fn new(closure: F) -> Self {
        Self::with_memory(closure, Strategy::Auto, None, Arc::default())
    }

    /// Returns a transaction that continues the one of this memory.
    pub(super) fn with_memory(
        closure: F,
        strategy: Strategy,
        in_doubt_timeout: Option<Duration>,
        memory: Arc<Memory<T>>,
    ) -> Self {
        Self {
            closure,
            attempts: ATTEMPTS,
            strategy,
            in_doubt_timeout,
            request: None,
            memory,
            lost: LostAttempts::default(),
            errors: PhantomData,
        }
    }

    /// Commits by one `TransactWriteItems`. A transaction that does not fit is refused before that request.
    pub fn native(mut self) -> Self {
        self.strategy = self.strategy.and(Strategy::Native);
        self
    }

    /// Commits by requests of its own for each item, also if the transaction would fit into one request: two writes for each
    /// item, one for each revision of a history, and one of its lane row. This is cheaper if the closure only reads many of its
    /// items, because these cost no write. It needs the lane table, which [`create_lane_table`](Repository::create_lane_table)
    /// makes. See the guide, "Client-side transactions".
    pub fn client_side(mut self) -> Self {
        self.strategy = self.strategy.and(Strategy::ClientSide);
        self
    }

    /// Sets how often the closure may run, 10 times by default. Each run but the first follows a pause of random length, up to
    /// twice as long as the one before and at most a second.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// Sets for how long `send` keeps asking for the outcome when an answer was lost and the SDK's retries got none. The default
    /// is 10 seconds from the first such error, or no asking at all if the client's retries are off. To ask, `send` sends the
    /// same attempt again, which is applied only once, after pauses of random length, each at most a second. With a timeout of
    /// zero, `send` never asks.
    ///
    /// If the outcome is still unknown after that, `send` returns an error with
    /// [`may_be_applied`](crate::Error::may_be_applied), and a clone can ask later. Do not build the transaction again: the new one
    /// could meet the writes of the old one.
    pub fn in_doubt_timeout(mut self, timeout: Duration) -> Self {
        self.in_doubt_timeout = Some(timeout);
        self
    }

    /// Runs the closure, and commits its writes if everything that it read is still current. Otherwise, runs the closure again.
    ///
    /// | The closure | Requests besides its reads |
    /// |---|---|
    /// | neither reads nor writes, or reads one item | none |
    /// | reads several items, and writes none or returns an error | one `TransactGetItems` for every 100 |
    /// | queries | its queries again; if it also writes, the requests of the last row, however few items it writes |
    /// | writes one item, and has read no other | those of the single write, usually one |
    /// | writes and reads others: up to 100 and 4 MB | one `TransactWriteItems`, with a `ConditionCheck` for each item that was only read |
    /// | writes and reads more | two writes for each item that is written and one for each revision of a history, one of its lane, one for each 350 KB of keys beyond 3 KB; a `BatchGetItem` for every 100 items that were only read, and one for every 100 that are written, and were neither read nor created |
    ///
    /// If three client-side attempts have lost to other writers, the next one first claims the items of the last attempt, which
    /// keeps other writers out of them while the closure runs. A claim costs one more write for each item. All runs of the
    /// closure together keep other writers out for at most 6 times the repository's [lock
    /// timeout](Repository::with_lock_timeout); then the items are released, and the closure continues without claims. A command
    /// in the closure that writes a claimed item without the closure's handle ends in
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput), because it would wait for the closure itself.
    ///
    /// If DynamoDB does not accept one of the last writes, which apply the committed changes, `send` repeats it for as long as
    /// its [lock timeout](Repository::with_lock_timeout) lasts, unless the error concerns that item alone. Then it leaves the
    /// item to other processes, and an event reports this.
    ///
    /// `send` returns a refusal if a stored item refuses a write, and everything else is as the closure saw it. Otherwise, the
    /// closure runs again. A client-side transaction reads the history of an item after the items. So if a history refuses a
    /// write, `send` reads the items again, with one `TransactGetItems` for every 100.
    ///
    /// If you drop the future, the transaction is applied as a whole or not at all: see
    /// [Cancel safety](crate::guide::cancel_safety).
    ///
    /// # Errors
    /// - The closure's own error, if everything that the closure read was current at one moment. Nothing was written then. For
    ///   [`Transaction::interactive`](crate::Transaction::interactive), the error has the kind
    ///   [`ErrorKind::Aborted`](crate::ErrorKind::Aborted), and the closure's error is in
    ///   [`Error::closure_error`](crate::Error::closure_error); but a [`dyno::Error`](crate::Error) is returned as it is. For
    ///   [`Transaction::try_interactive`](crate::Transaction::try_interactive), the error is the one that the closure returned, and
    ///   every other error is converted into its type.
    /// - [`ErrorKind::Contended`](crate::ErrorKind::Contended) if in each attempt other writers were faster, held an item, or
    ///   used all lanes. Its source is the last error that an attempt met, if one met any, and its message shows it.
    /// - [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput), before any request of a write. The transaction does not fit
    ///   into one request, but an entity has idempotency keys in rows, or it is to go [`native`](Self::native). Or a handle
    ///   outlives the closure. Or a write expects a version that an earlier write of the transaction has replaced. Or the closure
    ///   ran for too long: for 15 minutes if the transaction is client-side, or for the `max_skew_secs` of its idempotency keys.
    /// - Otherwise as for [`Transaction::send`](crate::Transaction::send). After an error that leaves the outcome open, send a
    ///   clone to learn it.
    pub async fn send(self, repository: &Repository) -> Result<TransactionOutcome<T>, X::OfSend> {
        Ok(match self.send_reported(repository).await? {
            TransactionOutcome::Applied((value, _)) => TransactionOutcome::Applied(value),
            TransactionOutcome::Refused(refusal) => TransactionOutcome::Refused(refusal),
        })
    }

    /// Does the same, and also returns what the transaction stored.
    pub(super) async fn send_reported(mut self, repository: &Repository) -> Result<Reported<T>, X::OfSend> {
        check_attempts(self.attempts)?;
        self.strategy.check()?;
        let span = interactive_span();
        let (sent, attempts) = self.run(repository).instrument(span.clone()).await;
        if let Ok(TransactionOutcome::Refused(refusal)) = &sent {
            span.in_scope(|| refusal.trace());
        }
        if let Err(Failure::Dyno(error)) = &sent {
            span.in_scope(|| trace_events::failed("", "transaction", error));
        }
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
}

impl<F: Clone, T: Clone, X> Clone for Interactive<F, T, X> {
    fn clone(&self) -> Self {
        self.memory.share_value(T::clone);
        Self {
            closure: self.closure.clone(),
            attempts: self.attempts,
            strategy: self.strategy,
            in_doubt_timeout: self.in_doubt_timeout,
            request: self.request.clone(),
            memory: Arc::clone(&self.memory),
            lost: LostAttempts::default(),
            errors: PhantomData,
        }
    }
}

impl<F, T, X> fmt::Debug for Interactive<F, T, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interactive").field("attempts", &self.attempts).finish_non_exhaustive()
    }
}
