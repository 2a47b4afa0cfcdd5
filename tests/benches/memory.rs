//! The memory that a scan of a million small rows takes: `cargo bench -p dyno-tests --bench memory`.
//! (`-- 20000` scans fewer rows.)
//!
//! The rows are in the embedded engine and are read page by page: by the SDK's paginator with handwritten code, by the
//! paginator with `serde_dynamo`, and by dyno's stream. The engine runs in a thread of its own, and only the memory of the
//! reading thread is measured. The reader gets a copy of each response, as from a network connection.

#![allow(missing_docs, clippy::print_stdout, reason = "a bench prints, and is not documented item by item")]

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::command::BatchWrite;
use dyno::local::Engine;
use dyno::{Entity, Item, Repository};
use futures_util::TryStreamExt as _;
use serde::Deserialize;
use std::env;
use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use tokio::runtime::{Builder, Runtime};

#[derive(Entity, Deserialize)]
#[entity(table = "readings")]
struct Reading {
    #[partition_key]
    sensor: String,
    #[sort_key]
    at: u64,
    celsius: f64,
}

fn main() {
    let rows = env::args().find_map(|argument| argument.parse().ok()).unwrap_or(1_000_000);
    let engine = Engine::in_memory().expect("an engine").config();
    let http = engine.clone().build().http_client().expect("the engine");
    let client = Client::from_conf(engine.http_client(EngineThread::start(http)).build());
    let repository = Repository::new(client.clone());
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(fill(&repository, rows));
    // One-time initialization happens with this first page, so it is not measured.
    let first = runtime.block_on(async { Reading::scan().limit(1).send(&repository).await });
    assert_eq!(first.expect("a page").items.len(), 1);
    let subjects: [(&str, &dyn Fn() -> u64); 3] = [
        ("SDK's paginator, by hand", &|| {
            paginate(&runtime, &client, |items| items.into_iter().filter_map(by_hand).count())
        }),
        ("SDK's paginator, serde_dynamo", &|| {
            paginate(&runtime, &client, |items| serde_dynamo::from_items::<_, Reading>(items).expect("rows").len())
        }),
        ("dyno's stream", &|| {
            let rows = Reading::scan().stream(&repository);
            runtime.block_on(rows.try_fold(0, async |count, _: Reading| Ok(count + 1))).expect("rows")
        }),
    ];
    for (name, scan) in subjects {
        let mut count = 0;
        let allocated = allocation_counter::measure(|| count = scan());
        assert_eq!(count, rows, "{name}");
        let [peak, total] = [allocated.bytes_max, allocated.bytes_total].map(|bytes| bytes / 1000);
        println!("{name}: at most {peak} KB at once, {total} KB in all, {} allocations", allocated.count_total);
    }
}

async fn fill(repository: &Repository, rows: u64) {
    repository.create_table::<Reading>().await.expect("a table");
    let reading = |at| Reading { sensor: format!("sensor {}", at % 1000), at, celsius: 21.5 };
    for first in (0..rows).step_by(1000) {
        let puts = (first..rows.min(first + 1000)).map(|at| reading(at).put());
        let written = BatchWrite::new().add_all(puts).send(repository).await.expect("sent");
        written.applied().expect("written");
    }
}

fn paginate(runtime: &Runtime, client: &Client, decode: impl Fn(Vec<Item>) -> usize) -> u64 {
    let mut pages = client.scan().table_name("readings").into_paginator().send();
    let mut count = 0;
    while let Some(page) = runtime.block_on(pages.next()) {
        count += decode(page.expect("a page").items.unwrap_or_default());
    }
    count as u64
}

fn by_hand(mut item: Item) -> Option<Reading> {
    let mut number = |name| match item.remove(name)? {
        AttributeValue::N(number) => Some(number),
        _ => None,
    };
    let (at, celsius) = (number("at")?.parse().ok()?, number("celsius")?.parse().ok()?);
    match item.remove("sensor")? {
        AttributeValue::S(sensor) => Some(Reading { sensor, at, celsius }),
        _ => None,
    }
}

/// A request, the connector that sends it, and the channel for the response's status and body.
type Job = (HttpRequest, SharedHttpConnector, SyncSender<(StatusCode, Arc<[u8]>)>);

/// An HTTP client whose requests the engine serves in another thread.
#[derive(Clone, Debug)]
struct EngineThread {
    engine: SharedHttpClient,
    jobs: Sender<Job>,
}

impl EngineThread {
    fn start(engine: SharedHttpClient) -> Self {
        let (jobs, queue) = channel::<Job>();
        std::thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
            // Keeps the last body, so that this thread and not the reader frees the body.
            let mut last = None;
            for (request, connector, reply) in queue {
                let response = runtime.block_on(connector.call(request)).expect("a response");
                let body: Arc<[u8]> = response.body().bytes().expect("a body in memory").into();
                last.replace(Arc::clone(&body));
                reply.send((response.status(), body)).expect("the reader waits");
            }
        });
        Self { engine, jobs }
    }
}

impl HttpClient for EngineThread {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let (connector, jobs) = (self.engine.http_connector(settings, components), self.jobs.clone());
        SharedHttpConnector::new(EngineConnection { connector, jobs })
    }
}

#[derive(Debug)]
struct EngineConnection {
    connector: SharedHttpConnector,
    jobs: Sender<Job>,
}

impl HttpConnector for EngineConnection {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (reply, response) = sync_channel(1);
        self.jobs.send((request, self.connector.clone(), reply)).expect("the engine's thread runs");
        let (status, body) = response.recv().expect("a response");
        HttpConnectorFuture::ready(Ok(HttpResponse::new(status, SdkBody::from(body.to_vec()))))
    }
}
