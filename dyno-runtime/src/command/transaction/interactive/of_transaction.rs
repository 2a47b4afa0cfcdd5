//! The transactions that the feature `transactions` adds to [`Transaction`]: those with a closure, and client-side ones.

use super::{AnyError, Interactive, OwnError, Tx};
use crate::command::Transaction;
use crate::entity::{Committed, TransactionOutcome};
use crate::error::Error;
use crate::exchange::Repository;
use crate::transaction::native::Strategy;
use std::error::Error as StdError;
use std::future::ready;

impl Transaction {
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

    /// Commits by requests of its own for each item, also if the transaction would fit into one request: two writes for each
    /// item, one for each revision of a history, and one of its lane row. All of its entities must be `#[transactional]`. It
    /// needs the lane table, which [`create_lane_table`](Repository::create_lane_table) makes. See the guide, "Client-side
    /// transactions".
    pub fn client_side(mut self) -> Self {
        self.strategy = self.strategy.and(Strategy::ClientSide);
        self
    }

    /// Sends a client-side transaction as an interactive one that reads nothing.
    pub(in crate::command) async fn send_client_side(
        self,
        repository: &Repository,
    ) -> Result<TransactionOutcome, Error> {
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
