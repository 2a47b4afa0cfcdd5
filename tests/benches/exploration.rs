//! How many runs of two buyers an exploration makes in a second, and how its memory grows: `cargo bench --bench exploration`, and with
//! `-- 1000000` for so many runs of three buyers with three faults.

#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use dyno::local::explore::{Explore, World};
use dyno::{Entity, Repository};
use std::cell::Cell;
use std::error::Error;
use std::time::Instant;

#[derive(Entity)]
#[entity(table = "seats")]
struct Seat {
    #[partition_key]
    number: u32,
    buyer: Option<String>,
    #[version]
    version: u64,
}

async fn sell(repository: &Repository, buyer: &str) -> Result<bool, dyno::Error> {
    let seat = Seat::get(1u32).consistent().send(repository).await?.expect("a seat");
    if seat.buyer.is_some() {
        return Ok(false);
    }
    let sold = Seat { buyer: Some(buyer.to_owned()), ..seat };
    Ok(sold.put().send(repository).await?.is_applied())
}

async fn market(world: &World, buyers: &[&'static str]) -> Result<(), Box<dyn Error>> {
    let repository = world.repository();
    repository.create_table::<Seat>().await?;
    Seat { number: 1, buyer: None, version: 0 }.create().send(&repository).await?.applied()?;
    let process = |buyer: &&'static str| {
        let buyer = *buyer;
        world.process(buyer, async move |repository| sell(&repository, buyer).await)
    };
    let outcomes = world.run(buyers.iter().map(process).collect::<Vec<_>>()).await;
    let sold = outcomes.iter().filter(|outcome| matches!(outcome, Some(Ok(true)))).count();
    assert!(sold <= 1, "the seat was sold twice");
    Ok(())
}

/// The memory of this process, in MB.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = pages.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or_default() * 4096 / 1_000_000
}

fn explore(explore: &Explore, buyers: &[&'static str]) {
    let (begun, made) = (Instant::now(), Cell::new(0));
    let report = explore.check(async |world| {
        made.set(made.get() + 1);
        if made.get() % 100_000 == 0 {
            println!("{} runs, {} MB", made.get(), resident());
        }
        market(&world, buyers).await
    });
    let rate = f64::from(made.get()) / begun.elapsed().as_secs_f64();
    println!("{} buyers: {report}; {rate:.0} runs a second, {} MB", buyers.len(), resident());
}

fn main() {
    let runs = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    explore(&Explore::new().faults(0).every_interleaving(), &["ada", "bob"]);
    explore(&Explore::new(), &["ada", "bob"]);
    explore(&Explore::new().faults(2), &["ada", "bob"]);
    explore(&Explore::new().faults(3).preemptions(3).runs(runs.unwrap_or(5_000)), &["ada", "bob", "eve"]);
}
