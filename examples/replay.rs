//! Many workers at once deliver the history of a repository's files, in any order and partly twice. In the end, the table is
//! compared with the truth.
//!
//! `cargo run --release --example replay` runs in this process. With `--without-ratchet`, it uses plain puts and deletes, to
//! show what goes wrong then.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use anyhow::{Context as _, Result, bail};
use aws_smithy_http_client::tls::{self, rustls_provider::CryptoMode};
use clap::Parser;
use dyno::aws_sdk_dynamodb::Client;
use dyno::{Entity, EpochMillis, Found, Repository};
use dyno_examples::events::{self, Event};
use indicatif::{ProgressBar, ProgressStyle};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;
use tokio::task::JoinSet;

/// A file. Commits of the same millisecond are ordered by their place on the main line.
#[derive(Entity, Clone, Debug)]
#[entity(table = "files")]
#[tombstone(ttl_days = 7)]
struct File {
    #[partition_key]
    path: String,
    mode: String,
    blob: String,
    #[ratchet(tiebreak = "sequence")]
    committed_at: EpochMillis,
    sequence: u64,
}

/// A file without rules.
#[derive(Entity, Clone, Debug)]
#[entity(table = "plain-files")]
struct PlainFile {
    #[partition_key]
    path: String,
    mode: String,
    blob: String,
}

/// Delivers the file changes of a repository out of order and compares the table with the truth.
#[derive(Parser)]
struct Options {
    /// Decides the order of delivery, and which events are delivered twice
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of workers that deliver at once
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..))]
    workers: u16,
    /// A CSV file of events. The default has those of serde's repository
    #[arg(long, value_name = "FILE", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/data/serde-file-events.csv"))]
    events: PathBuf,
    /// Leave out rows of the file that are not events, instead of stopping before anything is written
    #[arg(long)]
    skip_bad: bool,
    /// Use plain puts and deletes, to see what goes wrong
    #[arg(long)]
    without_ratchet: bool,
    /// A DynamoDB endpoint, instead of the database in this process. The table is created there, and must be empty
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
}

/// The results of the deliveries, counted.
#[derive(Default)]
struct Counts {
    applied: AtomicU64,
    stale: AtomicU64,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let options = Options::parse();
    let (events, bad) = events::read(&options.events)?;
    for row in &bad {
        eprintln!("{row}");
    }
    if !bad.is_empty() && !options.skip_bad {
        bail!("{} bad rows, and nothing was written: mend them, or leave them out with --skip-bad", bad.len());
    }
    let repository = repository(options.endpoint.as_deref()).await?;
    if options.without_ratchet {
        repository.create_table::<PlainFile>().await?;
    } else {
        repository.create_table::<File>().await?;
    }
    refuse_used_table(&repository, options.without_ratchet).await?;

    let deliveries = deliveries(&events, options.seed);
    let events = Arc::new(events);
    let started = Instant::now();
    let metered = repository.metered();
    let counts = deliver(&metered, &options, Arc::clone(&events), Arc::new(deliveries.clone())).await?;
    let seconds = started.elapsed().as_secs_f64();

    let (found, tombstones) = table(&repository, options.without_ratchet).await?;
    let wrong = wrong_rows(&events::truth(&events), &found);
    let (usage, duplicates) = (metered.usage(), deliveries.len() - events.len());
    let (applied, stale) = (counts.applied.load(Ordering::Relaxed), counts.stale.load(Ordering::Relaxed));
    for (name, value) in [
        ("applied", applied.to_string()),
        ("stale", stale.to_string()),
        ("duplicates", duplicates.to_string()),
        ("tombstones", tombstones.to_string()),
        ("requests", usage.requests.to_string()),
        ("write capacity", format!("{} units", usage.write_units)),
        ("seconds", format!("{seconds:.2}")),
        ("wrong rows", wrong.len().to_string()),
    ] {
        println!("{name:<15} {value:>12}");
    }
    for row in wrong.iter().take(5).filter(|_| !options.without_ratchet) {
        eprintln!("{row}");
    }
    Ok(if wrong.is_empty() || options.without_ratchet { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn repository(endpoint: Option<&str>) -> Result<Repository> {
    let Some(endpoint) = endpoint else { return Ok(Repository::local().await?) };
    let provider = tls::Provider::Rustls(CryptoMode::Ring);
    let http = aws_smithy_http_client::Builder::new().tls_provider(provider).build_https();
    let region = aws_config::meta::region::RegionProviderChain::default_provider().or_else("us-east-1");
    let config = aws_config::defaults(aws_config::BehaviorVersion::latest());
    let config = config.http_client(http).region(region).endpoint_url(endpoint).load().await;
    Ok(Repository::new(Client::new(&config)))
}

/// Refuses a table that is not empty, because rows of another run would be compared with the truth of this one.
async fn refuse_used_table(repository: &Repository, without_ratchet: bool) -> Result<()> {
    let (found, tombstones) =
        table(repository, without_ratchet).await.context("the table must be one of this example")?;
    if !found.is_empty() || tombstones > 0 {
        bail!("the table is not empty: delete it first");
    }
    Ok(())
}

/// Returns the indices of the events in random order: every event once, and a tenth of them twice.
fn deliveries(events: &[Event], seed: u64) -> Vec<usize> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut deliveries: Vec<usize> = (0..events.len()).collect();
    let twice: Vec<usize> = deliveries.sample(&mut random, events.len() / 10).copied().collect();
    deliveries.extend(twice);
    deliveries.shuffle(&mut random);
    deliveries
}

/// Delivers the events by several workers. Each worker takes the next event that no other worker has taken.
async fn deliver(
    repository: &Repository,
    options: &Options,
    events: Arc<Vec<Event>>,
    deliveries: Arc<Vec<usize>>,
) -> Result<Arc<Counts>> {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} events, {per_sec}, {eta} left")?;
    let bar = ProgressBar::new(deliveries.len() as u64).with_style(style);
    let counts = Arc::new(Counts::default());
    let next = Arc::new(AtomicUsize::new(0));
    let mut workers = JoinSet::new();
    for _ in 0..options.workers {
        let (repository, events, deliveries) = (repository.clone(), Arc::clone(&events), Arc::clone(&deliveries));
        let (counts, next, bar) = (Arc::clone(&counts), Arc::clone(&next), bar.clone());
        let without_ratchet = options.without_ratchet;
        workers.spawn(async move {
            while let Some(index) = deliveries.get(next.fetch_add(1, Ordering::Relaxed)) {
                let event = events[*index].clone();
                let applied = if without_ratchet {
                    write_plain(&repository, event).await?;
                    true
                } else {
                    write(&repository, event).await?
                };
                let count = if applied { &counts.applied } else { &counts.stale };
                count.fetch_add(1, Ordering::Relaxed);
                bar.inc(1);
            }
            anyhow::Ok(())
        });
    }
    while let Some(worker) = workers.join_next().await {
        worker??;
    }
    bar.finish_and_clear();
    Ok(counts)
}

/// Writes one event. Returns whether it was applied; otherwise it was stale.
async fn write(repository: &Repository, event: Event) -> Result<bool> {
    let Event { sequence, committed_at, path, content } = event;
    let outcome = match content {
        Some(content) => {
            let file = File { path, mode: content.mode, blob: content.blob, committed_at, sequence };
            file.put().send(repository).await?
        }
        None => File::delete(path, (committed_at, sequence)).send(repository).await?,
    };
    Ok(outcome.accept_stale()?.is_some())
}

async fn write_plain(repository: &Repository, event: Event) -> Result<()> {
    match event.content {
        Some(content) => {
            let file = PlainFile { path: event.path, mode: content.mode, blob: content.blob };
            file.put().send(repository).await?;
        }
        None => PlainFile::delete(event.path).send(repository).await?,
    }
    Ok(())
}

/// Returns the live files of the table by path, and the number of tombstones.
async fn table(repository: &Repository, without_ratchet: bool) -> Result<(BTreeMap<String, String>, usize)> {
    if without_ratchet {
        let files = PlainFile::scan().consistent().stream(repository).try_collect().await?;
        return Ok((files.into_iter().map(|file| (file.path, file.blob)).collect(), 0));
    }
    let found = File::scan().consistent().include_deleted().stream(repository).try_collect().await?;
    let items = found.len();
    let live = found.into_iter().filter_map(Found::live);
    let live: BTreeMap<String, String> = live.map(|file| (file.path, file.blob)).collect();
    let tombstones = items - live.len();
    Ok((live, tombstones))
}

/// Returns a line for every path whose row is wrong.
fn wrong_rows(truth: &BTreeMap<&str, Option<&str>>, found: &BTreeMap<String, String>) -> Vec<String> {
    let wrong = truth.iter().filter_map(|(path, expected)| {
        let found = found.get(*path).map(String::as_str);
        (found != *expected).then(|| format!("{path}: expected {expected:?}, found {found:?}"))
    });
    let unknown = found.keys().filter(|path| !truth.contains_key(path.as_str()));
    wrong.chain(unknown.map(|path| format!("{path}: expected nothing"))).collect()
}
