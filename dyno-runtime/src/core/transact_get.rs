//! Reading many items at one moment: `TransactGetItems`.

use super::read::{GetCommand, projection};
use super::request::Request;
use super::transact::{Cause, said};
use super::transaction::{ACTIONS, distinct};
use crate::attribute::Item;
use crate::error::{Context, Error};
use crate::exchange::{BackOff, Repository, Usage, transaction_span};
use crate::expression::Placeholders;
use crate::key;
use crate::schema::Schema;
use aws_sdk_dynamodb::operation::transact_get_items::builders::TransactGetItemsInputBuilder;
use aws_sdk_dynamodb::operation::transact_get_items::{TransactGetItemsError, TransactGetItemsInput};
use aws_sdk_dynamodb::types::{CancellationReason, Get, ReturnConsumedCapacity, TransactGetItem};
use std::collections::HashMap;
use tracing::Instrument as _;

/// How often it is tried again while others write to the items.
const ROUNDS: u32 = 8;

/// Gets, as the typed command holds them, and the tables they are from.
#[derive(Debug)]
pub(crate) struct TransactGetCommand {
    pub(crate) gets: Vec<(GetCommand, String)>,
}

impl TransactGetCommand {
    pub(crate) fn request(self) -> Result<Request, Error> {
        self.input().map(Request::TransactGet)
    }

    /// What is at each key, in the order of the gets.
    pub(crate) async fn send(self, repository: &Repository) -> Result<Vec<Option<Item>>, Error> {
        let span = transaction_span("transact_get", self.gets.len());
        let names: Vec<String> = self.gets.iter().map(|(_, table)| table.clone()).collect();
        let schemas: Vec<&Schema> = self.gets.iter().map(|(get, _)| get.schema).collect();
        let read = async {
            let input = self.input()?;
            // Boxed, as in `transmit`.
            let (items, usage) = Box::pin(exchange(repository, input, &schemas)).await?;
            repository.count(usage);
            usage.record(&span);
            Ok(items)
        };
        let read = read.instrument(span.clone()).await;
        span.record("outcome", if read.is_ok() { "answered" } else { "error" });
        read.map_err(|error: Error| error.in_tables(names.iter().map(String::as_str)))
    }

    fn input(self) -> Result<TransactGetItemsInputBuilder, Error> {
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
        let mut input = TransactGetItemsInput::builder().return_consumed_capacity(ReturnConsumedCapacity::Total);
        for (index, (get, table)) in self.gets.into_iter().enumerate() {
            let schema = get.schema;
            let of_get = |error: Error, key: Option<&Item>| named(error, index, schema, key);
            let key = get.key.map_err(|error| of_get(error.into(), None))?;
            let text = distinct(&table, schema, &key).map_err(|error| of_get(error, Some(&key)))?;
            if let Some(other) = items.insert(text, index) {
                let error = format!("get {other} is of the same item, and DynamoDB takes one for each: leave one out");
                return Err(of_get(Error::invalid(error), Some(&key)));
            }
            let mut placeholders = Placeholders::default();
            let projection = projection(schema, get.projection, &mut placeholders);
            let get = Get::builder()
                .table_name(table)
                .set_key(Some(key))
                .set_projection_expression(projection)
                .set_expression_attribute_names(placeholders.names())
                .build();
            let get = get.map_err(|error| Error::invalid(error.to_string()))?;
            input = input.transact_items(TransactGetItem::builder().get(get).build());
        }
        Ok(input)
    }
}

/// Says which get an error is of.
fn named(error: Error, index: usize, schema: &Schema, key: Option<&Item>) -> Error {
    let key = key.and_then(|key| key::key_text(key, schema));
    let context = Context { operation: "get", entity: schema.entity, key };
    error.of(&format!("get {index} of the transaction")).with_context(|| context)
}

/// Sends the request; again, while others write to the items.
async fn exchange(
    repository: &Repository,
    input: TransactGetItemsInputBuilder,
    schemas: &[&'static Schema],
) -> Result<(Vec<Option<Item>>, Usage), Error> {
    let mut back_off = BackOff::new(repository, ROUNDS);
    loop {
        repository.count(Usage::REQUEST);
        let error = match input.clone().send_with(repository.client()).await {
            Ok(output) => {
                let usage = Usage::transaction_read(output.consumed_capacity.as_deref());
                let items = output.responses.unwrap_or_default().into_iter().map(|response| response.item);
                // Where nothing is, some engines answer with an empty item.
                return Ok((items.map(|item| item.filter(|item| !item.is_empty())).collect(), usage));
            }
            Err(error) => error,
        };
        let reasons = match error.as_service_error() {
            Some(TransactGetItemsError::TransactionCanceledException(cancelled)) => cancelled.cancellation_reasons(),
            _ => &[],
        };
        let Some(throttled) = passing(reasons) else {
            let impossible = reasons.iter().position(|reason| Cause::of(reason) == Cause::Other);
            let Some((at, schema)) = impossible.and_then(|at| Some((at, *schemas.get(at)?))) else {
                return Err(Error::sdk(error));
            };
            let said = said(&reasons[at]);
            let item = input.get_transact_items().as_ref().and_then(|items| items.get(at)?.get());
            return Err(named(Error::sdk(error).answered(said), at, schema, item.map(Get::key)));
        };
        if !back_off.pause().await {
            return Err(Error::sdk(error).passing(throttled));
        }
    }
}

/// Whether the reasons are all such as pass, and then, whether throttling is among them.
fn passing(reasons: &[CancellationReason]) -> Option<bool> {
    let mut causes = reasons.iter().map(Cause::of).filter(|cause| *cause != Cause::None).peekable();
    causes.peek()?;
    let mut throttled = false;
    let passes = causes.all(|cause| {
        throttled |= cause == Cause::Throttling;
        matches!(cause, Cause::Conflict | Cause::Throttling)
    });
    passes.then_some(throttled)
}
