//! Many calls at once: 1,000 tasks on one core and on two, and a steady rate.

use crate::Caller;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

const TASKS: u32 = 1000;
const CALLS_OF_A_TASK: u32 = 20;
const ROUNDS: usize = 5;
/// The calls of a second, and the seconds, of the steady load.
const RATE: u32 = 2000;
const SECONDS: u32 = 2;

pub(crate) fn run(caller: &Caller) {
    for threads in [1, 2] {
        let runtime = Builder::new_multi_thread().worker_threads(threads).enable_all().build().expect("a runtime");
        println!("\n{TASKS} tasks on {threads} threads: puts a second");
        let rates = |is_by_hand| at_once(&runtime, caller, is_by_hand);
        print(&[0; ROUNDS].map(|_| [rates(true), rates(false), rates(true)]), "");
        println!("\n{RATE} puts a second on {threads} threads: 99 of 100 take at most, in ms");
        let slowest = |is_by_hand| steady(&runtime, caller, is_by_hand);
        print(&[0; ROUNDS].map(|_| [slowest(true), slowest(false), slowest(true)]), " ms");
    }
}

/// Prints the medians of the rounds: by hand, by dyno, by hand again.
fn print(rounds: &[[f64; 3]; ROUNDS], unit: &str) {
    let median = |at: usize| {
        let mut values = rounds.map(|round| round[at]);
        values.sort_by(f64::total_cmp);
        values[ROUNDS / 2]
    };
    let [by_hand, dyno, again] = [0, 1, 2].map(median);
    println!(
        "  by hand {by_hand:.2}{unit}, dyno {dyno:.2}{unit} ({:.3}), by hand again {again:.2}{unit}",
        dyno / by_hand
    );
}

/// Returns how many calls a second all tasks make together.
fn at_once(runtime: &Runtime, caller: &Caller, is_by_hand: bool) -> f64 {
    let start = Instant::now();
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for _ in 0..TASKS {
            let caller = caller.clone();
            tasks.spawn_on(
                async move {
                    for _ in 0..CALLS_OF_A_TASK {
                        caller.call("put", is_by_hand).await;
                    }
                },
                runtime.handle(),
            );
        }
        while let Some(ended) = tasks.join_next().await {
            ended.expect("a task");
        }
    });
    f64::from(TASKS * CALLS_OF_A_TASK) / start.elapsed().as_secs_f64()
}

/// Returns the time in milliseconds in which 99 of 100 calls of a steady load are answered. It counts from when a call is due,
/// so that a late start counts, too.
fn steady(runtime: &Runtime, caller: &Caller, is_by_hand: bool) -> f64 {
    let mut times = runtime.block_on(async {
        let mut tasks = JoinSet::new();
        let start = tokio::time::Instant::now();
        for number in 0..RATE * SECONDS {
            let due = start + Duration::from_secs(1) * number / RATE;
            tokio::time::sleep_until(due).await;
            let caller = caller.clone();
            let call = async move {
                caller.call("put", is_by_hand).await;
                due.elapsed().as_secs_f64() * 1e3
            };
            tasks.spawn_on(call, runtime.handle());
        }
        tasks.join_all().await
    });
    times.sort_by(f64::total_cmp);
    times[times.len() * 99 / 100]
}
