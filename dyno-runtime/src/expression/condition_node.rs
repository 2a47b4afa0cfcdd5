//! Conditions without their entity, and their text. The rules make such conditions as well.

use super::{EXPRESSION_BYTES, OPERATORS, Path, Placeholders};
use crate::error::foreign_text::{PART_BYTES, one_line};
use crate::error::{EncodeError, Error};
use aws_sdk_dynamodb::types::AttributeValue;
use std::convert::Infallible;
use std::fmt::Write as _;

/// `=`, `<>`, `<`, `<=`, `>`, `>=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Operator {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Eq => "=",
            Self::Ne => "<>",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }
}

/// A condition without its entity.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Compare(Path, Operator, AttributeValue),
    CompareSize(Path, Operator, AttributeValue),
    Between(Path, AttributeValue, AttributeValue),
    In(Path, Vec<AttributeValue>),
    Exists(Path),
    NotExists(Path),
    /// Compares the values of two attributes.
    ComparePaths(Path, Operator, Path),
    /// The attribute exists and is not NULL.
    Present(Path),
    /// The attribute is absent or NULL.
    Vacant(Path),
    /// The value has this type, by its name in DynamoDB.
    IsType(Path, &'static str),
    BeginsWith(Path, AttributeValue),
    Contains(Path, AttributeValue),
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
}

/// Returns the path of a single condition, for a shared or a mutable reference to it.
macro_rules! path_of {
    ($node:expr) => {
        match $node {
            Node::Compare(path, ..)
            | Node::CompareSize(path, ..)
            | Node::Between(path, ..)
            | Node::In(path, _)
            | Node::Exists(path)
            | Node::NotExists(path)
            | Node::Present(path)
            | Node::Vacant(path)
            | Node::IsType(path, _)
            | Node::BeginsWith(path, _)
            | Node::Contains(path, _) => Some(path),
            Node::ComparePaths(..) | Node::And(_) | Node::Or(_) | Node::Not(_) => None,
        }
    };
}

impl Node {
    pub(crate) fn compare(path: impl Into<Path>, operator: Operator, value: &AttributeValue) -> Self {
        Self::Compare(path.into(), operator, value.clone())
    }

    /// Returns the condition that the value is NULL, which other programs store for "none".
    pub(crate) fn is_null(path: Path) -> Self {
        Self::IsType(path, "NULL")
    }

    /// Returns the condition that a value is absent. If the value is `nullable`, NULL stands for its absence, too.
    pub(crate) fn absent(path: Path, nullable: bool) -> Self {
        if nullable { Self::Vacant(path) } else { Self::NotExists(path) }
    }

    /// Returns the condition that two attributes are equal.
    pub(crate) fn same(one: impl Into<Path>, other: impl Into<Path>) -> Self {
        Self::ComparePaths(one.into(), Operator::Eq, other.into())
    }

    pub(crate) fn not(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// Joins the terms by AND. Returns `None` if there are none.
    pub(crate) fn all(terms: Vec<Self>) -> Option<Self> {
        Self::joined(terms, Self::And)
    }

    /// Joins the terms by OR. Returns `None` if there are none.
    pub(crate) fn any(terms: Vec<Self>) -> Option<Self> {
        Self::joined(terms, Self::Or)
    }

    /// Joins a further condition of the caller's, and returns the first error.
    pub(crate) fn join(
        before: Option<Result<Self, EncodeError>>,
        condition: Result<Self, EncodeError>,
    ) -> Result<Self, EncodeError> {
        match before {
            None => condition,
            Some(before) => before.and_then(|before| before.and(condition?).bounded()),
        }
    }

    /// Joins two conditions by AND.
    pub(crate) fn and(self, other: Self) -> Self {
        let mut terms = match self {
            Self::And(terms) => terms,
            term => vec![term],
        };
        other.push_onto(&mut terms);
        Self::And(terms)
    }

    /// Joins two conditions by OR. The terms of both are in one list, as for AND.
    pub(crate) fn or(self, other: Self) -> Self {
        let mut terms = match self {
            Self::Or(terms) => terms,
            term => vec![term],
        };
        match other {
            Self::Or(more) => terms.extend(more),
            term => terms.push(term),
        }
        Self::Or(terms)
    }

    /// Adds the condition to terms that are joined by AND. If it is itself joined by AND, its terms are added one by one, so that
    /// a long condition is not a deep one.
    pub(crate) fn push_onto(self, terms: &mut Vec<Self>) {
        match self {
            Self::And(more) => terms.extend(more),
            term => terms.push(term),
        }
    }

    /// Refuses a condition of the caller's as soon as it is too long to be sent, so that a loop cannot build an ever longer one.
    pub(crate) fn bounded(self) -> Result<Self, EncodeError> {
        if self.operators() > OPERATORS {
            return Err(EncodeError::new(format!(
                "the condition has more than {OPERATORS} operators and functions, which is the most that DynamoDB accepts: use fewer terms"
            )));
        }
        Ok(self)
    }

    fn joined(mut terms: Vec<Self>, join: impl FnOnce(Vec<Self>) -> Self) -> Option<Self> {
        match terms.len() {
            0 | 1 => terms.pop(),
            _ => Some(join(terms)),
        }
    }

    /// Returns the names of all attributes that the condition reads.
    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Self::And(terms) | Self::Or(terms) => terms.iter().flat_map(Self::names).collect(),
            Self::Not(term) => term.names(),
            Self::ComparePaths(one, _, other) => vec![one.name(), other.name()],
            term => term.path().map(Path::name).into_iter().collect(),
        }
    }

    /// Returns the path that a single condition reads.
    pub(crate) fn path(&self) -> Option<&Path> {
        path_of!(self)
    }

    /// Returns a single condition on the same place within another attribute.
    pub(crate) fn renamed(mut self, name: &'static str) -> Self {
        if let Some(path) = path_of!(&mut self) {
            *path = path.clone().renamed(name);
        }
        self
    }

    /// Returns the number of operators and functions.
    fn operators(&self) -> usize {
        match self {
            Self::CompareSize(..) => 2,
            Self::Vacant(_) => 3,
            Self::Present(_) => 4,
            Self::And(terms) | Self::Or(terms) => {
                terms.len().saturating_sub(1) + terms.iter().map(Self::operators).sum::<usize>()
            }
            Self::Not(term) => 1 + term.operators(),
            _ => 1,
        }
    }

    /// Calls `look` for each value that the condition compares with, until it fails.
    pub(crate) fn try_each_value<E>(
        &self,
        look: &mut dyn FnMut(&Path, &AttributeValue) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Compare(path, _, value)
            | Self::CompareSize(path, _, value)
            | Self::BeginsWith(path, value)
            | Self::Contains(path, value) => look(path, value),
            Self::Between(path, low, high) => {
                look(path, low)?;
                look(path, high)
            }
            Self::In(path, values) => values.iter().try_for_each(|value| look(path, value)),
            Self::Exists(_)
            | Self::NotExists(_)
            | Self::ComparePaths(..)
            | Self::Present(_)
            | Self::Vacant(_)
            | Self::IsType(..) => Ok(()),
            Self::And(terms) | Self::Or(terms) => terms.iter().try_for_each(|term| term.try_each_value(look)),
            Self::Not(term) => term.try_each_value(look),
        }
    }

    /// Returns the number of values that the condition compares with.
    fn values(&self) -> usize {
        let mut count = 0;
        let Ok(()) = self.try_each_value::<Infallible>(&mut |_, _| {
            count += 1;
            Ok(())
        });
        count
    }

    /// Refuses a condition, including those of the rules, that has too many operators for DynamoDB.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let operators = self.operators();
        if operators > OPERATORS {
            return Err(Error::invalid(format!(
                "the condition has {operators} operators and functions, but DynamoDB accepts {OPERATORS}: use fewer terms"
            )));
        }
        let values = self.values();
        // A placeholder has at least two bytes, and so has the text between two placeholders.
        if values > EXPRESSION_BYTES / 4 {
            return Err(Error::invalid(format!(
                "the condition has {values} values, too many for the {EXPRESSION_BYTES} bytes that DynamoDB accepts: compare with fewer values"
            )));
        }
        Ok(())
    }

    /// Renders the condition as text and adds its names and values to `placeholders`.
    pub(crate) fn render(self, placeholders: &mut Placeholders) -> String {
        let mut text = String::with_capacity(128);
        self.push(placeholders, &mut text);
        text
    }

    /// Returns the condition for people, with the types of its values in their place: someone who reads a log may not be allowed to
    /// read the values.
    pub(crate) fn outline(&self) -> String {
        let text = self.clone().render(&mut Placeholders::outline());
        one_line(&text, PART_BYTES).into_owned()
    }

    fn push(self, placeholders: &mut Placeholders, text: &mut String) {
        match self {
            Self::Compare(path, operator, value) => {
                placeholders.push_path(&path, text);
                push_operator(operator, text);
                placeholders.push_value(&path, value, text);
            }
            Self::CompareSize(path, operator, value) => {
                push_call("size", &path, None, placeholders, text);
                push_operator(operator, text);
                placeholders.push_value(&path, value, text);
            }
            Self::Between(path, low, high) => {
                placeholders.push_path(&path, text);
                text.push_str(" BETWEEN ");
                placeholders.push_value(&path, low, text);
                text.push_str(" AND ");
                placeholders.push_value(&path, high, text);
            }
            Self::In(path, values) => {
                placeholders.push_path(&path, text);
                text.push_str(" IN (");
                for (index, value) in values.into_iter().enumerate() {
                    if index > 0 {
                        text.push_str(", ");
                    }
                    placeholders.push_value(&path, value, text);
                }
                text.push(')');
            }
            Self::Exists(path) => push_call("attribute_exists", &path, None, placeholders, text),
            Self::NotExists(path) => push_call("attribute_not_exists", &path, None, placeholders, text),
            Self::ComparePaths(one, operator, other) => {
                placeholders.push_path(&one, text);
                push_operator(operator, text);
                placeholders.push_path(&other, text);
            }
            Self::Present(path) => {
                Self::And(vec![Self::Exists(path.clone()), Self::is_null(path).not()]).push(placeholders, text);
            }
            Self::Vacant(path) => {
                Self::Or(vec![Self::NotExists(path.clone()), Self::is_null(path)]).push(placeholders, text);
            }
            // The type is not a value of the caller's.
            Self::IsType(path, name) if placeholders.outline => {
                let _ = write!(text, "attribute_type({path}, {name})");
            }
            Self::IsType(path, name) => {
                push_call("attribute_type", &path, Some(AttributeValue::S(name.to_owned())), placeholders, text);
            }
            Self::BeginsWith(path, prefix) => {
                push_call("begins_with", &path, Some(prefix), placeholders, text);
            }
            Self::Contains(path, element) => {
                push_call("contains", &path, Some(element), placeholders, text);
            }
            Self::And(terms) => push_joined(terms, AND, placeholders, text),
            Self::Or(terms) => push_joined(terms, OR, placeholders, text),
            Self::Not(term) => {
                text.push_str("NOT ");
                term.push_operand(placeholders, text);
            }
        }
    }

    /// Appends the condition as an operand: in parentheses unless it is a single comparison or function.
    fn push_operand(self, placeholders: &mut Placeholders, text: &mut String) {
        if matches!(self, Self::And(_) | Self::Or(_) | Self::Present(_) | Self::Vacant(_)) {
            text.push('(');
            self.push(placeholders, text);
            text.push(')');
        } else {
            self.push(placeholders, text);
        }
    }
}

const AND: &str = " AND ";
const OR: &str = " OR ";

fn push_operator(operator: Operator, text: &mut String) {
    text.push(' ');
    text.push_str(operator.text());
    text.push(' ');
}

fn push_call(
    function: &str,
    path: &Path,
    value: Option<AttributeValue>,
    placeholders: &mut Placeholders,
    text: &mut String,
) {
    text.push_str(function);
    text.push('(');
    placeholders.push_path(path, text);
    if let Some(value) = value {
        text.push_str(", ");
        placeholders.push_value(path, value, text);
    }
    text.push(')');
}

fn push_joined(terms: Vec<Node>, join: &str, placeholders: &mut Placeholders, text: &mut String) {
    for (index, term) in terms.into_iter().enumerate() {
        if index > 0 {
            text.push_str(join);
        }
        // Both are rendered as two terms with the same operator between them, so they need no parentheses.
        if matches!((&term, join), (Node::Present(_), AND) | (Node::Vacant(_), OR)) {
            term.push(placeholders, text);
        } else {
            term.push_operand(placeholders, text);
        }
    }
}
