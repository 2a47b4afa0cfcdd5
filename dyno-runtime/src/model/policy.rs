//! The actions of IAM that the commands of entities can send. docs/permissions.md has those of each command, and a test compares
//! both. An action belongs here if any command can need it: after a lost answer, or while other processes write, a command sends requests
//! that it sends at no other time.

use crate::error::Error;
use crate::error::foreign_text::value;
use crate::schema::{Schema, Tables};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The actions on an entity's own table. A transaction has no action of its own: it needs those of its parts.
const ENTITY: &[&str] = &[
    "BatchGetItem",
    "BatchWriteItem",
    "ConditionCheckItem",
    "DeleteItem",
    "GetItem",
    "PutItem",
    "Query",
    "Scan",
    "UpdateItem",
];

/// The further action of a client-side transaction, which asks for the table's keys.
const TRANSACTIONAL: &[&str] = &["DescribeTable"];

const INDEX: &[&str] = &["Query", "Scan"];

const VECTOR_INDEX: &[&str] = &["SearchVectors"];

const HISTORY: &[&str] = &["GetItem", "PutItem", "Query"];

/// The further action on the history of a transactional entity: transactions read revisions in batches.
const TRANSACTIONAL_HISTORY: &[&str] = &["BatchGetItem"];

const KEYS: &[&str] = &["GetItem", "PutItem"];

const GUARDS: &[&str] = &["BatchGetItem", "DeleteItem", "GetItem", "PutItem", "Scan"];

const LANES: &[&str] = &["BatchGetItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem"];

const REQUESTS: &[&str] = &["BatchGetItem", "DeleteItem", "GetItem", "PutItem", "UpdateItem"];

const LOCKS: &[&str] = &["GetItem", "PutItem", "UpdateItem"];

/// The actions on tables and indexes. A table is named as the repository names it, and an index is named after its table:
/// `orders/index/by_status`.
#[derive(Default)]
pub(super) struct Permissions {
    actions: BTreeMap<String, BTreeSet<&'static str>>,
}

impl Permissions {
    fn allow(&mut self, resource: String, actions: &[&'static str]) {
        self.actions.entry(resource).or_default().extend(actions);
    }

    /// Allows what the commands of an entity need.
    pub(super) fn allow_entity(&mut self, schema: &Schema, tables: &Tables) {
        let main = &tables.main;
        self.allow(main.clone(), ENTITY);
        for index in schema.indexes {
            self.allow(format!("{main}/index/{}", index.name), INDEX);
        }
        for index in schema.vector_indexes {
            self.allow(format!("{main}/index/{}", index.name), VECTOR_INDEX);
        }
        let others = [(&tables.history, HISTORY), (&tables.keys, KEYS), (&tables.guards, GUARDS)];
        let of_transactions = [(&Some(main.clone()), TRANSACTIONAL), (&tables.history, TRANSACTIONAL_HISTORY)];
        let of_transactions = of_transactions.into_iter().filter(|_| schema.is_transactional);
        for (table, actions) in others.into_iter().chain(of_transactions) {
            if let Some(table) = table {
                self.allow(table.clone(), actions);
            }
        }
    }

    pub(super) fn allow_lanes(&mut self, table: String) {
        self.allow(table, LANES);
    }

    pub(super) fn allow_requests(&mut self, table: String) {
        self.allow(table, REQUESTS);
    }

    pub(super) fn allow_locks(&mut self, table: String) {
        self.allow(table, LOCKS);
    }

    /// Returns the policy: a statement for each set of actions. `tables` is the ARN of all tables, up to their names.
    pub(super) fn policy(&self, tables: &str) -> Result<Value, Error> {
        let is_arn = tables.strip_suffix(":table/").is_some_and(|start| {
            let parts: Vec<&str> = start.split(':').collect();
            matches!(parts[..], ["arn", partition, "dynamodb", region, account]
                if ![partition, region, account].contains(&""))
        });
        if !is_arn {
            return Err(Error::invalid(format!(
                "`{}` is not the beginning of table ARNs: expected `arn:aws:dynamodb:<region>:<account>:table/`",
                value(tables)
            )));
        }
        let mut statements: BTreeMap<&BTreeSet<&str>, Vec<String>> = BTreeMap::new();
        for (resource, actions) in &self.actions {
            let is_named_by_arn = resource.starts_with("arn:");
            let arn = if is_named_by_arn { resource.clone() } else { format!("{tables}{resource}") };
            statements.entry(actions).or_default().push(arn);
        }
        let statement = statements.into_iter().map(|(actions, resources)| {
            let actions: Vec<_> = actions.iter().map(|action| format!("dynamodb:{action}")).collect();
            json!({ "Effect": "Allow", "Action": actions, "Resource": resources })
        });
        Ok(json!({ "Version": "2012-10-17", "Statement": statement.collect::<Value>() }))
    }
}
