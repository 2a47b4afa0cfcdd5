//! A journal of all changes and the writes that made them. A layer in front of the engine compares the tables before and
//! after each request. A layer in front of the network adds the number of the write to each request.
//!
//! The journal needs an engine in this process, which serves one request after the other.

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use dyno::Item;
use dyno::local::Engine;
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The header with the number of the write to which a request belongs.
pub(crate) const WRITE: &str = "x-dyno-tests-write";

tokio::task_local! {
    static NUMBER: usize;
}

/// Attributes all requests of this future to this write, also those that arrive after the end of the future.
pub async fn attributed<T>(write: usize, sending: impl Future<Output = T>) -> T {
    NUMBER.scope(write, sending).await
}

/// The change of one row by a request.
#[derive(Clone, Debug)]
pub struct Change {
    /// The write to which the request belongs; `None` if it belongs to none.
    pub write: Option<usize>,
    /// The number of the request, counted from 0. Reads are not counted.
    pub request: usize,
    /// The operation of the request.
    pub operation: String,
    /// The table.
    pub table: String,
    /// The key attributes.
    pub keys: Item,
    /// The row before the request, if it existed.
    pub old: Option<Item>,
    /// The row after the request, if it exists.
    pub new: Option<Item>,
}

/// A table after the last request.
#[derive(Debug)]
struct Table {
    /// The names of the key attributes.
    keys: Vec<String>,
    rows: BTreeMap<String, Value>,
}

#[derive(Debug, Default)]
struct State {
    tables: BTreeMap<String, Table>,
    changes: Vec<Change>,
    /// The write to which each request belongs.
    served: Vec<Option<usize>>,
}

/// Every change of every row, in order.
#[derive(Clone, Debug, Default)]
pub struct Journal(Arc<Mutex<State>>);

impl Journal {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The changes so far.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        self.state().changes.clone()
    }

    /// The number of requests that the engine has served so far. Reads are not counted.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.state().served.len()
    }

    /// The number of the last request of this write that the engine has served so far.
    #[must_use]
    pub fn last_of(&self, write: usize) -> Option<usize> {
        self.state().served.iter().rposition(|served| *served == Some(write))
    }

    /// An HTTP client that passes requests on to the engine and records every change.
    #[must_use]
    pub fn before(&self, engine: Engine) -> SharedHttpClient {
        SharedHttpClient::new(Observed { engine, journal: self.clone() })
    }

    /// Records the changes that a request has made.
    fn note(&self, engine: &Engine, operation: &str, write: Option<usize>, body: &Value) {
        let mut state = self.state();
        let request = state.served.len();
        state.served.push(write);
        if operation == "CreateTable" {
            let keys = body["KeySchema"].as_array().expect("a key schema");
            let keys = keys.iter().map(|key| text(&key["AttributeName"])).collect();
            state.tables.insert(text(&body["TableName"]), Table { keys, rows: BTreeMap::new() });
        }
        let mut changes = Vec::new();
        for (name, table) in &mut state.tables {
            let rows = scan(engine, name, &table.keys);
            for (key, old) in &table.rows {
                if rows.get(key) != Some(old) {
                    changes.push((name.clone(), table.keys.clone(), Some(old.clone()), rows.get(key).cloned()));
                }
            }
            for (_, new) in rows.iter().filter(|(key, _)| !table.rows.contains_key(*key)) {
                changes.push((name.clone(), table.keys.clone(), None, Some(new.clone())));
            }
            table.rows = rows;
        }
        state.changes.extend(changes.into_iter().map(|(table, keys, old, new)| {
            let (old, new) = (old.map(item), new.map(item));
            let some = old.as_ref().or(new.as_ref()).expect("one of the two");
            let keys = keys.into_iter().map(|name| (name.clone(), some[&name].clone())).collect();
            Change { write, request, operation: operation.to_owned(), table, keys, old, new }
        }));
    }
}

/// Every row of a table, by its key.
fn scan(engine: &Engine, table: &str, keys: &[String]) -> BTreeMap<String, Value> {
    let mut request = HttpRequest::new(SdkBody::from(json!({ "TableName": table }).to_string()));
    request.headers_mut().insert("x-amz-target", "DynamoDB_20120810.Scan");
    // Now and then, the engine pauses before it answers.
    let mut answering = engine.call(request);
    let answer = loop {
        if let Some(answer) = (&mut answering).now_or_never() {
            break answer.expect("an answer");
        }
    };
    let mut answer: Value = serde_json::from_slice(answer.body().bytes().expect("a body")).expect("JSON");
    assert!(answer.get("LastEvaluatedKey").is_none(), "the table {table} is too large for a journal: {answer}");
    let Value::Array(rows) = answer["Items"].take() else { panic!("no items: {answer}") };
    let key = |row: &Value| keys.iter().map(|name| row[name].to_string()).collect::<Vec<_>>().join(" ");
    rows.into_iter().map(|row| (key(&row), row)).collect()
}

fn item(json: Value) -> Item {
    let item: serde_dynamo::Item = serde_json::from_value(json).expect("an item in DynamoDB's JSON");
    item.into()
}

fn text(json: &Value) -> String {
    json.as_str().expect("a text").to_owned()
}

/// The engine behind the journal.
#[derive(Clone, Debug)]
struct Observed {
    engine: Engine,
    journal: Journal,
}

impl HttpClient for Observed {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Observed {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit_once('.').map_or(target, |(_, operation)| operation).to_owned();
        let write = request.headers().get(WRITE).map(|write| write.parse().expect("a number"));
        let is_change = ["Create", "Put", "Update", "Delete", "TransactWrite", "BatchWrite"];
        if !is_change.iter().any(|change| operation.starts_with(change)) {
            return self.engine.call(request);
        }
        let body = serde_json::from_slice(request.body().bytes().expect("a body")).unwrap_or_default();
        let answer = self.engine.call(request);
        self.journal.note(&self.engine, &operation, write, &body);
        answer
    }
}

/// A client that adds the number of the write to each request.
#[derive(Clone, Debug)]
pub struct Attributed(pub SharedHttpClient);

impl HttpClient for Attributed {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(AttributedConnector(self.0.http_connector(settings, components)))
    }
}

#[derive(Debug)]
struct AttributedConnector(SharedHttpConnector);

impl HttpConnector for AttributedConnector {
    fn call(&self, mut request: HttpRequest) -> HttpConnectorFuture {
        if let Ok(write) = NUMBER.try_with(|write| *write) {
            request.headers_mut().insert(WRITE, write.to_string());
        }
        self.0.call(request)
    }
}
