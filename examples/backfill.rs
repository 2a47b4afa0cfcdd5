//! A table changes its shape while it is in use. Writers keep writing, some of them programs that know only the older
//! shape, and a backfill brings every row up to date. The backfill is stopped several times and resumes from its checkpoint.
//!
//! `cargo run --example backfill` shows the progress as a bar. In the end, every row must have the new shape, and every visit
//! must be counted.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use anyhow::{Context as _, Result};
use clap::Parser;
use dyno::local::{Engine, Faults};
use dyno::{Checkpoint, Entity, Item, Progress, Reason, Repository};
use indicatif::{ProgressBar, ProgressStyle};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinSet;

/// Brings the rows of a table up to date while others write them.
#[derive(Parser)]
struct Options {
    /// Number of people
    #[arg(long, default_value_t = 1_000)]
    people: u64,
    /// Number of segments that are read at once
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    segments: u32,
    /// Number of concurrent writers
    #[arg(long, default_value_t = 20)]
    writers: usize,
    /// Number of items after which the backfill is stopped
    #[arg(long, default_value_t = 350, value_parser = clap::value_parser!(u64).range(1..))]
    stop_after: u64,
}

/// A person in the older shape.
#[derive(Entity)]
#[entity(table = "people", schema_version = 1)]
struct FirstPerson {
    #[partition_key]
    id: u64,
    name: String,
    #[attribute(rename = "mail")]
    email: String,
    visits: u64,
}

/// A person in the current shape: the name is in two fields, the address has a better name, and there is a language.
#[derive(Entity)]
#[entity(table = "people", schema_version = 2, upgrade = "split_name")]
struct Person {
    #[partition_key]
    id: u64,
    first: String,
    last: String,
    #[attribute(alias = "mail")]
    email: String,
    visits: u64,
    #[attribute(default = "english")]
    language: String,
}

fn english() -> String {
    "en".to_owned()
}

/// Upgrades a row of schema version 1 to version 2.
fn split_name(item: &mut Item, _from: u32) -> Result<(), &'static str> {
    let name = item.remove("name").ok_or("a person without a name")?;
    let name = name.as_s().map_err(|_| "a name that is no text")?;
    let (first, last) = name.split_once(' ').unwrap_or((name, ""));
    for (attribute, part) in [("first", first), ("last", last)] {
        let part = dyno::aws_sdk_dynamodb::types::AttributeValue::S(part.to_owned());
        item.insert(attribute.to_owned(), part);
    }
    Ok(())
}

/// Counts visits until `stop` is set: as an old program, or as a new one where the old one is refused.
async fn visit(repository: Repository, people: u64, stop: Arc<AtomicBool>, visits: Arc<AtomicU64>) -> Result<()> {
    while !stop.load(Ordering::Relaxed) {
        let id = rand::random_range(0..people);
        let old = FirstPerson::update(id).with(FirstPerson::fields().visits.add(1)).send(&repository).await?;
        let newer = old.refusal().is_some_and(|refusal| matches!(refusal.reasons(), [Reason::Newer { .. }]));
        if newer {
            // The row has the new shape by now, so the new program takes the old one's place.
            let new = Person::update(id).with(Person::fields().visits.add(1)).send(&repository).await?;
            let on_its_way =
                new.refusal().is_some_and(|refusal| matches!(refusal.reasons(), [Reason::Outdated { .. }]));
            if on_its_way {
                // The backfill holds the row, and will upgrade it soon.
                tokio::time::sleep(Duration::from_millis(rand::random_range(5..100))).await;
                continue;
            }
            new.applied()?;
        } else {
            old.applied()?;
        }
        visits.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(rand::random_range(5..100))).await;
    }
    Ok(())
}

/// Runs the backfill to its end, or until it has done `stop_after` items.
async fn backfill(
    repository: &Repository,
    options: &Options,
    after: Option<Checkpoint>,
    bar: &ProgressBar,
) -> Result<Result<Progress, Checkpoint>> {
    let reached = Mutex::new(after.clone());
    let begun = bar.position();
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let mut stop = Some(stop);
    let metered = repository.metered();
    let modify = Person::scan().parallel(options.segments).modify_each(|_| ()).after(after).on_progress(|progress| {
        let usage = metered.usage();
        bar.set_position(progress.done_items());
        bar.set_message(format!(
            "{} changed, {} met another writer; in this run {} requests, {} read and {} write units",
            progress.changed(),
            progress.retried(),
            usage.requests,
            usage.read_units,
            usage.write_units
        ));
        // A real backfill would write the checkpoint to a file, now and then.
        *reached.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.checkpoint().clone());
        if progress.done_items() >= begun + options.stop_after
            && let Some(stop) = stop.take()
        {
            let _nobody_waits = stop.send(());
        }
    });
    tokio::select! {
        progress = modify.send(&metered) => return Ok(Ok(progress?)),
        _ = stopped => {}
        pressed = tokio::signal::ctrl_c() => {
            pressed?;
            bar.abandon();
            let reached = reached.into_inner().unwrap_or_else(PoisonError::into_inner);
            anyhow::bail!("interrupted; go on after {}", reached.context("before it began")?);
        }
    }
    // The backfill's future is dropped here, as if the process were killed.
    let reached = reached.into_inner().unwrap_or_else(PoisonError::into_inner);
    let text = reached.context("it was broken off before it began")?.to_string();
    Ok(Err(text.parse()?))
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let options = Options::parse();
    let engine = Engine::in_memory()?;
    let quiet = Repository::new(engine.client());
    quiet.create_table::<Person>().await?;
    for id in 0..options.people {
        let (name, email) = (format!("Ada{id} Lovelace"), format!("ada{id}@example.com"));
        FirstPerson { id, name, email, visits: 0 }.put().send(&quiet).await?;
    }
    // The network takes a little time, so that the progress can be seen.
    let faults = Faults::new();
    faults.latency(Duration::ZERO, Duration::from_millis(2));
    let repository = Repository::new(engine.client_with(&faults));

    let (stop, visits) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let mut writers = JoinSet::new();
    for _ in 0..options.writers {
        writers.spawn(visit(repository.clone(), options.people, Arc::clone(&stop), Arc::clone(&visits)));
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} rows, {per_sec}, {eta} left, {msg}")?;
    let bar = ProgressBar::new(options.people).with_style(style);
    let (mut checkpoint, mut runs) = (None, 1);
    let progress = loop {
        match backfill(&repository, &options, checkpoint.take(), &bar).await? {
            Ok(progress) => break progress,
            Err(reached) => {
                bar.println(format!("broken off; to go on from {} bytes of checkpoint", reached.to_string().len()));
                checkpoint = Some(reached);
                runs += 1;
            }
        }
    };
    stop.store(true, Ordering::Relaxed);
    while let Some(writer) = writers.join_next().await {
        writer??;
    }
    bar.finish_and_clear();
    let progress = progress.completed()?;
    let (done, retried, finished) = (progress.done_items(), progress.retried(), progress.is_finished());
    println!("{done} rows in {runs} runs; {retried} met another writer meanwhile and were done anew");

    let mut people = Person::scan().consistent().stream(&quiet);
    let (mut rows, mut counted) = (0, 0);
    while let Some(person) = people.next().await {
        let person = person?;
        rows += 1;
        counted += person.visits;
        anyhow::ensure!(person.last == "Lovelace" && person.language == "en", "a row has lost something");
        anyhow::ensure!(person.email == format!("ada{}@example.com", person.id), "an address has got lost");
    }
    let outdated = Person::scan().modify_each(|_| ()).send(&quiet).await?.completed()?.changed();
    let visits = visits.load(Ordering::Relaxed);
    println!("{rows} people, {outdated} rows of the older shape left, {visits} visits made and {counted} counted");
    let exact = finished && done == options.people && rows == options.people && outdated == 0 && counted == visits;
    if !exact {
        eprintln!("something is lost");
    }
    Ok(if exact { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
