//! A bank: twenty clerks at once send transfers that read, decide and write in a closure. No money is made or lost, no account
//! is overdrawn, and every transfer has a receipt with the next number of a series. Then two clerks do it by hand, without a
//! condition on the account that they only read: the books do not balance.
//!
//! Run it with `cargo run --example bank`: the database is in this process.

#![allow(clippy::print_stdout, reason = "an example prints")]

use anyhow::{Result, ensure};
use dyno::{Entity, ErrorKind, Repository, Transaction};
use std::time::Instant;

/// Number of transfers that each clerk tries.
const TRANSFERS: usize = 10;
const CLERKS: usize = 20;
const ACCOUNTS: u64 = 6;
const BALANCE: u64 = 100;

#[derive(Entity, Clone, Debug)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: u64,
    balance: u64,
    #[version]
    version: u64,
}

/// A series of receipt numbers, with the last number given.
#[derive(Entity, Clone, Debug)]
#[entity(table = "series")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Series {
    #[partition_key]
    name: String,
    last: u64,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "receipts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Receipt {
    #[partition_key]
    number: u64,
    from: u64,
    to: u64,
    sum: u64,
    #[version]
    version: u64,
}

/// Transfers a sum, with a receipt of the next number. Returns the number.
async fn transfer(repository: &Repository, from: u64, to: u64, sum: u64) -> Result<u64, dyno::Error> {
    let transfer = Transaction::interactive(|tx| async move {
        let mut sender = tx.get(Account::get(from)).await?.ok_or("no such account")?;
        let mut receiver = tx.get(Account::get(to)).await?.ok_or("no such account")?;
        let mut series = tx.get(Series::get("receipts")).await?.ok_or("no such series")?;
        sender.balance = sender.balance.checked_sub(sum).ok_or("not enough")?;
        receiver.balance += sum;
        series.last += 1;
        tx.put([sender.put(), receiver.put()]);
        tx.put(series.put());
        tx.put(Receipt { number: series.last, from, to, sum, version: 0 }.create());
        Ok(series.last)
    });
    // All transfers write the same series, so with many clerks at once, some need many runs.
    transfer.attempts(200).send(repository).await?.applied()
}

/// One clerk at work. Returns how many transfers were made, and how many were declined because the payer had too little.
async fn clerk(number: u64, repository: Repository) -> Result<(usize, usize)> {
    let (mut made, mut declined) = (0, 0);
    for round in 0..TRANSFERS as u64 {
        let from = (number + round) % ACCOUNTS;
        match transfer(&repository, from, (from + 1 + number % 3) % ACCOUNTS, 10 + 7 * (round % 5)).await {
            Ok(_) => made += 1,
            // The closure's own error. It is reliable, because everything that the closure read was current at one moment.
            Err(error) if error.kind() == ErrorKind::Aborted => declined += 1,
            Err(error) => return Err(error.into()),
        }
    }
    Ok((made, declined))
}

/// Reads the balances of all accounts as of one moment.
async fn balances(repository: &Repository) -> Result<Vec<u64>, dyno::Error> {
    let audit = Transaction::interactive(|tx| async move {
        let accounts = tx.batch_get(Account::batch_get(0..ACCOUNTS)).await?;
        Ok(accounts.into_iter().flatten().map(|account| account.balance).collect())
    });
    audit.send(repository).await?.applied()
}

async fn open(repository: &Repository) -> Result<()> {
    repository.create_table::<Account>().await?;
    repository.create_table::<Series>().await?;
    repository.create_table::<Receipt>().await?;
    for id in 0..ACCOUNTS {
        Account { id, balance: BALANCE, version: 0 }.create().send(repository).await?.applied()?;
    }
    Series { name: "receipts".to_owned(), last: 0, version: 0 }.create().send(repository).await?.applied()?;
    Ok(())
}

async fn day(repository: &Repository) -> Result<()> {
    let (begun, metered) = (Instant::now(), repository.metered());
    let clerks: Vec<_> = (0..CLERKS as u64).map(|number| tokio::spawn(clerk(number, metered.clone()))).collect();
    let (mut made, mut declined) = (0, 0);
    for clerk in clerks {
        let (more, less) = clerk.await??;
        (made, declined) = (made + more, declined + less);
    }
    let balances = balances(repository).await?;
    let receipts = Receipt::scan().consistent().send(repository).await?.items;
    println!("{CLERKS} clerks, {made} transfers, {declined} declined, in {:.1?}", begun.elapsed());
    println!("  balances {balances:?}, together {}", balances.iter().sum::<u64>());
    println!("  {} receipts, numbered 1 to {made}", receipts.len());
    println!("  {} requests: those that others were faster than went again", metered.usage().requests);
    ensure!(balances.iter().sum::<u64>() == ACCOUNTS * BALANCE, "money was made");
    let mut numbers: Vec<u64> = receipts.iter().map(|receipt| receipt.number).collect();
    numbers.sort_unstable();
    ensure!(numbers.into_iter().eq(1..=made as u64), "a number is missing, or was given twice");
    Ok(())
}

/// Shows write skew: two accounts may not be overdrawn together, and two clerks each read both and take from one.
async fn skew(repository: &Repository) -> Result<()> {
    for id in [0, 1] {
        Account::modify(id, |account| account.balance = BALANCE).send(repository).await?.applied()?;
    }
    // By hand, each clerk writes only the account that it takes from, at the version that it read. Both writes pass.
    let read = || async {
        let (one, two) = (Account::get(0).consistent(), Account::get(1).consistent());
        anyhow::Ok([one.send(repository).await?, two.send(repository).await?])
    };
    let (first, second) = (read().await?, read().await?);
    for (clerk, seen) in [first, second].into_iter().enumerate() {
        let seen: Vec<Account> = seen.into_iter().flatten().collect();
        if seen.iter().map(|account| account.balance).sum::<u64>() >= 2 * BALANCE
            && let Some(account) = seen.get(clerk)
        {
            Account { balance: 0, ..account.clone() }.put().send(repository).await?.applied()?;
        }
    }
    println!(
        "by hand: {:?} is left, of which each clerk has seen that half would be",
        &balances(repository).await?[..2]
    );
    for id in [0, 1] {
        Account::modify(id, |account| account.balance = BALANCE).send(repository).await?.applied()?;
    }
    // A transaction is applied only if everything that it read is still current.
    let take = |from: u64| {
        let take = Transaction::interactive(move |tx| async move {
            let accounts = tx.batch_get(Account::batch_get([0, 1])).await?;
            let sum: u64 = accounts.iter().flatten().map(|account| account.balance).sum();
            if sum < 2 * BALANCE {
                return Err("not enough".into());
            }
            let mut account = tx.get(Account::get(from)).await?.ok_or("no such account")?;
            account.balance = 0;
            tx.put(account.put());
            Ok(())
        });
        let repository = repository.clone();
        tokio::spawn(async move { take.send(&repository).await?.applied() })
    };
    let (one, two) = (take(0), take(1));
    let (one, two) = (one.await?, two.await?);
    println!("in transactions: {:?} is left", &balances(repository).await?[..2]);
    ensure!(one.is_ok() != two.is_ok(), "one of the two was applied");
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    let repository = Repository::local().await?;
    open(&repository).await?;
    day(&repository).await?;
    skew(&repository).await
}
