//! Writes and checks of any entities and tables that are all applied or none: `Transaction`.

use super::actions::{CheckActions, DeleteActions, Enlist, PutActions, UpdateActions};
use super::in_doubt::InDoubt;
use super::interactive::{AnyError, Interactive, Memory, OwnError, Tx};
use crate::entity::{Committed, TransactionOutcome};
use crate::error::Error;
use crate::exchange::{Repository, Request};
use crate::transaction::native::{Strategy, TransactionCommand};
use std::error::Error as StdError;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

/// Writes and checks of any entities and tables that are all applied or none. Up to 100 of them are sent as one
/// `TransactWriteItems` (a native transaction). If there are more, and all entities are `#[transactional]`, each item is sent in
/// requests of its own (a client-side transaction).
///
/// ```
/// # use dyno::{Entity, Repository, Transaction};
/// # #[derive(Entity)] #[entity(table = "accounts")] struct Account { #[partition_key] id: u64, balance: u64 }
/// # #[derive(Entity)] #[entity(table = "transfers")] struct Transfer { #[partition_key] id: String, amount: u64 }
/// # #[derive(Entity)] #[entity(table = "customers")] struct Customer { #[partition_key] id: String, blocked: bool }
/// # async fn example(repository: &Repository, transfer: &Transfer) -> Result<(), dyno::Error> {
/// let balance = || Account::fields().balance;
/// let transaction = Transaction::new()
///     .put(transfer.create())
///     .update(Account::update(1).with(balance().decrement(transfer.amount)))
///     .update(Account::update(2).with(balance().increment(transfer.amount)))
///     .check(Customer::check("acme").condition(Customer::fields().blocked.eq(false)));
/// let outcome = transaction.send(repository).await?;
/// if let Some(refused) = outcome.refusal().and_then(|refusal| refusal.refusal_of::<Account>(1)) {
///     println!("{refused}: {:?}", refused.current()?.is_some());
/// }
/// # Ok(()) }
/// ```
///
/// Each action has the same condition as a command that is sent alone: all rules of its entity. A history's revision, and an
/// idempotency key in a row of its own, are written with the action, and count towards the 100. A transaction returns no items.
/// It costs twice as much as plain writes, whether it is native or client-side.
///
/// # Sent twice, applied once
///
/// A native transaction has a token, random unless you set [`token`](Self::token), by which DynamoDB recognizes it for ten
/// minutes. All attempts, of the SDK and of `send`, have the same token and the same contents: its time, versions and tombstones
/// are fixed when it is first sent. So counting, as with [`add`](crate::Field::add), needs no idempotency key here. Clones are
/// the same transaction: after an error that leaves the outcome open, send a clone to learn it. (Once ten minutes have nearly
/// passed, or with idempotency keys the longest of their windows, the clone is no longer sent, and its `send` ends in
/// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown).) The lane row of a client-side transaction says whether it
/// was applied, however late you send a clone.
///
/// If your program builds the transaction again, for example because a message was delivered twice, it is another transaction. An
/// idempotency key makes the two count as one ([`accept_duplicate`](TransactionOutcome::accept_duplicate)), and so does an
/// element of [`push_unique`](crate::Field::push_unique) ([`accept_contained`](TransactionOutcome::accept_contained)).
///
/// If you change a clone, it is another transaction. A clone that you send after a refusal is another one, too.
#[derive(Clone, Debug, Default)]
#[must_use = "a transaction does nothing until it is sent"]
pub struct Transaction {
    command: TransactionCommand,
    strategy: Strategy,
    in_doubt_timeout: Option<Duration>,
    /// The memory that clones share if the transaction is sent client-side. `command` has that of a native transaction.
    client_side_memory: Arc<Memory<()>>,
}

impl Transaction {
    /// Makes a transaction without actions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a transaction that reads, decides and writes in a closure, with the same commands as outside of a transaction.
    ///
    /// Either all writes of the closure are applied, at one moment at which everything that it has read is still current; or none
    /// is, and the closure runs again. So transactions, and all other writes of these entities, behave as if one ran after the
    /// other (strictly serializable). Writes are held back until the closure has returned; see [`Interactive`] for the requests.
    ///
    /// ```
    /// # use dyno::{Entity, Repository, Transaction};
    /// # #[derive(Entity, Clone)] #[entity(table = "accounts")] #[tombstone(ttl_days = 7)] #[transactional]
    /// # struct Account { #[partition_key] id: String, balance: u64, #[version] version: u64 }
    /// # #[derive(Entity)] #[entity(table = "receipts")] #[tombstone(ttl_days = 7)] #[transactional]
    /// # struct Receipt { #[partition_key] id: String, sum: u64, #[version] version: u64 }
    /// # async fn example(repository: &Repository, (from, to): (&str, &str), sum: u64, id: &str) -> Result<(), dyno::Error> {
    /// let transfer = Transaction::interactive(|tx| async move {
    ///     let mut payer = tx.get(Account::get(from)).await?.ok_or("no such payer")?;
    ///     let mut payee = tx.get(Account::get(to)).await?.ok_or("no such payee")?;
    ///     payer.balance = payer.balance.checked_sub(sum).ok_or("not enough")?;
    ///     payee.balance += sum;
    ///     tx.put([payer.put(), payee.put()]);
    ///     tx.put(Receipt { id: id.to_owned(), sum, version: 0 }.create());
    ///     Ok(payer.balance)
    /// });
    /// let left: u64 = transfer.attempts(10).send(repository).await?.applied()?;
    /// # Ok(()) }
    /// ```
    ///
    /// The closure can run several times, so it should borrow what it needs, and only read and write by its handle. While it
    /// runs, it can see rows from two different moments. dyno discards the result of such a run, even if it is an error, so the
    /// closure should not panic because of these rows. Clones are one transaction: after an error that leaves the outcome open,
    /// send a clone to learn it.
    pub fn interactive<F, Fut, T>(closure: F) -> Interactive<F, T>
    where
        F: FnMut(Tx) -> Fut,
        Fut: Future<Output = Result<T, Box<dyn StdError + Send + Sync>>>,
    {
        Interactive::new(closure)
    }

    /// Makes such a transaction with an error type of your own, which both the closure and `send` return. So a handler can tell
    /// "no such seat" from "taken" by a `match`.
    ///
    /// The type converts from [`dyno::Error`](Error), which reports database errors. `send` returns an error of the closure only
    /// if everything that the closure read was current at one moment; otherwise the closure runs again.
    ///
    /// ```
    /// # use dyno::{Entity, Repository, Transaction};
    /// # #[derive(Entity)] #[entity(table = "seats")] #[tombstone(ttl_days = 7)] #[transactional]
    /// # struct Seat { #[partition_key] id: String, holder: Option<String>, #[version] version: u64 }
    /// enum BookError {
    ///     NoSuchSeat,
    ///     Taken,
    ///     Database(dyno::Error),
    /// }
    /// # impl From<dyno::Error> for BookError { fn from(error: dyno::Error) -> Self { Self::Database(error) } }
    ///
    /// async fn book(repository: &Repository, seat: &str, who: &str) -> Result<(), BookError> {
    ///     let book = Transaction::try_interactive(|tx| async move {
    ///         let mut seat = tx.get(Seat::get(seat)).await?.ok_or(BookError::NoSuchSeat)?;
    ///         if seat.holder.is_some() {
    ///             return Err(BookError::Taken);
    ///         }
    ///         seat.holder = Some(who.to_owned());
    ///         tx.put(seat.put());
    ///         Ok(())
    ///     });
    ///     Ok(book.send(repository).await?.applied()?)
    /// }
    /// ```
    ///
    /// If the closure uses only `?`, its last line must state the type: `Ok::<_, BookError>(())`. If a read within the closure
    /// reports a refusal, `?` converts it into an error of your type, so `send` does not return it as
    /// [`Refused`](TransactionOutcome::Refused).
    pub fn try_interactive<F, Fut, T, E>(closure: F) -> Interactive<F, T, OwnError<E>>
    where
        F: FnMut(Tx) -> Fut,
        Fut: Future<Output = Result<T, E>>,
        E: From<Error> + 'static,
    {
        Interactive::new(closure)
    }

    /// Adds a `put`, `create`, `replace` or `undelete` of an entity; or an array or a `Vec` of one of them.
    pub fn put(self, puts: impl PutActions) -> Self {
        self.with(puts)
    }

    /// Adds an `update` of an entity, also of a group of fields; or an array or a `Vec` of it.
    pub fn update(self, updates: impl UpdateActions) -> Self {
        self.with(updates)
    }

    /// Adds a `delete` or `purge` of an entity; or an array or a `Vec` of one of them.
    pub fn delete(self, deletes: impl DeleteActions) -> Self {
        self.with(deletes)
    }

    /// Adds a `check` of an entity, which is a requirement on an item that the transaction does not write; or an array or a `Vec`
    /// of it.
    pub fn check(self, checks: impl CheckActions) -> Self {
        self.with(checks)
    }

    fn with(mut self, actions: impl Enlist) -> Self {
        actions.__enlist(&mut |action| self.command.push(action));
        // A changed transaction is not the same as its clones.
        self.client_side_memory = Arc::default();
        self
    }

    /// Sends the transaction as one `TransactWriteItems`. A transaction that does not fit is refused before the request.
    pub fn native(mut self) -> Self {
        self.strategy = self.strategy.and(Strategy::Native);
        self
    }

    /// Commits by requests of its own for each item, also if the transaction would fit into one request: two writes for each
    /// item, one for each revision of a history, and one of its lane row. All of its entities must be `#[transactional]`. It
    /// needs the lane table, which [`create_lane_table`](Repository::create_lane_table) makes. See the guide, "Client-side
    /// transactions".
    pub fn client_side(mut self) -> Self {
        self.strategy = self.strategy.and(Strategy::ClientSide);
        self
    }

    /// Sets the token by which DynamoDB recognizes the transaction for ten minutes: 1 to 36 bytes, of this transaction only.
    ///
    /// If several processes or runs build a transaction with the same token, as after a message was delivered twice, DynamoDB
    /// applies only one of them. But all must have the same contents: another content ends in
    /// [`ErrorKind::TokenMismatch`](crate::ErrorKind::TokenMismatch), and the first transaction was then most likely applied.
    /// With an entity that has a version the contents always differ, because each write has a random id (unless
    /// `#[version(write_id = false)]`). With a tombstone or a TTL they are the same only within the same second. If the
    /// protection must last longer, or hold whatever the contents, use idempotency keys: see
    /// [`Update::idempotency_key`](crate::command::Update::idempotency_key).
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.command.set_token(token.into());
        self.client_side_memory = Arc::default();
        self
    }

    /// Sends a second, equal request if the first has not been answered after this time, and takes the first answer: see
    /// [`Repository::hedged`]. Both have the same token, by which DynamoDB applies only one of them within ten minutes. This has
    /// no effect on a client-side transaction: its writes are never hedged, and its reads only by a hedged repository.
    pub fn hedge(mut self, after: Duration) -> Self {
        self.command.hedge = Some(after);
        self
    }

    /// Sets for how long `send` keeps asking for the outcome when an answer was lost and the SDK's retries got none. The default
    /// is 10 seconds from the first such error, or no asking at all if the client's retries are off. See
    /// [`Interactive::in_doubt_timeout`](crate::command::Interactive::in_doubt_timeout).
    pub fn in_doubt_timeout(mut self, timeout: Duration) -> Self {
        self.in_doubt_timeout = Some(timeout);
        self
    }

    /// Returns the number of actions, without the rows that histories and idempotency keys add.
    #[must_use]
    pub fn len(&self) -> usize {
        self.command.actions.len()
    }

    /// Returns `true` if the transaction has no actions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the actions in their order.
    #[cfg(feature = "__tests")]
    pub(crate) fn actions(&self) -> &[crate::transaction::native::Action] {
        &self.command.actions
    }

    /// Returns the request that `send` would send first, without sending it. If the transaction was sent already, this request
    /// has another token and the current time.
    ///
    /// # Errors
    /// Those of `send` before its request: [`Error::is_invalid_input`]. Also if `send` would have to read first, or would send a
    /// client-side transaction.
    pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
        self.command.check_strategy(self.strategy)?;
        if self.command.is_client_side(self.strategy) {
            Err(self.command.many_requests())
        } else {
            self.command.request(repository)
        }
    }

    /// Sends the transaction.
    ///
    /// | Contents | Requests |
    /// |---|---|
    /// | up to 100 actions and 4 MB, rows of histories and idempotency keys among them | one `TransactWriteItems` |
    /// | more, of entities that are all `#[transactional]` | a `BatchGetItem` for every 100 items that are not created, two writes for each item and one for each revision of a history, one of its lane row, and one for each 350 KB of keys beyond 3 KB |
    ///
    /// A native transaction can take further requests:
    ///
    /// - If a write reads first when it is sent alone, it also does so here: a write of an entity with a history, and an update
    ///   with [`remove_value`](crate::Field::remove_value), which reads the list.
    /// - If the stored item makes a write take a second request when it is sent alone, the transaction is sent once more.
    ///   Examples are a create over a tombstone with a version, and an update whose window of idempotency keys has become full.
    /// - After a duplicate of an idempotency key in a row, a `GetItem` follows.
    /// - If an element to remove is not in its list, the transaction is not sent. A `GetItem` for each update with an idempotency
    ///   key tells whether that update has been made already.
    ///
    /// If other transactions hold an item, `send` tries again a few times, with random pauses. It first resolves a client-side
    /// transaction that holds an item; [`ErrorKind::LaneMissing`](crate::ErrorKind::LaneMissing) says when it cannot.
    ///
    /// If you drop the future, the transaction is applied as a whole or not at all: see
    /// [Cancel safety](crate::guide::cancel_safety).
    ///
    /// # Errors
    /// Before any request ([`Error::is_invalid_input`]): there are no actions, or two are of one item; a value cannot be stored;
    /// or the transaction does not fit into one request, and an entity is not transactional or has keys in rows, or a token was
    /// set. There is no lane table ([`TableMissing`](crate::ErrorKind::TableMissing)). Other writers held an item until the end
    /// ([`Contended`](crate::ErrorKind::Contended)), or an earlier attempt is still in progress
    /// ([`InProgress`](crate::ErrorKind::InProgress)); the token is another transaction's
    /// ([`TokenMismatch`](crate::ErrorKind::TokenMismatch)); or DynamoDB could not be reached or answered with an error. A
    /// refusal is an outcome, unless an attempt whose answer was lost could still pass: then the transaction is in doubt.
    pub async fn send(self, repository: &Repository) -> Result<TransactionOutcome, Error> {
        self.command.check_strategy(self.strategy)?;
        if self.command.is_client_side(self.strategy) {
            return Box::pin(self.send_client_side(repository)).await;
        }
        let mut in_doubt = InDoubt::new(repository, self.in_doubt_timeout);
        loop {
            match self.command.send(repository).await {
                Err(error) if in_doubt.ask_again(&error).await => {}
                sent => return sent.map(TransactionOutcome::new),
            }
        }
    }

    /// Sends a client-side transaction as an interactive one that reads nothing.
    async fn send_client_side(self, repository: &Repository) -> Result<TransactionOutcome, Error> {
        let Self { command, in_doubt_timeout, client_side_memory, .. } = self;
        command.check_client_side(repository)?;
        let closure = |tx: Tx| {
            command.actions.iter().cloned().for_each(|action| tx.enlist(action));
            drop(tx);
            ready(Ok(()))
        };
        client_side_memory.share_value(|()| ());
        let interactive: Interactive<_, _, AnyError> =
            Interactive::with_memory(closure, Strategy::ClientSide, in_doubt_timeout, client_side_memory);
        Ok(match interactive.send_reported(repository).await? {
            TransactionOutcome::Applied(((), report)) => TransactionOutcome::Applied(Committed::new(report)),
            TransactionOutcome::Refused(refusal) => TransactionOutcome::Refused(refusal),
        })
    }
}
