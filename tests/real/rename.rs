//! The table names in requests and answers.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Puts the prefix before the table names of a request, and of its stream.
pub(crate) fn with_prefix(body: &mut Value, prefix: &str) {
    match body {
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                match (name.as_str(), value) {
                    // An attribute named `TableName` has a typed value, which is not a string.
                    ("TableName", Value::String(table)) => table.insert_str(0, prefix),
                    // A token is shared by the whole account, so the prefix must change it. It has at most 36 characters, so
                    // it is hashed.
                    ("ClientRequestToken", Value::String(token)) => *token = token_of(prefix, token),
                    ("StreamArn" | "ShardIterator", Value::String(name)) => {
                        *name = name.replacen(":table/", &format!(":table/{prefix}"), 1);
                    }
                    ("RequestItems", Value::Object(tables)) => {
                        let renamed = std::mem::take(tables).into_iter();
                        *tables = renamed.map(|(table, part)| (format!("{prefix}{table}"), part)).collect();
                    }
                    // The values in items contain no table names.
                    ("Item" | "Key" | "ExpressionAttributeValues", _) => {}
                    (_, value) => with_prefix(value, prefix),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| with_prefix(value, prefix)),
        _ => {}
    }
}

fn token_of(prefix: &str, token: &str) -> String {
    let hash: [u8; 32] = Sha256::digest(format!("{prefix}{token}")).into();
    let (first, _) = hash.split_first_chunk().expect("16 of 32 bytes");
    format!("{:032x}", u128::from_be_bytes(*first))
}

/// Removes the prefix from an answer: from names, ARNs and messages.
pub(crate) fn without_prefix(answer: &str, prefix: &str) -> String {
    answer.replace(prefix, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_names_of_tables_get_the_prefix() {
        let mut body = json!({
            "TransactItems": [
                { "Put": { "TableName": "notes", "Item": { "TableName": { "S": "notes" } } } },
                { "Update": { "TableName": "notes", "Key": { "id": { "S": "notes" } } } },
            ],
            "RequestItems": { "notes": { "Keys": [] } },
            "ClientRequestToken": "message 1",
            "StreamArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/notes/stream/1",
        });
        with_prefix(&mut body, "run-1-");
        let expected = json!({
            "TransactItems": [
                { "Put": { "TableName": "run-1-notes", "Item": { "TableName": { "S": "notes" } } } },
                { "Update": { "TableName": "run-1-notes", "Key": { "id": { "S": "notes" } } } },
            ],
            "RequestItems": { "run-1-notes": { "Keys": [] } },
            "ClientRequestToken": token_of("run-1-", "message 1"),
            "StreamArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/run-1-notes/stream/1",
        });
        assert_ne!(token_of("run-1-", "message 1"), token_of("run-2-", "message 1"));
        assert_eq!(body, expected);
        assert_eq!(without_prefix(r#"{"TableName":"run-1-notes"}"#, "run-1-"), r#"{"TableName":"notes"}"#);
    }
}
