//! Writes and checks of any entities and tables, all applied or none: `Transaction`.

use super::actions::{CheckActions, DeleteActions, Enlist, PutActions, UpdateActions};
use super::in_doubt::InDoubt;
use super::interactive::{AnyError, Interactive, Memory, OwnError, Tx};
use crate::entity::{Committed, TransactionOutcome};
use crate::error::Error;
use crate::exchange::{Repository, Request};
use crate::transaction::closure::Strategy;
use crate::transaction::native::{Action, TransactionCommand};
use std::error::Error as StdError;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

/// Writes and checks, of any entities and tables, of which all are applied or none: one `TransactWriteItems` for up to 100 of
/// them; beyond that, requests of its own for each item, where all entities are `#[transactional]`.
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
/// Each action has the condition that it has on its own: all rules of its entity. A history's revision and an idempotency key
/// in a row of its own go with it, and count towards the 100. A transaction returns no items, and costs twice what plain
/// writes cost, either way.
///
/// # Sent twice, applied once
///
/// One that is one request has a token, random unless [`token`](Self::token) gives one, by which DynamoDB knows it again for ten
/// minutes. All attempts, of the SDK and of `send`, have the same token and the same contents: its time, versions and tombstones
/// are fixed when it is first sent. So counting, as with [`add`](crate::Field::add), needs no idempotency key here. Clones are
/// the same transaction: after an error that leaves the outcome open, send a clone to learn it. (When ten minutes have nearly
/// passed, or with idempotency keys the longest of their windows, that is not done any more, and ends in
/// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown).) Of one that takes many requests, its lane says whether it was
/// applied, however late a clone asks.
///
/// What is made anew by another run, as for a message that is delivered twice, is another transaction: an idempotency key makes
/// it one ([`accept_duplicate`](TransactionOutcome::accept_duplicate)), or an element that it is to
/// [`push_unique`](crate::Field::push_unique) ([`accept_contained`](TransactionOutcome::accept_contained)).
///
/// A clone that is changed is another transaction, and so is one that comes after a refusal.
#[derive(Clone, Debug, Default)]
#[must_use = "a transaction does nothing until it is sent"]
pub struct Transaction {
    command: TransactionCommand,
    way: Strategy,
    in_doubt_timeout: Option<Duration>,
    /// What is remembered of it, where it goes by intents.
    memory: Arc<Memory<()>>,
}

impl Transaction {
    /// A transaction without actions.
    pub fn new() -> Self {
        Self::default()
    }

    /// A transaction that reads, decides and writes in a closure, with the same commands as everywhere.
    ///
    /// Either all that the closure writes is applied, at one moment at which all that it has read is still so; or nothing, and
    /// the closure runs again. So transactions, and all else that writes these entities, are as if one came after the other
    /// (strictly serializable). Writes are held back until the closure has returned; see [`Interactive`] for what is sent.
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
    /// The closure can run several times, and borrows what it needs: it should do nothing but read and write by its handle.
    /// While it runs, it can see rows of two moments; what it decides then, also to return an error, does not count. It should
    /// not panic for that. Clones are one transaction: after an error that leaves the outcome open, send a clone to learn it.
    pub fn interactive<F, Fut, T>(closure: F) -> Interactive<F, T>
    where
        F: FnMut(Tx) -> Fut,
        Fut: Future<Output = Result<T, Box<dyn StdError + Send + Sync>>>,
    {
        Interactive::new(closure)
    }

    /// The same with an error type of your own: the closure returns it, and `send` ends in it. So a handler tells "no such seat"
    /// from "taken" by a `match`.
    ///
    /// The type converts from [`dyno::Error`](Error), for what goes wrong with the database. The errors of the closure are
    /// reported only where all that it has read was so at one moment; otherwise it runs again.
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
    /// Where a closure has `?` only, its last line says the type: `Ok::<_, BookError>(())`. A refusal that a read within the
    /// closure reports, and `?` converts, is an error of your type as well, and no
    /// [`Refused`](TransactionOutcome::Refused).
    pub fn try_interactive<F, Fut, T, E>(closure: F) -> Interactive<F, T, OwnError<E>>
    where
        F: FnMut(Tx) -> Fut,
        Fut: Future<Output = Result<T, E>>,
        E: From<Error> + 'static,
    {
        Interactive::new(closure)
    }

    /// Adds `put`, `create`, `replace` or `undelete` of an entity; or an array or a `Vec` of one of them.
    pub fn put(self, puts: impl PutActions) -> Self {
        self.with(puts)
    }

    /// Adds `update` of an entity, also of a group of fields; or an array or a `Vec` of it.
    pub fn update(self, updates: impl UpdateActions) -> Self {
        self.with(updates)
    }

    /// Adds `delete` or `purge` of an entity; or an array or a `Vec` of one of them.
    pub fn delete(self, deletes: impl DeleteActions) -> Self {
        self.with(deletes)
    }

    /// Adds `check` of an entity, which demands something of an item that the transaction does not write; or an array or a
    /// `Vec` of it.
    pub fn check(self, checks: impl CheckActions) -> Self {
        self.with(checks)
    }

    fn with(mut self, actions: impl Enlist) -> Self {
        actions.__enlist(&mut |action| self.command.push(action));
        // What is changed is another one than its clones.
        self.memory = Arc::default();
        self
    }

    /// Goes in one `TransactWriteItems`. What does not fit is refused before the request.
    pub fn native(mut self) -> Self {
        self.way = self.way.and(Strategy::Native);
        self
    }

    /// Goes by requests of its own for each item, also where it would fit into one: two writes for each item,
    /// one for each revision of a history, and one of its lane. All of its entities must be `#[transactional]`. It takes the lane
    /// table, which [`create_lane_table`](Repository::create_lane_table) makes. See the guide, "Transactions of many requests".
    pub fn client_side(mut self) -> Self {
        self.way = self.way.and(Strategy::ClientSide);
        self
    }

    /// The token by which DynamoDB knows the transaction again, for ten minutes: 1 to 36 bytes, of this transaction only.
    ///
    /// It makes one transaction of those that several processes or runs make, as for a message that is delivered twice. But
    /// they must make it with the same contents, and others end in
    /// [`ErrorKind::TokenMismatch`](crate::ErrorKind::TokenMismatch): then the first was most likely applied. The contents of an
    /// entity with a version are never the same, since each write has a random id (unless `#[version(write_id = false)]`), and
    /// those of one with a tombstone or a TTL only in the same second. What must hold for longer, or whatever the contents, is
    /// for idempotency keys: see [`Update::idempotency_key`](crate::command::Update::idempotency_key).
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.command.set_token(token.into());
        self.memory = Arc::default();
        self
    }

    /// Sends a second, equal request when the first has not answered after this time, and takes the first answer: see
    /// [`Repository::hedged`]. DynamoDB applies one of them, by their token, within ten minutes. One that takes many requests is
    /// not hedged.
    pub fn hedge(mut self, after: Duration) -> Self {
        self.command.hedge = Some(after);
        self
    }

    /// For how long `send` goes on asking where an answer was lost and the SDK's retries did not get one: 10 seconds after the
    /// first such error, unless it is said here, and not at all if the client's retries are off. See
    /// [`Interactive::in_doubt_timeout`].
    pub fn in_doubt_timeout(mut self, timeout: Duration) -> Self {
        self.in_doubt_timeout = Some(timeout);
        self
    }

    /// The number of actions, without the rows that histories and idempotency keys add.
    #[must_use]
    pub fn len(&self) -> usize {
        self.command.len()
    }

    /// Whether it has no actions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The actions, in their order.
    pub(crate) fn actions(&self) -> &[Action] {
        self.command.actions()
    }

    /// The request that `send` would send first, without sending it. Where it was sent already, this shows it with another
    /// token, and with the time at hand.
    ///
    /// # Errors
    /// Those of `send` before its request, and where it would have to read first or takes many: [`Error::is_invalid_input`].
    pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
        self.command.check_way(self.way)?;
        if self.command.is_apart(self.way) {
            Err(self.command.has_many_requests())
        } else {
            self.command.request(repository)
        }
    }

    /// Sends the transaction.
    ///
    /// | It has | Requests |
    /// |---|---|
    /// | up to 100 actions and 4 MB, rows of histories and idempotency keys among them | one `TransactWriteItems` |
    /// | more, of entities that are all `#[transactional]` | a `BatchGetItem` for every 100 items but those that are created, two writes for each item and one for each revision of a history, one of its lane, and one for each 350 KB of keys beyond 3 KB |
    ///
    /// In one request: a write that reads first on its own does so here: of a history, or of the list that
    /// [`remove_value`](crate::Field::remove_value) is for. Where what is there makes a write take a second request on its own,
    /// as a create over a tombstone with a version, or an update whose window of idempotency keys has become full, it is sent
    /// once more. After the duplicate of an idempotency key in a row, a `GetItem` follows. Where an element is not in its list,
    /// nothing is sent, and a `GetItem` for each update with an idempotency key says whether it has been made already.
    ///
    /// While others hold an item it is tried again, a few times, with random pauses. A transaction of many requests that holds
    /// one is settled first: see [`ErrorKind::LaneMissing`](crate::ErrorKind::LaneMissing) for when it cannot be.
    ///
    /// # Errors
    /// Before any request ([`Error::is_invalid_input`]): there are no actions, or two are of one item; a value cannot be stored;
    /// or it does not fit into one request, and an entity is not transactional or has keys in rows, or it was given a token.
    /// There is no lane table ([`TableMissing`](crate::ErrorKind::TableMissing)). Others held an item until the end
    /// ([`Contended`](crate::ErrorKind::Contended)), or an attempt is still under way
    /// ([`InProgress`](crate::ErrorKind::InProgress)); the token is another transaction's
    /// ([`TokenMismatch`](crate::ErrorKind::TokenMismatch)); or DynamoDB could not be reached or answered with an error. A
    /// refusal is an outcome, unless an attempt whose answer was lost could still pass: then the transaction is in doubt.
    pub async fn send(self, repository: &Repository) -> Result<TransactionOutcome, Error> {
        self.command.check_way(self.way)?;
        if self.command.is_apart(self.way) {
            return Box::pin(self.send_apart(repository)).await;
        }
        let mut in_doubt = InDoubt::new(repository, self.in_doubt_timeout);
        loop {
            match self.command.send(repository).await {
                Err(error) if in_doubt.ask_again(&error).await => {}
                sent => return sent.map(TransactionOutcome::new),
            }
        }
    }

    /// Sends it by intents: as an interactive one that reads nothing.
    async fn send_apart(self, repository: &Repository) -> Result<TransactionOutcome, Error> {
        self.command.check_apart(repository)?;
        let actions = self.actions().to_vec();
        let closure = |tx: Tx| {
            actions.iter().cloned().for_each(|action| tx.enlist(action));
            drop(tx);
            ready(Ok(()))
        };
        let mut interactive: Interactive<_, _, AnyError> =
            Interactive::again(closure, Strategy::ClientSide, self.memory);
        if let Some(timeout) = self.in_doubt_timeout {
            interactive = interactive.in_doubt_timeout(timeout);
        }
        let sent = interactive.send_reported(repository).await?;
        Ok(match sent {
            TransactionOutcome::Applied(((), report)) => TransactionOutcome::Applied(Committed::new(report)),
            TransactionOutcome::Refused(refusal) => TransactionOutcome::Refused(refusal),
        })
    }
}
