//! Errors of encoding and decoding a value, with the path to it in the item. Each function that returns such an error adds its
//! own step to the path.
//!
//! The entity and the key are added in `crate::Error`.

use super::foreign_text::{PART_BYTES, one_line, value};
use super::{Error, ErrorKind};
use aws_sdk_dynamodb::types::AttributeValue;
use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;

/// One step of the path to a value within an item.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// An attribute, or a member of a map.
    Name(Cow<'static, str>),
    /// An element of a list.
    Index(usize),
}

/// The path to a value, innermost step first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Path(Vec<Step>);

/// What comes before the problem.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut path = String::new();
        for (depth, step) in self.0.iter().rev().enumerate() {
            let separator = if depth == 0 { "" } else { "." };
            match step {
                Step::Name(name) => write!(path, "{separator}{}", value(name))?,
                Step::Index(index) => write!(path, "[{index}]")?,
            }
        }
        write!(f, "`{}`: ", one_line(&path, PART_BYTES))
    }
}

/// A value that DynamoDB cannot hold, or cannot hold at this place.
// Boxed, like `DecodeError`, because a rare error should not make every result of encoding large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError(Box<Encode>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Encode {
    path: Path,
    problem: Cow<'static, str>,
    /// The value, if the problem does not tell it. It is compared, and never shown.
    value: String,
}

impl EncodeError {
    /// Creates an error. The problem says what is wrong and what to do, in lower case and without a full stop.
    #[cold]
    pub fn new(problem: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Encode { path: Path::default(), problem: problem.into(), value: String::new() }))
    }

    /// Adds the value, if the problem does not tell it.
    #[must_use]
    #[cold]
    pub(crate) fn of_value(mut self, value: impl Into<String>) -> Self {
        self.0.value = value.into();
        self
    }

    /// Returns the value, if the problem does not tell it.
    pub(crate) fn value(&self) -> &str {
        &self.0.value
    }

    /// Returns the same error with one more outer step in its path.
    #[must_use]
    #[cold]
    pub fn at(mut self, step: Step) -> Self {
        self.0.path.0.push(step);
        self
    }

    /// Calls [`at`](Self::at) with an attribute or member.
    #[must_use]
    #[cold]
    pub fn at_name(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.at(Step::Name(name.into()))
    }

    /// Adds a declared attribute. Not inlined, because each field of each entity calls it.
    #[cold]
    #[inline(never)]
    pub(crate) fn at_attribute(self, name: &'static str) -> Self {
        self.at_name(name)
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Encode { path, problem, .. } = &*self.0;
        write!(f, "{path}{}", one_line(problem, PART_BYTES))
    }
}

impl std::error::Error for EncodeError {}

/// A stored value that is not of the type the entity declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(Box<Decode>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Decode {
    path: Path,
    expected: Cow<'static, str>,
    found: Cow<'static, str>,
}

impl DecodeError {
    /// Creates an error. `expected` and `found` complete "expected …, found …". Describe the stored value by its type only,
    /// because someone who reads the error may not be allowed to read the item.
    #[cold]
    pub fn new(expected: impl Into<Cow<'static, str>>, found: impl Into<Cow<'static, str>>) -> Self {
        let (expected, found) = (expected.into(), found.into());
        Self(Box::new(Decode { path: Path::default(), expected, found }))
    }

    /// Creates the error of a value whose DynamoDB type is not `expected`.
    #[cold]
    pub fn wrong_type(expected: impl Into<Cow<'static, str>>, found: &AttributeValue) -> Self {
        Self::new(expected, descriptor(found))
    }

    /// Returns the same error with one more outer step in its path.
    #[must_use]
    #[cold]
    pub fn at(mut self, step: Step) -> Self {
        self.0.path.0.push(step);
        self
    }

    /// Calls [`at`](Self::at) with an attribute or member.
    #[must_use]
    #[cold]
    pub fn at_name(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.at(Step::Name(name.into()))
    }

    /// Adds a declared attribute. Not inlined, because each field of each entity calls it.
    #[cold]
    #[inline(never)]
    pub(crate) fn at_attribute(self, name: &'static str) -> Self {
        self.at_name(name)
    }

    /// Returns the attribute in which the value is.
    #[cfg(feature = "inspection")]
    pub(crate) fn attribute(&self) -> Option<&str> {
        match self.0.path.0.last()? {
            Step::Name(name) => Some(name),
            Step::Index(_) => None,
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Decode { path, expected, found } = &*self.0;
        write!(f, "{path}expected {}, found {}", one_line(expected, PART_BYTES), value(found))
    }
}

impl std::error::Error for DecodeError {}

impl From<EncodeError> for Error {
    fn from(error: EncodeError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<DecodeError> for Error {
    fn from(error: DecodeError) -> Self {
        Self::new(ErrorKind::Decode, error.to_string())
    }
}

/// Returns DynamoDB's name for the type of a value.
pub(crate) fn descriptor(value: &AttributeValue) -> &'static str {
    match value {
        AttributeValue::S(_) => "S",
        AttributeValue::N(_) => "N",
        AttributeValue::B(_) => "B",
        AttributeValue::Ss(_) => "SS",
        AttributeValue::Ns(_) => "NS",
        AttributeValue::Bs(_) => "BS",
        AttributeValue::M(_) => "M",
        AttributeValue::L(_) => "L",
        AttributeValue::Bool(_) => "BOOL",
        AttributeValue::Null(_) => "NULL",
        _ => "a type this SDK does not know",
    }
}
