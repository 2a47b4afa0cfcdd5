//! Access to single attributes of an item in any representation, so that a judgement need not build the whole item.

use super::Item;
use crate::error::descriptor;
use aws_sdk_dynamodb::types::AttributeValue;

/// An item whose attributes can be read one at a time.
pub(crate) trait Peek {
    /// Returns the attribute of this name, if the item has it.
    fn peek(&self, name: &str) -> Option<Scalar<'_>>;

    /// Returns a member of a map, if the item has the map and the map has the member.
    fn peek_in(&self, name: &str, member: &str) -> Option<Scalar<'_>>;
}

/// A borrowed value of a scalar type, or only the name of another type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scalar<'a> {
    S(&'a str),
    N(&'a str),
    B(&'a [u8]),
    Bool(bool),
    /// Another type, by its name.
    Other(&'static str),
}

impl Peek for Item {
    fn peek(&self, name: &str) -> Option<Scalar<'_>> {
        self.get(name).map(Scalar::of)
    }

    fn peek_in(&self, name: &str, member: &str) -> Option<Scalar<'_>> {
        match self.get(name) {
            Some(AttributeValue::M(members)) => members.peek(member),
            _ => None,
        }
    }
}

impl<'a> Scalar<'a> {
    fn of(value: &'a AttributeValue) -> Self {
        match value {
            AttributeValue::S(text) => Self::S(text),
            AttributeValue::N(number) => Self::N(number),
            AttributeValue::B(bytes) => Self::B(bytes.as_ref()),
            AttributeValue::Bool(is) => Self::Bool(*is),
            other => Self::Other(descriptor(other)),
        }
    }

    /// Returns the name of the type.
    pub(crate) fn descriptor(self) -> &'static str {
        match self {
            Self::S(_) => "S",
            Self::N(_) => "N",
            Self::B(_) => "B",
            Self::Bool(_) => "BOOL",
            Self::Other(descriptor) => descriptor,
        }
    }
}
