//! Where a query or scan is to go on: the key of the last item returned, as an opaque text.

use super::key::key_names;
use super::pages::KeyValue;
use crate::Error;
use crate::attribute::Item;
use crate::rule;
use crate::schema::{Index, Schema};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_types::base64;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Where to go on reading: `page.cursor`, given to `after` of the same query or scan.
///
/// As text (`to_string`, `parse`) it can stand in a URL. It contains the key of the last item that was returned,
/// readable for whoever decodes it, and is not signed.
#[derive(Clone, Debug, PartialEq)]
pub struct Cursor(Item);

/// The text is not one that a [`Cursor`] wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidCursor;

impl fmt::Display for InvalidCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a cursor: expected the text that `Cursor` displays")
    }
}

impl std::error::Error for InvalidCursor {}

impl Cursor {
    /// Behind this item, which was read from the table or from an index.
    pub(crate) fn behind(schema: &'static Schema, index: Option<&'static Index>, item: &Item) -> Self {
        let names = key_names(schema, index);
        Self(names.filter_map(|name| Some((name.to_owned(), item.get(name)?.clone()))).collect())
    }

    /// The key DynamoDB said it had reached.
    pub(crate) fn reached(key: Item) -> Self {
        Self(key)
    }

    pub(super) fn into_item(self) -> Item {
        self.0
    }

    /// The key to start behind; refused if it is not a key of this table or index, or not in this partition.
    pub(super) fn into_key_in(
        self,
        schema: &'static Schema,
        index: Option<&'static Index>,
        partition: &[KeyValue],
    ) -> Result<Item, Error> {
        let mut names = key_names(schema, index);
        if self.0.len() != key_names(schema, index).count() || !names.all(|name| self.0.contains_key(name)) {
            let of = index.map_or_else(String::new, |index| format!(", or of another index than `{}`", index.name));
            return Err(Error::invalid(format!(
                "the cursor is not one of `{}`: it was made by a query or scan of another entity{of}",
                schema.entity
            )));
        }
        let is_here = |(name, value): &KeyValue| {
            self.0.get(*name).is_some_and(|there| rule::compare(there, value) == Some(Ordering::Equal))
        };
        if partition.iter().all(is_here) {
            Ok(self.0)
        } else {
            Err(Error::invalid("the cursor is not one of this query: it was made in another partition"))
        }
    }
}

/// Per attribute: the name and the value with their lengths in front, and a letter for the type.
impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::new();
        let mut push = |part: &[u8]| {
            let length = u16::try_from(part.len()).map_err(|_| fmt::Error)?;
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(part);
            Ok(())
        };
        let mut attributes: Vec<_> = self.0.iter().collect();
        attributes.sort_by_key(|(name, _)| *name);
        for (name, value) in attributes {
            push(name.as_bytes())?;
            match value {
                AttributeValue::S(text) => push(&[b"S", text.as_bytes()].concat())?,
                AttributeValue::N(number) => push(&[b"N", number.as_bytes()].concat())?,
                AttributeValue::B(blob) => push(&[b"B", blob.as_ref()].concat())?,
                _ => return Err(fmt::Error),
            }
        }
        let text = base64::encode(bytes);
        f.write_str(&text.trim_end_matches('=').replace('+', "-").replace('/', "_"))
    }
}

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let mut text = text.replace('-', "+").replace('_', "/");
        text.extend(std::iter::repeat_n('=', text.len().wrapping_neg() % 4));
        let bytes = base64::decode(text).map_err(|_| InvalidCursor)?;
        let mut rest = bytes.as_slice();
        let mut item = Item::new();
        while !rest.is_empty() {
            let name = utf8(take(&mut rest)?)?;
            let value = match take(&mut rest)?.split_first().ok_or(InvalidCursor)? {
                (b'S', text) => AttributeValue::S(utf8(text)?),
                (b'N', number) => AttributeValue::N(utf8(number)?),
                (b'B', blob) => AttributeValue::B(Blob::new(blob)),
                _ => return Err(InvalidCursor),
            };
            item.insert(name, value);
        }
        if item.is_empty() { Err(InvalidCursor) } else { Ok(Self(item)) }
    }
}

fn take<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], InvalidCursor> {
    let (length, behind) = rest.split_first_chunk::<2>().ok_or(InvalidCursor)?;
    let length = usize::from(u16::from_be_bytes(*length));
    let (part, behind) = behind.split_at_checked(length).ok_or(InvalidCursor)?;
    *rest = behind;
    Ok(part)
}

fn utf8(bytes: &[u8]) -> Result<String, InvalidCursor> {
    String::from_utf8(bytes.to_vec()).map_err(|_| InvalidCursor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_its_text() {
        for (name, value) in [
            ("PK", AttributeValue::S("User#größe/?&=".to_owned())),
            ("", AttributeValue::N("-1.5E+7".to_owned())),
            ("b", AttributeValue::B(Blob::new([0u8, 255, 62, 63]))),
        ] {
            let cursor =
                Cursor(Item::from([(name.to_owned(), value), ("SK".to_owned(), AttributeValue::S("x".to_owned()))]));
            let text = cursor.to_string();
            assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{text}");
            assert_eq!(text.parse(), Ok(cursor));
        }
    }

    #[test]
    fn any_other_text_is_refused() {
        for text in ["", "A", "AAAA", "nonsense", "%", "AAJQSwAB", "____", "ÄÖ"] {
            assert_eq!(text.parse::<Cursor>(), Err(InvalidCursor), "{text}");
        }
    }
}
