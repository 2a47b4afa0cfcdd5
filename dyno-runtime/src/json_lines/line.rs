//! A row as a line of text.

use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, Members};
use crate::entity::Entity;
use crate::error::{DecodeError, Error, ErrorKind};
use crate::read::{Owner, decode_error, see};
use crate::schema::names::INTENT;
use aws_sdk_dynamodb::types::AttributeValue;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

/// A row of a table, as a line: `{"Item":{"id":{"S":"1"},…}}`. `to_string` writes the line, without its end, and `parse` reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line(Item);

/// The object of a line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Object<I> {
    #[serde(rename = "Item")]
    item: I,
}

impl Line {
    /// Returns the row.
    #[must_use]
    pub fn item(&self) -> &Item {
        &self.0
    }

    /// Converts the line to its row.
    #[must_use]
    pub fn into_item(self) -> Item {
        self.0
    }

    /// Returns `true` if the row is an item or a tombstone of this entity, by its key, and by its mark if it has one. Other rows of a
    /// shared table are not.
    #[must_use]
    pub fn is_of<E: Entity>(&self) -> bool {
        matches!(see(&[E::SCHEMA], EpochMillis::new(0), &self.0).owner, Owner::Entity(_))
    }

    /// Decodes the entity, as a read at the time `now` does; `None` if the row is a tombstone, has expired, or is a revision in the
    /// entity's own table. The entity has the version, the tokens and the times that are stored.
    ///
    /// # Errors
    /// The row is another entity's, or not of the entity's shape ([`Error::is_decode`]). Or a client-side transaction held it when it was
    /// exported, so nobody knows its content ([`Error::is_contended`]).
    pub fn read<E: Entity>(self, now: EpochMillis) -> Result<Option<E>, Error> {
        refuse_held(&self.0)?;
        let view = see(&[E::SCHEMA], now, &self.0);
        match view.owner {
            Owner::Revision => Ok(None),
            Owner::Entity(_) if !view.state.is_live() => Ok(None),
            Owner::Entity(_) => E::from_item(self.0).map(Some),
            Owner::Nobody => {
                let expected = DecodeError::new("a row of the entity", "a row whose key or mark is another's");
                Err(decode_error(expected, Members::map(self.0), E::SCHEMA))
            }
        }
    }
}

/// Refuses a row that a client-side transaction holds. Without the transaction, its content is not known.
pub(super) fn refuse_held(row: &Item) -> Result<(), Error> {
    match row.get(INTENT) {
        // Another program may have an attribute of this name.
        Some(AttributeValue::M(_)) => Err(Error::new(
            ErrorKind::Contended,
            "a client-side transaction holds the row, which cannot be read without it: end the transaction with a `Sweep`, and export again",
        )),
        _ => Ok(()),
    }
}

impl From<Item> for Line {
    fn from(row: Item) -> Self {
        Self(row)
    }
}

/// Returns `true` if the SDK knows the type of the value. Of a type that it does not know, it gives nothing to write.
pub(super) fn is_known(value: &AttributeValue) -> bool {
    match value {
        AttributeValue::L(elements) => elements.iter().all(is_known),
        AttributeValue::M(members) => members.values().all(is_known),
        value => !value.is_unknown(),
    }
}

/// Writes the names of the attributes in their order, so that a row that has not changed is the same line again. A value of a type
/// that the SDK does not know cannot be written; an [export](super::Export) does not return such a row.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.values().all(is_known) {
            return Err(fmt::Error);
        }
        let mut row = serde_json::to_value(serde_dynamo::Item::from(self.0.clone())).map_err(|_| fmt::Error)?;
        // `serde_json` sorts the names, unless another crate turns its `preserve_order` on.
        row.sort_all_objects();
        let line = serde_json::to_string(&Object { item: row }).map_err(|_| fmt::Error)?;
        f.write_str(&line)
    }
}

/// A text that is no line is an error of the kind [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput). It has the column, and
/// no values.
impl FromStr for Line {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parse = || {
            // A map takes the last of two members of one name, and the first would be lost.
            serde_json::from_str::<Unique>(text)?;
            serde_json::from_str::<Object<serde_dynamo::Item>>(text)
        };
        match parse() {
            Ok(object) => Ok(Self(object.item.into())),
            Err(error) => Err(Error::invalid(format!(
                "not a line of DynamoDB's JSON, at column {}: {}",
                error.column(),
                match error.classify() {
                    Category::Data if error.to_string().starts_with(TWICE) => TWICE,
                    Category::Data => "expected `{\"Item\":{name:{type:value},…}}`",
                    Category::Eof => "the line ends too early",
                    Category::Syntax | Category::Io => "not JSON",
                }
            ))),
        }
    }
}

const TWICE: &str = "an attribute name occurs twice";

/// JSON in which no object has a name twice.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut names = HashSet::new();
        while let Some((name, Self)) = members.next_entry::<String, Self>()? {
            if !names.insert(name) {
                return Err(A::Error::custom(TWICE));
            }
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self, A::Error> {
        while elements.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_str<X>(self, _: &str) -> Result<Self, X> {
        Ok(self)
    }

    fn visit_bool<X>(self, _: bool) -> Result<Self, X> {
        Ok(self)
    }

    fn visit_unit<X>(self) -> Result<Self, X> {
        Ok(self)
    }

    fn visit_u64<X>(self, _: u64) -> Result<Self, X> {
        Ok(self)
    }

    fn visit_i64<X>(self, _: i64) -> Result<Self, X> {
        Ok(self)
    }

    fn visit_f64<X>(self, _: f64) -> Result<Self, X> {
        Ok(self)
    }
}
