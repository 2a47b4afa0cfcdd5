//! Batches of which a part is left unprocessed: the engine does not get that part, and the answer names it.

use super::canned_answer::answer;
use super::json_body::{answered_json, json_of, set_json};
use crate::local::engine::operation_of;
use aws_smithy_runtime_api::client::http::{HttpConnector as _, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use serde_json::{Map, Value, json};

/// The part of each batch that is left unprocessed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unprocessed {
    /// Nothing.
    #[default]
    Nothing,
    /// Every second key or write of each request: of one alone, nothing.
    Half,
    /// All but the first of each request.
    AllButOne,
    /// All.
    All,
    /// The keys or writes in whose JSON one of these texts occurs.
    Matching(Vec<String>),
}

impl Unprocessed {
    fn leaves(&self, index: usize, entry: &Value) -> bool {
        match self {
            Self::Nothing => false,
            Self::Half => index % 2 == 1,
            Self::AllButOne => index > 0,
            Self::All => true,
            Self::Matching(texts) => {
                let entry = entry.to_string();
                texts.iter().any(|text| entry.contains(text))
            }
        }
    }
}

/// Serves the request but for the part that is to be left unprocessed.
pub(super) async fn call(
    connector: &SharedHttpConnector,
    mut request: HttpRequest,
    unprocessed: &Unprocessed,
) -> Result<HttpResponse, ConnectorError> {
    let (left_in, served_in) = match operation_of(&request) {
        _ if *unprocessed == Unprocessed::Nothing => return connector.call(request).await,
        "BatchGetItem" => ("UnprocessedKeys", "Responses"),
        "BatchWriteItem" => ("UnprocessedItems", "ItemCollectionMetrics"),
        _ => return connector.call(request).await,
    };
    let mut body = json_of(&request);
    let Some(tables) = body["RequestItems"].as_object_mut() else {
        // The engine says what is wrong.
        return connector.call(request).await;
    };
    let left = divide(tables, unprocessed);
    if left.is_empty() {
        return connector.call(request).await;
    }
    if tables.is_empty() {
        return Ok(answer(200, json!({ left_in: left, served_in: {}, "ConsumedCapacity": [] }).to_string()));
    }
    set_json(&mut request, &body);
    let served = connector.call(request).await?;
    if !served.status().is_success() {
        return Ok(served);
    }
    let mut body = answered_json(served).await;
    merge(&mut body[left_in], left);
    Ok(answer(200, body.to_string()))
}

/// Takes the part that is to be left unprocessed out of the tables of a request.
fn divide(tables: &mut Map<String, Value>, unprocessed: &Unprocessed) -> Map<String, Value> {
    let (mut left, mut index) = (Map::new(), 0);
    for (name, table) in &mut *tables {
        let entries = entries(table);
        let (gone, kept): (Vec<Value>, Vec<Value>) = entries.drain(..).partition(|entry| {
            index += 1;
            unprocessed.leaves(index - 1, entry)
        });
        *entries = kept;
        if !gone.is_empty() {
            let mut table = table.clone();
            *self::entries(&mut table) = gone;
            left.insert(name.clone(), table);
        }
    }
    tables.retain(|_, table| !entries(table).is_empty());
    left
}

/// The keys of a table of a read, or its writes.
fn entries(table: &mut Value) -> &mut Vec<Value> {
    let entries = if table.is_array() { table } else { &mut table["Keys"] };
    entries.as_array_mut().expect("keys or writes")
}

/// Adds this part to the one that the engine itself has left.
fn merge(unprocessed: &mut Value, left: Map<String, Value>) {
    if unprocessed.is_null() {
        *unprocessed = json!({});
    }
    for (name, mut table) in left {
        match unprocessed.get_mut(&name) {
            Some(there) => entries(there).append(entries(&mut table)),
            None => unprocessed[name] = table,
        }
    }
}
