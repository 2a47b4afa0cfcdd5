//! Kills and stops real processes while they write, on MiniStack: `scripts/kill-processes`.
//!
//! The parent starts workers, which run this same program. It sends SIGKILL and SIGSTOP to them at random times, starts them
//! again, and checks what the tables hold at the end:
//!
//! - *Client-side transactions.* Each one is applied to all of its items or to none. A transaction that reported "applied" is
//!   applied, and a transaction that reported a refusal is not. One order of all transactions explains every item and respects
//!   real time. The first sweep leaves no intent, and the second one writes nothing.
//! - *Locks.* No fence was given to two holders. The writes in a row are in the order of their fences, whatever a stopped
//!   holder sent late. The locks can still be acquired.
//!
//! Workers append each write that they begin, and then its result, to one [journal] file. A process can be killed anywhere
//! between the two, so a write without a result counts as in doubt.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that is run by hand prints")]

mod accounts;
mod journal;
mod killer;
mod locks;
mod scenario;
mod verdict;

use journal::Journal;
use killer::Plan;
use scenario::{SCENARIOS, Scenario};
use std::process::ExitCode;
use std::time::Duration;
use tokio::runtime::Builder;
use verdict::Verdict;

/// The options of the command line.
struct Options {
    /// The time during which processes are killed, over all scenarios.
    seconds: u64,
    /// The seed of the random choices: which process is killed or stopped, and when.
    seed: u64,
    /// The one scenario to run. Without it, all scenarios run.
    only: Option<String>,
}

const USAGE: &str = "usage: scripts/kill-processes [--seconds N] [--seed N] [--only SCENARIO]";

impl Options {
    fn parse(arguments: &[String]) -> Option<Self> {
        let mut options = Self { seconds: 600, seed: 1, only: None };
        for pair in arguments.chunks(2) {
            let [name, value] = pair else { return None };
            match name.as_str() {
                "--seconds" => options.seconds = value.parse().ok()?,
                "--seed" => options.seed = value.parse().ok()?,
                "--only" => options.only = Some(Scenario::named(value)?.name.to_owned()),
                _ => return None,
            }
        }
        Some(options)
    }
}

/// Runs one scenario in a database of its own: writes the first rows, kills workers for this time, and judges the tables.
fn run(scenario: &'static Scenario, options: &Options, time: Duration) -> Verdict {
    let number = SCENARIOS.iter().take_while(|other| other.name != scenario.name).count();
    let database = dyno_tests::access_key(number);
    let journal = std::env::temp_dir().join(format!("kill-processes-{database}"));
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let repository = scenario::repository(&database);
    runtime.block_on(scenario.prepare(&repository));
    let plan = Plan { scenario, database, journal: journal.clone(), seed: options.seed, time };
    let killed = plan.run();
    let lines = Journal::read(&journal);
    let mut verdict = runtime.block_on(scenario.judge(&repository, &lines));
    verdict.wrong.extend(killed.failures);
    (verdict.kills, verdict.stops) = (killed.kills, killed.stops);
    if verdict.wrong.is_empty() {
        std::fs::remove_file(&journal).expect("the journal can be removed");
    } else {
        eprintln!("{}: see {}", scenario.name, journal.display());
    }
    verdict
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let Some(worker) = killer::Worker::parse(&arguments) {
        return worker.run();
    }
    let Some(options) = Options::parse(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    if !dyno_tests::is_remote() {
        eprintln!("processes cannot share the embedded engine: {USAGE}");
        return ExitCode::from(2);
    }
    let chosen: Vec<_> =
        SCENARIOS.iter().filter(|scenario| options.only.as_ref().is_none_or(|only| only == scenario.name)).collect();
    let shares: u64 = chosen.iter().map(|scenario| scenario.share).sum();
    println!("{}", Verdict::HEAD);
    let mut sum = Verdict::default();
    for scenario in chosen {
        let time = Duration::from_millis(options.seconds * 1000 * scenario.share / shares);
        let verdict = run(scenario, &options, time);
        println!("{}", verdict.row(scenario.title));
        for wrong in &verdict.wrong {
            eprintln!("{}: {wrong}", scenario.name);
        }
        sum += verdict;
    }
    println!("{}", sum.row("all"));
    ExitCode::from(u8::from(!sum.wrong.is_empty()))
}
