//! What expressions may name of a table: its keys, and the keys and the attributes of its indexes.

use super::expression::{Found, attribute};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The keys of a table or of an index.
#[derive(Clone, Debug, Default)]
struct Keys {
    partition: Vec<String>,
    sort: Vec<String>,
}

impl Keys {
    fn new(schema: &Value) -> Self {
        let mut keys = Self::default();
        for element in schema.as_array().into_iter().flatten() {
            let name = element["AttributeName"].as_str().unwrap_or_default().to_owned();
            if element["KeyType"] == "HASH" { keys.partition.push(name) } else { keys.sort.push(name) }
        }
        keys
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.partition.iter().chain(&self.sort)
    }

    fn has(&self, name: &str) -> bool {
        self.names().any(|key| key == name)
    }

    /// Checks a key condition: each partition key by `=`, then sort keys from the left, of which the last may be a range.
    fn check(&self, condition: &Found) -> Option<String> {
        if !condition.is_conjunction {
            return Some("Invalid operator used in KeyConditionExpression: OR or NOT".to_owned());
        }
        let mut left: BTreeMap<_, _> =
            condition.compared.iter().map(|(name, operator)| (name.as_str(), operator.as_str())).collect();
        if left.len() < condition.compared.len() {
            return Some("KeyConditionExpressions must only contain one condition per key".to_owned());
        }
        if let Some(name) = self.partition.iter().find(|name| left.remove(name.as_str()) != Some("=")) {
            return Some(format!("Query condition missed key schema element: {name}"));
        }
        for name in &self.sort {
            match left.remove(name.as_str()) {
                Some("=") => {}
                Some("<" | "<=" | ">" | ">=" | "BETWEEN" | "begins_with") | None => break,
                Some(other) => return Some(format!("Invalid operator used in KeyConditionExpression: {other}")),
            }
        }
        left.keys().next().map(|name| format!("Query condition missed key schema element before {name}"))
    }
}

#[derive(Clone, Debug)]
struct Index {
    keys: Keys,
    /// The attributes that it holds; `None` if it holds all.
    held: Option<BTreeSet<String>>,
    is_global: bool,
}

impl Index {
    fn new(index: &Value, table: &Keys, is_global: bool) -> Self {
        let (keys, projection) = (Keys::new(&index["KeySchema"]), &index["Projection"]);
        let others = projection["NonKeyAttributes"].as_array().into_iter().flatten();
        let others = others.filter_map(Value::as_str).map(str::to_owned);
        let held = keys.names().chain(table.names()).cloned().chain(others).collect();
        Self { keys, held: (projection["ProjectionType"] != "ALL").then_some(held), is_global }
    }

    fn lacks(&self, name: &str) -> bool {
        self.held.as_ref().is_some_and(|held| !held.contains(name))
    }
}

#[derive(Clone, Debug)]
struct Table {
    keys: Keys,
    indexes: BTreeMap<String, Index>,
}

/// The tables that a world has created.
#[derive(Clone, Debug, Default)]
pub(in crate::requests) struct Tables(BTreeMap<String, Table>);

impl Tables {
    /// Notes the tables and indexes that a request creates or deletes.
    pub(in crate::requests) fn note(&mut self, operation: &str, body: &Value) {
        let name = body["TableName"].as_str().unwrap_or_default().to_owned();
        match operation {
            "CreateTable" => {
                let keys = Keys::new(&body["KeySchema"]);
                let table = self.0.entry(name).or_insert(Table { keys, indexes: BTreeMap::new() });
                for (member, is_global) in [("GlobalSecondaryIndexes", true), ("LocalSecondaryIndexes", false)] {
                    table.add(body[member].as_array().into_iter().flatten(), is_global);
                }
            }
            "UpdateTable" => {
                let created = body["GlobalSecondaryIndexUpdates"].as_array().into_iter().flatten();
                let created = created.filter_map(|update| update.get("Create"));
                if let Some(table) = self.0.get_mut(&name) {
                    table.add(created, true);
                }
            }
            "DeleteTable" => drop(self.0.remove(&name)),
            _ => {}
        }
    }

    /// Checks the attributes that the expression of this member names.
    pub(super) fn check(&self, operation: &str, body: &Value, member: &str, expression: &Found) -> Vec<String> {
        let name = |member: &str| body[member].as_str().unwrap_or_default();
        let Some(table) = self.0.get(name("TableName")) else { return Vec::new() };
        let index = table.indexes.get(name("IndexName"));
        let keys = index.map_or(&table.keys, |index| &index.keys);
        let lacking = |paths: &[_]| -> Vec<String> {
            let lacks = |name: &&str| index.is_some_and(|index| index.lacks(name));
            paths.iter().map(attribute).filter(lacks).map(str::to_owned).collect()
        };
        match member {
            "UpdateExpression" => {
                let changed = expression.targets.iter().map(attribute).filter(|name| keys.has(name));
                changed
                    .map(|name| format!("Cannot update attribute {name}. This attribute is part of the key"))
                    .collect()
            }
            "KeyConditionExpression" => keys.check(expression).into_iter().collect(),
            "FilterExpression" => {
                let read = expression.read.iter().map(attribute).filter(|name| operation == "Query" && keys.has(name));
                let of_keys =
                    read.map(|name| format!("Filter Expression can only contain non-primary key attributes: {name}"));
                let lacking = lacking(&expression.read).into_iter();
                of_keys
                    .chain(lacking.map(|name| format!("the index does not project the filter attribute {name}")))
                    .collect()
            }
            "ProjectionExpression" if index.is_some_and(|index| index.is_global) => lacking(&expression.targets)
                .into_iter()
                .map(|name| format!("the index does not project {name}"))
                .collect(),
            _ => Vec::new(),
        }
    }
}

impl Table {
    fn add<'a>(&mut self, indexes: impl IntoIterator<Item = &'a Value>, is_global: bool) {
        for index in indexes {
            let name = index["IndexName"].as_str().unwrap_or_default().to_owned();
            self.indexes.insert(name, Index::new(index, &self.keys, is_global));
        }
    }
}
