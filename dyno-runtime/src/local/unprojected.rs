//! Refuses a query of an index whose filter names an attribute that the index does not hold.
//!
//! DynamoDB refuses it, and `dynoxide-rs` takes the attribute to be absent. A scan of an index is served, because the conformance
//! suite `paritysuite/dynamodb-conformance` has recorded that a scan by `PartiQL` matches nothing, instead of being refused.

use super::engine::Engine;
use dynoxide::DynoxideError;
use serde_json::{Value, json};

/// Checks the body of a `Query` that the engine has served.
pub(super) fn check(engine: &Engine, body: &[u8]) -> Result<(), DynoxideError> {
    let query: Value = serde_json::from_slice(body).unwrap_or_default();
    let (Some(name), Some(filter)) = (query["IndexName"].as_str(), query["FilterExpression"].as_str()) else {
        return Ok(());
    };
    let table = engine.run("DescribeTable", json!({ "TableName": query["TableName"] }).to_string().as_bytes())?;
    let table: Value = serde_json::from_str(&table).unwrap_or_default();
    let elements = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut indexes = elements(&table["Table"]["GlobalSecondaryIndexes"]);
    indexes.extend(elements(&table["Table"]["LocalSecondaryIndexes"]));
    let Some(index) = indexes.iter().find(|index| index["IndexName"] == name) else { return Ok(()) };
    if index["Projection"]["ProjectionType"] == "ALL" {
        return Ok(());
    }
    let mut held = elements(&index["Projection"]["NonKeyAttributes"]);
    for keys in [&table["Table"]["KeySchema"], &index["KeySchema"]] {
        held.extend(elements(keys).iter().map(|key| key["AttributeName"].clone()));
    }
    let mut lacking = attributes(filter, &query["ExpressionAttributeNames"]);
    lacking.retain(|attribute| !held.iter().any(|name| name == attribute));
    if lacking.is_empty() {
        return Ok(());
    }
    Err(DynoxideError::ValidationException(format!(
        "One or more parameter values were invalid: Secondary index {name} does not project one or more filter attributes: [{}]",
        lacking.join(", ")
    )))
}

/// Returns the attributes in which the paths of a filter begin, each once.
fn attributes(filter: &str, names: &Value) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || "#:_".contains(c);
    let (mut found, mut rest) = (Vec::new(), filter);
    while let Some(start) = rest.find(is_word) {
        let is_member = rest[..start].trim_end().ends_with(['.', '[']);
        let length = rest[start..].find(|c| !is_word(c)).unwrap_or(rest.len() - start);
        let word = &rest[start..start + length];
        rest = &rest[start + length..];
        let is_call = rest.trim_start().starts_with('(');
        let is_operator =
            ["AND", "OR", "NOT", "BETWEEN", "IN"].iter().any(|operator| word.eq_ignore_ascii_case(operator));
        let attribute = names[word].as_str().unwrap_or(word).to_owned();
        if !is_member && !is_call && !is_operator && !word.starts_with(':') && !found.contains(&attribute) {
            found.push(attribute);
        }
    }
    found
}
