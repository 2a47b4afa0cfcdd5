//! What the library costs, in instructions: `cargo bench -p dyno-tests --bench instructions`, with valgrind. Unlike times,
//! these counts depend neither on noise nor on the layout of the code.
//!
//! - encoding and decoding an entity of ten fields, against handwritten code and against `serde_dynamo`;
//! - `put().send()` against the same call of the SDK, and against this call with an interceptor that watches the attempts, so
//!   that it could tell whether a failed write may have been applied;
//! - a get, an update of three attributes, a search of a vector index, and a scan of a page of 100 items, against the same calls
//!   of the SDK with handwritten code;
//! - a `modify`, and writes of several rows, against the same by hand;
//! - an interactive transaction of two creates, native and client-side;
//! - for put, update, get and modify, the functions that a call enters, and the text that it touches, in lines of 64 bytes.
//!
//! `../hygiene/weight.txt` has the bounds of put, get and update. The bench fails if one is exceeded.
//!
//! The answers are canned, because the cost of an engine would hide the cost of the call. Each subject runs under callgrind
//! twice, with few and with many repetitions. The difference is the cost of the subject without the start of the process.

#![allow(missing_docs, clippy::print_stdout, reason = "a bench prints, and is not documented item by item")]

use aws_smithy_runtime_api::client::orchestrator::OrchestratorError;
use dyno::aws_sdk_dynamodb::config::interceptors::{
    BeforeTransmitInterceptorContextRef, FinalizerInterceptorContextRef,
};
use dyno::aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents as Components};
use dyno::aws_sdk_dynamodb::error::BoxError;
use dyno::{Entity, Item, Repository, Transaction};
use dyno_tests::calls::{self, RatchetedCustomer};
use dyno_tests::customer::{Customer, decode_by_hand, encode_by_hand};
use std::collections::HashSet;
use std::hint::black_box;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, mem};
use tokio::runtime::Builder;

const RATIOS: [(&str, &str, &str, u32); 12] = [
    ("encode and decode / by hand", "codec", "codec by hand", 2000),
    ("encode and decode by serde_dynamo / dyno", "codec by serde_dynamo", "codec", 2000),
    ("put().send() / the SDK's call", "put", "put by hand", 300),
    ("put().send() / the SDK's call, watched", "put", "put by hand, watched", 300),
    ("get().send() / the SDK's call", "get", "get by hand", 300),
    ("update of three attributes / the SDK's call", "update", "update by hand", 300),
    ("modify / the SDK's calls", "modify", "modify by hand", 200),
    ("a put with an atomic history / by hand", "atomic history", "atomic history by hand", 200),
    ("a create with a unique value / by hand", "unique value", "unique value by hand", 200),
    ("a closure of two items, native / by hand", "closure of two items", "closure of two items by hand", 200),
    ("search by a vector of 256 dimensions / the SDK's call, decoded by hand", "search", "search by hand", 100),
    ("scan of a page of 100 items / the SDK's call, decoded by hand", "scan", "scan by hand", 50),
];

const ALONE: [(&str, &str, u32); 2] = [
    ("interactive transaction of two creates, native", "native", 100),
    ("interactive transaction of two creates, client-side", "client-side", 100),
];

fn main() {
    let arguments: Vec<String> = env::args().collect();
    if let [_, subject, times] = &arguments[..]
        && let Ok(times) = times.parse()
    {
        return run(subject, times);
    }
    for (name, one, other, times) in RATIOS {
        match (instructions(one, times), instructions(other, times)) {
            (Some(instructions), Some(by_hand)) => {
                let ratio = f64::from(instructions) / f64::from(by_hand);
                println!("{name}: {ratio:.3} ({instructions} / {by_hand} instructions)");
                let bound = bound(one).filter(|_| other == format!("{one} by hand"));
                assert!(
                    bound.is_none_or(|bound| ratio <= bound),
                    "{one}: the bound in hygiene/weight.txt is {bound:?}"
                );
            }
            _ => not_counted(name),
        }
    }
    for (name, subject, times) in ALONE {
        match instructions(subject, times) {
            Some(count) => println!("{name}: {count} instructions"),
            None => not_counted(name),
        }
    }
    for subject in ["put", "update", "get", "modify"] {
        let by_hand = format!("{subject} by hand");
        match (footprint(subject), footprint(&by_hand)) {
            (Some(dyno), Some(by_hand)) => println!(
                "{subject}: enters {} functions and touches {} KB of text; by hand {} and {} KB",
                dyno.0, dyno.1, by_hand.0, by_hand.1
            ),
            _ => not_counted(subject),
        }
    }
}

/// Returns how many functions a run of a subject enters, and how many KB of text it touches: what is executed in each run.
fn footprint(subject: &str) -> Option<(usize, usize)> {
    const TIMES: u64 = 100;
    let file = env::temp_dir().join(format!("dyno-footprint-{}", std::process::id()));
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--dump-instr=yes", "--compress-strings=no", "--compress-pos=no"]);
    valgrind.arg(format!("--callgrind-out-file={}", file.display()));
    let output = valgrind.arg(env::current_exe().ok()?).args([subject, &TIMES.to_string()]).output().ok()?;
    assert!(output.status.success(), "{subject}");
    let counts = fs::read_to_string(&file).ok()?;
    drop(fs::remove_file(file));
    let (mut functions, mut lines) = (HashSet::new(), HashSet::new());
    let (mut function, mut is_of_callee) = ("", false);
    for line in counts.lines() {
        if let Some(name) = line.strip_prefix("fn=") {
            function = name;
        } else if line.starts_with("calls=") {
            // The next line has the cost of what is called.
            is_of_callee = true;
        } else if let Some(address) = line.strip_prefix("0x")
            && !mem::take(&mut is_of_callee)
        {
            let mut parts = address.split(' ');
            let address = u64::from_str_radix(parts.next()?, 16).ok()?;
            if parts.next_back()?.parse::<u64>().ok()? >= TIMES {
                functions.insert(function);
                lines.insert(address / 64);
            }
        }
    }
    Some((functions.len(), lines.len() * 64 / 1024))
}

fn not_counted(name: &str) {
    println!("{name}: not counted, since `valgrind` does not run here (Debian: `apt-get install valgrind`)");
}

/// Returns the bound of a subject, if it has one.
fn bound(subject: &str) -> Option<f64> {
    let bounds = include_str!("../hygiene/weight.txt").lines();
    let mut bounds = bounds.filter_map(|line| line.strip_prefix(subject)?.strip_prefix(' ')?.parse::<f64>().ok());
    bounds.next().map(|thousandths| thousandths / 1000.0)
}

/// Returns how many instructions one run of a subject takes.
fn instructions(subject: &str, times: u32) -> Option<u32> {
    let few = times / 10;
    let difference = count(subject, few + times)?.checked_sub(count(subject, few)?)?;
    u32::try_from(difference / u64::from(times)).ok()
}

/// Returns how many instructions the whole process takes, as callgrind reports at its end.
fn count(subject: &str, times: u32) -> Option<u64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let output = valgrind.arg(env::current_exe().ok()?).args([subject, &times.to_string()]).output().ok()?;
    let said = String::from_utf8(output.stderr).ok()?;
    assert!(output.status.success(), "{subject}: {said}");
    said.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
}

fn run(subject: &str, times: u32) {
    let customer = Customer::sample();
    let codec: fn(&Customer) -> Option<Customer> = match subject {
        "codec" => |customer| Customer::from_item(customer.__encode().ok()?).ok(),
        "codec by hand" => |customer| decode_by_hand(encode_by_hand(customer)),
        "codec by serde_dynamo" => by_serde,
        _ => return calls(subject, &customer, times),
    };
    for _ in 0..times {
        assert!(black_box(codec(black_box(&customer))).is_some());
    }
}

fn by_serde(customer: &Customer) -> Option<Customer> {
    let item: Item = serde_dynamo::to_item(customer).ok()?;
    serde_dynamo::from_item(item).ok()
}

fn calls(subject: &str, customer: &Customer, times: u32) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let client = calls::client();
    let repository = Repository::new(client.clone());
    let ratcheted = RatchetedCustomer::sample();
    runtime.block_on(async {
        for _ in 0..times {
            match subject {
                "put by hand, watched" => {
                    let watch = Watch::default();
                    let put = calls::put_by_hand(&client, customer).customize().interceptor(watch.clone());
                    drop(put.send().await.expect("a put"));
                    black_box(watch.0.load(Ordering::SeqCst));
                }
                "native" | "client-side" => {
                    let two = Transaction::interactive(|tx| async move {
                        tx.put([1, 2].map(|number| Account { number, balance: 7, version: 0 }.create()));
                        Ok(())
                    });
                    let two = if subject == "native" { two.native() } else { two.client_side() };
                    two.send(&repository).await.expect("sent").applied().expect("applied");
                }
                _ => calls::call(subject, &client, &repository, customer, &ratcheted).await,
            }
        }
    });
}

#[derive(Entity)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    number: u64,
    balance: i64,
    #[version]
    version: u64,
}

/// Counts the attempts that may have been applied.
#[derive(Clone, Debug, Default)]
struct Watch(Arc<AtomicU32>);

impl Intercept for Watch {
    fn name(&self) -> &'static str {
        "Watch"
    }

    fn read_before_transmit(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &Components,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn read_after_attempt(
        &self,
        attempt: &FinalizerInterceptorContextRef<'_>,
        _: &Components,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if attempt.output_or_error().and_then(Result::err).is_some_and(OrchestratorError::is_operation_error) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
        Ok(())
    }
}
