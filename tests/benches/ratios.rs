//! What the library costs, as ratios within one run: `cargo bench -p dyno-tests`.
//!
//! - encoding and decoding an entity of ten fields, against code written by hand and against `serde_dynamo`;
//! - `put().send()` on the embedded engine, against the same call of the SDK.
//!
//! Two subjects are timed in turns, a batch of one and a batch of the other, so that the machine's moods meet both.
//! Criterion decides how often and reports the first one's times; the ratios are those of the pairs of batches.

#![allow(missing_docs, clippy::print_stdout, reason = "a bench prints, and is not documented item by item")]

use criterion::Criterion;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use dyno::local::Engine;
use dyno::{Entity as _, Item, Repository};
use dyno_tests::customer::{Customer, decode_by_hand, encode_by_hand};
use std::hint::black_box;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    codec(&mut criterion);
    put(&mut criterion);
    criterion.final_summary();
}

/// Times `one` and `other` in turns and prints the ratio of their times: its median and middle half.
fn compare(criterion: &mut Criterion, name: &str, mut one: impl FnMut(), mut other: impl FnMut()) {
    let mut ratios: Vec<f64> = Vec::new();
    criterion.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let mut total = Duration::ZERO;
            for iteration in 0..iterations {
                let (first, second) = if iteration % 2 == 0 {
                    let first = time(&mut one);
                    (first, time(&mut other))
                } else {
                    let second = time(&mut other);
                    (time(&mut one), second)
                };
                ratios.push(first.as_secs_f64() / second.as_secs_f64());
                total += first;
            }
            total
        });
    });
    if ratios.is_empty() {
        return;
    }
    ratios.sort_by(f64::total_cmp);
    let quantile = |part: usize| ratios[(ratios.len() - 1) * part / 4];
    let (pairs, low, median, high) = (ratios.len(), quantile(1), quantile(2), quantile(3));
    println!("{name}: ratio {median:.3} (middle half {low:.3} to {high:.3}, {pairs} pairs)\n");
}

fn time(run: &mut impl FnMut()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// A batch: long enough for the clock, short enough for turns.
fn batch<T>(times: usize, mut run: impl FnMut() -> T) -> impl FnMut() {
    move || (0..times).for_each(|_| drop(run()))
}

fn codec(criterion: &mut Criterion) {
    let customer = Customer::sample();
    let item = encode_by_hand(&customer);
    assert_eq!(customer.to_item().ok(), Some(item.clone()));
    assert_eq!(decode_by_hand(item), Some(customer.clone()));

    let dyno = || black_box(from_item(to_item(black_box(&customer))));
    let by_hand = || black_box(from_item_by_hand(to_item_by_hand(black_box(&customer))));
    let serde = || black_box(from_item_by_serde(to_item_by_serde(black_box(&customer))));
    compare(criterion, "encode and decode / by hand", batch(100, dyno), batch(100, by_hand));
    compare(criterion, "encode and decode by serde_dynamo / dyno", batch(100, serde), batch(100, dyno));
}

// Each a function of its own, so that no subject is inlined into the loop and another is not.

#[inline(never)]
fn to_item(customer: &Customer) -> Item {
    customer.__encode().expect("encodes")
}

#[inline(never)]
fn from_item(item: Item) -> Customer {
    Customer::from_item(item).expect("decodes")
}

#[inline(never)]
fn to_item_by_hand(customer: &Customer) -> Item {
    encode_by_hand(customer)
}

#[inline(never)]
fn from_item_by_hand(item: Item) -> Customer {
    decode_by_hand(item).expect("decodes")
}

#[inline(never)]
fn to_item_by_serde(customer: &Customer) -> Item {
    serde_dynamo::to_item(customer).expect("encodes")
}

#[inline(never)]
fn from_item_by_serde(item: Item) -> Customer {
    serde_dynamo::from_item(item).expect("decodes")
}

fn put(criterion: &mut Criterion) {
    let runtime: Runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let client = Engine::in_memory().expect("an engine").client();
    let repository = Repository::new(client.clone());
    runtime.block_on(repository.create_table::<Customer>()).expect("a table");
    let customer = Customer::sample();
    let dyno = || runtime.block_on(async { customer.put().send(&repository).await.expect("a put") });
    let by_hand = || runtime.block_on(put_by_hand(&client, &customer));
    compare(criterion, "put().send() / by hand", batch(10, dyno), batch(10, by_hand));
}

async fn put_by_hand(client: &Client, customer: &Customer) {
    let put = client.put_item().table_name("customers").set_item(Some(encode_by_hand(customer)));
    let put = put.return_consumed_capacity(ReturnConsumedCapacity::Total);
    black_box(put.send().await.expect("a put").consumed_capacity);
}
