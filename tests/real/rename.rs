//! The names of tables in requests and answers.

use serde_json::{Map, Value};

/// Puts the prefix before the names of the tables of a request.
pub(crate) fn with_prefix(body: &mut Value, prefix: &str) {
    match body {
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                match (name.as_str(), value) {
                    // An attribute of this name has a typed value, which is not a string.
                    ("TableName" | "ExclusiveStartTableName", Value::String(table)) => table.insert_str(0, prefix),
                    ("RequestItems", Value::Object(tables)) => {
                        let renamed = std::mem::take(tables).into_iter();
                        *tables = renamed.map(|(table, part)| (format!("{prefix}{table}"), part)).collect();
                    }
                    // What is in items has no table.
                    ("Item" | "Key" | "ExpressionAttributeValues", _) => {}
                    (_, value) => with_prefix(value, prefix),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| with_prefix(value, prefix)),
        _ => {}
    }
}

/// Takes the prefix out of an answer: out of names, ARNs and messages.
pub(crate) fn without_prefix(answer: &str, prefix: &str) -> String {
    answer.replace(prefix, "")
}

/// Leaves only the tables of this prefix in the answer to `ListTables`.
pub(crate) fn only_own_tables(answer: &str, prefix: &str) -> String {
    let Ok(Value::Object(mut answer)) = serde_json::from_str(answer) else { return answer.to_owned() };
    if let Some(Value::Array(tables)) = answer.get_mut("TableNames") {
        tables.retain(|table| table.as_str().is_some_and(|table| table.starts_with(prefix)));
    }
    Value::Object(Map::from_iter(answer)).to_string()
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
        });
        with_prefix(&mut body, "run-1-");
        let expected = json!({
            "TransactItems": [
                { "Put": { "TableName": "run-1-notes", "Item": { "TableName": { "S": "notes" } } } },
                { "Update": { "TableName": "run-1-notes", "Key": { "id": { "S": "notes" } } } },
            ],
            "RequestItems": { "run-1-notes": { "Keys": [] } },
        });
        assert_eq!(body, expected);
        assert_eq!(without_prefix(r#"{"TableName":"run-1-notes"}"#, "run-1-"), r#"{"TableName":"notes"}"#);
        let tables = r#"{"TableNames":["run-1-notes","run-2-notes"]}"#;
        assert_eq!(only_own_tables(tables, "run-1-"), r#"{"TableNames":["run-1-notes"]}"#);
    }
}
