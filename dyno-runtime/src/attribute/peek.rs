//! Access to single attributes of an item in any representation, so that a judgement need not build the whole item.

use super::item::Item;
use super::raw_value::RawValue;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use std::borrow::Cow;

/// An item whose attributes can be read one at a time.
pub(crate) trait Peek {
    /// Returns the attribute of this name, if the item has it.
    fn peek(&self, name: &str) -> Option<Scalar<'_>>;

    /// Returns a member of a map, if the item has the map and the map has the member.
    fn peek_in(&self, name: &str, member: &str) -> Option<Scalar<'_>>;
}

/// A borrowed value of a scalar type, or only the name of another type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar<'a> {
    S(Cow<'a, str>),
    N(Cow<'a, str>),
    B(Cow<'a, [u8]>),
    Bool(bool),
    /// Another type, by its name.
    Other(&'static str),
}

impl Peek for Item {
    fn peek(&self, name: &str) -> Option<Scalar<'_>> {
        self.get(name).map(|value| RawValue::from(value).scalar())
    }

    fn peek_in(&self, name: &str, member: &str) -> Option<Scalar<'_>> {
        match self.get(name) {
            Some(AttributeValue::M(members)) => members.peek(member),
            _ => None,
        }
    }
}

impl Scalar<'_> {
    /// Returns the value, if a key can have it.
    pub(crate) fn into_key(self) -> Option<AttributeValue> {
        match self {
            Self::S(text) => Some(AttributeValue::S(text.into_owned())),
            Self::N(number) => Some(AttributeValue::N(number.into_owned())),
            Self::B(bytes) => Some(AttributeValue::B(Blob::new(bytes.into_owned()))),
            Self::Bool(_) | Self::Other(_) => None,
        }
    }

    /// Returns the name of the type.
    pub(crate) fn descriptor(&self) -> &'static str {
        match self {
            Self::S(_) => "S",
            Self::N(_) => "N",
            Self::B(_) => "B",
            Self::Bool(_) => "BOOL",
            Self::Other(descriptor) => descriptor,
        }
    }
}
