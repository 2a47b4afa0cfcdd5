//! What the library costs, as ratios within one run: `cargo bench -p dyno-tests`.
//!
//! - encoding and decoding an entity of ten fields, against handwritten code and against `serde_dynamo`;
//! - encoding an entity with nested documents, against handwritten code;
//! - `put().send()` on the embedded engine, against the same call of the SDK.
//!
//! Two subjects are timed in turns, a batch of one and a batch of the other, so that changes in the machine's speed affect
//! both. Criterion chooses the number of turns and reports the times of the first subject. The ratios are those of the pairs
//! of batches.

#![allow(missing_docs, clippy::print_stdout, reason = "a bench prints, and is not documented item by item")]

use criterion::Criterion;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use dyno::local::Engine;
use dyno::{Document, Entity, Item, Repository};
use dyno_tests::customer::{Customer, decode_by_hand, encode_by_hand};
use std::hint::black_box;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    codec(&mut criterion);
    nested(&mut criterion);
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

/// Returns a batch of runs, long enough to be timed and short enough to take turns.
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
    let encode = || black_box(to_item(black_box(&customer)));
    let encode_by_hand = || black_box(to_item_by_hand(black_box(&customer)));
    compare(criterion, "encode / by hand", batch(100, encode), batch(100, encode_by_hand));
    compare(criterion, "encode and decode by serde_dynamo / dyno", batch(100, serde), batch(100, dyno));
}

#[derive(Entity)]
#[entity(table = "orders")]
struct Order {
    #[partition_key]
    id: String,
    ship_to: Address,
    lines: Vec<Line>,
}

#[derive(Document)]
struct Address {
    street: String,
    city: String,
    note: Option<String>,
}

#[derive(Document)]
struct Line {
    product: String,
    count: u32,
    price: Price,
}

#[derive(Document)]
struct Price {
    cents: u64,
    currency: String,
}

impl Order {
    fn sample() -> Self {
        let line = |number: u32| Line {
            product: format!("product {number}"),
            count: number,
            price: Price { cents: 1999, currency: "EUR".to_owned() },
        };
        let ship_to = Address { street: "12 St James's Square".to_owned(), city: "London".to_owned(), note: None };
        Self { id: "o-8f14e45f-ceea".to_owned(), ship_to, lines: (1..6).map(line).collect() }
    }

    fn encode_by_hand(&self) -> Item {
        let mut item = Item::with_capacity(3);
        item.insert("id".to_owned(), AttributeValue::S(self.id.clone()));
        item.insert("ship_to".to_owned(), AttributeValue::M(self.ship_to.encode_by_hand()));
        let lines = self.lines.iter().map(|line| AttributeValue::M(line.encode_by_hand()));
        item.insert("lines".to_owned(), AttributeValue::L(lines.collect()));
        item
    }
}

impl Address {
    fn encode_by_hand(&self) -> Item {
        let mut map = Item::with_capacity(3);
        map.insert("street".to_owned(), AttributeValue::S(self.street.clone()));
        map.insert("city".to_owned(), AttributeValue::S(self.city.clone()));
        if let Some(note) = &self.note {
            map.insert("note".to_owned(), AttributeValue::S(note.clone()));
        }
        map
    }
}

impl Line {
    fn encode_by_hand(&self) -> Item {
        let mut map = Item::with_capacity(3);
        map.insert("product".to_owned(), AttributeValue::S(self.product.clone()));
        map.insert("count".to_owned(), AttributeValue::N(self.count.to_string()));
        let mut price = Item::with_capacity(2);
        price.insert("cents".to_owned(), AttributeValue::N(self.price.cents.to_string()));
        price.insert("currency".to_owned(), AttributeValue::S(self.price.currency.clone()));
        map.insert("price".to_owned(), AttributeValue::M(price));
        map
    }
}

fn nested(criterion: &mut Criterion) {
    let order = Order::sample();
    assert_eq!(order.to_item().ok(), Some(order.encode_by_hand()));
    let dyno = || black_box(order_to_item(black_box(&order)));
    let by_hand = || black_box(order_to_item_by_hand(black_box(&order)));
    compare(criterion, "encode nested documents / by hand", batch(100, dyno), batch(100, by_hand));
}

#[inline(never)]
fn order_to_item(order: &Order) -> Item {
    order.__encode().expect("encodes")
}

#[inline(never)]
fn order_to_item_by_hand(order: &Order) -> Item {
    order.encode_by_hand()
}

// Each subject is a function of its own that is never inlined, so that the compiler treats all subjects alike.

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
