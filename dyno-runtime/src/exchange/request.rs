//! The requests that commands make: for people to read, and for programs to change and send by hand.

use crate::attribute::Item;
use aws_sdk_dynamodb::operation::delete_item::builders::DeleteItemInputBuilder;
use aws_sdk_dynamodb::operation::get_item::builders::GetItemInputBuilder;
use aws_sdk_dynamodb::operation::put_item::builders::PutItemInputBuilder;
use aws_sdk_dynamodb::operation::query::builders::QueryInputBuilder;
use aws_sdk_dynamodb::operation::scan::builders::ScanInputBuilder;
use aws_sdk_dynamodb::operation::transact_get_items::builders::TransactGetItemsInputBuilder;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsInputBuilder;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemInputBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, TransactGetItem, TransactWriteItem};
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// The request that a command sends, before it is sent: what its `request(&repository)` returns.
///
/// `Display` shows table, key or item, expressions, names and values. The SDK's own input builder inside can be
/// changed and sent by hand, with its `send_with(&client)`; what comes back is then the SDK's.
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
    /// `Query`: of the first page.
    Query(QueryInputBuilder),
    /// `Scan`: of the first page, and of the first segment.
    Scan(ScanInputBuilder),
    /// `TransactWriteItems`, with its token
    Transaction(TransactWriteItemsInputBuilder),
    /// `TransactGetItems`
    TransactGet(TransactGetItemsInputBuilder),
}

/// The parts of any request, borrowed from its builder.
#[derive(Default)]
struct Parts<'a> {
    operation: &'static str,
    table: Option<&'a str>,
    item: Option<(&'static str, &'a Item)>,
    expressions: Vec<(&'static str, &'a str)>,
    names: Option<&'a HashMap<String, String>>,
    values: Option<&'a Item>,
    options: Vec<String>,
    actions: Vec<Parts<'a>>,
}

impl Request {
    fn parts(&self) -> Parts<'_> {
        /// The getters that the builders have in common.
        macro_rules! parts {
            ($operation:literal, $builder:ident, item: $item:expr, $($label:literal: $expression:ident),*) => {
                Parts {
                    operation: $operation,
                    table: $builder.get_table_name().as_deref(),
                    item: $item,
                    expressions: [$(($label, $builder.$expression().as_deref())),*]
                        .into_iter()
                        .filter_map(|(label, expression): (_, Option<&str>)| Some((label, expression?)))
                        .collect(),
                    names: $builder.get_expression_attribute_names().as_ref(),
                    ..Parts::default()
                }
            };
        }
        match self {
            Self::Get(get) => {
                let mut parts = parts!("GetItem", get, item: get.get_key().as_ref().map(|key| ("key", key)),
                    "projection": get_projection_expression);
                parts.option("consistent", *get.get_consistent_read());
                parts
            }
            Self::Put(put) => Parts {
                values: put.get_expression_attribute_values().as_ref(),
                ..parts!(
                    "PutItem", put,
                    item: put.get_item().as_ref().map(|item| ("item", item)),
                    "condition": get_condition_expression
                )
            },
            Self::Update(update) => Parts {
                values: update.get_expression_attribute_values().as_ref(),
                ..parts!(
                    "UpdateItem", update,
                    item: update.get_key().as_ref().map(|key| ("key", key)),
                    "update": get_update_expression,
                    "condition": get_condition_expression
                )
            },
            Self::Delete(delete) => Parts {
                values: delete.get_expression_attribute_values().as_ref(),
                ..parts!(
                    "DeleteItem", delete,
                    item: delete.get_key().as_ref().map(|key| ("key", key)),
                    "condition": get_condition_expression
                )
            },
            Self::Query(query) => {
                let mut parts = parts!(
                    "Query", query,
                    item: query.get_exclusive_start_key().as_ref().map(|key| ("after", key)),
                    "index": get_index_name,
                    "keys": get_key_condition_expression,
                    "filter": get_filter_expression,
                    "projection": get_projection_expression
                );
                parts.values = query.get_expression_attribute_values().as_ref();
                parts.option("consistent", *query.get_consistent_read());
                parts.option("descending", query.get_scan_index_forward().map(|forward| !forward));
                parts.number("limit", *query.get_limit());
                parts
            }
            Self::Scan(scan) => {
                let mut parts = parts!(
                    "Scan", scan,
                    item: scan.get_exclusive_start_key().as_ref().map(|key| ("after", key)),
                    "index": get_index_name,
                    "filter": get_filter_expression,
                    "projection": get_projection_expression
                );
                parts.values = scan.get_expression_attribute_values().as_ref();
                parts.option("consistent", *scan.get_consistent_read());
                parts.number("limit", *scan.get_limit());
                parts.number("segment", *scan.get_segment());
                parts.number("segments", *scan.get_total_segments());
                parts
            }
            Self::Transaction(transaction) => {
                let mut parts = Parts { operation: "TransactWriteItems", ..Parts::default() };
                parts
                    .options
                    .extend(transaction.get_client_request_token().as_ref().map(|token| format!("token {token}")));
                parts.actions = transaction.get_transact_items().iter().flatten().map(Parts::of_action).collect();
                parts
            }
            Self::TransactGet(transaction) => {
                let gets = transaction.get_transact_items().iter().flatten().filter_map(TransactGetItem::get);
                let gets = gets.map(|get| Parts {
                    operation: "Get",
                    table: Some(get.table_name()),
                    item: Some(("key", get.key())),
                    expressions: get.projection_expression().map(|names| ("projection", names)).into_iter().collect(),
                    names: get.expression_attribute_names(),
                    ..Parts::default()
                });
                Parts { operation: "TransactGetItems", actions: gets.collect(), ..Parts::default() }
            }
        }
    }
}

impl<'a> Parts<'a> {
    /// An action of a transaction.
    fn of_action(action: &'a TransactWriteItem) -> Self {
        /// What the actions have in common.
        macro_rules! parts {
            ($operation:literal, $action:ident, $label:literal: $item:ident, $condition:expr $(, $update:expr)?) => {
                Parts {
                    operation: $operation,
                    table: Some($action.table_name()),
                    item: Some(($label, $action.$item())),
                    expressions: [$(("update", Some($update)),)? ("condition", $condition)]
                        .into_iter()
                        .filter_map(|(label, expression): (_, Option<&str>)| Some((label, expression?)))
                        .collect(),
                    names: $action.expression_attribute_names(),
                    values: $action.expression_attribute_values(),
                    ..Parts::default()
                }
            };
        }
        if let Some(put) = action.put() {
            parts!("Put", put, "item": item, put.condition_expression())
        } else if let Some(update) = action.update() {
            parts!("Update", update, "key": key, update.condition_expression(), update.update_expression())
        } else if let Some(delete) = action.delete() {
            parts!("Delete", delete, "key": key, delete.condition_expression())
        } else if let Some(check) = action.condition_check() {
            parts!("ConditionCheck", check, "key": key, Some(check.condition_expression()))
        } else {
            Parts::default()
        }
    }

    fn option(&mut self, name: &str, value: Option<bool>) {
        if value == Some(true) {
            self.options.push(name.to_owned());
        }
    }

    fn number(&mut self, name: &str, value: Option<i32>) {
        self.options.extend(value.map(|value| format!("{name} {value}")));
    }
}

/// One line each for table, item, expressions, names and values; names and values in order.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().write("", f)
    }
}

impl Parts<'_> {
    /// A transaction's actions follow, each further in.
    fn write(&self, indent: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{indent}{}", self.operation)?;
        if let Some(table) = self.table {
            write!(f, " {table}")?;
        }
        if let Some((label, item)) = self.item {
            write!(f, "\n{indent}  {label}: {}", Members(item))?;
        }
        for (label, expression) in &self.expressions {
            write!(f, "\n{indent}  {label}: {expression}")?;
        }
        for (placeholder, name) in self.names.into_iter().flatten().collect::<BTreeMap<_, _>>() {
            write!(f, "\n{indent}    {placeholder} = {name}")?;
        }
        for (placeholder, value) in self.values.into_iter().flatten().collect::<BTreeMap<_, _>>() {
            write!(f, "\n{indent}    {placeholder} = {}", Value(value))?;
        }
        if !self.options.is_empty() {
            write!(f, "\n{indent}  {}", self.options.join(", "))?;
        }
        for action in &self.actions {
            f.write_str("\n")?;
            action.write("  ", f)?;
        }
        Ok(())
    }
}

/// The members of an item or map, by name.
struct Members<'a>(&'a Item);

impl fmt::Display for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, (name, value)) in self.0.iter().collect::<BTreeMap<_, _>>().into_iter().enumerate() {
            let separator = if index == 0 { " " } else { ", " };
            write!(f, "{separator}{name}: {}", Value(value))?;
        }
        f.write_str(" }")
    }
}

/// A value as it would be written in a text about DynamoDB: `"text"`, `7`, `{ … }`, `SS["a", "b"]`.
struct Value<'a>(&'a AttributeValue);

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            AttributeValue::S(text) => write!(f, "{text:?}"),
            AttributeValue::N(number) => f.write_str(number),
            AttributeValue::B(bytes) => write!(f, "B({} bytes)", bytes.as_ref().len()),
            AttributeValue::Bool(bool) => write!(f, "{bool}"),
            AttributeValue::Null(_) => f.write_str("NULL"),
            AttributeValue::M(members) => Members(members).fmt(f),
            AttributeValue::L(elements) => f.debug_list().entries(elements.iter().map(Shown)).finish(),
            AttributeValue::Ss(elements) => write!(f, "SS{elements:?}"),
            AttributeValue::Ns(elements) => write!(f, "NS[{}]", elements.join(", ")),
            AttributeValue::Bs(elements) => write!(f, "BS({} elements)", elements.len()),
            other => write!(f, "{other:?}"),
        }
    }
}

/// A value within a list.
struct Shown<'a>(&'a AttributeValue);

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Value(self.0))
    }
}
