//! One request of a write, and DynamoDB's answer to it.

use super::attempts::{Attempts, Once};
use super::request::Request;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Repository, Usage};
use crate::key::item_size;
use aws_sdk_dynamodb::config;
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::delete_item::builders::DeleteItemInputBuilder;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::put_item::builders::PutItemInputBuilder;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemInputBuilder;
use std::pin::Pin;

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

/// Who looks at the attempts of a request.
#[derive(Clone, Copy)]
pub(super) enum Watch<'a> {
    /// Nobody: it may be sent any number of times.
    Nobody,
    /// The attempts are counted.
    Counted(&'a Attempts),
    /// They are counted, and once one may have been applied, there is no other; an error then says that it is not known.
    Once(&'a Attempts),
}

impl Watch<'_> {
    fn attempts(self) -> Option<Attempts> {
        match self {
            Self::Nobody => None,
            Self::Counted(attempts) | Self::Once(attempts) => Some(attempts.clone()),
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
    Refused {
        item: Option<Item>,
        usage: Usage,
    },
    /// A transaction is under way with the item, or a write in another region.
    Busy(Error),
}

/// Sends the request, and has its attempts watched where that is asked for.
///
/// The SDK's futures have many kilobytes. Boxed where they are made, they are not copied through every future
/// around them, and those stay small.
pub(super) fn transmit<'a>(
    repository: &'a Repository,
    request: WriteRequest,
    watch: Watch<'_>,
) -> BoxFuture<'a, Result<Answer, Error>> {
    let client = repository.client();
    let is_once = matches!(watch, Watch::Once(_));
    macro_rules! answer {
        ($answer:expr, $error:ident) => {
            match $answer {
                Ok(output) => Ok(Answer::Applied {
                    attributes: output.attributes,
                    usage: Usage::write(output.consumed_capacity.as_ref()),
                }),
                Err(error) => match error.as_service_error() {
                    Some($error::ConditionalCheckFailedException(refused)) => {
                        let usage = Usage::refused(refused.item().map_or(0, item_size));
                        Ok(Answer::Refused { item: refused.item.clone(), usage })
                    }
                    Some($error::TransactionConflictException(_) | $error::ReplicatedWriteConflictException(_)) => {
                        Ok(Answer::Busy(Error::sdk(error)))
                    }
                    _ => Err(Error::sdk(error)),
                },
            }
        };
    }
    /// Sends an input, by itself or field by field through the client's own builder, which takes an interceptor.
    macro_rules! send {
        ($input:ident, $error:ident, $operation:ident: $($set:ident $field:ident),*) => {
            match watch.attempts() {
                None => Box::pin(async move {
                    answer!($input.send_with(client).await, $error).map_err(Error::of_a_write)
                }),
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
                    let mut request = request.customize().interceptor(attempts.clone());
                    if is_once {
                        request = request.config_override(config::Builder::new().retry_classifier(Once));
                    }
                    let answer = answer!(request.send().await, $error);
                    let is_unknown = is_once && attempts.may_be_applied();
                    answer.map_err(|error| if is_unknown { error.of_a_lost_answer() } else { error })
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
