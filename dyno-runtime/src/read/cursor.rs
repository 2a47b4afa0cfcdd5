//! Cursors: the place at which a query or scan continues, as an opaque text. A cursor holds the key of the last item that was
//! returned, and the fingerprint of the query or scan.

use crate::attribute::{Item, Peek};
use crate::error::Error;
use crate::exchange::Seal;
use crate::key::{Asked, key_names};
use crate::schema::{Index, Schema};
use crate::sorted;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_types::base64;
use std::fmt;
use std::str::FromStr;

/// The place at which a read continues. Give `page.cursor` to `after` of the same query or scan. The entity, table, index,
/// partition, conditions on the sort key, direction, filter and segment must be the same; limit, projection and consistency may
/// differ. A different query or scan refuses the cursor ([`Error::is_invalid_input`]). Revisions, and exports of tables, have cursors of
/// their own.
///
/// The text of a cursor (`to_string`, `parse`) can be part of a URL. It contains the key of the last item that was returned,
/// which anybody can decode, and it has no signature. If you hand it to browsers, seal it by
/// [`Repository::with_sealed_cursors`](crate::Repository#method.with_sealed_cursors).
#[derive(Clone, Debug, PartialEq)]
pub struct Cursor(Form);

#[derive(Clone, Debug, PartialEq)]
enum Form {
    Open { asked: Asked, place: Place },
    Sealed(Vec<u8>),
}

/// A place in a table or index: the key of the item behind which it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place(Item);

impl Place {
    /// Returns the place behind this item, which was read from the table or from an index.
    pub(crate) fn behind(schema: &'static Schema, index: Option<&'static Index>, item: &dyn Peek) -> Self {
        let names = key_names(schema, index);
        Self(names.filter_map(|name| Some((name.to_owned(), item.peek(name)?.into_key()?))).collect())
    }

    /// Returns the place behind a key that DynamoDB has reached.
    pub(crate) fn reached(key: Item) -> Self {
        Self(key)
    }

    pub(crate) fn into_item(self) -> Item {
        self.0
    }

    /// Encodes the key: for each attribute the name and the value, each after its length, and a letter for the type. `None` if a
    /// value cannot be that of a key.
    fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut push = |part: &[u8]| {
            bytes.extend_from_slice(&u16::try_from(part.len()).ok()?.to_be_bytes());
            bytes.extend_from_slice(part);
            Some(())
        };
        for (name, value) in sorted::entries(&self.0) {
            push(name.as_bytes())?;
            match value {
                AttributeValue::S(text) => push(&[b"S", text.as_bytes()].concat())?,
                AttributeValue::N(number) => push(&[b"N", number.as_bytes()].concat())?,
                AttributeValue::B(blob) => push(&[b"B", blob.as_ref()].concat())?,
                _ => return None,
            }
        }
        Some(bytes)
    }

    /// Returns the place that a text displays.
    #[cfg(feature = "bulk")]
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::from_bytes(&from_text(text)?)
    }

    fn from_bytes(mut rest: &[u8]) -> Option<Self> {
        let mut item = Item::new();
        while !rest.is_empty() {
            let name = utf8(take(&mut rest)?)?;
            let value = match take(&mut rest)?.split_first()? {
                (b'S', text) => AttributeValue::S(utf8(text)?),
                (b'N', number) => AttributeValue::N(utf8(number)?),
                (b'B', blob) => AttributeValue::B(Blob::new(blob)),
                _ => return None,
            };
            item.insert(name, value);
        }
        (!item.is_empty()).then_some(Self(item))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_text(&self.to_bytes().ok_or(fmt::Error)?))
    }
}

impl Cursor {
    /// Makes a cursor at a place in the query or scan with this fingerprint.
    pub(crate) fn new(asked: Asked, place: Place, seal: Option<&Seal>) -> Result<Self, Error> {
        let Some(seal) = seal else { return Ok(Self(Form::Open { asked, place })) };
        let bytes =
            place.to_bytes().ok_or_else(|| Error::invalid("the item's key has a type that a cursor cannot hold"))?;
        seal.seal(asked, &bytes).map(|sealed| Self(Form::Sealed(sealed)))
    }

    /// Returns the place, if the cursor belongs to the query or scan with this fingerprint.
    pub(crate) fn open(self, asked: Asked, seal: Option<&Seal>) -> Result<Place, Error> {
        match (self.0, seal) {
            (Form::Open { asked: of, place }, None) if of == asked => Ok(place),
            (Form::Open { .. }, None) => Err(Error::invalid(
                "the cursor belongs to another query or scan: continue with the same entity, table, index, partition, conditions on the sort key, direction, filter and segment",
            )),
            (Form::Sealed(sealed), Some(seal)) => {
                let bytes = seal.open(asked, &sealed);
                bytes.and_then(|bytes| Place::from_bytes(&bytes)).ok_or_else(|| {
                    Error::invalid(
                        "the cursor belongs to another query or scan, was changed, or was sealed with another key: start from the beginning",
                    )
                })
            }
            (Form::Open { .. }, Some(_)) => Err(Error::invalid(
                "the cursor is not sealed, and this repository accepts only sealed cursors: start from the beginning",
            )),
            (Form::Sealed(_), None) => {
                Err(Error::invalid("the cursor is sealed: give the repository its key, `with_sealed_cursors(key)`"))
            }
        }
    }
}

/// The first byte of a cursor, which tells its form, so that further forms can be added.
const OPEN: u8 = 1;
const SEALED: u8 = 2;

/// The longest text of a cursor: more than all key attributes of a table and an index take together.
const TEXT_BYTES: usize = 32 * 1024;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = match &self.0 {
            Form::Open { asked, place } => [&[OPEN][..], asked.bytes(), &place.to_bytes().ok_or(fmt::Error)?].concat(),
            Form::Sealed(sealed) => [&[SEALED][..], sealed].concat(),
        };
        f.write_str(&to_text(&bytes))
    }
}

/// A text that no cursor displays is an error of the kind [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput).
impl FromStr for Cursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        parse(text).ok_or_else(|| {
            Error::invalid("the text is not one that `Cursor::to_string` has made: begin without a cursor")
        })
    }
}

fn parse(text: &str) -> Option<Cursor> {
    let bytes = from_text(text)?;
    let form = match bytes.split_first()? {
        (&OPEN, rest) => {
            let (asked, place) = rest.split_first_chunk()?;
            Form::Open { asked: Asked::of_bytes(*asked), place: Place::from_bytes(place)? }
        }
        (&SEALED, sealed) => Form::Sealed(sealed.to_vec()),
        _ => return None,
    };
    Some(Cursor(form))
}

/// Encodes bytes as base64 for URLs, without padding.
pub(crate) fn to_text(bytes: &[u8]) -> String {
    base64::encode(bytes).trim_end_matches('=').replace('+', "-").replace('/', "_")
}

/// Decodes base64 for URLs.
pub(crate) fn from_text(text: &str) -> Option<Vec<u8>> {
    if text.len() > TEXT_BYTES {
        return None;
    }
    let mut text = text.replace('-', "+").replace('_', "/");
    text.extend(std::iter::repeat_n('=', text.len().wrapping_neg() % 4));
    base64::decode(text).ok()
}

fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, behind) = rest.split_first_chunk::<2>()?;
    let length = usize::from(u16::from_be_bytes(*length));
    let (part, behind) = behind.split_at_checked(length)?;
    *rest = behind;
    Some(part)
}

fn utf8(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_round_trips_through_its_text() {
        for (name, value) in [
            ("PK", AttributeValue::S("User#größe/?&=".to_owned())),
            ("", AttributeValue::N("-1.5E+7".to_owned())),
            ("b", AttributeValue::B(Blob::new([0u8, 255, 62, 63]))),
        ] {
            let place =
                Place(Item::from([(name.to_owned(), value), ("SK".to_owned(), AttributeValue::S("x".to_owned()))]));
            let cursor = Cursor(Form::Open { asked: Asked::of_bytes([7; 16]), place });
            let text = cursor.to_string();
            assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{text}");
            assert_eq!(text.parse::<Cursor>().expect("a cursor"), cursor);
        }
        let sealed = Cursor(Form::Sealed(vec![1, 2, 3]));
        assert_eq!(sealed.to_string().parse::<Cursor>().expect("a cursor"), sealed);
    }

    #[test]
    fn an_invalid_cursor_text_is_refused() {
        for text in ["", "A", "AAAA", "nonsense", "%", "AAJQSwAB", "____", "ÄÖ", "AQ", &"A".repeat(100_000)] {
            assert!(text.parse::<Cursor>().is_err_and(|error| error.is_invalid_input()), "{text}");
        }
    }
}
