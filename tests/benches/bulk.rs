//! Runs over many items: `cargo bench -p dyno-tests --bench bulk`, with `DYNO_ROWS=1000000` for a million. Each run is at a table of
//! the embedded engine, in a file.
//!
//! - the memory of the process while a run goes on: it must not grow with the rows that are done;
//! - requests, units and time of `modify_each`, beside the same by hand: a scan, and an update with a condition on the version for
//!   each item;
//! - the units that a paced run uses each second, beside the pace.

#![allow(missing_docs, clippy::print_stdout, reason = "a bench prints, and is not documented item by item")]
#![allow(clippy::cast_precision_loss, reason = "counts are below 2^52")]

use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::types::{AttributeValue, ConsumedCapacity, ReturnConsumedCapacity};
use dyno::json_lines::Table;
use dyno::local::Engine;
use dyno::{Entity, Pace, Repository, SendMany};
use futures_util::stream::{StreamExt as _, iter};
use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Entity, Clone, Debug)]
#[entity(table = "readings")]
struct Reading {
    #[partition_key]
    id: u64,
    sensor: String,
    value: u64,
    #[version]
    version: u64,
}

/// The entity of the table that the file is imported into.
#[derive(Entity, Clone, Debug)]
#[entity(table = "copies")]
struct Copied {
    #[partition_key]
    id: u64,
}

fn reading(id: u64) -> Reading {
    Reading { id, sensor: format!("sensor {}", id % 100), value: id, version: 0 }
}

/// The resident memory of the process, in kilobytes; 0 where it is not known.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or_default()
}

/// The memory at the ten tenths of a run.
struct Memory {
    rows: u64,
    seen: Vec<u64>,
}

impl Memory {
    fn new(rows: u64) -> Self {
        Self { rows, seen: Vec::new() }
    }

    fn at(&mut self, row: u64) {
        if row >= self.rows * (self.seen.len() as u64 + 1) / 10 {
            self.seen.push(memory());
        }
    }

    fn text(&self) -> String {
        let megabytes: Vec<String> = self.seen.iter().map(|kilobytes| format!("{}", kilobytes / 1024)).collect();
        megabytes.join(" ")
    }
}

fn row(run: &str, start: Instant, repository: &Repository, memory: &Memory) {
    let usage = repository.usage();
    println!(
        "{run:<28} {:>9} requests {:>11.1} read units {:>10.0} write units {:>7.1} s   MB: {}",
        usage.requests,
        usage.read_units,
        usage.write_units,
        start.elapsed().as_secs_f64(),
        memory.text()
    );
}

#[tokio::main]
async fn main() {
    let rows: u64 = env::var("DYNO_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(10_000);
    let file = |name: &str| Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let (database, lines) = (file("bulk.db"), file("bulk.jsonl"));
    let _no_file = fs::remove_file(&database);
    let engine = Engine::in_file(&database).expect("an engine");
    let repository = Repository::new(engine.client());
    repository.create_table::<Reading>().await.expect("a table");
    repository.create_table::<Copied>().await.expect("a table");
    println!("{rows} rows; the memory of the process at each tenth of a run");
    fill(&repository, rows).await;
    modify(&repository, rows).await;
    by_hand(&repository, rows).await;
    export(&repository, rows, &lines).await;
    import(&repository, rows, &lines).await;
    pace(&repository).await;
    delete(&repository, rows).await;
    for path in [database, lines] {
        fs::remove_file(path).expect("removed");
    }
}

async fn fill(repository: &Repository, rows: u64) {
    let (repository, start, mut memory) = (repository.metered(), Instant::now(), Memory::new(rows));
    let mut sent = SendMany::new("readings", (0..rows).map(|id| reading(id).create())).send(&repository);
    while let Some(one) = sent.next().await {
        one.result.expect("sent").applied().expect("applied");
        memory.at(one.number + 1);
    }
    row("create each (SendMany)", start, &repository, &memory);
}

async fn modify(repository: &Repository, rows: u64) {
    let (repository, start, mut memory) = (repository.metered(), Instant::now(), Memory::new(rows));
    let run = Reading::scan().modify_each(|reading| reading.value += 1);
    let run = run.on_progress(|progress| memory.at(progress.changed())).send(&repository).await;
    let done = run.expect("sent").completed().expect("no failure");
    assert_eq!(done.changed(), rows);
    row("modify_each", start, &repository, &memory);
}

/// The run by the SDK alone, with as many updates under way as `modify_each` has: one.
async fn by_hand(repository: &Repository, rows: u64) {
    let (client, start, mut memory) = (repository.client(), Instant::now(), Memory::new(rows));
    let (mut requests, mut read, mut written, mut done, mut from) = (0_u64, 0.0, 0.0, 0, None);
    loop {
        let scan = client.scan().table_name("readings").set_exclusive_start_key(from);
        let page = scan.return_consumed_capacity(ReturnConsumedCapacity::Total).send().await.expect("a page");
        requests += 1;
        read += units(page.consumed_capacity.as_ref());
        for item in page.items.unwrap_or_default() {
            requests += 1;
            written += update_by_hand(client, &item["id"], &item["version"]).await;
            done += 1;
            memory.at(done);
        }
        from = page.last_evaluated_key;
        if from.is_none() {
            break;
        }
    }
    assert_eq!(done, rows);
    println!(
        "{:<28} {requests:>9} requests {read:>11.1} read units {written:>10.0} write units {:>7.1} s   MB: {}",
        "modify each, by hand",
        start.elapsed().as_secs_f64(),
        memory.text()
    );
}

async fn update_by_hand(client: &Client, id: &AttributeValue, version: &AttributeValue) -> f64 {
    let update = client.update_item().table_name("readings").key("id", id.clone());
    let update = update.update_expression("SET #value = #value + :one, #version = #version + :one");
    let update = update.condition_expression("#version = :version");
    let update = update.expression_attribute_names("#value", "value").expression_attribute_names("#version", "version");
    let update = update.expression_attribute_values(":one", AttributeValue::N("1".to_owned()));
    let update = update.expression_attribute_values(":version", version.clone());
    let updated = update.return_consumed_capacity(ReturnConsumedCapacity::Total).send().await.expect("an update");
    units(updated.consumed_capacity.as_ref())
}

fn units(consumed: Option<&ConsumedCapacity>) -> f64 {
    consumed.and_then(|consumed| consumed.capacity_units).unwrap_or_default()
}

async fn export(repository: &Repository, rows: u64, file: &PathBuf) {
    let (repository, start, mut memory) = (repository.metered(), Instant::now(), Memory::new(rows));
    let table = Table::describe(&repository, "readings").await.expect("a table");
    let mut file = BufWriter::new(fs::File::create(file).expect("a file"));
    let mut lines = table.export().stream(&repository);
    let mut count = 0;
    while let Some(line) = lines.next().await {
        writeln!(file, "{}", line.expect("a line")).expect("written");
        count += 1;
        memory.at(count);
    }
    file.flush().expect("written");
    assert_eq!(count, rows);
    row("export", start, &repository, &memory);
}

async fn import(repository: &Repository, rows: u64, file: &PathBuf) {
    let (repository, start, mut memory) = (repository.metered(), Instant::now(), Memory::new(rows));
    let table = Table::describe(&repository, "copies").await.expect("a table");
    let lines = BufReader::new(fs::File::open(file).expect("a file")).lines();
    let lines = iter(lines.map(move |line| line.map(|line| table.import(&line))));
    let mut sent = SendMany::of_stream("bulk.jsonl", lines.boxed()).send(&repository);
    while let Some(one) = sent.next().await {
        one.result.expect("imported");
        memory.at(one.number + 1);
    }
    row("import", start, &repository, &memory);
}

/// A run of ten seconds at most at 100 write units a second. The first second's units may be spent at once.
async fn pace(repository: &Repository) {
    let pace = 100.0;
    let repository = repository.metered();
    let paced = repository.paced(Pace::new().write_units(pace));
    let start = Instant::now();
    let query = Reading::scan().filter(Reading::fields().id.lt(1_000));
    let done = query.modify_each(|reading| reading.value += 1).send(&paced).await.expect("sent");
    let done = done.completed().expect("no failure").changed();
    let seconds = start.elapsed().as_secs_f64();
    let used = repository.usage().write_units;
    println!(
        "{:<28} {done:>9} changes, {used:.0} write units in {seconds:.1} s: {:.1} a second; the pace is {pace} a second",
        "modify_each, paced",
        used / seconds
    );
}

async fn delete(repository: &Repository, rows: u64) {
    let (repository, start, mut memory) = (repository.metered(), Instant::now(), Memory::new(rows));
    let run = Reading::scan().delete_each();
    let run = run.on_progress(|progress| memory.at(progress.changed())).send(&repository).await;
    assert_eq!(run.expect("sent").completed().expect("no failure").changed(), rows);
    row("delete_each", start, &repository, &memory);
}
