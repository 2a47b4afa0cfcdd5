//! A day of a service that bills subscriptions: an import, late reports of usage, a webhook that comes twice, a closing of which
//! a host dies in the middle, and a customer who was deleted by mistake. Some answers are lost. `cargo run --example
//! subscriptions`; with `--by-hand`, the tasks run without the commands that were made for them.

#![allow(clippy::print_stdout, reason = "an example prints")]

use anyhow::{Context as _, Result};
use clap::Parser;
use dyno::local::{Engine, Fault, Faults, Rates, SentRequest};
use dyno::lock::Lock;
use dyno::{EpochMillis, Repository};
use dyno_examples::subscriptions::{
    Customer, Invoice, Meter, Payment, Progress, by_hand, create_tables, report, tasks,
};
use std::time::{Duration, Instant};

#[derive(Parser)]
struct Options {
    /// Number of customers in the file
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(2..))]
    customers: u32,
    /// The share of answers that get lost
    #[arg(long, default_value_t = 0.002, value_parser = share)]
    lost: f64,
    /// Run the tasks as they had to be written by hand
    #[arg(long)]
    by_hand: bool,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=0.5).contains(share));
    share.ok_or_else(|| "a number from 0 to 0.5".to_owned())
}

fn file(customers: u32) -> Vec<Customer> {
    let row = |number| Customer {
        id: format!("c{number}"),
        email: format!("c{number}@example.com"),
        monthly_fee_cents: 1_000,
        cents_per_call: 2,
        version: 0,
    };
    let mut rows: Vec<_> = (0..customers).map(row).collect();
    rows.push(Customer { id: "late".into(), ..row(0) }); // the address of another customer
    rows
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let options = Options::parse();
    let (engine, faults) = (Engine::in_memory()?, Faults::new());
    let (repository, calm) = (Repository::new(engine.client_with(&faults)), Repository::new(engine.client()));
    create_tables(&calm).await?;
    faults.random(1, Rates { lose_answer: options.lost, ..Rates::NONE });

    import(&repository, &options).await?;
    usage_and_payments(&repository, &options).await?;
    closing(&repository, &faults, &options).await?;

    let mut numbers: Vec<_> = Invoice::scan().consistent().stream(&calm).try_collect().await?;
    numbers.sort_by_key(|invoice| invoice.number);
    let is_gapless = numbers.iter().map(|invoice| invoice.number).eq(1..=u64::from(options.customers));
    println!("{} invoices, {} gaps in their numbers", numbers.len(), if is_gapless { "without" } else { "WITH" });
    anyhow::ensure!(is_gapless, "the numbers have gaps");

    Customer::delete("c1", 1u64).send(&repository).await?.applied()?;
    let restored = if options.by_hand {
        by_hand::restore(&repository, "c1").await?
    } else {
        tasks::restore(&repository, "c1").await?
    };
    println!("restored: {:?}", restored.context("a customer")?);
    Ok(())
}

async fn import(repository: &Repository, options: &Options) -> Result<()> {
    let (rows, mut progress, begun) = (file(options.customers), Progress::default(), Instant::now());
    if options.by_hand {
        by_hand::import(repository, &rows, &mut progress).await?;
    } else {
        tasks::import(repository, &rows, &mut progress).await?;
    }
    println!("imported {} rows in {:.1?}, refused rows: {:?}", rows.len(), begun.elapsed(), progress.refused);
    Ok(())
}

async fn usage_and_payments(repository: &Repository, options: &Options) -> Result<()> {
    let meter = |calls, at| Meter { customer: "c0".into(), calls, at: EpochMillis::new(at) };
    report(repository, &meter(70, 2_000)).await?;
    report(repository, &meter(50, 1_000)).await?; // late
    let stored = Meter::get("c0").consistent().send(repository).await?.context("a meter")?;
    println!("the meter of c0 is at {} calls: the late report of 50 changed nothing", stored.calls);

    for cents in [1_140, 1_140, 99] {
        let payment = Payment { id: "p1".into(), invoice: 1, cents, received: EpochMillis::default() };
        let is_booked = if options.by_hand {
            by_hand::book(repository, &payment).await?
        } else {
            tasks::book(repository, &payment).await?
        };
        println!("payment p1 of {cents} cents: {}", if is_booked { "booked" } else { "another payment has this id" });
    }
    Ok(())
}

async fn closing(repository: &Repository, faults: &Faults, options: &Options) -> Result<()> {
    let lock = Lock::new("closing").lease(Duration::from_secs(1));
    let close = async || {
        if options.by_hand {
            by_hand::close(repository, "2026-11", &lock).await
        } else {
            tasks::close(repository, "2026-11", &lock).await
        }
    };
    // An embedded engine that answers at once would leave the heartbeats no time.
    faults.latency(Duration::ZERO, Duration::from_millis(1));
    // The host dies in the middle. The next one waits for the end of its lease, and continues.
    faults.on_request(options.customers as usize, SentRequest::is_write, Fault::DiesAfter);
    tokio::select! {
        closed = close() => closed?,
        () = faults.stopped() => println!("the first host died, holding the lock"),
    }
    faults.go_on();
    let begun = Instant::now();
    close().await?;
    println!("the second host has closed the month, after {:.1?}", begun.elapsed());
    Ok(())
}
