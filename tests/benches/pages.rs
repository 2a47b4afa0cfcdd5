//! What a page costs, as ratios of times within one run: `cargo bench -p dyno-tests --bench pages`.
//!
//! A page of a scan is read by the SDK alone, by the SDK with handwritten code, by the SDK with `serde_dynamo`, and by dyno.
//! The answers are canned. (`dyno_tests::turns` describes the timing.) For a profile, `pages <page> <subject> <times>` reads
//! one page `<times>` times with one subject, for example `pages "100 items of ten fields" dyno 1000`.

#![allow(missing_docs, clippy::print_stdout, reason = "a bench prints, and is not documented item by item")]

use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use dyno::command::Scan;
use dyno::{Entity, Item, Repository};
use dyno_tests::customer::{Customer, decode_by_hand};
use dyno_tests::{canned, turns};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::env;
use std::hint::black_box;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// How long all turns of one page take together.
const TIME: Duration = Duration::from_secs(8);

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

/// Times a page of `count` copies of an item.
fn page<E: Entity + DeserializeOwned>(name: &str, count: usize, item: &str, by_hand: fn(Item) -> Option<E>) {
    let items = vec![item; count].join(",");
    let body = format!(
        r#"{{"Count":{count},"ScannedCount":{count},"Items":[{items}],"ConsumedCapacity":{{"TableName":"customers","CapacityUnits":3.0}}}}"#
    );
    println!("\n{name} ({} KB)", body.len() / 1000);
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let body: &'static str = Box::leak(body.into_boxed_str());
    let client = client(body);
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
    let subjects: [turns::Subject<'_>; 7] = [
        ("by hand", &|| decoded(sdk(&runtime).into_iter().map(by_hand).collect())),
        ("by hand again", &|| decoded(sdk(&runtime).into_iter().map(by_hand).collect())),
        ("SDK alone", &|| assert_eq!(black_box(sdk(&runtime)).len(), count)),
        ("serde_dynamo", &|| decoded(serde_dynamo::from_items(sdk(&runtime)).ok())),
        ("dyno, decoding by the SDK", &|| dyno(&from_maps)),
        ("dyno", &|| dyno(&repository)),
        // The lower bound for a decoder of the bytes: this subject sends no request and keeps nothing of the items.
        ("serde_json, which only skips the response", &|| {
            black_box(serde_json::from_str::<IgnoredAny>(body).expect("JSON"));
        }),
    ];
    let arguments: Vec<String> = env::args().collect();
    if let [_, page, subject, times] = &arguments[..] {
        let wanted = subjects.iter().find(|(of, _)| page == name && of == subject);
        return (0..times.parse().unwrap_or(0)).for_each(|_| wanted.iter().for_each(|(_, run)| run()));
    }
    turns::print_ratios(&subjects, TIME);
}

/// A client that answers each request with the same page. The body is not copied, because the body from a connection is not
/// copied either.
fn client(body: &'static str) -> Client {
    Client::from_conf(canned::config(move |_| SdkBody::from(Bytes::from_static(body.as_bytes()))).build())
}
