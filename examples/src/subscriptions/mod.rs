//! A service that bills subscriptions. Here are its items, and how a month becomes an invoice. `tasks` has the five tasks around
//! them; `by_hand` has the same five without the commands that were made for them, so that you can compare the two.

#![expect(missing_docs, reason = "the names say it")]

pub mod by_hand;
pub mod tasks;

use dyno::lock::Lock;
use dyno::{Entity, EpochMillis, Error, Repository, Transaction};
use std::collections::BTreeSet;

/// A customer. Two customers never have one e-mail address, and a deleted customer can come back from the history.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "customers")]
#[tombstone(ttl_days = 30)]
#[history_table]
pub struct Customer {
    #[partition_key]
    pub id: String,
    #[unique]
    pub email: String,
    pub monthly_fee_cents: u64,
    pub cents_per_call: u64,
    #[version]
    pub version: u64,
}

/// The usage of a customer since the beginning, as the meter has reported it last. A report that arrives late changes nothing.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "meters")]
pub struct Meter {
    #[partition_key]
    pub customer: String,
    pub calls: u64,
    #[ratchet]
    pub at: EpochMillis,
}

/// A payment, as the payment service reports it: at least once.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "payments")]
pub struct Payment {
    #[partition_key]
    pub id: String,
    pub invoice: u64,
    pub cents: u64,
    #[created]
    pub received: EpochMillis,
}

/// An invoice. The numbers have no gaps.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "invoices")]
#[tombstone(ttl_days = 30)]
#[transactional]
pub struct Invoice {
    #[partition_key]
    pub number: u64,
    pub customer: String,
    pub month: String,
    pub cents: u64,
    #[version]
    pub version: u64,
}

/// The last number of a series.
#[derive(Entity, Clone, Debug, Default, PartialEq)]
#[entity(table = "series")]
#[tombstone(ttl_days = 30)]
#[transactional]
pub struct Series {
    #[partition_key]
    pub name: String,
    pub last: u64,
    #[version]
    pub version: u64,
}

/// What a customer has been billed for.
#[derive(Entity, Clone, Debug, Default, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 30)]
#[transactional]
pub struct Account {
    #[partition_key]
    pub customer: String,
    /// The last month with an invoice, such as `2026-11`, which sorts as text.
    pub month: String,
    /// The calls of all invoices together.
    pub calls: u64,
    #[version]
    pub version: u64,
}

/// How far the closing of a month has come. Its version keeps out a host that has lost the lock, and late copies of older writes.
#[derive(Entity, Clone, Debug, Default, PartialEq)]
#[entity(table = "closings")]
pub struct Closing {
    #[partition_key]
    pub month: String,
    /// The cursor behind the last customer that is done.
    pub after: Option<String>,
    pub is_done: bool,
    #[version]
    pub version: u64,
}

/// How far an import has come, for the next run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub checkpoint: Option<String>,
    /// The rows that were refused: another customer has the id or the e-mail address.
    pub refused: BTreeSet<u64>,
}

/// Creates the tables.
pub async fn create_tables(repository: &Repository) -> Result<(), Error> {
    repository.create_table::<Customer>().await?;
    repository.create_table::<Meter>().await?;
    repository.create_table::<Payment>().await?;
    repository.create_table::<Invoice>().await?;
    repository.create_table::<Series>().await?;
    repository.create_table::<Account>().await?;
    repository.create_table::<Closing>().await?;
    Lock::create_table(repository).await
}

/// Stores a report of a meter, unless a newer one is stored.
pub async fn report(repository: &Repository, meter: &Meter) -> Result<(), Error> {
    meter.put().send(repository).await?.accept_stale()?;
    Ok(())
}

/// Makes the invoice of a customer for a month, unless it is made already. Calls that are reported later are on the next one.
pub async fn invoice(repository: &Repository, customer: &Customer, month: &str) -> Result<(), Error> {
    let meter = Meter::get(&*customer.id).consistent().send(repository).await?;
    let calls = meter.map_or(0, |meter| meter.calls);
    let make = Transaction::interactive(|tx| async move {
        let account = tx.get(Account::get(&*customer.id)).await?;
        let account = account.unwrap_or_else(|| Account { customer: customer.id.clone(), ..Account::default() });
        if *account.month >= *month {
            return Ok(());
        }
        let series = tx.get(Series::get("invoices")).await?;
        let mut series = series.unwrap_or_else(|| Series { name: "invoices".into(), ..Series::default() });
        series.last += 1;
        let calls = calls.max(account.calls);
        let cents = customer.monthly_fee_cents + (calls - account.calls) * customer.cents_per_call;
        let (number, month) = (series.last, month.to_owned());
        let invoice = Invoice { number, customer: customer.id.clone(), month: month.clone(), cents, version: 0 };
        tx.put(invoice.create());
        tx.put(Account { month, calls, ..account }.put());
        tx.put(series.put());
        Ok(())
    });
    make.send(repository).await?.applied()
}
