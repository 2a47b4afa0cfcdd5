//! A bank pays interest to all accounts in one transaction, and the process dies: once before the commit, and once in the middle
//! of the roll forwards. Each time, a sweep recovers the transaction: no account gets interest, or every account does.
//!
//! Run it with `cargo run --example sweeper -- --accounts 12000`: the database is in this process.

#![allow(clippy::print_stdout, reason = "an example prints")]

use anyhow::{Result, bail, ensure};
use clap::Parser;
use dyno::{Entity, Repository, Sweep, Transaction};
use std::time::{Duration, Instant};

#[derive(Parser)]
struct Options {
    /// Number of accounts.
    #[arg(long, default_value_t = 1000)]
    accounts: u64,
}

const BALANCE: u64 = 100;
const INTEREST: u64 = 3;

/// How long other processes wait for a transaction that shows no sign of life.
const LOCK_TIMEOUT: Duration = Duration::from_millis(300);

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

async fn open(repository: &Repository, accounts: u64) -> Result<()> {
    repository.create_table::<Account>().await?;
    repository.create_lane_table().await?;
    let new: Vec<_> = (0..accounts).map(|id| Account { id, balance: BALANCE, version: 0 }.create()).collect();
    let (begun, metered) = (Instant::now(), repository.metered());
    Transaction::new().put(new).send(&metered).await?.applied()?;
    println!("{accounts} accounts, opened by {} requests in {:.1?}", metered.usage().requests, begun.elapsed());
    Ok(())
}

/// Pays interest to every account, and dies after `requests` requests.
async fn pay(repository: &Repository, accounts: u64, requests: u64) -> Result<()> {
    let interest =
        (0..accounts).map(|id| Account::update(id).unchecked().with(Account::fields().balance.increment(INTEREST)));
    let transaction = Transaction::new().update(interest.collect::<Vec<_>>());
    let metered = repository.metered();
    let sent = transaction.send(&metered);
    let dies = async {
        while metered.usage().requests < requests {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        () = dies => Ok(()),
        ended = sent => bail!("it ended before: {ended:?}"),
    }
}

/// Returns how many accounts have the interest, as readers without `consistent` see it.
async fn paid(repository: &Repository, balance: u64) -> Result<usize> {
    let accounts = Account::scan().send(repository).await?.items;
    Ok(accounts.iter().filter(|account| account.balance == balance).count())
}

async fn sweep(repository: &Repository) -> Result<()> {
    tokio::time::sleep(2 * LOCK_TIMEOUT).await;
    let (begun, metered) = (Instant::now(), repository.metered());
    let report = Sweep::new().of::<Account>().send(&metered).await?;
    println!(
        "  swept in {:.1?}: {} rolled forward, {} rolled back, {} transactions aborted, {} lanes cleared",
        begun.elapsed(),
        report.rolled_forward(),
        report.rolled_back(),
        report.aborted(),
        report.cleared()
    );
    for unresolved in report.unresolved() {
        println!("  {unresolved}");
    }
    ensure!(report.failed() == 0, "not all could be settled");
    let metered = repository.metered();
    let again = Sweep::new().of::<Account>().send(&metered).await?;
    ensure!(again.failed() == 0 && metered.usage().write_units == 0.0, "a second sweep has nothing to do");
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    let Options { accounts } = Options::parse();
    let repository = Repository::local().await?.with_lock_timeout(LOCK_TIMEOUT);
    open(&repository, accounts).await?;
    let reads = accounts.div_ceil(100);

    pay(&repository, accounts, reads + accounts / 2).await?;
    println!("the process died while it said what it was about to do");
    sweep(&repository).await?;
    let balance = BALANCE + INTEREST;
    ensure!(paid(&repository, balance).await? == 0, "some have got what was not decided");

    // The first payment was rolled back, so another process pays the interest.
    pay(&repository, accounts, reads + accounts + accounts / 2).await?;
    println!("the process died when it was decided: {} of {accounts} have it", paid(&repository, balance).await?);
    sweep(&repository).await?;
    let paid = paid(&repository, balance).await?;
    println!("  {paid} of {accounts} have it");
    ensure!(paid as u64 == accounts, "what was decided is lost");
    Ok(())
}
