//! The five tasks as they had to be written before `SendMany`, cursors behind each item, `accept_equal`, `restore` and `Lock::run`.
//! They do the same: the tests run both.

use super::{Closing, Customer, Payment, Progress, invoice};
use dyno::lock::Lock;
use dyno::{Cursor, Error, Found, Outcome, Repository};
use futures_util::future::join_all;
use std::collections::HashSet;

/// Creates the customers of a file, up to 16 at once. Continues behind the progress of an earlier run.
pub async fn import(repository: &Repository, rows: &[Customer], progress: &mut Progress) -> Result<(), Error> {
    // Without a checkpoint that can be read, it begins again: the customers that exist already are accepted.
    let mut done: usize = progress.checkpoint.as_deref().and_then(|done| done.parse().ok()).unwrap_or_default();
    while done < rows.len() {
        // Of two rows of one customer, the first one must be created first.
        let mut ids = HashSet::new();
        let next: Vec<_> = rows[done..].iter().take(16).take_while(|row| ids.insert(&row.id)).collect();
        for created in join_all(next.into_iter().map(|row| create(repository, row))).await {
            if !created? {
                progress.refused.insert(done as u64);
            }
            done += 1;
            progress.checkpoint = Some(done.to_string());
        }
    }
    Ok(())
}

/// Creates a customer. Returns `false` if another one has the id or the e-mail address.
async fn create(repository: &Repository, row: &Customer) -> Result<bool, Error> {
    let is_equal =
        |stored: Option<Customer>| stored.is_some_and(|stored| Customer { version: row.version, ..stored } == *row);
    match row.create().send(repository).await {
        Ok(Outcome::Applied(_)) => Ok(true),
        // An earlier run has created it.
        Ok(Outcome::Refused(refusal)) => Ok(is_equal(refusal.live()?)),
        Err(error) if error.may_be_applied() => {
            let stored = Customer::get(&*row.id).consistent().send(repository).await?;
            if is_equal(stored) { Ok(true) } else { Err(error) }
        }
        Err(error) => Err(error),
    }
}

/// Does some work for each customer. The work also gets the cursor from which a later run can continue, if there is one here.
pub async fn each_customer(
    repository: &Repository,
    after: Option<&str>,
    mut work: impl AsyncFnMut(Customer, Option<String>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut after = after.map(str::parse::<Cursor>).transpose()?;
    loop {
        // A page has one cursor, at its end. So a run that continues does the work of up to 25 customers again.
        let page = Customer::scan().consistent().limit(25).after(after).send(repository).await?;
        let mut customers = page.items.into_iter().peekable();
        while let Some(customer) = customers.next() {
            let cursor = page.cursor.as_ref().filter(|_| customers.peek().is_none());
            work(customer, cursor.map(ToString::to_string)).await?;
        }
        after = page.cursor;
        if after.is_none() {
            return Ok(());
        }
    }
}

/// Books a payment. Returns `false` if another payment has its id. The webhook can come any number of times.
pub async fn book(repository: &Repository, payment: &Payment) -> Result<bool, Error> {
    let is_equal = |stored: Option<Payment>| {
        stored.is_some_and(|stored| Payment { received: payment.received, ..stored } == *payment)
    };
    match payment.create().send(repository).await {
        Ok(Outcome::Applied(())) => Ok(true),
        Ok(Outcome::Refused(refusal)) => Ok(is_equal(refusal.live()?)),
        Err(error) if error.may_be_applied() => {
            let stored = Payment::get(&*payment.id).consistent().send(repository).await?;
            if is_equal(stored) { Ok(true) } else { Err(error) }
        }
        Err(error) => Err(error),
    }
}

/// Brings a deleted customer back. Returns the customer; `None` if the history has none.
pub async fn restore(repository: &Repository, id: &str) -> Result<Option<Customer>, Error> {
    // The tombstone is read first: if somebody creates and deletes the customer after that, its version changes.
    let version = match Customer::get(id).consistent().include_deleted().send(repository).await? {
        Some(Found::Live(customer) | Found::Expired(customer)) => return Ok(Some(customer)),
        Some(Found::Deleted(tombstone)) => Some(tombstone.version()),
        None => None,
    };
    let mut revisions = Customer::revisions(id).stream(repository);
    let last = loop {
        let Some(revision) = revisions.next().await else { return Ok(None) };
        if let Some(customer) = revision?.decode()? {
            break customer;
        }
    };
    let outcome = match version {
        Some(version) => Customer { version, ..last.clone() }.undelete().send(repository).await?,
        None => last.create().send(repository).await?,
    };
    match outcome {
        Outcome::Applied(version) => Ok(Some(Customer { version, ..last })),
        Outcome::Refused(refusal) if refusal.is_taken() => Err(refusal.into()),
        Outcome::Refused(refusal) => match refusal.live()? {
            Some(customer) => Ok(Some(customer)),
            None => Err(refusal.into()),
        },
    }
}

/// Makes the invoices of a month, on one host at a time. A later run continues what a host has left.
pub async fn close(repository: &Repository, month: &str, lock: &Lock) -> Result<(), Error> {
    let held = lock.acquire(repository).await?;
    let work = async {
        let closing = Closing::get(month).consistent().send(repository).await?;
        let mut closing = closing.unwrap_or_else(|| Closing { month: month.into(), ..Closing::default() });
        if closing.is_done {
            return Ok(());
        }
        let after = closing.after.clone();
        each_customer(repository, after.as_deref(), async |customer, cursor| {
            invoice(repository, &customer, month).await?;
            if cursor.is_some() {
                closing.after = cursor;
                closing.version = closing.put().send(repository).await?.applied()?;
            }
            Ok(())
        })
        .await?;
        closing.is_done = true;
        closing.put().send(repository).await?.applied()?;
        Ok::<_, Error>(())
    };
    // With `during(work).await??`, the lock would stay held for a lease after an error of the work.
    let done = held.during(work).await?;
    if let Err(error) = held.release().await {
        tracing::warn!(%error, "the closing is not released, and free one lease later");
    }
    done
}
