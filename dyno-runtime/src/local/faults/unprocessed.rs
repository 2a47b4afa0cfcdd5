//! Batches of which a part is left unprocessed: the engine does not get that part, and the answer names it.

use aws_smithy_runtime_api::client::http::{HttpConnector as _, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
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
    let target = request.headers().get("x-amz-target").unwrap_or_default();
    let names = match target.rsplit_once('.') {
        _ if matches!(unprocessed, Unprocessed::Nothing) => return connector.call(request).await,
        Some((_, "BatchGetItem")) => ("UnprocessedKeys", "Responses"),
        Some((_, "BatchWriteItem")) => ("UnprocessedItems", "ItemCollectionMetrics"),
        _ => return connector.call(request).await,
    };
    let (left, kept) = {
        let body = request.body().bytes().unwrap_or_default();
        let mut body: Value = serde_json::from_slice(body).unwrap_or_default();
        match body.get_mut("RequestItems").and_then(Value::as_object_mut) {
            Some(tables) => {
                let left = divide(tables, unprocessed);
                (left, (!tables.is_empty()).then(|| body.to_string()))
            }
            // The engine says what is wrong.
            None => (Map::new(), None),
        }
    };
    if left.is_empty() {
        return connector.call(request).await;
    }
    let Some(kept) = kept else {
        let answer = json!({ names.0: left, names.1: {}, "ConsumedCapacity": [] });
        return Ok(response(&answer));
    };
    request.headers_mut().insert("content-length", kept.len().to_string());
    *request.body_mut() = SdkBody::from(kept);
    let mut answer = connector.call(request).await?;
    if !answer.status().is_success() {
        return Ok(answer);
    }
    let body = ByteStream::new(answer.take_body()).collect().await.expect("an answer").into_bytes();
    let mut body: Value = serde_json::from_slice(&body).expect("an answer in JSON");
    merge(&mut body[names.0], left);
    Ok(response(&body))
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

fn response(body: &Value) -> HttpResponse {
    let mut response = HttpResponse::new(200.try_into().expect("a status"), SdkBody::from(body.to_string()));
    response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
    response
}
