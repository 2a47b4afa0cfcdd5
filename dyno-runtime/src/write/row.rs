//! One write of one row, as text: before it is a request of its own, an action of a transaction, or an entry of a batch.
//!
//! Each of the three is made by taking a `RowWrite` apart whole: a part that one of them forgot would not compile.

use crate::attribute::{Item, Packed};
use crate::error::Error;
use crate::exchange::Request;
use crate::expression::Placeholders;
use crate::key::key_text;
use crate::rule::new_row;
use crate::schema::Schema;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::operation::delete_item::builders::DeleteItemFluentBuilder;
use aws_sdk_dynamodb::operation::put_item::builders::PutItemFluentBuilder;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, DeleteRequest, Put, PutRequest, ReturnConsumedCapacity, ReturnValue,
    ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update, WriteRequest,
};
use std::collections::HashMap;
use std::mem;

/// A write of one row of one table.
#[derive(Clone, Debug)]
pub(crate) struct RowWrite {
    pub(super) table: String,
    pub(super) body: Body,
    pub(super) condition: Option<String>,
    pub(super) names: Option<HashMap<String, String>>,
    pub(super) values: Option<Item>,
    /// What is to be returned of the item. A transaction returns nothing, whatever is asked.
    pub(super) returns: Option<ReturnValue>,
}

/// What it does with the row.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Puts this item.
    Put(Item),
    /// Changes the item at this key, by this update expression.
    Update(Item, String),
    /// Removes the item at this key.
    Delete(Item),
    /// Nothing: its condition alone counts.
    Check(Item),
}

/// What is sent of one write. It stays when it has gone into a request, in case it is sent again, or refused.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(super) front: Option<RowWrite>,
    pub(super) main: RowWrite,
    /// The item that `main` puts, once that has gone: in one piece, which takes little to make.
    packed: Option<Packed>,
}

impl Rows {
    pub(super) fn new(front: Option<RowWrite>, main: RowWrite) -> Self {
        Self { front, main, packed: None }
    }

    /// The write's own row, for a request. Here it stays without its table, which whoever sends it knows.
    pub(super) fn spend(&mut self) -> RowWrite {
        let RowWrite { table: _, body, condition, names, values, returns } = &self.main;
        let packed = self.main.item().and_then(Packed::new);
        let left = RowWrite {
            table: String::new(),
            body: if packed.is_some() { Body::Put(Item::new()) } else { body.clone() },
            condition: condition.clone(),
            names: names.clone(),
            values: values.clone(),
            returns: returns.clone(),
        };
        self.packed = packed;
        mem::replace(&mut self.main, left)
    }

    /// What was spent, once more.
    pub(super) fn again(&self, table: &str) -> Option<RowWrite> {
        let mut row = self.main.clone();
        table.clone_into(&mut row.table);
        if let Some(item) = &self.packed {
            row.body = Body::Put(item.unpack()?);
        }
        Some(row)
    }

    /// Its key, for people.
    pub(super) fn key_text(&self, schema: &Schema) -> Option<String> {
        match (&self.packed, &self.main.body) {
            (Some(item), _) => key_text(&item.unpack()?, schema),
            (None, Body::Put(item) | Body::Update(item, _) | Body::Delete(item) | Body::Check(item)) => {
                key_text(item, schema)
            }
        }
    }
}

/// A request of its own, ready to be sent.
pub(super) enum Fluent {
    Put(PutItemFluentBuilder),
    Update(UpdateItemFluentBuilder),
    Delete(DeleteItemFluentBuilder),
    /// A check is none: it is part of a transaction.
    None,
}

impl Fluent {
    /// What it sends.
    pub(super) fn request(&self) -> Option<Request> {
        match self {
            Self::Put(put) => Some(Request::Put(put.as_input().clone())),
            Self::Update(update) => Some(Request::Update(update.as_input().clone())),
            Self::Delete(delete) => Some(Request::Delete(delete.as_input().clone())),
            Self::None => None,
        }
    }
}

/// Sets what all requests and actions have in common. Only what is there: each setting moves a builder of many parts.
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
    /// Of these parts: `placeholders` are those of the condition and of the update expression.
    pub(super) fn new(table: String, body: Body, condition: Option<String>, placeholders: Placeholders) -> Self {
        let (names, values) = (placeholders.names(), placeholders.into_values());
        Self { table, body, condition, names, values, returns: None }
    }

    /// A row that no other writer changes, put where none is.
    pub(super) fn put_new(table: &str, row: Item, partition: &'static str) -> Self {
        let mut placeholders = Placeholders::default();
        let condition = new_row(partition).render(&mut placeholders);
        Self::new(table.to_owned(), Body::Put(row), Some(condition), placeholders)
    }

    /// The item that is put, if one is.
    pub(super) fn item(&self) -> Option<&Item> {
        match &self.body {
            Body::Put(item) => Some(item),
            Body::Update(..) | Body::Delete(_) | Body::Check(_) => None,
        }
    }

    /// A request of its own.
    pub(super) fn fluent(self, client: &Client) -> Fluent {
        let Self { table, body, condition, names, values, returns } = self;
        macro_rules! request {
            ($builder:expr) => {{
                let builder = set!($builder, table, condition, names, values);
                let builder = if returns.is_some() { builder.set_return_values(returns) } else { builder };
                builder.return_consumed_capacity(ReturnConsumedCapacity::Total)
            }};
        }
        match body {
            Body::Put(item) => Fluent::Put(request!(client.put_item().set_item(Some(item)))),
            Body::Update(key, changes) => {
                Fluent::Update(request!(client.update_item().set_key(Some(key)).update_expression(changes)))
            }
            Body::Delete(key) => Fluent::Delete(request!(client.delete_item().set_key(Some(key)))),
            Body::Check(_) => Fluent::None,
        }
    }

    /// An action of a transaction.
    pub(super) fn action(self) -> Result<TransactWriteItem, Error> {
        self.into_action().map_err(unbuilt)
    }

    fn into_action(self) -> Result<TransactWriteItem, BuildError> {
        // A transaction returns no item.
        let Self { table, body, condition, names, values, returns: _ } = self;
        macro_rules! built {
            ($builder:expr) => {
                set!($builder, table, condition, names, values).build()?
            };
        }
        let action = TransactWriteItem::builder();
        let action = match body {
            Body::Put(item) => action.put(built!(Put::builder().set_item(Some(item)))),
            Body::Update(key, changes) => {
                action.update(built!(Update::builder().set_key(Some(key)).update_expression(changes)))
            }
            Body::Delete(key) => action.delete(built!(Delete::builder().set_key(Some(key)))),
            Body::Check(key) => action.condition_check(built!(ConditionCheck::builder().set_key(Some(key)))),
        };
        Ok(action.build())
    }

    /// An entry of a batch, which takes puts and deletes without conditions.
    pub(super) fn entry(self) -> Result<Option<WriteRequest>, Error> {
        let Self { table: _, body, condition: None, names: _, values: _, returns: _ } = self else { return Ok(None) };
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

/// The SDK misses a part of a request. Only one that is made so could.
fn unbuilt(error: BuildError) -> Error {
    Error::invalid(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::tables::repository;
    use aws_sdk_dynamodb::types::AttributeValue;

    #[test]
    fn what_is_kept_is_sent_again_as_it_was() {
        let repository = repository();
        let client = repository.client();
        let value = || AttributeValue::L(vec![AttributeValue::N("7".to_owned()), AttributeValue::Bool(true)]);
        let item = || Item::from([("id".to_owned(), AttributeValue::S("1".to_owned())), ("list".to_owned(), value())]);
        for body in [Body::Put(item()), Body::Update(item(), "SET #0 = :0".to_owned()), Body::Delete(item())] {
            let row = RowWrite {
                table: "ratings".to_owned(),
                body,
                condition: Some("#0 = :0".to_owned()),
                names: Some(HashMap::from([("#0".to_owned(), "list".to_owned())])),
                values: Some(Item::from([(":0".to_owned(), value())])),
                returns: Some(ReturnValue::AllOld),
            };
            let mut rows = Rows::new(None, row.clone());
            let sent = rows.spend().fluent(client);
            assert_eq!(rows.packed.is_some(), row.item().is_some(), "{row:?}");
            for _ in 0..2 {
                let again = rows.again("ratings").expect("it was kept").fluent(client);
                match (&sent, &again) {
                    (Fluent::Put(sent), Fluent::Put(again)) => assert_eq!(again.as_input(), sent.as_input()),
                    (Fluent::Update(sent), Fluent::Update(again)) => assert_eq!(again.as_input(), sent.as_input()),
                    (Fluent::Delete(sent), Fluent::Delete(again)) => assert_eq!(again.as_input(), sent.as_input()),
                    (sent, _) => panic!("another operation than {:?}", sent.request()),
                }
            }
        }
    }
}
