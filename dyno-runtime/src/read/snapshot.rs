//! Reading many items at one moment: `TransactGetItems`.

use super::get::{GetCommand, projection};
use super::level::refuse_uncommitted;
use crate::attribute::Item;
use crate::error::{Context, Error, ErrorKind};
use crate::exchange::transact::ACTIONS;
use crate::exchange::{About, Answer, Ask, Cancelled, Repository, Request, call};
use crate::expression::Placeholders;
use crate::intent::{MEETINGS, Meeting, Place, kept, row, settle};
use crate::key;
use crate::key::distinct;
use crate::rule;
use crate::schema::Schema;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_get_items::builders::TransactGetItemsFluentBuilder;
use aws_sdk_dynamodb::types::{Get, ReturnConsumedCapacity, TransactGetItem};
use futures_util::future::{FutureExt as _, try_join_all};
use std::collections::HashMap;
use std::time::Duration;

/// Gets, as the typed command holds them, and the tables they are from.
#[derive(Clone, Debug)]
pub(crate) struct TransactGetCommand {
    pub(crate) gets: Vec<(GetCommand, String)>,
    /// When it is hedged, unless its repository says so.
    pub(crate) hedge: Option<Duration>,
}

impl TransactGetCommand {
    pub(crate) fn request(self, repository: &Repository) -> Result<Request, Error> {
        self.prepare(repository.client()).map(|transaction| Request::TransactGet(transaction.as_input().clone()))
    }

    /// What is at each key, in the order of the gets.
    pub(crate) async fn send(self, repository: &Repository) -> Result<Vec<Option<Item>>, Error> {
        let gets: Vec<(&Schema, String)> = self.gets.iter().map(|(get, table)| (get.schema, table.clone())).collect();
        let about = About::several("transact_get", gets.iter().map(|(schema, table)| (schema.entity, &**table)));
        let hedge = repository.hedging(self.hedge);
        let transaction = self.prepare(repository.client())?;
        let keys = transaction.get_transact_items().clone().unwrap_or_default();
        let kept = transaction.clone();
        match call(repository, Ask { hedge, ..Ask::new(about) }, transaction, Some(|| Some(kept.clone()))).await? {
            Answer::Done(output) => {
                let responses = output.responses.unwrap_or_default();
                if responses.len() != gets.len() {
                    return Err(miscounted(responses.len(), gets.len()));
                }
                let items = responses.into_iter().map(|response| response.item);
                // Where nothing is, some engines answer with an empty item.
                Ok(items.map(|item| item.filter(|item| !item.is_empty())).collect())
            }
            Answer::Denied(cancelled) => Err(impossible(cancelled, &gets, &keys)),
        }
    }

    /// The same, and nothing of it is half of what another transaction has made: what is held is settled, and then all is read
    /// again.
    pub(crate) async fn settled(self, repository: &Repository) -> Result<Vec<Option<Item>>, Error> {
        if !self.gets.iter().any(|(get, _)| get.schema.is_transactional) {
            return self.send(repository).await;
        }
        for _ in 0..MEETINGS {
            let mut items = self.clone().send(repository).await?;
            let is_held = |at: &usize| rule::is_held(self.gets[*at].0.schema, items[*at].as_ref());
            let held: Vec<usize> = (0..items.len()).filter(is_held).collect();
            if held.is_empty() {
                return Ok(items);
            }
            let settled = held.into_iter().map(|at| self.settle(repository, at, items[at].take()).boxed());
            try_join_all(settled.collect::<Vec<_>>()).await?;
        }
        Err(kept())
    }

    /// Settles what holds an item that was read.
    async fn settle(&self, repository: &Repository, index: usize, item: Option<Item>) -> Result<(), Error> {
        let (get, table) = &self.gets[index];
        let at = Place { table: table.clone(), key: get.key.clone()? };
        let meeting = Meeting { operation: "get", entity: get.schema.entity, age: None };
        let settled = async {
            // Applied whole, it is made of all of the row.
            let whole = match get.projection {
                None => item,
                Some(_) => row(repository, meeting, &at).await?,
            };
            match whole {
                Some(item) => settle(repository, meeting, &at, &item).await.map(drop),
                None => Ok(()),
            }
        };
        settled.await.map_err(|error| named(error, index, get.schema, Some(&at.key)))
    }

    fn prepare(self, client: &Client) -> Result<TransactGetItemsFluentBuilder, Error> {
        match self.gets.len() {
            0 => return Err(Error::invalid("the transaction reads nothing: give it a get")),
            gets if gets > ACTIONS => {
                return Err(Error::invalid(format!(
                    "the transaction has {gets} gets, but DynamoDB takes at most {ACTIONS}: split it, where what is read together need not be of one moment"
                )));
            }
            _ => {}
        }
        let mut items = HashMap::with_capacity(self.gets.len());
        let mut transaction = client.transact_get_items().return_consumed_capacity(ReturnConsumedCapacity::Total);
        for (index, (get, table)) in self.gets.into_iter().enumerate() {
            let schema = get.schema;
            let of_get = |error: Error, key: Option<&Item>| named(error, index, schema, key);
            refuse_uncommitted(get.level).map_err(|error| of_get(error, None))?;
            let key = get.key.map_err(|error| of_get(error.into(), None))?;
            let text = distinct(&table, schema, &key).map_err(|error| of_get(error, Some(&key)))?;
            if let Some(other) = items.insert(text, index) {
                let error = format!("get {other} is of the same item, and DynamoDB takes one for each: leave one out");
                return Err(of_get(Error::invalid(error), Some(&key)));
            }
            let mut placeholders = Placeholders::default();
            let projection = projection(schema, get.projection, schema.is_transactional, &mut placeholders);
            let get = Get::builder()
                .table_name(table)
                .set_key(Some(key))
                .set_projection_expression(projection)
                .set_expression_attribute_names(placeholders.names())
                .build();
            let get = get.map_err(|error| Error::invalid(error.to_string()))?;
            transaction = transaction.transact_items(TransactGetItem::builder().get(get).build());
        }
        Ok(transaction)
    }
}

/// Does not happen: each get has its place in the answer, also where nothing is. To read on would be to say of an item that it
/// is not there, or to take one for another.
#[cold]
fn miscounted(responses: usize, gets: usize) -> Error {
    Error::new(ErrorKind::Service, format!("DynamoDB's answer has {responses} responses for {gets} gets"))
}

/// Says which get an error is of.
fn named(error: Error, index: usize, schema: &Schema, key: Option<&Item>) -> Error {
    let key = key.and_then(|key| key::key_text(key, schema));
    let context = Context { operation: "get", entity: schema.entity, key };
    error.of(&format!("get {index} of the transaction")).with_context(|| context)
}

/// The error of a transaction that cannot be done: which get it is, and what DynamoDB says of it.
fn impossible(cancelled: Cancelled, gets: &[(&Schema, String)], keys: &[TransactGetItem]) -> Error {
    let (error, at) = cancelled.impossible();
    match at.and_then(|at| Some((at, gets.get(at)?))) {
        Some((at, (schema, _))) => named(error, at, schema, keys.get(at).and_then(TransactGetItem::get).map(Get::key)),
        None => error,
    }
}
