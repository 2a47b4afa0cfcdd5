//! What a page costs, as ratios of times within one run: `cargo bench -p dyno-tests --bench pages`.
//!
//! A page of a scan is read by the SDK alone, by the SDK with code by hand, by the SDK with `serde_dynamo`, and by dyno. The
//! answers are canned. The subjects take turns, so that the machine's moods meet all; a ratio is the median over the turns, with
//! its middle half. For a profile, `pages <count> <subject> <times>` reads one page with one subject so often. Code by hand runs against itself, too: if that ratio is not near one, the machine is too busy to be believed.

#![allow(missing_docs, clippy::print_stdout, reason = "a bench prints, and is not documented item by item")]

use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use dyno::command::Scan;
use dyno::{Entity, Item, Repository};
use dyno_tests::canned;
use dyno_tests::customer::{Customer, decode_by_hand};
use serde::{Deserialize, de::DeserializeOwned};
use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

/// How long the turns of one page take in all.
const TIME: Duration = Duration::from_secs(8);

/// Beyond these, code by hand is not as fast as itself.
const BELIEVED: std::ops::RangeInclusive<f64> = 0.97..=1.03;

/// An embedding.
#[derive(Entity, Deserialize, Clone, Debug)]
#[entity(table = "customers")]
struct Embedding {
    #[partition_key]
    id: String,
    vector: Vec<f32>,
}

impl Embedding {
    fn by_hand(mut item: Item) -> Option<Self> {
        let number = |value| match value {
            AttributeValue::N(number) => number.parse().ok(),
            _ => None,
        };
        Some(Self {
            id: match item.remove("id")? {
                AttributeValue::S(id) => id,
                _ => return None,
            },
            vector: match item.remove("vector")? {
                AttributeValue::L(numbers) => numbers.into_iter().map(number).collect::<Option<_>>()?,
                _ => return None,
            },
        })
    }
}

fn main() {
    let customer = |note: &str| {
        format!(
            r#"{{"id":{{"S":"c-8f14e45f-ceea"}},"name":{{"S":"Ada Lovelace"}},"email":{{"S":"ada@example.com"}},"note":{{"S":"{note}"}},"age":{{"N":"36"}},"visits":{{"N":"1284337"}},"balance":{{"N":"-12995"}},"score":{{"N":"4.75"}},"active":{{"BOOL":true}},"tags":{{"L":[{{"S":"early"}},{{"S":"analytical"}}]}}}}"#
        )
    };
    let numbers: Vec<_> =
        (0..1024_u16).map(|number| format!(r#"{{"N":"{}"}}"#, f32::from(number) / 1024.0 - 0.5)).collect();
    let embedding = format!(r#"{{"id":{{"S":"e"}},"vector":{{"L":[{}]}}}}"#, numbers.join(","));
    page::<Customer>("1 item of ten fields", 1, &customer("prefers mail"), decode_by_hand);
    page::<Customer>("100 items of ten fields", 100, &customer("prefers mail"), decode_by_hand);
    page::<Customer>("3,000 items of ten fields", 3000, &customer("prefers mail"), decode_by_hand);
    page::<Customer>("100 items of 9.6 KB", 100, &customer(&"a note of 16 char".repeat(560)), decode_by_hand);
    page::<Embedding>("30 vectors of 1,024 numbers", 30, &embedding, Embedding::by_hand);
}

/// Times a page of so many copies of an item.
fn page<E: Entity + DeserializeOwned>(name: &str, count: usize, item: &str, by_hand: fn(Item) -> Option<E>) {
    let items = vec![item; count].join(",");
    let body = format!(
        r#"{{"Count":{count},"ScannedCount":{count},"Items":[{items}],"ConsumedCapacity":{{"TableName":"customers","CapacityUnits":3.0}}}}"#
    );
    println!("\n{name} ({} KB)", body.len() / 1000);
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let client = client(Box::leak(body.into_boxed_str()));
    let repository = Repository::new(client.clone());
    let sdk = |runtime: &Runtime| {
        let scan = client.scan().table_name("customers").return_consumed_capacity(ReturnConsumedCapacity::Total);
        runtime.block_on(scan.send()).expect("a page").items.unwrap_or_default()
    };
    let decoded = |items: Option<Vec<E>>| assert_eq!(black_box(items).map(|items| items.len()), Some(count));
    let from_maps = repository.clone().with_sdk_decoding();
    let dyno = |repository: &Repository| {
        decoded(runtime.block_on(Scan::new().send(repository)).ok().map(|page| page.items));
    };
    let subjects: [(&str, &dyn Fn()); 6] = [
        ("by hand", &|| decoded(sdk(&runtime).into_iter().map(by_hand).collect())),
        ("by hand again", &|| decoded(sdk(&runtime).into_iter().map(by_hand).collect())),
        ("SDK alone", &|| assert_eq!(black_box(sdk(&runtime)).len(), count)),
        ("serde_dynamo", &|| decoded(serde_dynamo::from_items(sdk(&runtime)).ok())),
        ("dyno, decoding by the SDK", &|| dyno(&from_maps)),
        ("dyno", &|| dyno(&repository)),
    ];
    let arguments: Vec<String> = env::args().collect();
    if let [_, page, subject, times] = &arguments[..] {
        let wanted = subjects.iter().find(|(name, _)| page.parse() == Ok(count) && name == subject);
        return (0..times.parse().unwrap_or(0)).for_each(|_| wanted.iter().for_each(|(_, run)| run()));
    }
    let times = turns(&subjects.map(|(_, run)| run));
    for (at, (subject, _)) in subjects.iter().enumerate().skip(1) {
        let mut ratios: Vec<_> = times[0].iter().zip(&times[at]).map(|(by_hand, time)| time / by_hand).collect();
        ratios.sort_by(f64::total_cmp);
        let quantile = |part: usize| ratios[(ratios.len() - 1) * part / 4];
        let (low, median, high) = (quantile(1), quantile(2), quantile(3));
        println!("  {subject} / by hand: {median:.3} (middle half {low:.3} to {high:.3}, {} turns)", ratios.len());
        if *subject == "by hand again" && !BELIEVED.contains(&median) {
            println!("  The machine is too busy: do not believe these ratios.");
        }
    }
}

/// The seconds of each subject in each turn.
fn turns(subjects: &[&dyn Fn()]) -> Vec<Vec<f64>> {
    let time = |run: &dyn Fn(), times: u32| {
        let start = Instant::now();
        (0..times).for_each(|_| run());
        start.elapsed().as_secs_f64()
    };
    for run in subjects {
        time(run, 3);
    }
    // A turn takes a few milliseconds at least.
    let once = time(subjects[0], 3) / 3.0;
    let mut calls = 1;
    while once * f64::from(calls) < 0.004 {
        calls *= 2;
    }
    let mut times = vec![Vec::new(); subjects.len()];
    let start = Instant::now();
    let mut turn = 0;
    while start.elapsed() < TIME {
        for at in 0..subjects.len() {
            let at = (at + turn) % subjects.len();
            times[at].push(time(subjects[at], calls));
        }
        turn += 1;
    }
    times
}

/// A client that answers each request with the same page. The body is not copied, as that of a connection is not.
fn client(body: &'static str) -> Client {
    Client::from_conf(canned::config(move |_| SdkBody::from(Bytes::from_static(body.as_bytes()))).build())
}
