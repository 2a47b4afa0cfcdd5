//! Reads several items as of one moment: `TransactGetItems`.

use super::get_item::{GetCommand, projection};
use super::read_level::refuse_uncommitted;
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::row::transact::ACTIONS;
use crate::exchange::{
    About, Again, Answer, Ask, Repository, Request, call, conflicting_action, name_throttled_tables,
};
use crate::expression::Placeholders;
use crate::key::{distinct, error_context};
use crate::schema::Schema;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_get_items::builders::TransactGetItemsFluentBuilder;
use aws_sdk_dynamodb::types::{Get, ReturnConsumedCapacity, TransactGetItem};
use std::collections::HashMap;
use std::time::Duration;

/// The gets of one transaction without their types, each with the name of its table.
#[derive(Clone, Debug)]
pub(crate) struct TransactGetCommand {
    pub(crate) gets: Vec<(GetCommand, String)>,
    /// The delay of the hedge, if it is not that of the repository.
    pub(crate) hedge: Option<Duration>,
}

/// A consistent snapshot.
pub(crate) struct Snapshot {
    /// The items of the gets, in their order.
    pub(crate) items: Vec<Option<Item>>,
    /// The other rows, in their order.
    pub(crate) others: Vec<Option<Item>>,
}

impl TransactGetCommand {
    /// Returns the request.
    pub(crate) fn request(self, repository: &Repository) -> Result<Request, Error> {
        self.prepare(repository.sender(), Vec::new())
            .map(|transaction| Request::TransactGet(transaction.as_input().clone()))
    }

    /// Returns the item at each key, in the order of the gets.
    pub(crate) async fn send(self, repository: &Repository) -> Result<Vec<Option<Item>>, Error> {
        self.send_with(repository, Vec::new()).await.map(|snapshot| snapshot.items)
    }

    /// Returns the items, and these other rows as of the same moment.
    pub(crate) async fn send_with(self, repository: &Repository, others: Vec<Get>) -> Result<Snapshot, Error> {
        let gets: Vec<(&Schema, String)> = self.gets.iter().map(|(get, table)| (get.schema, table.clone())).collect();
        let hedge = repository.hedging(self.hedge);
        let transaction = self.prepare(repository.sender(), others)?;
        let keys = transaction.get_transact_items().clone().unwrap_or_default();
        let tables = || keys.iter().map(|key| key.get().map(Get::table_name));
        // The other rows are of no entity, but an error names their tables, too.
        let others = tables().skip(gets.len()).flatten().map(|table| (gets[0].0.entity, table));
        let entries = gets.iter().map(|(schema, table)| (schema.entity, &**table)).chain(others);
        let ask = Ask { hedge, ..Ask::new(About::several("transact_get", entries)) };
        let answer = call(repository, ask, transaction.clone(), Again::Kept(Box::new(transaction))).await;
        let answer = answer.map_err(|error| {
            let at = conflicting_action(&error);
            of_get((name_throttled_tables(error, tables()), at), &gets, &keys)
        });
        match answer? {
            Answer::Done(output) => {
                let responses = output.responses.unwrap_or_default();
                if responses.len() != keys.len() {
                    return Err(miscounted(responses.len(), keys.len()));
                }
                let items = responses.into_iter().map(|response| response.item);
                // If there is no item, some engines answer with an empty one.
                let mut items: Vec<_> = items.map(|item| item.filter(|item| !item.is_empty())).collect();
                let others = items.split_off(gets.len());
                Ok(Snapshot { items, others })
            }
            Answer::Denied(cancelled) => Err(of_get(cancelled.unexecutable(), &gets, &keys)),
        }
    }

    fn prepare(self, client: &Client, others: Vec<Get>) -> Result<TransactGetItemsFluentBuilder, Error> {
        // Check the number of gets.
        match self.gets.len() {
            0 => return Err(Error::invalid("the transaction reads nothing: add a get")),
            gets if gets > ACTIONS => {
                return Err(Error::invalid(format!(
                    "the transaction has {gets} gets, but DynamoDB accepts at most {ACTIONS}: split it into parts that need not show the same moment"
                )));
            }
            _ => {}
        }
        let mut items = HashMap::with_capacity(self.gets.len());
        let mut transaction = client.transact_get_items().return_consumed_capacity(ReturnConsumedCapacity::Total);
        for (index, (get, table)) in self.gets.into_iter().enumerate() {
            let schema = get.schema;
            let of_get = |error: Error, key: Option<&Item>| error_of_get(error, index, schema, key);
            refuse_uncommitted(get.level).map_err(|error| of_get(error, None))?;
            let key = get.key.map_err(|error| of_get(error.into(), None))?;
            // DynamoDB takes one get for each item.
            let text = distinct(&table, schema, &key).map_err(|error| of_get(error, Some(&key)))?;
            if let Some(other) = items.insert(text, index) {
                let error =
                    format!("get {other} is for the same item, and DynamoDB accepts one for each item: leave one out");
                return Err(of_get(Error::invalid(error), Some(&key)));
            }
            // Build the request of this get.
            let mut placeholders = Placeholders::default();
            let projection = projection(schema, get.projection, schema.is_transactional, &mut placeholders);
            let projection = projection.map_err(|error| of_get(error, Some(&key)))?;
            let get = Get::builder()
                .table_name(table)
                .set_key(Some(key))
                .set_projection_expression(projection)
                .set_expression_attribute_names(placeholders.into_parts().0)
                .build();
            let get = get.map_err(|error| Error::invalid(error.to_string()))?;
            transaction = transaction.transact_items(TransactGetItem::builder().get(get).build());
        }
        // Lane rows are read together with the items.
        let others = others.into_iter().map(|other| TransactGetItem::builder().get(other).build());
        Ok(others.fold(transaction, TransactGetItemsFluentBuilder::transact_items))
    }
}

/// Returns the error of an answer with too many or too few responses. DynamoDB has one for each get, even if there is no item.
/// Accepting such an answer would report an item as missing, or one item as another.
#[cold]
fn miscounted(responses: usize, gets: usize) -> Error {
    Error::new(ErrorKind::Service, format!("DynamoDB's answer has {responses} responses for {gets} gets"))
}

/// Adds to an error which get caused it.
pub(crate) fn error_of_get(error: Error, index: usize, schema: &Schema, key: Option<&Item>) -> Error {
    let context = error_context("get", schema, key);
    error.of(&format!("get {index} of the transaction")).with_context(|| context)
}

/// Adds to an error the get that caused it, or else the entities.
fn of_get((error, at): (Error, Option<usize>), gets: &[(&Schema, String)], keys: &[TransactGetItem]) -> Error {
    match at.and_then(|at| Some((at, gets.get(at)?))) {
        Some((at, (schema, _))) => {
            error_of_get(error, at, schema, keys.get(at).and_then(TransactGetItem::get).map(Get::key))
        }
        None => error.of_entities("transact_get", gets.iter().map(|(schema, _)| schema.entity)),
    }
}
