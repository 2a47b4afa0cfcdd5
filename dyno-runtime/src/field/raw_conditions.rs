//! Conditions without their entity. This code depends at most on a field's type, so it is not compiled again for each field of
//! each entity.

use super::{Codec, Place};
use crate::attribute::{Attribute, compare};
use crate::error::EncodeError;
use crate::expression::{Node, Operator, Path};
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;

/// The most values of `IN`. (Developer guide, "Condition and filter expressions".)
pub(super) const OPERANDS: usize = 100;

type Encoded = Result<AttributeValue, EncodeError>;

impl<T, P: Place> Codec<T, P> {
    /// Compares for equality or inequality. The comparison with a value that is stored as absence is about existence.
    pub(super) fn compare_for_equality(&self, operator: Operator, value: &T) -> Result<Node, EncodeError> {
        Ok(match (self.operand_or_none(value)?, operator) {
            (Some(value), operator) => Node::Compare(self.path(), operator, value),
            (None, Operator::Ne) => self.exists(),
            (None, _) => self.not_exists(),
        })
    }

    pub(super) fn exists(&self) -> Node {
        if self.is_nullable() { Node::Present(self.path()) } else { Node::Exists(self.path()) }
    }

    pub(super) fn not_exists(&self) -> Node {
        Node::absent(self.path(), self.is_nullable())
    }

    pub(super) fn compare(&self, operator: Operator, value: T::Present) -> Result<Node, EncodeError>
    where
        T: Attribute,
    {
        Ok(Node::Compare(self.path(), operator, self.present(value)?))
    }

    /// Compares with the value of another attribute. If one of them is absent, the comparison does not hold.
    pub(super) fn compare_with<U, Q: Place>(
        &self,
        operator: Operator,
        other: &Codec<U, Q>,
    ) -> Result<Node, EncodeError> {
        // DynamoDB refuses the request: "The first operand must be distinct from the remaining operands".
        if self.path() == other.path() {
            return Err(self.path().locate(EncodeError::new("a field is compared with itself: compare two fields")));
        }
        let compared = Node::ComparePaths(self.path(), operator, other.path());
        // NULL equals NULL, and has no order.
        let nullable = match operator {
            Operator::Eq if self.is_nullable() => Some(self.path()),
            Operator::Eq if other.is_nullable() => Some(other.path()),
            _ => None,
        };
        Ok(match nullable {
            Some(path) => compared.and(Node::Present(path)),
            None => compared,
        })
    }

    pub(super) fn between(&self, low: T::Present, high: T::Present) -> Result<Node, EncodeError>
    where
        T: Attribute,
    {
        between(self.path(), self.present(low)?, self.present(high)?)
    }

    /// Encodes one of the values of `is_in`.
    pub(super) fn operand(&self, value: &T) -> Encoded {
        let value = self.operand_or_none(value)?;
        value.ok_or_else(|| self.path().locate(EncodeError::new("`is_in` takes no absent value: leave it out")))
    }

    fn operand_or_none(&self, value: &T) -> Result<Option<AttributeValue>, EncodeError> {
        (self.encode)(value).map_err(|error| self.path().locate(error))
    }

    fn present(&self, value: T::Present) -> Encoded
    where
        T: Attribute,
    {
        let value = self.operand_or_none(&T::__of_present(value))?;
        value.ok_or_else(|| self.path().locate(EncodeError::new("an absent value has no order: compare with a value")))
    }

    fn path(&self) -> Path {
        self.place.__path()
    }
}

pub(super) fn is_in(path: Path, values: Result<Vec<AttributeValue>, EncodeError>) -> Result<Node, EncodeError> {
    let values = values?;
    let found = match values.len() {
        0 => "none",
        1..=OPERANDS => return Ok(Node::In(path, values)),
        _ => "more",
    };
    Err(path.locate(EncodeError::new(format!("`is_in` takes 1 to {OPERANDS} values, not {found}"))))
}

pub(super) fn contains(path: Path, element: Encoded) -> Result<Node, EncodeError> {
    match element {
        Ok(element) => Ok(Node::Contains(path, element)),
        Err(error) => Err(path.locate(error)),
    }
}

fn between(path: Path, low: AttributeValue, high: AttributeValue) -> Result<Node, EncodeError> {
    // DynamoDB would refuse the request.
    if compare(&low, &high) == Some(Ordering::Greater) {
        let error = EncodeError::new("the lower bound of `between` is greater than its upper bound: swap the two");
        return Err(path.locate(error));
    }
    Ok(Node::Between(path, low, high))
}
