//! Checks each request for what DynamoDB refuses although an engine may serve it: the form and the limits of expressions, and the
//! attributes that they may name.
//!
//! The rules are those of the developer guide and of DynamoDB's own refusals. They cover what dyno writes: its expressions, with
//! the names, the values and the keys that belong to them. What every engine refuses, such as an item without its key, is not
//! checked here.

mod expression;
#[cfg(test)]
mod planted;
mod tables;
mod update;

use expression::Parser;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
pub(super) use tables::Tables;

const NAMES: &str = "ExpressionAttributeNames";
const VALUES: &str = "ExpressionAttributeValues";

/// The faults of a request.
pub(super) fn faults(tables: &Tables, operation: &str, body: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    for action in body["TransactItems"].as_array().into_iter().flatten() {
        for (kind, action) in action.as_object().into_iter().flatten() {
            faults.extend(faults_of_part(tables, kind, action));
        }
    }
    if operation == "BatchGetItem" {
        for part in body["RequestItems"].as_object().into_iter().flat_map(Map::values) {
            faults.extend(faults_of_part(tables, operation, part));
        }
    }
    faults.extend(faults_of_part(tables, operation, body));
    faults
}

/// The faults of what shares placeholders: a request, an action of a transaction, or the reads of one table in a batch.
fn faults_of_part(tables: &Tables, operation: &str, part: &Value) -> Vec<String> {
    let (names, values) = (&part[NAMES], &part[VALUES]);
    let (mut faults, mut used, mut has_expressions) = (Vec::new(), BTreeSet::new(), false);
    for (member, text) in part.as_object().into_iter().flatten() {
        let Some(text) = text.as_str().filter(|_| member.ends_with("Expression")) else { continue };
        let found = Parser::parse(member, text, names, values);
        let of_table = tables.check(operation, part, member, &found);
        let all = found.faults.into_iter().chain(of_table);
        faults.extend(all.map(|fault| format!("Invalid {member}: {fault}: {text}")));
        used.extend(found.used);
        has_expressions = true;
    }
    for (member, given) in [(NAMES, names), (VALUES, values)] {
        let Some(given) = given.as_object() else { continue };
        if given.is_empty() {
            faults.push(format!("{member} must not be empty"));
        }
        if !has_expressions {
            faults.push(format!("{member} can only be specified when using expressions"));
        }
        let unused = given.keys().filter(|placeholder| !used.contains(*placeholder));
        faults.extend(unused.map(|name| format!("Value provided in {member} unused in expressions: keys: {{{name}}}")));
    }
    faults
}
