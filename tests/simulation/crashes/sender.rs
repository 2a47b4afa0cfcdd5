//! The transaction, with and without a closure. Each sending sends a clone.

use super::model::{Shape, Told};
use super::stage::{Account, Stage};
use dyno::{Error, Repository, Transaction, TransactionOutcome};
use std::pin::Pin;
use std::rc::Rc;

/// A clone of the transaction that is being sent.
pub(super) type Sending = Pin<Box<dyn Future<Output = Told>>>;

/// Sends a clone of the transaction.
pub(super) type Clones = Rc<dyn Fn(&Repository) -> Sending>;

impl Stage {
    /// Returns the transaction. Everything that is sent is a clone of it.
    pub(super) fn transaction(&self, shape: Shape) -> Clones {
        let [a, d, r] = ["a", "d", "r"].map(|id| self.key(id));
        let creates = [self.account("b", 3, 0), self.account("c", 9, 0)];
        if shape == Shape::Plain {
            let transaction = Transaction::new()
                .update(Account::update(a).unchecked().with(Account::fields().balance.add(5)))
                .put(creates.map(|account| account.create()))
                .delete(Account::delete(d, 1))
                .check(Account::check(r).version(1))
                .client_side();
            return Rc::new(move |repository| {
                let (transaction, repository) = (transaction.clone(), repository.clone());
                Box::pin(async move { told(transaction.send(&repository).await, |_| None) })
            });
        }
        let transaction = Transaction::interactive(move |tx| {
            let (a, d, r, creates) = (a.clone(), d.clone(), r.clone(), creates.clone());
            async move {
                let mut account = tx.get(Account::get(a)).await?.ok_or("a is not there")?;
                let other = tx.get(Account::get(r)).await?.ok_or("r is not there")?;
                let last = tx.get(Account::get(d.clone())).await?.ok_or("d is not there")?;
                let sum = account.balance + other.balance;
                account.balance += 5;
                tx.put(account.put());
                tx.put(creates.map(|account| account.create()));
                tx.delete(Account::delete(d, last.version));
                Ok(sum)
            }
        });
        let transaction = transaction.client_side();
        Rc::new(move |repository| {
            let (transaction, repository) = (transaction.clone(), repository.clone());
            Box::pin(async move { told(transaction.send(&repository).await, |sum| Some(*sum)) })
        })
    }
}

fn told<T>(sent: Result<TransactionOutcome<T>, Error>, value: impl Fn(&T) -> Option<u64>) -> Told {
    match sent {
        Ok(TransactionOutcome::Applied(applied)) => Told::Applied(value(&applied)),
        Ok(TransactionOutcome::Refused(_)) => Told::Refused,
        Err(error) if error.may_be_applied() => Told::Open(error.to_string()),
        Err(error) => Told::Failed(error.to_string()),
    }
}
