//! Which keys are one: DynamoDB refuses a batch that names an item twice, and returns items in no order.

use crate::attribute::{Decimal, Item};
use crate::schema::Schema;
use aws_sdk_dynamodb::types::AttributeValue;

/// A key in a table, however its numbers are spelled: to DynamoDB, 1 and 1.0 are one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    table: usize,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Part {
    Text(String),
    Number(String),
    Bytes(Vec<u8>),
    None,
}

impl Identity {
    /// Of an item in the table of this index.
    pub(super) fn of(table: usize, schema: &Schema, item: &Item) -> Self {
        let part = |value: Option<&AttributeValue>| match value {
            Some(AttributeValue::S(text)) => Part::Text(text.clone()),
            Some(AttributeValue::N(number)) => {
                Part::Number(Decimal::parse(number).map_or_else(|| number.clone(), |number| number.to_string()))
            }
            Some(AttributeValue::B(bytes)) => Part::Bytes(bytes.as_ref().to_vec()),
            _ => Part::None,
        };
        Self { table, parts: schema.keys().map(|key| part(item.get(key.name))).collect() }
    }
}
