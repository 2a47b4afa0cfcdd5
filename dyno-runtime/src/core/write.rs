//! Every write: from a command's parts and the rules to a request, and from DynamoDB's answer to how it ended.

use super::attempts::Attempts;
use super::check::{check_item, check_keys, check_value, item_size};
use super::key::key_text;
use super::request::Request;
use super::versioned::{self, Versioned};
use crate::attribute::{EncodeError, Item};
use crate::error::Context;
use crate::expression::{Action, Node, Placeholders, RawChange, check_length, render_changes};
use crate::outcome::Reason;
use crate::repository::{Repository, span};
use crate::rule::{self, Expected, Step, Token, Verb, Verdict, Write};
use crate::schema::Schema;
use crate::usage::Usage;
use crate::{EpochMillis, Error};
use aws_sdk_dynamodb::operation::delete_item::builders::DeleteItemInputBuilder;
use aws_sdk_dynamodb::operation::delete_item::{DeleteItemError, DeleteItemInput};
use aws_sdk_dynamodb::operation::put_item::builders::PutItemInputBuilder;
use aws_sdk_dynamodb::operation::put_item::{PutItemError, PutItemInput};
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemInputBuilder;
use aws_sdk_dynamodb::operation::update_item::{UpdateItemError, UpdateItemInput};
use aws_sdk_dynamodb::types::{ReturnConsumedCapacity, ReturnValue, ReturnValuesOnConditionCheckFailure};
use std::pin::Pin;
use tracing::{Instrument as _, Span};

/// A write, as a typed command holds it. Nothing in it changes from its making to its last attempt.
#[derive(Clone, Debug)]
pub(crate) struct WriteCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) verb: Verb,
    /// The whole item of a put, the key of any other write.
    pub(crate) item: Result<Item, EncodeError>,
    /// The key of an item that could not be encoded, for its error.
    pub(crate) key: Option<Item>,
    /// The tokens of a delete, or of an update's group; a put has them in its item.
    pub(crate) tokens: Result<Vec<Option<Token>>, EncodeError>,
    pub(crate) changes: Vec<RawChange>,
    pub(crate) condition: Option<Result<Node, EncodeError>>,
    /// The tombstone that a purge is to remove.
    pub(crate) tombstone: Option<Item>,
    /// Of a write that changes a version.
    pub(crate) versioned: Option<Box<Versioned>>,
}

/// How a write ended.
pub(crate) enum Written {
    Applied(Applied),
    Refused(Refused),
}

/// What is known of a write that was applied.
pub struct Applied {
    /// The item that DynamoDB returned, where it was asked for one.
    pub(crate) item: Option<Item>,
    /// The version that the write stored.
    pub(crate) version: Option<u64>,
    /// The time of the write.
    pub(crate) now: EpochMillis,
}

/// The names of the tables that a write goes to.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// The entity's.
    pub(crate) main: String,
    /// Its history's, where there is one: perhaps the same.
    pub(crate) history: Option<String>,
}

/// A refusal, before it is known of which entity.
pub(crate) struct Refused {
    pub(crate) reasons: Vec<Reason>,
    pub(crate) superseded: bool,
    pub(crate) item: Option<Item>,
    pub(crate) now: EpochMillis,
    pub(crate) context: Context,
}

/// Sets what the inputs of the three writes have in common.
macro_rules! input {
    ($input:expr, $table:expr, $expressions:expr) => {{
        let Expressions { condition, placeholders, returns } = $expressions;
        $input
            .table_name($table)
            .set_return_values_on_condition_check_failure(
                condition.is_some().then_some(ReturnValuesOnConditionCheckFailure::AllOld),
            )
            .set_condition_expression(condition)
            .set_expression_attribute_names(placeholders.names())
            .set_expression_attribute_values(placeholders.into_values())
            .set_return_values(returns)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
    }};
}

impl WriteCommand {
    pub(crate) fn new(schema: &'static Schema, verb: Verb, item: Result<Item, EncodeError>) -> Self {
        let is_versioned = schema.version.is_some() && verb != Verb::Purge;
        Self {
            schema,
            verb,
            item,
            key: None,
            tokens: Ok(Vec::new()),
            changes: Vec::new(),
            condition: None,
            tombstone: None,
            versioned: is_versioned.then(Box::default),
        }
    }

    /// Makes it another write than those that it is a clone of: what follows changes it.
    pub(crate) fn renew(&mut self) {
        if let Some(versioned) = &mut self.versioned {
            versioned.renew();
        }
    }

    /// Says what the write expects of the version, whatever its item says. Nothing, where there is no version.
    pub(crate) fn expecting(&mut self, expected: Expected) {
        self.renew();
        if let Some(versioned) = &mut self.versioned {
            versioned.expected = Some(expected);
        }
    }

    /// Says what was loaded, and what for.
    pub(super) fn loaded(&mut self, operation: &'static str, item: Option<Item>) {
        if let Some(versioned) = &mut self.versioned {
            versioned.operation = Some(operation);
            versioned.loaded = item;
        }
    }

    /// Says what is there before the write.
    pub(crate) fn supersedes(&mut self, item: &Item) {
        if let Some(versioned) = &mut self.versioned {
            versioned.loaded = Some(item.clone());
        }
    }

    /// Adds a condition to those that are there already.
    pub(crate) fn and(&mut self, condition: Result<Node, EncodeError>) {
        self.renew();
        self.condition = Some(Node::join(self.condition.take(), condition));
    }

    /// The request, to be shown or sent by hand.
    pub(crate) fn request(
        &self,
        table: String,
        now: EpochMillis,
        returns: Option<ReturnValue>,
    ) -> Result<Request, Error> {
        let prepared = self.expected().and_then(|expected| self.clone().prepare(table, now, returns, expected));
        match prepared {
            Ok((request, _)) => Ok(request.into()),
            Err(error) => Err(error.with_context(|| self.context())),
        }
    }

    /// Sends the request and reads the answer: one request, whatever the outcome. (Versions can take more: see
    /// `versioned`.)
    pub(crate) async fn send(
        self,
        repository: &Repository,
        tables: Tables,
        returns: Option<ReturnValue>,
    ) -> Result<Written, Error> {
        if self.versioned.is_some() {
            return versioned::send(self, repository, tables, returns).await;
        }
        let context = self.context();
        let span = span(self.schema, self.verb.name(), &tables.main);
        let own_condition = self.condition.is_some();
        let sent = match self.prepare(tables.main, repository.now(), returns, None) {
            Ok((request, write)) => {
                transmit(repository, request, None).instrument(span.clone()).await.map(|answer| (answer, write))
            }
            Err(error) => Err(error),
        };
        match sent {
            Ok((Answer::Applied { attributes, usage }, write)) => {
                settle(repository, &span, usage, "applied");
                Ok(Written::Applied(Applied { item: attributes, version: None, now: write.now }))
            }
            Ok((Answer::Refused(item), write)) => {
                let usage = Usage::refused(item.as_ref().map_or(0, item_size));
                match rule::read_refusal(&write, item.as_ref(), own_condition) {
                    Verdict::Applied => {
                        settle(repository, &span, usage, "applied");
                        Ok(Written::Applied(Applied { item, version: None, now: write.now }))
                    }
                    Verdict::Refused { reasons, superseded } => {
                        settle(repository, &span, usage, "refused");
                        Ok(Written::Refused(Refused { reasons, superseded, item, now: write.now, context }))
                    }
                }
            }
            Ok((Answer::Busy(error), _)) | Err(error) => {
                span.record("outcome", "error");
                Err(error.with_context(|| context))
            }
        }
    }

    /// Which write it is, for errors and refusals: made before the item goes to the SDK.
    pub(super) fn context(&self) -> Context {
        let key = self.item.as_ref().ok().or(self.key.as_ref());
        let operation = self.versioned.as_ref().and_then(|versioned| versioned.operation);
        Context {
            operation: operation.unwrap_or_else(|| self.verb.name()),
            entity: self.schema.entity,
            key: key.and_then(|key| key_text(key, self.schema)),
        }
    }

    /// Whether DynamoDB's operation is PutItem: a tombstone is put, too.
    fn is_put(&self) -> bool {
        match self.verb {
            Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete => true,
            Verb::Delete => self.schema.tombstone.is_some(),
            Verb::Update { .. } | Verb::Purge => false,
        }
    }

    /// What the write expects of the version, where there is one.
    pub(super) fn expected(&self) -> Result<Option<Expected>, Error> {
        let Some((versioned, version)) = self.versioned.as_ref().zip(self.schema.version.as_ref()) else {
            return Ok(None);
        };
        match (versioned.expected, &self.item) {
            (Some(expected), _) => Ok(Some(expected)),
            (None, Ok(item)) => Ok(Some(version.expected_by(self.verb, item))),
            (None, Err(error)) => Err(error.clone().into()),
        }
    }

    /// The request, and what the rules were told of it.
    pub(super) fn prepare(
        self,
        table: String,
        now: EpochMillis,
        returns: Option<ReturnValue>,
        expected: Option<Expected>,
    ) -> Result<(WriteRequest, Write), Error> {
        let is_put = self.is_put();
        let schema = self.schema;
        let mut item = self.item?;
        let mut tokens = self.tokens.map_err(|error| match schema.ratchets {
            [ratchet] => error.at_name(ratchet.attribute),
            _ => error,
        })?;
        if is_put && self.verb != Verb::Delete {
            tokens.extend(schema.ratchets.iter().map(|ratchet| ratchet.token_in(&item)));
        }
        for (ratchet, token) in schema.ratchets.iter().zip(&tokens) {
            token.iter().try_for_each(|token| ratchet.check(token, now))?;
        }
        let step = match (expected, &self.versioned, &schema.version) {
            (Some(expected), Some(versioned), Some(version)) => {
                version.check(expected)?;
                Some(Step { expected, write_id: versioned.write_id(version)? })
            }
            _ => None,
        };
        let write = Write { schema, verb: self.verb, now, tokens, tombstone: self.tombstone, step };
        let mut expressions = Expressions::new(&write, self.condition.transpose()?, returns)?;
        let request = if is_put {
            rule::assign(&write, |name, action| match action {
                Action::Set(value) => drop(item.insert(name.to_owned(), value)),
                // Of what is there, which a put does not know.
                Action::Remove | Action::Increment => {}
            });
            check_item(&item, schema)?;
            WriteRequest::Put(input!(PutItemInput::builder().set_item(Some(item)), table, expressions))
        } else {
            check_keys(&item, schema)?;
            if let Verb::Update { upsert } = self.verb {
                let update = render_update(&write, self.changes, upsert, &mut expressions.placeholders)?;
                let input = UpdateItemInput::builder().set_key(Some(item)).update_expression(update);
                WriteRequest::Update(input!(input, table, expressions))
            } else {
                WriteRequest::Delete(input!(DeleteItemInput::builder().set_key(Some(item)), table, expressions))
            }
        };
        Ok((request, write))
    }
}

/// The condition of a write, rendered, and what it is to return: what all three inputs have.
struct Expressions {
    condition: Option<String>,
    placeholders: Placeholders,
    returns: Option<ReturnValue>,
}

impl Expressions {
    fn new(write: &Write, own: Option<Node>, returns: Option<ReturnValue>) -> Result<Self, Error> {
        let mut placeholders = Placeholders::default();
        let condition = rule::condition(write, own).map(|condition| condition.render(&mut placeholders));
        condition.as_deref().map_or(Ok(()), check_length)?;
        Ok(Self { condition, placeholders, returns })
    }
}

/// The update expression of the caller's changes and what the rules add.
fn render_update(
    write: &Write,
    mut changes: Vec<RawChange>,
    upsert: bool,
    placeholders: &mut Placeholders,
) -> Result<String, Error> {
    if changes.is_empty() {
        return Err(Error::invalid(
            "the update changes nothing: add a change with `with`, as in `.with(fields.name.set(value))`",
        ));
    }
    rule::assign(write, |name, action| changes.push(RawChange { name, action: Ok(action) }));
    for change in &changes {
        if let Ok(Action::Set(value)) = &change.action {
            check_value(value, 0).map_err(|error| error.at_name(change.name))?;
        }
    }
    if upsert {
        check_complete(write.schema, &changes)?;
    }
    let update = render_changes(changes, placeholders)?;
    check_length(&update)?;
    Ok(update)
}

/// An upsert may make the item, which must then be one that can be read.
fn check_complete(schema: &Schema, changes: &[RawChange]) -> Result<(), Error> {
    let is_set = |name| {
        let mut changes = changes.iter();
        changes.any(|change| change.name == name && matches!(change.action, Ok(Action::Set(_) | Action::Increment)))
    };
    let missing: Vec<String> = schema
        .attributes
        .iter()
        .filter(|attribute| attribute.required && !is_set(attribute.name))
        .map(|attribute| format!("`{}`", attribute.field))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "the upsert could make an item without {}: set that too, give it a default, or put the whole item",
        missing.join(", ")
    )))
}

pub(super) fn settle(repository: &Repository, span: &Span, usage: Usage, outcome: &'static str) {
    repository.count(usage);
    usage.record(span);
    span.record("outcome", outcome);
}

pub(super) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The request of a write.
#[derive(Clone)]
pub(super) enum WriteRequest {
    Put(PutItemInputBuilder),
    Update(UpdateItemInputBuilder),
    Delete(DeleteItemInputBuilder),
}

impl From<WriteRequest> for Request {
    fn from(request: WriteRequest) -> Self {
        match request {
            WriteRequest::Put(put) => Self::Put(put),
            WriteRequest::Update(update) => Self::Update(update),
            WriteRequest::Delete(delete) => Self::Delete(delete),
        }
    }
}

/// DynamoDB's answer to a write.
pub(super) enum Answer {
    Applied {
        attributes: Option<Item>,
        usage: Usage,
    },
    /// The condition did not hold for this item.
    Refused(Option<Item>),
    /// A transaction is under way with the item.
    Busy(Error),
}

/// Sends the request, and has its attempts watched where that is asked for.
///
/// The SDK's futures have many kilobytes. Boxed where they are made, they are not copied through every future
/// around them, and those stay small.
pub(super) fn transmit<'a>(
    repository: &'a Repository,
    request: WriteRequest,
    attempts: Option<&Attempts>,
) -> BoxFuture<'a, Result<Answer, Error>> {
    let client = repository.client();
    macro_rules! answer {
        ($answer:expr, $error:ident) => {
            match $answer {
                Ok(output) => Ok(Answer::Applied {
                    attributes: output.attributes,
                    usage: Usage::write(output.consumed_capacity.as_ref()),
                }),
                Err(error) => match error.as_service_error() {
                    Some($error::ConditionalCheckFailedException(refused)) => Ok(Answer::Refused(refused.item.clone())),
                    Some($error::TransactionConflictException(_)) => Ok(Answer::Busy(Error::sdk(error))),
                    _ => Err(Error::sdk(error)),
                },
            }
        };
    }
    /// Sends an input, by itself or field by field through the client's own builder, which takes an interceptor.
    macro_rules! send {
        ($input:ident, $error:ident, $operation:ident: $($set:ident $field:ident),*) => {
            match attempts.cloned() {
                None => Box::pin(async move { answer!($input.send_with(client).await, $error) }),
                Some(attempts) => Box::pin(async move {
                    let input = $input.build().map_err(|error| Error::invalid(error.to_string()))?;
                    let request = client
                        .$operation()
                        $(.$set(input.$field))*
                        .set_table_name(input.table_name)
                        .set_condition_expression(input.condition_expression)
                        .set_expression_attribute_names(input.expression_attribute_names)
                        .set_expression_attribute_values(input.expression_attribute_values)
                        .set_return_values(input.return_values)
                        .set_return_values_on_condition_check_failure(input.return_values_on_condition_check_failure)
                        .set_return_consumed_capacity(input.return_consumed_capacity);
                    answer!(request.customize().interceptor(attempts).send().await, $error)
                }),
            }
        };
    }
    repository.count(Usage::REQUEST);
    match request {
        WriteRequest::Put(put) => send!(put, PutItemError, put_item: set_item item),
        WriteRequest::Update(update) => {
            send!(update, UpdateItemError, update_item: set_key key, set_update_expression update_expression)
        }
        WriteRequest::Delete(delete) => send!(delete, DeleteItemError, delete_item: set_key key),
    }
}
