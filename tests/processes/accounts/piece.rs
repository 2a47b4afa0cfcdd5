//! One write or one look at accounts, which its number determines.

use super::{Account, Bank, OLD_RECEIPT, Receipt};
use crate::journal::Known;
use dyno::command::{Tx, Update};
use dyno::{Error, Repository, Transaction, TransactionOutcome};
use fastrand::Rng;
use std::error::Error as StdError;

/// An account, and the number of its last write, or 0 if it has none.
pub(super) type Shown = (u64, u64);

/// The work that a number stands for. The judge derives it from the number again.
pub(super) struct Piece {
    id: u64,
    kind: Kind,
    /// The first account pays 1 to each other one.
    pub(super) accounts: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// An update of one account, without a transaction.
    Plain,
    /// Updates that read nothing, and a receipt.
    Updates,
    /// The same with a receipt that exists already, so the transaction is refused.
    Refused,
    /// A closure that reads the accounts and puts them, with a receipt.
    Closure,
    /// The same, but the closure returns an error.
    Failing,
    /// A closure that only reads the accounts.
    Look,
}

impl Piece {
    pub(super) fn new(id: u64, bank: Bank) -> Self {
        let kind = [
            Kind::Plain,
            Kind::Updates,
            Kind::Updates,
            Kind::Updates,
            Kind::Closure,
            Kind::Closure,
            Kind::Refused,
            Kind::Failing,
            Kind::Look,
        ];
        let mut random = Rng::with_seed(id);
        let kind = *random.choice(&kind).expect("some");
        let items = if kind == Kind::Plain { 1 } else { bank.items };
        Self { id, kind, accounts: random.choose_multiple(0..bank.accounts, items) }
    }

    /// Returns the amount that this account gets.
    pub(super) fn amount(&self, account: u64) -> i64 {
        let others = i64::try_from(self.accounts.len() - 1).expect("a few");
        if self.accounts[0] == account { -others } else { 1 }
    }

    /// Returns whether its transaction creates a receipt.
    pub(super) fn has_receipt(&self) -> bool {
        !matches!(self.kind, Kind::Plain | Kind::Look)
    }

    /// Returns whether it writes its accounts.
    pub(super) fn writes(&self) -> bool {
        self.kind != Kind::Look
    }

    /// Sends it. Returns its result, and what a look has seen of each account.
    pub(super) async fn send(&self, repository: &Repository) -> (Result<bool, Error>, Vec<Shown>) {
        let mut shown = Vec::new();
        let sent = match self.kind {
            Kind::Plain => {
                let update = self.updates().remove(0);
                settled(|| async { update.clone().send(repository).await.map(|outcome| outcome.is_applied()) }).await
            }
            Kind::Updates | Kind::Refused => {
                let transaction = Transaction::new().update(self.updates()).put(self.receipt().create()).client_side();
                settled(|| async { transaction.clone().send(repository).await.map(|outcome| outcome.is_applied()) })
                    .await
            }
            Kind::Closure | Kind::Failing => {
                let transaction = Transaction::interactive(|tx| self.transfer(tx)).client_side();
                settled(|| async { transaction.clone().send(repository).await.map(|outcome| outcome.is_applied()) })
                    .await
            }
            Kind::Look => {
                let sent = Transaction::interactive(|tx| self.look(tx)).send(repository).await;
                sent.and_then(TransactionOutcome::applied).map(|read| shown = read).map(|()| true)
            }
        };
        (sent, shown)
    }

    fn receipt(&self) -> Receipt {
        Receipt { id: if self.kind == Kind::Refused { OLD_RECEIPT } else { self.id }, version: 0 }
    }

    fn updates(&self) -> Vec<Update<Account>> {
        let update = |account: &u64| {
            let balance = Account::fields().balance.add(self.amount(*account));
            Account::update(*account).unchecked().with(balance).with(Account::fields().writes.push(self.id))
        };
        self.accounts.iter().map(update).collect()
    }

    async fn read(&self, tx: &Tx) -> Result<Vec<Account>, Error> {
        let read = tx.batch_get(Account::batch_get(self.accounts.iter().copied())).await?;
        Ok(read.into_iter().flatten().collect())
    }

    async fn transfer(&self, tx: Tx) -> Result<(), Box<dyn StdError + Send + Sync>> {
        for mut account in self.read(&tx).await? {
            account.balance += self.amount(account.id);
            account.writes.push(self.id);
            tx.put(account.put());
        }
        tx.put(self.receipt().create());
        if self.kind == Kind::Failing { Err("never mind".into()) } else { Ok(()) }
    }

    async fn look(&self, tx: Tx) -> Result<Vec<Shown>, Box<dyn StdError + Send + Sync>> {
        let last = |account: Account| (account.id, account.writes.last().copied().unwrap_or_default());
        Ok(self.read(&tx).await?.into_iter().map(last).collect())
    }
}

/// Sends clones until one reports a result, or four have reported none.
async fn settled<S: Future<Output = Result<bool, Error>>>(send: impl Fn() -> S) -> Result<bool, Error> {
    let mut result = send().await;
    for _ in 0..3 {
        if Known::of(&result) != Known::InDoubt {
            break;
        }
        result = send().await;
    }
    result
}
