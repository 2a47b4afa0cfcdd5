//! What transactions cost that compete for the same items: each transaction reads one item and writes it.

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, Repository, Transaction};
use dyno_tests::process::Process;
use dyno_tests::world;
use futures_util::future::join_all;
use tokio::runtime::Builder;
use tokio::time::Instant;

#[derive(Entity, Clone)]
#[entity(table = "counters")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Counter {
    #[partition_key]
    id: String,
    sum: u64,
    #[version]
    version: u64,
}

/// The numbers of workers that run at once.
const WORKERS: [usize; 4] = [1, 4, 16, 64];

/// The least number of transactions that all workers commit together, and that each worker commits.
const COMMITS: (usize, usize) = (64, 4);

/// Which item a transaction updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    One,
    /// One of ten, at random.
    Ten,
    /// The item that belongs to the worker.
    Disjoint,
}

/// What a commit costs.
struct Cost {
    requests: f64,
    /// Commits per second if a request takes 5 ms.
    commits: f64,
}

/// Prints a table of requests per commit, and of commits per second.
pub(crate) fn print() {
    println!("\n| | | 1 worker | 4 | 16 | 64 |\n|---|---|---|---|---|---|");
    for (rows, name) in [(Rows::One, "one item"), (Rows::Ten, "ten items"), (Rows::Disjoint, "an item each")] {
        for (client_side, way) in [(false, "native"), (true, "client-side")] {
            let costs = WORKERS.map(|workers| cost(rows, workers, client_side));
            let cells = costs.map(|Cost { requests, commits }| format!("{requests:.1} ({commits:.0})"));
            println!("| {name} | {way} | {} |", cells.join(" | "));
        }
    }
}

/// Adds 1 to a counter, and retries until the transaction is applied.
async fn add(repository: &Repository, id: &str, client_side: bool) {
    loop {
        let add = Transaction::interactive(|tx| async move {
            let mut counter = tx.get(Counter::get(id)).await?.ok_or("no such counter")?;
            counter.sum += 1;
            tx.put(counter.put());
            Ok(())
        });
        let add = if client_side { add.client_side() } else { add.native() };
        match add.send(repository).await {
            Ok(outcome) => return outcome.applied().expect("applied"),
            Err(error) => assert!(error.is_contended(), "{error:?}"),
        }
    }
}

fn cost(rows: Rows, workers: usize, client_side: bool) -> Cost {
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().expect("a runtime");
    runtime.block_on(async {
        fastrand::seed(1);
        let world = world::<Counter>().await;
        world.create_lanes().await;
        let other = world.other();
        let ids = (0..10).map(|at| format!("shared {at}")).chain((0..workers).map(|worker| format!("own {worker}")));
        for id in ids {
            let counter = Counter { id, sum: 0, version: 0 };
            counter.create().send(&other).await.expect("sent").applied().expect("applied");
        }
        let processes: Vec<Process> = (0..workers).map(|_| world.process(RetryConfig::standard()).along()).collect();
        // The first transaction of a process takes a lane and asks for the keys of the table's indexes, so it is not counted.
        for (worker, process) in processes.iter().enumerate() {
            add(&process.repository, &format!("own {worker}"), true).await;
            process.faults.latency_ms(2, 3);
        }
        let sent = || processes.iter().map(|process| process.faults.events().len()).sum::<usize>();
        let (before, begun, each) = (sent(), Instant::now(), COMMITS.1.max(COMMITS.0 / workers));
        let work = processes.iter().enumerate().map(|(worker, process)| async move {
            for _ in 0..each {
                let id = match rows {
                    Rows::One => "shared 0".to_owned(),
                    Rows::Ten => format!("shared {}", fastrand::usize(..10)),
                    Rows::Disjoint => format!("own {worker}"),
                };
                add(&process.repository, &id, client_side).await;
            }
        });
        join_all(work).await;
        let commits = (each * workers) as f64;
        Cost { requests: (sent() - before) as f64 / commits, commits: commits / begun.elapsed().as_secs_f64() }
    })
}
