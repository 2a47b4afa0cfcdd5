//! The replica: the tables as they were a while ago. Eventually consistent reads can be answered from it.
//!
//! DynamoDB keeps three copies of each partition, and answers an eventually consistent read from any of them; a global index is a
//! copy of its own. The replica is an engine to which the items of each write are copied later, in the order of the writes of
//! each partition. Partitions do not wait for each other, so a read of several can see a part of a transaction.

use super::canned_answer::answer;
use super::json_body::{answered_json, json_of, set_json};
use super::sent_request::{is_write, tables_of};
use crate::local::engine::{Engine, operation_of};
use aws_smithy_runtime_api::client::http::{HttpConnector as _, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use fastrand::Rng;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

type Answer = Result<HttpResponse, ConnectorError>;

/// How far the replica is behind.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lag {
    /// Each change is copied after exactly this time, and at once if it was made before: if its number is below `since`.
    Exact { lag: Duration, since: u64 },
    /// Each change is copied after this time at most, and before that with the probability `progress` at each read.
    Random { within: Duration, progress: f64, seed: u64 },
}

/// The tables that the replica has, with the names of their key attributes, the partition key first.
type Tables = BTreeMap<String, Vec<String>>;

/// The replica of an engine, and the changes that are still to be copied to it.
#[derive(Default)]
pub(super) struct Replica {
    engine: Option<Engine>,
    tables: Tables,
    changes: VecDeque<Change>,
    /// The number of the next change.
    next_number: Arc<AtomicU64>,
}

/// An item after a write.
struct Change {
    number: u64,
    at: Instant,
    table: String,
    key: Value,
    /// `None` if the write deleted it.
    item: Option<Value>,
}

impl Replica {
    /// Creates a replica, which numbers its changes by this counter.
    pub(super) fn new(next_number: Arc<AtomicU64>) -> Self {
        Self { next_number, ..Self::default() }
    }

    /// Serves a request: a write, and copies its items later; or a read, from the replica where it is eventually consistent and
    /// there is a lag.
    pub(super) async fn serve(
        &mut self,
        connector: &SharedHttpConnector,
        request: HttpRequest,
        lag: impl FnOnce() -> Option<Lag>,
    ) -> Answer {
        let operation = operation_of(&request).to_owned();
        let body = json_of(&request);
        match &*operation {
            "CreateTable" | "UpdateTable" | "DeleteTable" => {
                let answer = connector.call(request).await;
                // The next request copies the tables as they are then.
                if answer.as_ref().is_ok_and(|answer| answer.status().is_success()) {
                    tables_of(&body).for_each(|table| self.forget(table));
                }
                answer
            }
            operation if is_write(operation) => self.write(connector, request, &body).await,
            "GetItem" | "Query" | "Scan" if body["ConsistentRead"] != true => match lag() {
                Some(lag) => self.read(connector, request, &body, lag).await,
                None => connector.call(request).await,
            },
            "BatchGetItem" => match lag() {
                Some(lag) => self.read_batch(connector, request, body, lag).await,
                None => connector.call(request).await,
            },
            _ => connector.call(request).await,
        }
    }

    async fn write(&mut self, connector: &SharedHttpConnector, request: HttpRequest, body: &Value) -> Answer {
        let like = request.try_clone();
        let tables: BTreeSet<_> = tables_of(body).map(str::to_owned).collect();
        let mut copied = true;
        for table in &tables {
            copied &= self.copy_table(connector, &request, table).await.is_some();
        }
        // A dropped request may have been served nevertheless. Then the tables are copied anew.
        let known: Tables = tables.iter().filter_map(|table| self.tables.remove_entry(table)).collect();
        let answer = connector.call(request).await?;
        let mut images = Vec::new();
        if answer.status().is_success() {
            let (true, Some(like)) = (copied, like) else { return Ok(answer) };
            for (table, key) in written_keys(body, &known) {
                let get = json!({ "TableName": table, "Key": key, "ConsistentRead": true });
                let Some(mut got) = ask(connector, &like, "GetItem", &get).await else { return Ok(answer) };
                let item = got.get_mut("Item").map(Value::take);
                // A number in a key can be written in several ways; the engine knows one.
                let stored = item.as_ref().and_then(|item| key_in(item, &key));
                let key = stored.unwrap_or(key);
                let number = self.next_number.fetch_add(1, Ordering::Relaxed);
                images.push(Change { number, at: Instant::now(), table, key, item });
            }
        }
        self.changes.extend(images);
        self.tables.extend(known);
        Ok(answer)
    }

    async fn read(&mut self, connector: &SharedHttpConnector, request: HttpRequest, body: &Value, lag: Lag) -> Answer {
        for table in tables_of(body) {
            if self.copy_table(connector, &request, table).await.is_none() {
                return connector.call(request).await;
            }
        }
        self.advance(lag);
        match &self.engine {
            Some(engine) => engine.answer(&request),
            None => connector.call(request).await,
        }
    }

    /// Reads the tables of a batch that are to be read consistently from the engine, and the others from the replica.
    async fn read_batch(
        &mut self,
        connector: &SharedHttpConnector,
        mut request: HttpRequest,
        mut body: Value,
        lag: Lag,
    ) -> Answer {
        let Some(tables) = body.get_mut("RequestItems").and_then(Value::as_object_mut) else {
            return connector.call(request).await;
        };
        let keys = |keys: &Value| keys["Keys"].as_array().map_or(0, Vec::len);
        if tables.values().map(keys).sum::<usize>() > 100 {
            // The engine refuses it.
            return connector.call(request).await;
        }
        let (consistent, eventual): (Map<_, _>, Map<_, _>) =
            mem::take(tables).into_iter().partition(|(_, keys)| keys["ConsistentRead"] == true);
        let mut part = |tables: &Map<String, Value>| {
            body["RequestItems"] = Value::Object(tables.clone());
            set_json(&mut request, &body);
            request.try_clone().expect("a body in memory")
        };
        if eventual.is_empty() {
            return connector.call(part(&consistent)).await;
        }
        let stale_part = part(&eventual);
        let stale_body = json!({ "RequestItems": eventual });
        if consistent.is_empty() {
            return self.read(connector, stale_part, &stale_body, lag).await;
        }
        let consistent = part(&consistent);
        let stale = self.read(connector, stale_part, &stale_body, lag).await?;
        let fresh = connector.call(consistent).await?;
        match (stale.status().is_success(), fresh.status().is_success()) {
            (true, true) => merge(fresh, stale).await,
            (false, _) => Ok(stale),
            _ => Ok(fresh),
        }
    }

    /// Copies to the replica what is due.
    fn advance(&mut self, lag: Lag) {
        let now = Instant::now();
        let (within, since, progress, seed) = match lag {
            Lag::Exact { lag, since } => (lag, since, 0.0, 0),
            Lag::Random { within, progress, seed } => (within, 0, progress, seed),
        };
        let mut random = Rng::with_seed(seed);
        let mut behind = HashSet::new();
        for change in mem::take(&mut self.changes) {
            let partition = || {
                let name = self.tables.get(&change.table).and_then(|names| names.first());
                (change.table.clone(), name.map(|name| change.key[name].to_string()))
            };
            let is_due = change.number < since || change.at.checked_add(within).is_some_and(|due| due <= now);
            if is_due || (random.f64() < progress && !behind.contains(&partition())) {
                self.copy(&change);
            } else {
                behind.insert(partition());
                self.changes.push_back(change);
            }
        }
    }

    fn copy(&self, Change { table, key, item, .. }: &Change) {
        let Some(engine) = &self.engine else { return };
        let (operation, body) = match item {
            Some(item) => ("PutItem", json!({ "TableName": table, "Item": item })),
            None => ("DeleteItem", json!({ "TableName": table, "Key": key })),
        };
        // A table that was deleted meanwhile has no items.
        let _copied = engine.run(operation, body.to_string().as_bytes());
    }

    /// Creates the table in the replica and copies its items, if the replica does not have it; `None` if there is no such table.
    async fn copy_table(&mut self, connector: &SharedHttpConnector, like: &HttpRequest, table: &str) -> Option<()> {
        if self.tables.contains_key(table) {
            return Some(());
        }
        // Create the table as it is in the engine.
        let described = ask(connector, like, "DescribeTable", &json!({ "TableName": table })).await?;
        let described = &described["Table"];
        self.forget(table);
        let engine = self.engine.get_or_insert_with(|| Engine::in_memory().expect("an engine for the replica"));
        let _there_may_be_none = engine.run("DeleteTable", json!({ "TableName": table }).to_string().as_bytes());
        let created = engine.run("CreateTable", creation(described).to_string().as_bytes());
        created.expect("the replica can have every table of the engine");
        // Copy its items, page by page.
        let mut scan = json!({ "TableName": table, "ConsistentRead": true });
        loop {
            let page = ask(connector, like, "Scan", &scan).await?;
            for item in page["Items"].as_array()? {
                let put = json!({ "TableName": table, "Item": item });
                engine
                    .run("PutItem", put.to_string().as_bytes())
                    .expect("the replica can have every item of the engine");
            }
            match page.get("LastEvaluatedKey") {
                Some(key) => scan["ExclusiveStartKey"] = key.clone(),
                None => break,
            }
        }
        // Remember the names of its key, the partition key first.
        let mut key: Vec<_> = described["KeySchema"].as_array()?.iter().collect();
        key.sort_by_key(|part| part["KeyType"] != "HASH");
        let key = key.into_iter().filter_map(|part| part["AttributeName"].as_str()).map(str::to_owned).collect();
        self.tables.insert(table.to_owned(), key);
        Some(())
    }

    /// Forgets a table, so that the next request that names it copies the table.
    fn forget(&mut self, table: &str) {
        self.tables.remove(table);
        self.changes.retain(|change| change.table != table);
    }
}

/// Returns the request that creates a table like this one.
fn creation(described: &Value) -> Value {
    let mut creation = json!({ "BillingMode": "PAY_PER_REQUEST" });
    for part in ["TableName", "KeySchema", "AttributeDefinitions"] {
        creation[part] = described[part].clone();
    }
    for indexes in ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"] {
        let described = described[indexes].as_array().into_iter().flatten();
        let indexes_of: Vec<_> = described
            .map(|index| {
                let mut of = json!({});
                for part in ["IndexName", "KeySchema", "Projection"] {
                    of[part] = index[part].clone();
                }
                of
            })
            .collect();
        if !indexes_of.is_empty() {
            creation[indexes] = Value::Array(indexes_of);
        }
    }
    creation
}

/// Returns the keys that a write writes, with their tables.
fn written_keys(body: &Value, tables: &Tables) -> Vec<(String, Value)> {
    let of_part = |table: &str, part: &Value| {
        if let Some(key) = part.get("Key") {
            return Some((table.to_owned(), key.clone()));
        }
        let item = part.get("Item")?;
        let key = tables.get(table)?.iter().map(|name| (name.clone(), item[name].clone())).collect();
        Some((table.to_owned(), Value::Object(key)))
    };
    let named = |part: &Value| part["TableName"].as_str().and_then(|table| of_part(table, part));
    let actions = body["TransactItems"].as_array().into_iter().flatten();
    let actions = actions.flat_map(|action| action.as_object().into_iter().flatten());
    let actions = actions.filter(|(kind, _)| *kind != "ConditionCheck").filter_map(|(_, part)| named(part));
    let batches = body["RequestItems"].as_object().into_iter().flatten();
    let batches =
        batches.flat_map(|(table, writes)| writes.as_array().into_iter().flatten().map(move |write| (table, write)));
    let batches =
        batches.flat_map(|(table, write)| write.as_object().into_iter().flatten().map(move |(_, part)| (table, part)));
    named(body).into_iter().chain(actions).chain(batches.filter_map(|(table, part)| of_part(table, part))).collect()
}

/// Returns the attributes of this key as they are in an item.
fn key_in(item: &Value, key: &Value) -> Option<Value> {
    let names = key.as_object()?.keys();
    names.map(|name| Some((name.clone(), item.get(name)?.clone()))).collect::<Option<Map<_, _>>>().map(Value::Object)
}

/// Sends a request of our own that looks like this one; `None` if it fails.
async fn ask(connector: &SharedHttpConnector, like: &HttpRequest, operation: &str, body: &Value) -> Option<Value> {
    let mut request = like.try_clone()?;
    request.headers_mut().insert("x-amz-target", format!("DynamoDB_20120810.{operation}"));
    set_json(&mut request, body);
    let answer = connector.call(request).await.ok()?;
    if answer.status().is_success() { Some(answered_json(answer).await) } else { None }
}

/// Adds what one answer to a batch has to another one.
async fn merge(into: HttpResponse, from: HttpResponse) -> Answer {
    let (mut into, from) = (answered_json(into).await, answered_json(from).await);
    for part in ["Responses", "UnprocessedKeys"] {
        let Some(tables) = from[part].as_object() else { continue };
        for (table, of) in tables {
            into[part][table] = of.clone();
        }
    }
    if let (Some(into), Some(from)) = (into["ConsumedCapacity"].as_array_mut(), from["ConsumedCapacity"].as_array()) {
        into.extend(from.iter().cloned());
    }
    Ok(answer(200, into.to_string()))
}
