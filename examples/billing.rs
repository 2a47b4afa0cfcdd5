//! Usage billing: a hundred workers deliver usage records, each with an id, to one bill. Some records are delivered twice,
//! and some answers get lost, so that the SDK sends the request again. The bill must still be exact.
//!
//! `cargo run --example billing` shows the three places where idempotency keys can be stored, and two ways without them:
//! increments by the plain SDK, which are wrong, and optimistic locking, which is exact but sends many requests. The bill's
//! clock runs faster than real time, to keep the run short.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use anyhow::{Context as _, Result};
use clap::Parser;
use comfy_table::{Table, presets};
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::local::{Engine, Fault, Faults, Rates};
use dyno::{Clock, Entity, EpochMillis, Error, ErrorKind, Repository};
use indicatif::{ProgressBar, ProgressStyle};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Bills usage in several ways, with faults.
#[derive(Parser, Clone)]
struct Options {
    /// Decides which records are delivered twice
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of workers that deliver at once
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..))]
    workers: u16,
    /// Number of records
    #[arg(long, default_value_t = 2_000)]
    records: usize,
    /// The share of records that are delivered twice
    #[arg(long, default_value_t = 0.2, value_parser = share)]
    duplicates: f64,
    /// The share of answers that get lost
    #[arg(long, default_value_t = 0.03, value_parser = share)]
    lost: f64,
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "a number from 0 to 1".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("a number from 0 to 1".to_owned()) }
}

/// A usage record.
#[derive(Clone)]
struct Record {
    id: String,
    calls: u64,
}

const DAY: &str = "2026-11-21";
const ACCOUNT: &str = "acme";
/// The start of that day, in milliseconds.
const MIDNIGHT: i64 = 1_795_219_200_000;

/// Seconds of the bill's clock in one real second.
const HASTE: u32 = 20;

/// Records per second of the bill's clock.
const RATE: u32 = 10;

/// The bill's clock.
#[derive(Debug)]
struct Hasty(Instant);

impl Clock for Hasty {
    fn now(&self) -> EpochMillis {
        let elapsed = i64::try_from((self.0.elapsed() * HASTE).as_millis()).unwrap_or(i64::MAX);
        EpochMillis::new(MIDNIGHT.saturating_add(elapsed))
    }
}

/// A way to add records to a bill.
trait Billing: Entity + Send + Sync {
    /// Creates the empty bill.
    fn open(repository: &Repository) -> impl Future<Output = Result<(), Error>> + Send;
    /// Adds a record. Returns whether it was new.
    fn charge(record: &Record, repository: &Repository) -> impl Future<Output = Result<bool, Error>> + Send;
    /// Reads the total of the bill.
    fn total(repository: &Repository) -> impl Future<Output = Result<Option<u64>, Error>> + Send;
}

/// A bill that remembers the ids of its records, in one of the three places.
macro_rules! bill {
    ($(#[$attribute:meta])* $bill:ident) => {
        #[derive(Entity)]
        $(#[$attribute])*
        struct $bill {
            #[partition_key]
            account: String,
            #[sort_key]
            day: String,
            calls: u64,
        }

        impl Billing for $bill {
            async fn open(repository: &Repository) -> Result<(), Error> {
                let bill = Self { account: ACCOUNT.to_owned(), day: DAY.to_owned(), calls: 0 };
                bill.create().send(repository).await?.applied()
            }

            async fn charge(record: &Record, repository: &Repository) -> Result<bool, Error> {
                let update = Self::update((ACCOUNT, DAY)).with(Self::fields().calls.add(record.calls));
                let outcome = update.idempotency_key(&record.id).send(repository).await?;
                Ok(outcome.accept_duplicate()?.is_some())
            }

            async fn total(repository: &Repository) -> Result<Option<u64>, Error> {
                let bill = Self::get((ACCOUNT, DAY)).consistent().send(repository).await?;
                Ok(bill.map(|bill| bill.calls))
            }
        }
    };
}

// A record comes again within a minute, or not at all. The compiler checks that one item can hold that many keys.
bill! {
    #[entity(table = "bills-by-time")]
    #[idempotency(window_secs = 60, max_rps = 10)]
    BillByTime
}

bill! {
    #[entity(table = "bills-by-count")]
    #[idempotency(keys = 1000, max_rps = 10)]
    BillByCount
}

bill! {
    #[entity(table = "bills-by-row")]
    #[idempotency(store = "row", window_secs = 86400)]
    BillByRow
}

/// Optimistic locking: a version, and the last ids beside it. Exact as well, but each conflict costs more requests.
#[derive(Entity)]
#[entity(table = "bills-locked")]
struct LockedBill {
    #[partition_key]
    account: String,
    #[sort_key]
    day: String,
    calls: u64,
    last: Vec<String>,
    #[version]
    version: u64,
}

impl Billing for LockedBill {
    async fn open(repository: &Repository) -> Result<(), Error> {
        let (account, day) = (ACCOUNT.to_owned(), DAY.to_owned());
        let bill = Self { account, day, calls: 0, last: Vec::new(), version: 0 };
        bill.create().send(repository).await?.applied().map(drop)
    }

    async fn charge(record: &Record, repository: &Repository) -> Result<bool, Error> {
        let mut new = false;
        let modify = Self::modify((ACCOUNT, DAY), |bill| {
            new = !bill.last.contains(&record.id);
            if new {
                bill.calls += record.calls;
                bill.last.push(record.id.clone());
                let keep = bill.last.len().saturating_sub(1000);
                bill.last.drain(..keep);
            }
        });
        modify.attempts(1000).send(repository).await?.applied()?;
        Ok(new)
    }

    async fn total(repository: &Repository) -> Result<Option<u64>, Error> {
        let bill = Self::get((ACCOUNT, DAY)).consistent().send(repository).await?;
        Ok(bill.map(|bill| bill.calls))
    }
}

/// A bill that is incremented by the plain SDK, as is often done.
#[derive(Entity)]
#[entity(table = "bills-plain")]
struct PlainBill {
    #[partition_key]
    account: String,
    #[sort_key]
    day: String,
    calls: u64,
}

impl Billing for PlainBill {
    async fn open(repository: &Repository) -> Result<(), Error> {
        Self { account: ACCOUNT.to_owned(), day: DAY.to_owned(), calls: 0 }.put().send(repository).await
    }

    async fn charge(record: &Record, repository: &Repository) -> Result<bool, Error> {
        let update = repository.client().update_item().table_name(repository.table_name::<Self>()?);
        let [account, day] = [ACCOUNT, DAY].map(|text| AttributeValue::S(text.to_owned()));
        let update = update.key("account", account).key("day", day).update_expression("ADD calls :n");
        let sent = update.expression_attribute_values(":n", AttributeValue::N(record.calls.to_string())).send().await;
        // The error is dropped, as is often done.
        Ok(sent.is_ok())
    }

    async fn total(repository: &Repository) -> Result<Option<u64>, Error> {
        let bill = Self::get((ACCOUNT, DAY)).consistent().send(repository).await?;
        Ok(bill.map(|bill| bill.calls))
    }
}

fn records(options: &Options) -> Vec<Record> {
    let mut random = StdRng::seed_from_u64(options.seed);
    (0..options.records)
        .map(|record| {
            let id = format!("15.{:08x}.{record}", random.random::<u32>());
            Record { id, calls: random.random_range(1..=10) }
        })
        .collect()
}

/// Returns every record, and some of them a second time, a little later.
fn deliveries(records: &[Record], options: &Options) -> Vec<Record> {
    let mut random = StdRng::seed_from_u64(options.seed);
    let mut deliveries: Vec<(usize, &Record)> = records.iter().enumerate().collect();
    for (index, record) in records.iter().enumerate() {
        if random.random_bool(options.duplicates) {
            deliveries.push((index + random.random_range(0..50), record));
        }
    }
    deliveries.sort_by_key(|(at, _)| *at);
    deliveries.into_iter().map(|(_, record)| record.clone()).collect()
}

/// The result of one run.
struct Run {
    name: &'static str,
    total: u64,
    new: u64,
    known: u64,
    lost: u64,
    requests: String,
}

/// Delivers all records to a new bill.
async fn bill<B: Billing>(name: &'static str, options: &Options, deliveries: &[Record]) -> Result<Run> {
    let engine = Engine::in_memory()?;
    let quiet = Repository::new(engine.client());
    quiet.create_table::<B>().await?;
    B::open(&quiet).await?;
    let faults = Faults::new();
    faults.random(options.seed, Rates { lose_answer: options.lost, ..Rates::NONE });
    faults.latency(Duration::ZERO, Duration::from_millis(1));
    let config = engine.config().http_client(faults.before(engine));
    let retries = RetryConfig::standard().with_max_attempts(4).with_initial_backoff(Duration::from_millis(5));
    let client = Client::from_conf(config.retry_config(retries).build());
    let repository = Repository::new(client).with_clock(Hasty(Instant::now()));

    let style = ProgressStyle::with_template("{msg:22} {bar:40} {pos}/{len} records, {per_sec}, {eta} left")?;
    let bar = ProgressBar::new(deliveries.len() as u64).with_style(style).with_message(name);
    let deliveries: Arc<[Record]> = deliveries.into();
    let (next, new, known) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let pace = Duration::from_secs(1) * u32::from(options.workers) / (HASTE * RATE);
    let mut workers = JoinSet::new();
    for _ in 0..options.workers {
        let (repository, deliveries) = (repository.clone(), Arc::clone(&deliveries));
        let (next, new, known, bar) = (Arc::clone(&next), Arc::clone(&new), Arc::clone(&known), bar.clone());
        workers.spawn(async move {
            while let Some(record) = deliveries.get(next.fetch_add(1, Ordering::Relaxed)) {
                // A record that was not acknowledged is delivered again.
                let count = if insist(|| B::charge(record, &repository)).await? { &new } else { &known };
                count.fetch_add(1, Ordering::Relaxed);
                bar.inc(1);
                tokio::time::sleep(pace.mul_f64(rand::random_range(0.0..2.0))).await;
            }
            anyhow::Ok(())
        });
    }
    while let Some(worker) = workers.join_next().await {
        worker??;
    }
    bar.finish_and_clear();
    let [new, known] = [new, known].map(|count| count.load(Ordering::Relaxed));
    // The repository does not count requests that were sent by the plain SDK.
    let requests = repository.usage().requests;
    let requests = if requests == 0 { deliveries.len() as u64 } else { requests };
    let lost = faults.requests().iter().filter(|request| request.fault == Fault::AnswerLost).count() as u64;
    let total = B::total(&quiet).await?.context("the bill is gone")?;
    Ok(Run { name, total, new, known, lost, requests: requests.to_string() })
}

/// Repeats a call until it is acknowledged, as a queue does.
async fn insist<T, F: Future<Output = Result<T, Error>>>(call: impl Fn() -> F) -> Result<T> {
    loop {
        match call().await {
            Ok(value) => return Ok(value),
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::Unreachable | ErrorKind::Contended | ErrorKind::OutcomeUnknown
                ) => {}
            // The very first write has found itself.
            Err(error) => return Err(error.into()),
        }
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let options = Options::parse();
    let records = records(&options);
    let expected: u64 = records.iter().map(|record| record.calls).sum();
    let deliveries = deliveries(&records, &options);
    println!(
        "{} records, {} deliveries, {} workers, {RATE} records a second of the bill's time; {} % of the answers get lost",
        records.len(),
        deliveries.len(),
        options.workers,
        options.lost * 100.0,
    );
    // Only a few, because optimistic locking takes about as many requests for each record as there are workers.
    let few = &deliveries[..deliveries.len().min(usize::from(options.workers) * 5)];
    let runs = [
        bill::<BillByTime>("keys by time", &options, &deliveries).await?,
        bill::<BillByCount>("keys by count", &options, &deliveries).await?,
        bill::<BillByRow>("keys in rows", &options, &deliveries).await?,
        bill::<PlainBill>("plain increments", &options, &deliveries).await?,
    ];
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["", "calls billed", "wrong by", "new", "known", "answers lost", "requests"]);
    for run in &runs {
        let wrong = i128::from(run.total) - i128::from(expected);
        let [new, known, lost] = [run.new, run.known, run.lost].map(|count| count.to_string());
        table.add_row([run.name, &run.total.to_string(), &wrong.to_string(), &new, &known, &lost, &run.requests]);
    }
    println!("{table}");
    let [time, locked] = [
        bill::<BillByTime>("keys by time", &options, few).await?,
        bill::<LockedBill>("optimistic locking", &options, few).await?,
    ];
    println!(
        "{} deliveries by {} workers: {} requests with keys, {} with optimistic locking",
        few.len(),
        options.workers,
        time.requests,
        locked.requests
    );
    let exact = runs[..3].iter().all(|run| run.total == expected) && time.total == locked.total;
    if !exact {
        eprintln!("the bill is wrong");
    }
    Ok(if exact { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
