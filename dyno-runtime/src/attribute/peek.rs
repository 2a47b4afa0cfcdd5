//! A look at single attributes of an item, however it is kept: what it takes to judge one, without making it.

use super::Item;
use crate::error::descriptor;
use aws_sdk_dynamodb::types::AttributeValue;

/// An item, of which single attributes are looked at.
pub(crate) trait Peek {
    /// The attribute of this name, if the item has it.
    fn peek(&self, name: &str) -> Option<Scalar<'_>>;

    /// The member of this name in a map, if the item has both.
    fn peek_in(&self, name: &str, member: &str) -> Option<Scalar<'_>>;
}

/// A value, as far as a judgement looks into it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scalar<'a> {
    S(&'a str),
    N(&'a str),
    B(&'a [u8]),
    Bool(bool),
    /// Of this type.
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

    /// The type's name.
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
