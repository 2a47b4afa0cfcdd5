//! Records as `GetRecords` returns them: the types of `aws-sdk-dynamodbstreams`.

use super::{Event, Record};
use crate::attribute::Item;
use crate::error::Error;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodbstreams::types;
use aws_sdk_dynamodbstreams::types::AttributeValue as Streamed;
use std::collections::HashMap;

impl TryFrom<types::Record> for Record {
    type Error = Error;

    /// # Errors
    /// The record has no event or no keys, or a value of a type that this version of the SDK does not know.
    fn try_from(record: types::Record) -> Result<Self, Error> {
        let missing = |what: &str| Error::invalid(format!("the stream's record has no {what}"));
        let event = Event::named(record.event_name.ok_or_else(|| missing("event name"))?.as_str())?;
        let body = record.dynamodb.ok_or_else(|| missing("body"))?;
        let mut this = Self::new(event, item(body.keys.ok_or_else(|| missing("keys"))?)?);
        this.old = body.old_image.map(item).transpose()?;
        this.new = body.new_image.map(item).transpose()?;
        this.sequence_number = body.sequence_number;
        let this = this.with_view(body.stream_view_type.map(|view| view.as_str().to_owned()));
        Ok(match record.user_identity {
            Some(identity) => this.with_identity(
                identity.r#type.as_deref().unwrap_or(""),
                identity.principal_id.as_deref().unwrap_or(""),
            ),
            None => this,
        })
    }
}

/// Converts an image from the types of the streams SDK.
fn item(image: HashMap<String, Streamed>) -> Result<Item, Error> {
    image.into_iter().map(|(name, streamed)| Ok((name, value(streamed)?))).collect()
}

fn value(streamed: Streamed) -> Result<AttributeValue, Error> {
    Ok(match streamed {
        Streamed::S(text) => AttributeValue::S(text),
        Streamed::N(number) => AttributeValue::N(number),
        Streamed::B(bytes) => AttributeValue::B(bytes),
        Streamed::Bool(bool) => AttributeValue::Bool(bool),
        Streamed::Null(null) => AttributeValue::Null(null),
        Streamed::Ss(texts) => AttributeValue::Ss(texts),
        Streamed::Ns(numbers) => AttributeValue::Ns(numbers),
        Streamed::Bs(bytes) => AttributeValue::Bs(bytes),
        Streamed::L(elements) => AttributeValue::L(elements.into_iter().map(value).collect::<Result<_, _>>()?),
        Streamed::M(members) => AttributeValue::M(item(members)?),
        _ => return Err(Error::invalid("the stream's record has a value of a type that this SDK does not know")),
    })
}
