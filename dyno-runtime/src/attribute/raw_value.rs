//! A stored value before it is decoded, wherever it is: in the text of a response, or in a value of the SDK.

use super::item::Item;
use super::json_items::{JsonItems, JsonKind, JsonValue};
use super::members::Members;
use super::peek::Scalar;
use crate::error::{DecodeError, descriptor};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_types::base64;
use std::borrow::Cow;
use std::vec;

/// A stored value that [`Value::decode`](crate::Value::decode) decodes.
///
/// A page of items is decoded from the bytes of DynamoDB's response. Other values come in the SDK's [`AttributeValue`]: items in a
/// stream, items that you pass to `from_item`. A codec of your own either decodes the value with another type's `decode`, or converts
/// it:
///
/// ```
/// use dyno::aws_sdk_dynamodb::types::AttributeValue;
/// use dyno::value::{RawValue, kind};
/// use dyno::{DecodeError, EncodeError, Value};
///
/// struct Cents(i64);
///
/// impl Value for Cents {
///     type Kind = kind::Number;
///
///     fn encode(&self) -> Result<AttributeValue, EncodeError> {
///         self.0.encode()
///     }
///
///     fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
///         i64::decode(value).map(Cents)
///     }
/// }
/// # assert_eq!(Cents::decode(AttributeValue::N("7".to_owned()).into()).map(|cents| cents.0), Ok(7));
/// ```
#[derive(Clone, Debug)]
pub struct RawValue<'a>(Raw<'a>);

#[derive(Clone, Debug)]
enum Raw<'a> {
    Owned(AttributeValue),
    Borrowed(&'a AttributeValue),
    Json(&'a JsonItems, JsonValue, u32),
}

impl<'a> RawValue<'a> {
    /// The value at this index of a response.
    #[inline]
    pub(super) fn json(items: &'a JsonItems, at: u32) -> Option<Self> {
        Some(Self(Raw::Json(items, items.value(at)?, at)))
    }

    /// Converts the value to the SDK's type.
    #[must_use]
    pub fn into_attribute_value(self) -> AttributeValue {
        match self.0 {
            Raw::Owned(value) => value,
            Raw::Borrowed(value) => value.clone(),
            Raw::Json(items, value, at) => build(items, value, at),
        }
    }

    /// Returns DynamoDB's name of the value's type.
    #[must_use]
    pub fn descriptor(&self) -> &'static str {
        match &self.0 {
            Raw::Owned(value) => descriptor(value),
            Raw::Borrowed(value) => descriptor(value),
            Raw::Json(_, value, _) => value.descriptor(),
        }
    }

    /// Returns whether the value is NULL.
    #[inline]
    #[must_use]
    pub fn is_null(&self) -> bool {
        match &self.0 {
            Raw::Owned(value) => value.is_null(),
            Raw::Borrowed(value) => value.is_null(),
            Raw::Json(_, value, _) => matches!(value.kind, JsonKind::Null | JsonKind::NullFalse),
        }
    }

    /// Returns the error of a value that is not of the expected type.
    #[cold]
    pub(crate) fn wrong_type(&self, expected: impl Into<Cow<'static, str>>) -> DecodeError {
        DecodeError::new(expected, self.descriptor())
    }

    /// Returns the text of an S.
    #[inline]
    pub(crate) fn into_text(self, expected: &'static str) -> Result<String, DecodeError> {
        match self.0 {
            Raw::Owned(AttributeValue::S(text)) => Ok(text),
            other => Self(other).copy_text(expected),
        }
    }

    fn copy_text(self, expected: &'static str) -> Result<String, DecodeError> {
        match self.0 {
            Raw::Owned(AttributeValue::S(text)) => Ok(text),
            Raw::Borrowed(AttributeValue::S(text)) => Ok(text.clone()),
            Raw::Json(items, value, _) if value.kind == JsonKind::S => Ok(items.text(value).into_owned()),
            other => Err(Self(other).wrong_type(expected)),
        }
    }

    /// Parses the text of an S.
    #[inline]
    pub(crate) fn parse_text<T>(
        self,
        expected: &'static str,
        parse: impl FnOnce(&str) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        match &self.0 {
            Raw::Owned(AttributeValue::S(text)) | Raw::Borrowed(AttributeValue::S(text)) => parse(text),
            Raw::Json(items, value, _) if value.kind == JsonKind::S => parse(&items.text(*value)),
            _ => Err(self.wrong_type(expected)),
        }
    }

    /// Returns the text of an N; `None` for another type.
    #[inline]
    pub(crate) fn number(&self) -> Option<Cow<'_, str>> {
        match &self.0 {
            Raw::Owned(AttributeValue::N(text)) | Raw::Borrowed(AttributeValue::N(text)) => Some(Cow::Borrowed(text)),
            Raw::Json(items, value, _) if value.kind == JsonKind::N => Some(items.text(*value)),
            _ => None,
        }
    }

    /// Returns the bytes of a B.
    pub(crate) fn into_bytes(self, expected: &'static str) -> Result<Vec<u8>, DecodeError> {
        match self.0 {
            Raw::Owned(AttributeValue::B(blob)) => Ok(blob.into_inner()),
            Raw::Borrowed(AttributeValue::B(blob)) => Ok(blob.as_ref().to_vec()),
            Raw::Json(items, value, _) if value.kind == JsonKind::B => bytes(items, value),
            other => Err(Self(other).wrong_type(expected)),
        }
    }

    /// Returns a BOOL.
    #[inline]
    pub(crate) fn as_bool(&self) -> Option<bool> {
        match &self.0 {
            Raw::Owned(AttributeValue::Bool(bool)) | Raw::Borrowed(AttributeValue::Bool(bool)) => Some(*bool),
            Raw::Json(_, JsonValue { kind: JsonKind::True, .. }, _) => Some(true),
            Raw::Json(_, JsonValue { kind: JsonKind::False, .. }, _) => Some(false),
            _ => None,
        }
    }

    /// Returns the elements of a list or a set of this type.
    #[inline]
    pub(crate) fn into_elements(self, descriptor: &str, expected: &'static str) -> Result<Elements<'a>, DecodeError> {
        if self.descriptor() != descriptor {
            return Err(self.wrong_type(expected));
        }
        let elements = match self.0 {
            Raw::Json(items, value, at) => return Ok(Elements::json(items, value, at)),
            Raw::Owned(value) => elements(value),
            Raw::Borrowed(value) => elements(value.clone()),
        };
        Ok(Elements(Source::Sdk(elements.into_iter())))
    }

    /// Parses the numbers of a list in a response. Returns `None` if an element is no number, or none that `parse` accepts.
    pub(super) fn parse_numbers<T>(&self, parse: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
        match &self.0 {
            Raw::Json(items, list, at) if list.kind == JsonKind::L => items.parse_numbers(*at, list.elements(), parse),
            _ => None,
        }
    }

    /// Returns the members of an M.
    pub(crate) fn into_members(self, expected: &'static str) -> Result<Members<'a>, DecodeError> {
        match self.0 {
            Raw::Owned(AttributeValue::M(members)) => Ok(Members::map(members)),
            Raw::Borrowed(AttributeValue::M(members)) => Ok(Members::borrowed(members)),
            Raw::Json(items, value, _) if value.kind == JsonKind::M => Ok(Members::json(items.members(value))),
            other => Err(Self(other).wrong_type(expected)),
        }
    }

    /// Returns a scalar, or the name of another type.
    pub(super) fn scalar(self) -> Scalar<'a> {
        match self.0 {
            Raw::Borrowed(value) => scalar(value),
            Raw::Json(items, value, _) => match value.kind {
                JsonKind::S => Scalar::S(items.text(value)),
                JsonKind::N => Scalar::N(items.text(value)),
                JsonKind::B => bytes(items, value).map_or(Scalar::Other("B"), |bytes| Scalar::B(Cow::Owned(bytes))),
                JsonKind::True => Scalar::Bool(true),
                JsonKind::False => Scalar::Bool(false),
                _ => Scalar::Other(value.descriptor()),
            },
            Raw::Owned(AttributeValue::S(text)) => Scalar::S(Cow::Owned(text)),
            Raw::Owned(AttributeValue::N(text)) => Scalar::N(Cow::Owned(text)),
            Raw::Owned(AttributeValue::B(bytes)) => Scalar::B(Cow::Owned(bytes.into_inner())),
            Raw::Owned(AttributeValue::Bool(is)) => Scalar::Bool(is),
            Raw::Owned(other) => Scalar::Other(descriptor(&other)),
        }
    }
}

fn scalar(value: &AttributeValue) -> Scalar<'_> {
    match value {
        AttributeValue::S(text) => Scalar::S(Cow::Borrowed(text)),
        AttributeValue::N(text) => Scalar::N(Cow::Borrowed(text)),
        AttributeValue::B(bytes) => Scalar::B(Cow::Borrowed(bytes.as_ref())),
        AttributeValue::Bool(is) => Scalar::Bool(*is),
        other => Scalar::Other(descriptor(other)),
    }
}

impl From<AttributeValue> for RawValue<'_> {
    #[inline]
    fn from(value: AttributeValue) -> Self {
        Self(Raw::Owned(value))
    }
}

impl<'a> From<&'a AttributeValue> for RawValue<'a> {
    #[inline]
    fn from(value: &'a AttributeValue) -> Self {
        Self(Raw::Borrowed(value))
    }
}

/// The elements of a list or a set.
#[derive(Debug)]
pub struct Elements<'a>(Source<'a>);

#[derive(Debug)]
enum Source<'a> {
    Sdk(vec::IntoIter<AttributeValue>),
    Json {
        items: &'a JsonItems,
        /// The index of the next element.
        next: u32,
        left: usize,
    },
}

impl<'a> Elements<'a> {
    fn json(items: &'a JsonItems, list: JsonValue, at: u32) -> Self {
        Self(Source::Json { items, next: at + 1, left: list.elements() })
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = RawValue<'a>;

    fn next(&mut self) -> Option<RawValue<'a>> {
        match &mut self.0 {
            Source::Sdk(elements) => elements.next().map(RawValue::from),
            Source::Json { items, next, left } => {
                *left = left.checked_sub(1)?;
                let value = items.value(*next)?;
                let element = RawValue(Raw::Json(items, value, *next));
                *next += value.step();
                Some(element)
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match &self.0 {
            Source::Sdk(elements) => elements.len(),
            Source::Json { left, .. } => *left,
        };
        (left, Some(left))
    }
}

impl ExactSizeIterator for Elements<'_> {}

fn elements(value: AttributeValue) -> Vec<AttributeValue> {
    match value {
        AttributeValue::L(elements) => elements,
        AttributeValue::Ss(texts) => texts.into_iter().map(AttributeValue::S).collect(),
        AttributeValue::Ns(numbers) => numbers.into_iter().map(AttributeValue::N).collect(),
        AttributeValue::Bs(blobs) => blobs.into_iter().map(AttributeValue::B).collect(),
        _ => Vec::new(),
    }
}

fn bytes(items: &JsonItems, value: JsonValue) -> Result<Vec<u8>, DecodeError> {
    base64::decode(&*items.text(value)).map_err(|_| DecodeError::new("bytes (B)", "a text that is not Base64"))
}

/// Builds the SDK's value.
fn build(items: &JsonItems, value: JsonValue, at: u32) -> AttributeValue {
    let elements = || Elements::json(items, value, at);
    let texts = || elements().filter_map(RawValue::any_text).collect();
    match value.kind {
        JsonKind::S => AttributeValue::S(items.text(value).into_owned()),
        JsonKind::N => AttributeValue::N(items.text(value).into_owned()),
        JsonKind::B => AttributeValue::B(Blob::new(bytes(items, value).unwrap_or_default())),
        JsonKind::True => AttributeValue::Bool(true),
        JsonKind::False => AttributeValue::Bool(false),
        JsonKind::Null => AttributeValue::Null(true),
        JsonKind::NullFalse => AttributeValue::Null(false),
        JsonKind::Ss => AttributeValue::Ss(texts()),
        JsonKind::Ns => AttributeValue::Ns(texts()),
        JsonKind::Bs => {
            let blobs = elements().filter_map(|element| Some(Blob::new(element.into_bytes("bytes (B)").ok()?)));
            AttributeValue::Bs(blobs.collect())
        }
        JsonKind::L => AttributeValue::L(elements().map(RawValue::into_attribute_value).collect()),
        JsonKind::M => AttributeValue::M(Members::json(items.members(value)).into_map()),
    }
}

impl RawValue<'_> {
    /// Returns the text of a scalar in a response.
    fn any_text(self) -> Option<String> {
        match self.0 {
            Raw::Json(items, value, _) => Some(items.text(value).into_owned()),
            Raw::Owned(_) | Raw::Borrowed(_) => None,
        }
    }
}

impl JsonValue {
    pub(super) fn descriptor(self) -> &'static str {
        match self.kind {
            JsonKind::S => "S",
            JsonKind::N => "N",
            JsonKind::B => "B",
            JsonKind::True | JsonKind::False => "BOOL",
            JsonKind::Null | JsonKind::NullFalse => "NULL",
            JsonKind::Ss => "SS",
            JsonKind::Ns => "NS",
            JsonKind::Bs => "BS",
            JsonKind::L => "L",
            JsonKind::M => "M",
        }
    }
}

impl JsonItems {
    /// Returns an attribute of an item.
    pub(super) fn peek_at(&self, item: u32, name: &str) -> Option<Scalar<'_>> {
        RawValue::json(self, self.item(item).get(name)?).map(RawValue::scalar)
    }

    /// Returns a member of the map at this index, if the value there is a map and has the member.
    pub(super) fn member(&self, map: u32, name: &str) -> Option<Scalar<'_>> {
        let map = self.value(map).filter(|map| map.kind == JsonKind::M)?;
        let at = self.members(map).get(name)?;
        RawValue::json(self, at).map(RawValue::scalar)
    }
}

/// Builds the SDK's map of members.
pub(super) fn into_map<'a>(items: &'a JsonItems, members: impl Iterator<Item = (Cow<'a, str>, u32)>) -> Item {
    let mut map = Item::with_capacity(members.size_hint().1.unwrap_or_default());
    map.extend(
        members.filter_map(|(name, at)| Some((name.into_owned(), RawValue::json(items, at)?.into_attribute_value()))),
    );
    map
}
