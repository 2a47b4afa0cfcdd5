//! Equality of keys: DynamoDB refuses a batch that names an item twice, and returns items in no order.
//!
//! The texts alone do not say whether two tables are the same if one has a name and the other an ARN: a name belongs to the
//! client's account, which this code does not know. So the context decides.
//! - A transaction writes or reads in one account and region only (API reference, `TransactWriteItems`, `TransactGetItems`).
//!   There, tables with the same name are the same table: `distinct`. The row of an idempotency key is written in a transaction
//!   with its item, so it uses the name, too, and a program that uses the ARN finds the row of a program that uses the name.
//! - A batch can span several accounts. There, each text counts as a table of its own (`exchange::batch_rounds::TableNames`),
//!   because a wrong match could return an item of one account for the item of another. If two texts do name the same table,
//!   DynamoDB reports it.

use crate::attribute::{Decimal, Item, Peek, Scalar};
use crate::error::{EncodeError, Error};
use crate::schema::{Schema, table_name};
use crate::sorted;
use aws_sdk_dynamodb::types::AttributeValue;

/// A key in a table, in any spelling of its numbers: to DynamoDB, 1 and 1.0 are the same key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
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
    /// Returns the identity of an item in the table with this index.
    pub(crate) fn of(table: usize, schema: &Schema, item: &Item) -> Self {
        Self::by(table, schema.keys().map(|key| key.name), item)
    }

    /// Returns the identity of a key in the table with this index.
    pub(crate) fn of_key(table: usize, key: &Item) -> Self {
        Self::of_item(table, key, key)
    }

    /// Returns the identity of an item in the table with this index, whose keys have the same attributes as `key`.
    pub(crate) fn of_item(table: usize, key: &Item, item: &dyn Peek) -> Self {
        Self::by(table, sorted::names(key.keys().map(String::as_str)).into_iter(), item)
    }

    fn by<'a>(table: usize, names: impl Iterator<Item = &'a str>, item: &dyn Peek) -> Self {
        let part = |value: Option<Scalar<'_>>| match value {
            Some(Scalar::S(text)) => Part::Text(text.into_owned()),
            Some(Scalar::N(number)) => {
                Part::Number(Decimal::parse(&number).map_or_else(|| number.into_owned(), |number| number.to_string()))
            }
            Some(Scalar::B(bytes)) => Part::Bytes(bytes.into_owned()),
            _ => Part::None,
        };
        Self { table, parts: names.map(|name| part(item.peek(name))).collect() }
    }
}

/// Returns a key attribute as text without `|`. Each key has one text, for all spellings of a number.
pub(crate) fn identity_text(value: Option<&AttributeValue>) -> Result<String, EncodeError> {
    match value {
        Some(AttributeValue::S(text)) => Ok(text.replace('%', "%25").replace('|', "%7C")),
        Some(AttributeValue::N(number)) => {
            Decimal::parse(number).map(|number| number.to_string()).ok_or_else(|| EncodeError::new("not a number"))
        }
        Some(AttributeValue::B(bytes)) => Ok(aws_smithy_types::base64::encode(bytes)),
        _ => Err(EncodeError::new("no key")),
    }
}

/// Returns a table and a key in it as one text. Within a transaction, each item has one text, for all spellings.
pub(crate) fn distinct(table: &str, schema: &Schema, key: &Item) -> Result<String, Error> {
    let mut text = table_name(table).to_owned();
    for part in schema.keys() {
        text.push('|');
        text += &identity_text(key.get(part.name)).map_err(|error| error.at_name(part.name))?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(text: &str) -> AttributeValue {
        AttributeValue::S(text.to_owned())
    }

    #[test]
    fn keys_are_joined_without_ambiguity() {
        let joined = |parts: [&str; 2]| parts.map(|part| identity_text(Some(&s(part))).expect("a text")).join("|");
        let keys = [["a", "b|c"], ["a|b", "c"], ["a%7Cb", "c"], ["a%b", "c"], ["a%25b", "c"], ["a|", "b"], ["a", "|b"]];
        let texts: Vec<String> = keys.map(joined).to_vec();
        for (index, text) in texts.iter().enumerate() {
            assert!(!texts[..index].contains(text), "{text}");
            assert_eq!(text.matches('|').count(), 1);
        }
    }

    #[test]
    fn a_table_s_name_and_its_arn_identify_the_same_item() {
        const SCHEMA: Schema = Schema { entity: "Order", ..Schema::PLAIN };
        let key = Item::from([(SCHEMA.partition.name.to_owned(), s("1"))]);
        let text = |table| distinct(table, &SCHEMA, &key).expect("a text");
        let arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/orders";
        assert_eq!(text(arn), text("orders"));
        assert_ne!(text(arn), text("past-orders"));
    }

    #[test]
    fn equal_numbers_have_one_identity_text() {
        let text = |number: &str| identity_text(Some(&AttributeValue::N(number.to_owned()))).expect("a number");
        assert_eq!(
            [text("15"), text("15.0"), text("1.5E1"), text("0015")],
            ["15", "15", "15", "15"].map(|_| text("15"))
        );
        assert_ne!(text("15"), text("1.5"));
        assert_ne!(text("15"), text("-15"));
        assert_eq!(text("0"), text("-0.0"));
    }
}
