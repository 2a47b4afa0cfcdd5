//! One write of one row, before it becomes a request, an action of a transaction, or an entry of a batch.
//!
//! Each of the three conversions destructures the whole `RowWrite`, so that one which forgot a part would not compile.

#[cfg(any(feature = "json-lines", feature = "transactions"))]
use super::kept_row::KeptRow;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::repository::Repository;
use crate::exchange::send::call::{Answer, Ask, call};
use crate::exchange::send::equal_requests::Again;
use crate::exchange::send::row_request::RowRequest;
use crate::expression::{Node, Path, Placeholders};
use crate::rule::new_row;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, DeleteRequest, Put, PutRequest, ReturnConsumedCapacity, ReturnValue,
    ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update, WriteRequest,
};
use futures_util::future::BoxFuture;
use std::collections::HashMap;
use std::future::ready;
use std::mem;

/// A write of one row of one table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowWrite {
    pub(crate) table: String,
    pub(crate) body: Body,
    pub(crate) condition: Option<String>,
    pub(crate) names: Option<HashMap<String, String>>,
    pub(crate) values: Option<Item>,
    /// The version of the item to return, if any. A transaction never returns an item.
    pub(crate) returns: Option<ReturnValue>,
    /// Whether DynamoDB is asked for the cost of each index, because it reports that of vector indexes only then.
    pub(crate) reports_indexes: bool,
}

/// The effect of a write on its row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    /// Puts this item.
    Put(Item),
    /// Changes the item at this key, by this update expression. If the expression is empty, only the condition has an effect.
    Update(Item, String),
    /// Removes the item at this key.
    Delete(Item),
    /// Changes nothing, and only checks the condition at this key.
    Check(Item),
}

/// Returns which costs DynamoDB is asked for.
pub(crate) fn capacity(reports_indexes: bool) -> ReturnConsumedCapacity {
    if reports_indexes { ReturnConsumedCapacity::Indexes } else { ReturnConsumedCapacity::Total }
}

/// Sets the parts that all requests and actions have. Absent parts are skipped, because each setter moves the whole builder.
macro_rules! set {
    ($builder:expr, $table:ident, $condition:ident, $names:ident, $values:ident) => {{
        let mut builder = $builder.table_name($table);
        if let Some(condition) = $condition {
            builder = builder
                .condition_expression(condition)
                .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        }
        if $names.is_some() || $values.is_some() {
            builder = builder.set_expression_attribute_names($names).set_expression_attribute_values($values);
        }
        builder
    }};
}

impl RowWrite {
    /// Makes a write. `placeholders` are those of the condition and of the update expression.
    pub(crate) fn new(table: String, body: Body, condition: Option<String>, placeholders: Placeholders) -> Self {
        let (names, values) = placeholders.into_parts();
        Self { table, body, condition, names, values, returns: None, reports_indexes: false }
    }

    /// Makes a put of a new row, which is refused if a row exists.
    pub(crate) fn put_new(table: &str, row: Item, partition: impl Into<Path>) -> Self {
        let mut placeholders = Placeholders::default();
        let condition = new_row(partition).render(&mut placeholders);
        Self::new(table.to_owned(), Body::Put(row), Some(condition), placeholders)
    }

    /// Makes a put that replaces any stored row.
    pub(crate) fn put_always(table: &str, row: Item) -> Self {
        Self::new(table.to_owned(), Body::Put(row), None, Placeholders::default())
    }

    /// Adds a condition to that of the write.
    pub(crate) fn require(&mut self, condition: Node) {
        let mut placeholders = Placeholders::from_parts(self.names.take(), self.values.take());
        let further = condition.render(&mut placeholders);
        self.condition = Some(match self.condition.take() {
            Some(condition) => format!("({condition}) AND ({further})"),
            None => further,
        });
        (self.names, self.values) = placeholders.into_parts();
    }

    /// Returns the item, if the write is a put.
    pub(crate) fn item(&self) -> Option<&Item> {
        match &self.body {
            Body::Put(item) => Some(item),
            Body::Update(..) | Body::Delete(_) | Body::Check(_) => None,
        }
    }

    /// Returns the item of a put, or the key of another write.
    pub(crate) fn item_or_key(&self) -> &Item {
        match &self.body {
            Body::Put(item) | Body::Update(item, _) | Body::Delete(item) | Body::Check(item) => item,
        }
    }

    /// Takes the write out for a request, and leaves one that must not be sent.
    pub(crate) fn take(&mut self) -> Self {
        let nothing = Body::Check(Item::new());
        mem::replace(self, Self::new(String::new(), nothing, None, Placeholders::default()))
    }

    /// Makes a request of its own; an error if the write is a check, which exists only in a transaction.
    pub(crate) fn into_request(self, client: &Client) -> Result<RowRequest, Error> {
        let Self { table, body, condition, names, values, returns, reports_indexes } = self;
        macro_rules! request {
            ($builder:expr) => {{
                let builder = set!($builder, table, condition, names, values);
                let builder = if returns.is_some() { builder.set_return_values(returns) } else { builder };
                builder.return_consumed_capacity(capacity(reports_indexes))
            }};
        }
        Ok(match body {
            Body::Put(item) => RowRequest::Put(request!(client.put_item().set_item(Some(item)))),
            Body::Update(key, changes) => {
                let changes = Some(changes).filter(|changes| !changes.is_empty());
                RowRequest::Update(request!(client.update_item().set_key(Some(key)).set_update_expression(changes)))
            }
            Body::Delete(key) => RowRequest::Delete(request!(client.delete_item().set_key(Some(key)))),
            Body::Check(_) => return Err(no_request()),
        })
    }

    /// Makes an action of a transaction.
    pub(crate) fn action(self) -> Result<TransactWriteItem, Error> {
        self.into_action().map_err(unbuilt)
    }

    fn into_action(self) -> Result<TransactWriteItem, BuildError> {
        // A transaction returns no item, so `returns` has no effect.
        let Self { table, body, condition, names, values, returns: _, reports_indexes: _ } = self;
        macro_rules! built {
            ($builder:expr) => {
                set!($builder, table, condition, names, values).build()?
            };
        }
        let action = TransactWriteItem::builder();
        let action = match body {
            Body::Put(item) => action.put(built!(Put::builder().set_item(Some(item)))),
            // DynamoDB takes no update without an expression in a transaction.
            Body::Update(key, changes) if changes.is_empty() => {
                action.condition_check(built!(ConditionCheck::builder().set_key(Some(key))))
            }
            Body::Update(key, changes) => {
                action.update(built!(Update::builder().set_key(Some(key)).update_expression(changes)))
            }
            Body::Delete(key) => action.delete(built!(Delete::builder().set_key(Some(key)))),
            Body::Check(key) => action.condition_check(built!(ConditionCheck::builder().set_key(Some(key)))),
        };
        Ok(action.build())
    }

    /// Makes an entry of a batch; `None` unless the write is a put or a delete without a condition.
    pub(crate) fn entry(self) -> Result<Option<WriteRequest>, Error> {
        let Self { table: _, body, condition: None, names: _, values: _, returns: _, reports_indexes: _ } = self else {
            return Ok(None);
        };
        let entry = WriteRequest::builder();
        let entry = match body {
            Body::Put(item) => entry.put_request(PutRequest::builder().set_item(Some(item)).build().map_err(unbuilt)?),
            Body::Delete(key) => {
                entry.delete_request(DeleteRequest::builder().set_key(Some(key)).build().map_err(unbuilt)?)
            }
            Body::Update(..) | Body::Check(_) => return Ok(None),
        };
        Ok(Some(entry.build()))
    }
}

/// Returns the error of a request that lacks a part. No request of this crate does.
fn unbuilt(error: BuildError) -> Error {
    Error::invalid(error.to_string())
}

/// DynamoDB's answer to the write of a row: the returned item, if one was requested; or the stored row, if it does not meet the
/// condition.
pub(crate) type RowAnswer = Answer<Option<Item>, Option<Item>>;

/// Sends the write of a row as a request of its own.
#[cfg(any(feature = "json-lines", feature = "transactions"))]
pub(crate) fn write_row<'a>(
    repository: &'a Repository,
    ask: Ask<'a>,
    row: RowWrite,
) -> BoxFuture<'a, Result<RowAnswer, Error>> {
    let (kept, table) = (KeptRow::new(&row), row.table.clone());
    write_row_with(repository, ask, row, Box::new(move || kept.again(&table)))
}

/// Sends the write of a row. `again` makes the same write once more, for the second request of a hedge and for a request after a
/// pause, so that the caller decides how to keep it.
pub(crate) fn write_row_with<'a>(
    repository: &'a Repository,
    ask: Ask<'a>,
    row: RowWrite,
    again: Box<dyn Fn() -> Option<RowWrite> + Send + Sync + 'a>,
) -> BoxFuture<'a, Result<RowAnswer, Error>> {
    let client = repository.sender();
    match row.into_request(client) {
        Ok(request) => {
            let again = Again::Made(Box::new(move || again()?.into_request(client).ok()));
            call(repository, ask, request, again)
        }
        Err(error) => Box::pin(ready(Err(error))),
    }
}

/// Returns the error of a check that is sent alone.
#[cold]
fn no_request() -> Error {
    Error::invalid("a check has no request of its own: it is part of a transaction")
}
