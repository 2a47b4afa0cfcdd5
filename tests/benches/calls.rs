//! What a call costs before it reaches the network, as ratios of times within one run:
//! `cargo bench -p dyno-tests --bench calls`.
//!
//! Each call is made by dyno, and by the SDK with handwritten code. The answers are canned. (`dyno_tests::turns` describes
//! the timing.) For a profile, `calls <call> <times>` repeats one call `<times>` times.

#![allow(missing_docs, clippy::print_stdout, reason = "a bench prints, and is not documented item by item")]

use dyno::Repository;
use dyno_tests::calls::{self, RatchetedCustomer};
use dyno_tests::customer::Customer;
use dyno_tests::turns;
use std::env;
use std::time::Duration;
use tokio::runtime::Builder;

/// How long all turns of one call take together.
const TIME: Duration = Duration::from_secs(6);

fn main() {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let client = calls::client();
    let repository = Repository::new(client.clone());
    let (customer, ratcheted) = (Customer::sample(), RatchetedCustomer::sample());
    let call = |name: &str| runtime.block_on(calls::call(name, &client, &repository, &customer, &ratcheted));
    let arguments: Vec<String> = env::args().collect();
    if let [_, name, times] = &arguments[..] {
        return (0..times.parse().expect("a number")).for_each(|_| call(name));
    }
    for name in ["put", "ratcheted put", "get", "delete", "update", "query of 100"] {
        println!("\n{name}");
        let by_hand = format!("{name} by hand");
        let by_hand: &dyn Fn() = &|| call(&by_hand);
        turns::print_ratios(&[("by hand", by_hand), ("by hand again", by_hand), ("dyno", &|| call(name))], TIME);
    }
}
