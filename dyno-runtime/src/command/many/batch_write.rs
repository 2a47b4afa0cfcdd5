//! The command that writes many items without conditions: puts and deletes of any entities without rules.

use crate::command::write::delete::Delete;
use crate::command::write::put::Put;
use crate::entity::{Batchable, Entity};
use crate::error::Error;
use crate::exchange::{CONCURRENCY, Repository, Sending};
use crate::write;
use crate::write::{BatchedWrite, WriteCommand};
use std::fmt;

/// Writes and deletes many items: one `BatchWriteItem` for every 25 of them, four at a time. Each write succeeds or fails alone:
/// the batch is not atomic, and has no order.
///
/// Writes that DynamoDB leaves unprocessed are sent again, all together, after a pause that grows and is of random length, until
/// DynamoDB has processed nothing after each of eight pauses in a row. If DynamoDB rejects a request because of its contents, it
/// is sent again in parts, so that only the offending writes fail.
///
/// ```no_run
/// # use dyno::{BatchWrite, Entity, Repository};
/// # #[derive(Entity)] #[entity(table = "users")] struct User { #[partition_key] id: u64 }
/// # #[derive(Entity)] #[entity(table = "orders")] struct Order { #[partition_key] id: String }
/// # async fn example(repository: Repository, users: Vec<User>) -> Result<(), dyno::Error> {
/// let batch = BatchWrite::new().add_all(users.iter().map(User::put)).add(Order::delete("a"));
/// let written = batch.send(&repository).await?;
/// for failure in written.failures() {
///     println!("write {} failed: {}", failure.index(), failure.error());
/// }
/// if !written.is_complete() {
///     // Perhaps later: the writes that failed, and no others.
///     written.into_retry().send(&repository).await?.applied()?;
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "a command does nothing until it is sent"]
pub struct BatchWrite {
    pub(in crate::command) writes: Vec<BatchedWrite>,
    concurrency: usize,
}

impl Default for BatchWrite {
    fn default() -> Self {
        Self { writes: Vec::new(), concurrency: CONCURRENCY }
    }
}

impl BatchWrite {
    /// Makes a batch without writes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a `put` or `delete`.
    #[expect(clippy::should_implement_trait, reason = "nobody takes a batch for a number")]
    pub fn add(mut self, write: impl BatchAction) -> Self {
        self.writes.push(write.__batched());
        self
    }

    /// Adds several `put`s or `delete`s.
    pub fn add_all<A: BatchAction>(mut self, writes: impl IntoIterator<Item = A>) -> Self {
        self.extend(writes);
        self
    }

    /// Sets how many requests may be in flight at once: at least one, four by default.
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.concurrency = requests;
        self
    }

    /// Returns the number of writes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Returns `true` if the batch has no writes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Sends the writes. Without writes, it sends no request.
    ///
    /// If an answer is lost, the SDK sends the request again. A second identical write changes nothing, unless another writer
    /// wrote in between: that write is then overwritten, because without a condition the last request to arrive wins.
    ///
    /// If you drop the future, some of the writes may be applied: see [Cancel safety](crate::guide::cancel_safety).
    ///
    /// # Errors
    /// One of the writes cannot be part of the batch, and nothing was sent: an item that DynamoDB cannot store, a table without a
    /// name, or two writes of one item. Later failures are in the result, write by write.
    #[must_use = "nothing is sent until it is awaited"]
    pub fn send(self, repository: &Repository) -> Sending<'_, BatchWritten> {
        Box::pin(async move {
            let writes = self.writes.len();
            let failures = write::batch_write(repository, self.writes, self.concurrency).await?;
            let failures = failures.into_iter().map(BatchFailure).collect();
            Ok(BatchWritten { writes, failures, concurrency: self.concurrency })
        })
    }
}

impl<A: BatchAction> Extend<A> for BatchWrite {
    fn extend<I: IntoIterator<Item = A>>(&mut self, writes: I) {
        self.writes.extend(writes.into_iter().map(BatchAction::__batched));
    }
}

impl<A: BatchAction> FromIterator<A> for BatchWrite {
    fn from_iter<I: IntoIterator<Item = A>>(writes: I) -> Self {
        Self::new().add_all(writes)
    }
}

impl fmt::Debug for BatchWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let writes = self.writes.iter().map(|write| &write.command);
        f.debug_list().entries(writes).finish()
    }
}

/// The result of a [`BatchWrite`]: every write was applied, except the failures.
#[must_use = "some of the writes may have failed: look at the failures, or call `.applied()?`"]
#[derive(Debug)]
pub struct BatchWritten {
    writes: usize,
    failures: Vec<BatchFailure>,
    concurrency: usize,
}

impl BatchWritten {
    /// Returns `true` if all writes were applied.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.failures.is_empty()
    }

    /// Returns the writes that failed, in the order in which they were added.
    #[must_use]
    pub fn failures(&self) -> &[BatchFailure] {
        &self.failures
    }

    /// Returns the writes that failed, as a batch that can be sent.
    pub fn into_retry(self) -> BatchWrite {
        let writes = self.failures.into_iter().map(|failure| failure.0.write).collect();
        BatchWrite { writes, concurrency: self.concurrency }
    }

    /// Returns nothing if all writes were applied; a failure is an error.
    ///
    /// # Errors
    /// The error of the first failure, with the number of the others. All failures are in [`Error::batch_failures`].
    pub fn applied(self) -> Result<(), Error> {
        let Some(first) = self.failures.first() else {
            return Ok(());
        };
        let error = first.0.error.share().and_more(self.failures.len() - 1, self.writes, "writes of the batch failed");
        Err(error.with_detail(Box::new(self.failures)))
    }
}

/// A write of a batch that failed.
pub struct BatchFailure(write::BatchFailure);

impl BatchFailure {
    /// Returns the index of the write: the first that was added is 0.
    #[must_use]
    pub fn index(&self) -> usize {
        self.0.index
    }

    /// Returns the name of the entity type.
    #[must_use]
    pub fn entity(&self) -> &'static str {
        self.0.write.command.schema.entity
    }

    /// Returns the key of the item, as text for people.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.0.error.key()
    }

    /// Returns the reason of the failure, with the entity and the key. The write was not applied, unless the error leaves this
    /// open: see [`ErrorKind`](crate::ErrorKind).
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.0.error
    }
}

/// Shows the index of the write, and why it failed.
impl fmt::Display for BatchFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "write {} of the batch: {}", self.index(), self.error())
    }
}

impl fmt::Debug for BatchFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchFailure").field("index", &self.0.index).field("error", &self.0.error).finish()
    }
}

impl Error {
    /// Returns the writes of a batch that failed, if this is the error of [`BatchWritten::applied`]; none otherwise.
    #[must_use]
    pub fn batch_failures(&self) -> &[BatchFailure] {
        self.detail::<Vec<BatchFailure>>().map_or(&[], Vec::as_slice)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// The commands that a [`BatchWrite`] accepts: a [`Put`] and a [`Delete`], as the entity's functions make them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent in a batch",
    label = "expected a `put` or a `delete`",
    note = "BatchWriteItem knows no other writes, and takes no condition",
    note = "help: send it by itself, or in a transaction"
)]
pub trait BatchAction: sealed::Sealed {
    #[doc(hidden)]
    fn __batched(self) -> BatchedWrite;
}

/// The result of a write of `E` that has no condition and returns nothing, so that a batch can accept the write.
#[diagnostic::on_unimplemented(
    message = "`{E}` cannot be written in a batch by this command",
    label = "the write has a condition, or returns an item",
    note = "BatchWriteItem takes no condition, so it would bypass the entity's rules, and it returns no item",
    note = "help: send such writes one by one, or in a transaction"
)]
pub trait Unconditional<E> {}

impl<E: Batchable> Unconditional<E> for () {}

fn batched<E: Entity>(command: WriteCommand) -> BatchedWrite {
    BatchedWrite { command, table: Repository::table_name::<E> }
}

impl<E: Entity, O: Unconditional<E>> sealed::Sealed for Put<E, O> {}

impl<E: Entity, O: Unconditional<E>> BatchAction for Put<E, O> {
    fn __batched(self) -> BatchedWrite {
        batched::<E>(*self.command)
    }
}

impl<E: Entity, O: Unconditional<E>> sealed::Sealed for Delete<E, O> {}

impl<E: Entity, O: Unconditional<E>> BatchAction for Delete<E, O> {
    fn __batched(self) -> BatchedWrite {
        batched::<E>(*self.command)
    }
}
