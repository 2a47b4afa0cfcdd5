//! What a request touches, and which requests commute: two that touch different items, or only read, give the same answers and the
//! same state in either order.

use crate::local::faults::is_write;
use crate::sorted;
use serde_json::Value;
use std::collections::BTreeMap;

/// The items that a request reads or writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Footprint {
    touched: Vec<Touched>,
}

/// An item, or a whole table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Touched {
    table: String,
    /// `None` for the whole table: a query, a scan, or a read of an index.
    key: Option<String>,
    is_written: bool,
}

/// The names of the key attributes of each table.
pub(super) type KeyNames = BTreeMap<String, Vec<String>>;

impl Footprint {
    pub(super) fn new(operation: &str, body: &Value, keys: &KeyNames) -> Self {
        let mut footprint = Self::default();
        let is_written = is_write(operation);
        let actions = body["TransactItems"].as_array().into_iter().flatten();
        for (kind, part) in actions.flat_map(|action| action.as_object().into_iter().flatten()) {
            footprint.add(part["TableName"].as_str(), part, keys, is_written && kind != "ConditionCheck");
        }
        for (table, of) in body["RequestItems"].as_object().into_iter().flatten() {
            for write in of.as_array().into_iter().flatten() {
                for (_, part) in write.as_object().into_iter().flatten() {
                    footprint.add(Some(table), part, keys, is_written);
                }
            }
            for key in of["Keys"].as_array().into_iter().flatten() {
                footprint.push(table, Some(key_text(key)), is_written);
            }
        }
        if body.get("TableName").is_some() {
            footprint.add(body["TableName"].as_str(), body, keys, is_written);
        }
        footprint
    }

    fn add(&mut self, table: Option<&str>, part: &Value, keys: &KeyNames, is_written: bool) {
        let Some(table) = table else { return };
        let of_item = |item: &Value| {
            let names = keys.get(table)?;
            let key: serde_json::Map<_, _> = names.iter().map(|name| (name.clone(), item[name].clone())).collect();
            Some(key_text(&Value::Object(key)))
        };
        let key = part.get("Key").map(key_text).or_else(|| of_item(part.get("Item")?));
        self.push(table, key, is_written);
    }

    fn push(&mut self, table: &str, key: Option<String>, is_written: bool) {
        self.touched.push(Touched { table: table.to_owned(), key, is_written });
    }

    /// Returns `true` if the request writes an item.
    pub(super) fn is_writing(&self) -> bool {
        self.touched.iter().any(|touched| touched.is_written)
    }

    /// Returns the names of the tables in their order, each once.
    pub(super) fn tables(&self) -> Vec<&str> {
        sorted::names(self.touched.iter().map(|touched| &*touched.table))
    }

    /// Returns `true` if the order of two requests makes no difference.
    pub(super) fn commutes_with(&self, other: &Self) -> bool {
        let meet = |own: &Touched, other: &Touched| {
            own.table == other.table
                && (own.is_written || other.is_written)
                && (own.key.is_none() || other.key.is_none() || own.key == other.key)
        };
        !self.touched.iter().any(|own| other.touched.iter().any(|other| meet(own, other)))
    }
}

/// Returns the text of a key. Equal keys have equal texts, however their numbers are written.
fn key_text(key: &Value) -> String {
    let parts: BTreeMap<&str, String> = key
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| {
            let is_plain =
                |number: &str| number == "0" || !number.starts_with(['0', '+']) && !number.contains(['.', 'e', 'E']);
            let text = match value["N"].as_str() {
                Some(number) if is_plain(number) => number.to_owned(),
                Some(number) => number.parse::<f64>().map_or_else(|_| number.to_owned(), |number| number.to_string()),
                None => value.to_string(),
            };
            (&**name, text)
        })
        .collect();
    format!("{parts:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn footprint(operation: &str, body: &Value) -> Footprint {
        let keys = KeyNames::from([("t".to_owned(), vec!["id".to_owned()])]);
        Footprint::new(operation, body, &keys)
    }

    #[test]
    fn requests_commute_if_they_touch_different_items_or_only_read() {
        let key = |id: &str| json!({ "TableName": "t", "Key": { "id": { "S": id } } });
        let put = |id: &str| json!({ "TableName": "t", "Item": { "id": { "S": id }, "x": { "N": "1" } } });
        let all = json!({ "TableName": "t" });
        let moving = json!({ "TransactItems": [
            { "Put": { "TableName": "t", "Item": { "id": { "S": "a" } } } },
            { "ConditionCheck": { "TableName": "t", "Key": { "id": { "S": "b" } } } },
        ] });
        let batch = json!({ "RequestItems": { "t": [{ "PutRequest": { "Item": { "id": { "S": "a" } } } }] } });
        let keys = json!({ "RequestItems": { "t": { "Keys": [{ "id": { "S": "a" } }] } } });
        for (one, other, commute) in [
            (("GetItem", key("a")), ("GetItem", key("a")), true),
            (("GetItem", key("a")), ("PutItem", put("a")), false),
            (("GetItem", key("b")), ("PutItem", put("a")), true),
            (("Query", all.clone()), ("PutItem", put("a")), false),
            (("Query", all.clone()), ("Scan", all.clone()), true),
            (("TransactWriteItems", moving.clone()), ("GetItem", key("b")), true),
            (("TransactWriteItems", moving.clone()), ("PutItem", put("b")), false),
            (("TransactWriteItems", moving), ("GetItem", key("a")), false),
            (("BatchWriteItem", batch.clone()), ("BatchGetItem", keys), false),
            (("BatchWriteItem", batch), ("DeleteItem", key("b")), true),
        ] {
            let (a, b) = (footprint(one.0, &one.1), footprint(other.0, &other.1));
            assert_eq!((a.commutes_with(&b), b.commutes_with(&a)), (commute, commute), "{one:?} {other:?}");
        }
    }

    #[test]
    fn each_table_is_named_once() {
        let put = |table: &str| json!({ "Put": { "TableName": table, "Item": { "id": { "S": "a" } } } });
        let body = json!({ "TransactItems": [put("t"), put("s"), put("t")] });
        assert_eq!(footprint("TransactWriteItems", &body).tables(), ["s", "t"]);
    }

    #[test]
    fn one_number_is_one_key() {
        let key = |number: &str| key_text(&json!({ "id": { "N": number } }));
        assert_eq!((key("1.0"), key("1e0")), (key("1"), key("1")));
        assert_eq!(key("1.50"), key("1.5"));
    }
}
