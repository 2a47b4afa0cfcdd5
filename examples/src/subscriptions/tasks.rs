//! The five tasks of the service, each on the command that was made for it.

use super::{Closing, Customer, Payment, Progress, invoice};
use dyno::lock::Lock;
use dyno::{Cursor, Error, InputCheckpoint, Outcome, Repository, SendMany};

/// Creates the customers of a file, up to 16 at once. Continues behind the progress of an earlier run.
pub async fn import(repository: &Repository, rows: &[Customer], progress: &mut Progress) -> Result<(), Error> {
    let after = progress.checkpoint.as_deref().map(str::parse::<InputCheckpoint>).transpose()?;
    let creates: Vec<_> = rows.iter().map(|row| row.create().accept_equal()).collect();
    let mut sent = SendMany::new("customers", creates).after(after).send(repository);
    while let Some(one) = sent.next().await {
        if !one.result?.is_applied() {
            progress.refused.insert(one.number);
        }
        progress.checkpoint = Some(sent.checkpoint().to_string());
    }
    Ok(())
}

/// Does some work for each customer. The work also gets the cursor from which a later run can continue.
pub async fn each_customer(
    repository: &Repository,
    after: Option<&str>,
    mut work: impl AsyncFnMut(Customer, Option<String>) -> Result<(), Error>,
) -> Result<(), Error> {
    let after = after.map(str::parse::<Cursor>).transpose()?;
    let mut customers = Customer::scan().consistent().after(after).stream(repository);
    while let Some(customer) = customers.next().await {
        let cursor = customers.cursor()?.map(|cursor| cursor.to_string());
        work(customer?, cursor).await?;
    }
    Ok(())
}

/// Books a payment. Returns `false` if another payment has its id. The webhook can come any number of times.
pub async fn book(repository: &Repository, payment: &Payment) -> Result<bool, Error> {
    Ok(payment.create().accept_equal().send(repository).await?.is_applied())
}

/// Brings a deleted customer back. Returns the customer; `None` if the history has none.
pub async fn restore(repository: &Repository, id: &str) -> Result<Option<Customer>, Error> {
    match Customer::restore(id).send(repository).await? {
        Outcome::Applied(customer) => Ok(Some(customer)),
        // An earlier call has restored the customer, or nobody has deleted it.
        Outcome::Refused(refusal) if refusal.is_existing() => refusal.live(),
        Outcome::Refused(refusal) if refusal.is_missing() || refusal.is_deleted() => Ok(None),
        Outcome::Refused(refusal) => Err(refusal.into()),
    }
}

/// Makes the invoices of a month, on one host at a time. A later run continues what a host has left.
pub async fn close(repository: &Repository, month: &str, lock: &Lock) -> Result<(), Error> {
    lock.run(repository, async |_| {
        let closing = Closing::get(month).consistent().send(repository).await?;
        let mut closing = closing.unwrap_or_else(|| Closing { month: month.into(), ..Closing::default() });
        if closing.is_done {
            return Ok(());
        }
        let after = closing.after.clone();
        each_customer(repository, after.as_deref(), async |customer, cursor| {
            invoice(repository, &customer, month).await?;
            closing.after = cursor;
            closing.version = closing.put().send(repository).await?.applied()?;
            Ok(())
        })
        .await?;
        closing.is_done = true;
        closing.put().send(repository).await?.applied()?;
        Ok::<_, Error>(())
    })
    .await
}
