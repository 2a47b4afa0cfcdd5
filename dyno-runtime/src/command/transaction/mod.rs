//! Writes and checks of any entities and tables that are all applied or none: `Transaction`.

pub(super) mod actions;
pub(super) mod check;
#[cfg(feature = "transactions")]
pub(super) mod interactive;
#[cfg(feature = "transactions")]
pub(super) mod sweep;
pub(super) mod transact_get;

use crate::command::write::in_doubt::InDoubt;
use crate::entity::TransactionOutcome;
use crate::error::Error;
use crate::exchange::{Repository, Request, Sending};
use crate::transaction::native::{Strategy, TransactionCommand};
use actions::{CheckActions, DeleteActions, Enlist, PutActions, UpdateActions};
#[cfg(feature = "transactions")]
use interactive::Memory;
#[cfg(feature = "transactions")]
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
    pub(in crate::command) command: TransactionCommand,
    pub(in crate::command) strategy: Strategy,
    pub(in crate::command) in_doubt_timeout: Option<Duration>,
    /// The memory that clones share if the transaction is sent client-side. `command` has that of a native transaction.
    #[cfg(feature = "transactions")]
    pub(in crate::command) client_side_memory: Arc<Memory<()>>,
}

impl Transaction {
    /// Makes a transaction without actions.
    pub fn new() -> Self {
        Self::default()
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
        self.renewed()
    }

    /// Returns the transaction after a change: it is no longer the same as its clones.
    #[cfg_attr(not(feature = "transactions"), expect(unused_mut, reason = "there is no other memory"))]
    fn renewed(mut self) -> Self {
        #[cfg(feature = "transactions")]
        {
            self.client_side_memory = Arc::default();
        }
        self
    }

    /// Sends the transaction as one `TransactWriteItems`. A transaction that does not fit is refused before the request.
    pub fn native(mut self) -> Self {
        self.strategy = self.strategy.and(Strategy::Native);
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
        self.renewed()
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
        #[cfg(feature = "transactions")]
        if self.command.is_client_side(self.strategy) {
            return Err(self.command.many_requests());
        }
        self.command.request(repository)
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
    #[must_use = "nothing is sent until it is awaited"]
    pub fn send(self, repository: &Repository) -> Sending<'_, TransactionOutcome> {
        Box::pin(async move {
            self.command.check_strategy(self.strategy)?;
            #[cfg(feature = "transactions")]
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
        })
    }
}
