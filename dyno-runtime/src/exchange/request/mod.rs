//! The requests of commands, for people to read, and for programs to change and send themselves.

pub(super) mod request_attempts;
#[cfg(feature = "model")]
pub(super) mod request_outline;
pub(super) mod request_subject;

use crate::attribute::Item;
use crate::sorted;
use aws_sdk_dynamodb::operation::delete_item::builders::DeleteItemInputBuilder;
use aws_sdk_dynamodb::operation::get_item::builders::GetItemInputBuilder;
use aws_sdk_dynamodb::operation::put_item::builders::PutItemInputBuilder;
use aws_sdk_dynamodb::operation::query::builders::QueryInputBuilder;
use aws_sdk_dynamodb::operation::scan::builders::ScanInputBuilder;
#[cfg(feature = "vectors")]
use aws_sdk_dynamodb::operation::search_vectors::builders::SearchVectorsInputBuilder;
use aws_sdk_dynamodb::operation::transact_get_items::builders::TransactGetItemsInputBuilder;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsInputBuilder;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemInputBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, TransactGetItem, TransactWriteItem};
use std::collections::HashMap;
use std::fmt;

/// The request that a command would send: the result of its `request(&repository)`.
///
/// `Display` shows the table, the key or item, and the expressions with their names and values. You can change the SDK's input
/// builder that is inside, and send it yourself with its `send_with(&client)`. The answer is then the SDK's.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Request {
    /// `GetItem`
    Get(GetItemInputBuilder),
    /// `PutItem`
    Put(PutItemInputBuilder),
    /// `UpdateItem`
    Update(UpdateItemInputBuilder),
    /// `DeleteItem`
    Delete(DeleteItemInputBuilder),
    /// `Query`, for the first page
    Query(QueryInputBuilder),
    /// `Scan`, for the first page of the first segment
    Scan(ScanInputBuilder),
    /// `SearchVectors`
    #[cfg(feature = "vectors")]
    Search(SearchVectorsInputBuilder),
    /// `TransactWriteItems`, with its token
    Transaction(TransactWriteItemsInputBuilder),
    /// `TransactGetItems`
    TransactGet(TransactGetItemsInputBuilder),
}

/// The parts of any request, borrowed from its builder.
#[derive(Default)]
pub(in crate::exchange) struct Parts<'a> {
    pub(in crate::exchange) operation: &'static str,
    pub(in crate::exchange) table: Option<&'a str>,
    item: Option<(&'static str, &'a Item)>,
    pub(in crate::exchange) expressions: Vec<(&'static str, Option<&'a str>)>,
    pub(in crate::exchange) names: Option<&'a HashMap<String, String>>,
    values: Option<&'a Item>,
    pub(in crate::exchange) options: Vec<Option<String>>,
    pub(in crate::exchange) actions: Vec<Parts<'a>>,
}

impl Request {
    pub(in crate::exchange) fn parts(&self) -> Parts<'_> {
        /// Borrows the parts that all builders of requests for one table have.
        macro_rules! parts {
            (
                $builder:ident, $operation:literal, $label:literal: $item:ident,
                [$($name:literal: $expression:ident),*] $($more:tt)*
            ) => {
                Parts {
                    operation: $operation,
                    table: $builder.get_table_name().as_deref(),
                    item: $builder.$item().as_ref().map(|item| ($label, item)),
                    expressions: vec![$(($name, $builder.$expression().as_deref())),*],
                    names: $builder.get_expression_attribute_names().as_ref()
                    $($more)*,
                    ..Parts::default()
                }
            };
        }
        match self {
            Self::Get(get) => parts!(
                get, "GetItem", "key": get_key, ["projection": get_projection_expression],
                options: vec![flag("consistent", *get.get_consistent_read())]
            ),
            Self::Put(put) => parts!(
                put, "PutItem", "item": get_item, ["condition": get_condition_expression],
                values: put.get_expression_attribute_values().as_ref()
            ),
            Self::Update(update) => parts!(
                update, "UpdateItem", "key": get_key,
                ["update": get_update_expression, "condition": get_condition_expression],
                values: update.get_expression_attribute_values().as_ref()
            ),
            Self::Delete(delete) => parts!(
                delete, "DeleteItem", "key": get_key, ["condition": get_condition_expression],
                values: delete.get_expression_attribute_values().as_ref()
            ),
            Self::Query(query) => parts!(
                query, "Query", "after": get_exclusive_start_key,
                [
                    "index": get_index_name, "keys": get_key_condition_expression,
                    "filter": get_filter_expression, "projection": get_projection_expression
                ],
                values: query.get_expression_attribute_values().as_ref(),
                options: vec![
                    flag("consistent", *query.get_consistent_read()),
                    flag("descending", query.get_scan_index_forward().map(|forward| !forward)),
                    number("limit", *query.get_limit()),
                ]
            ),
            Self::Scan(scan) => parts!(
                scan, "Scan", "after": get_exclusive_start_key,
                [
                    "index": get_index_name, "filter": get_filter_expression,
                    "projection": get_projection_expression
                ],
                values: scan.get_expression_attribute_values().as_ref(),
                options: vec![
                    flag("consistent", *scan.get_consistent_read()),
                    number("limit", *scan.get_limit()),
                    number("segment", *scan.get_segment()),
                    number("segments", *scan.get_total_segments()),
                ]
            ),
            #[cfg(feature = "vectors")]
            Self::Search(search) => Parts {
                operation: "SearchVectors",
                table: search.get_table_name().as_deref(),
                expressions: vec![
                    ("index", search.get_index_name().as_deref()),
                    ("condition", search.get_search_condition_expression().as_deref()),
                    ("projection", search.get_projection_expression().as_deref()),
                ],
                names: search.get_expression_attribute_names().as_ref(),
                values: search.get_expression_attribute_values().as_ref(),
                options: vec![
                    search.get_search_vector().as_ref().map(|vector| format!("vector of {} dimensions", vector.len())),
                    number("top", *search.get_top_k()),
                ],
                ..Parts::default()
            },
            Self::Transaction(transaction) => Parts {
                operation: "TransactWriteItems",
                options: vec![transaction.get_client_request_token().as_ref().map(|token| format!("token {token}"))],
                actions: transaction.get_transact_items().iter().flatten().map(Parts::of_action).collect(),
                ..Parts::default()
            },
            Self::TransactGet(transaction) => {
                let gets = transaction.get_transact_items().iter().flatten().filter_map(TransactGetItem::get);
                let gets = gets.map(|get| Parts {
                    operation: "Get",
                    table: Some(get.table_name()),
                    item: Some(("key", get.key())),
                    expressions: vec![("projection", get.projection_expression())],
                    names: get.expression_attribute_names(),
                    ..Parts::default()
                });
                Parts { operation: "TransactGetItems", actions: gets.collect(), ..Parts::default() }
            }
        }
    }
}

/// Returns the text of an option that is set or not.
fn flag(name: &str, value: Option<bool>) -> Option<String> {
    (value == Some(true)).then(|| name.to_owned())
}

/// Returns the text of an option that has a number.
fn number(name: &str, value: Option<i32>) -> Option<String> {
    value.map(|value| format!("{name} {value}"))
}

impl<'a> Parts<'a> {
    /// Borrows the parts of an action of a transaction.
    fn of_action(action: &'a TransactWriteItem) -> Self {
        /// Borrows the parts that all actions have.
        macro_rules! parts {
            ($operation:literal, $action:ident, $label:literal: $item:ident, [$($name:literal: $expression:expr),*]) => {
                Parts {
                    operation: $operation,
                    table: Some($action.table_name()),
                    item: Some(($label, $action.$item())),
                    expressions: vec![$(($name, $expression)),*],
                    names: $action.expression_attribute_names(),
                    values: $action.expression_attribute_values(),
                    ..Parts::default()
                }
            };
        }
        if let Some(put) = action.put() {
            parts!("Put", put, "item": item, ["condition": put.condition_expression()])
        } else if let Some(update) = action.update() {
            let (changes, condition) = (Some(update.update_expression()), update.condition_expression());
            parts!("Update", update, "key": key, ["update": changes, "condition": condition])
        } else if let Some(delete) = action.delete() {
            parts!("Delete", delete, "key": key, ["condition": delete.condition_expression()])
        } else if let Some(check) = action.condition_check() {
            parts!("ConditionCheck", check, "key": key, ["condition": Some(check.condition_expression())])
        } else {
            Parts::default()
        }
    }
}

/// Writes one line for the operation and its table, one for the item, for each expression, and for each name and value.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().write("", f)
    }
}

impl Parts<'_> {
    /// Writes the parts, and then the actions of a transaction, indented.
    fn write(&self, indent: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{indent}{}", self.operation)?;
        if let Some(table) = self.table {
            write!(f, " {table}")?;
        }
        if let Some((label, item)) = self.item {
            write!(f, "\n{indent}  {label}: {}", Members(item))?;
        }
        for (label, expression) in self.expressions.iter().filter_map(|(label, text)| Some((label, (*text)?))) {
            write!(f, "\n{indent}  {label}: {expression}")?;
        }
        for (placeholder, name) in self.names.into_iter().flat_map(sorted::entries) {
            write!(f, "\n{indent}    {placeholder} = {name}")?;
        }
        for (placeholder, value) in self.values.into_iter().flat_map(sorted::entries) {
            write!(f, "\n{indent}    {placeholder} = {:?}", Value(value))?;
        }
        let options: Vec<&str> = self.options.iter().flatten().map(String::as_str).collect();
        if !options.is_empty() {
            write!(f, "\n{indent}  {}", options.join(", "))?;
        }
        for action in &self.actions {
            f.write_str("\n")?;
            action.write("  ", f)?;
        }
        Ok(())
    }
}

/// An item or map, whose members are written in the order of their names.
struct Members<'a>(&'a Item);

impl fmt::Display for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, (name, value)) in sorted::entries(self.0).enumerate() {
            let separator = if index == 0 { " " } else { ", " };
            write!(f, "{separator}{name}: {:?}", Value(value))?;
        }
        f.write_str(" }")
    }
}

/// A value, written as in a text about DynamoDB: `"text"`, `7`, `{ … }`, `SS["a", "b"]`.
struct Value<'a>(&'a AttributeValue);

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            AttributeValue::S(text) => write!(f, "{text:?}"),
            AttributeValue::N(number) => f.write_str(number),
            AttributeValue::B(bytes) => write!(f, "B({} bytes)", bytes.as_ref().len()),
            AttributeValue::Bool(bool) => write!(f, "{bool}"),
            AttributeValue::Null(_) => f.write_str("NULL"),
            AttributeValue::M(members) => write!(f, "{}", Members(members)),
            AttributeValue::L(elements) => f.debug_list().entries(elements.iter().map(Value)).finish(),
            AttributeValue::Ss(elements) => write!(f, "SS{elements:?}"),
            AttributeValue::Ns(elements) => write!(f, "NS[{}]", elements.join(", ")),
            AttributeValue::Bs(elements) => write!(f, "BS({} elements)", elements.len()),
            other => write!(f, "{other:?}"),
        }
    }
}
