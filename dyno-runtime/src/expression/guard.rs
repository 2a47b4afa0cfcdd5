//! What a change demands of the item, so that it does what it says: a condition. `rule` reads its refusal.

use super::{Node, Operator, Path};
use aws_sdk_dynamodb::types::AttributeValue;

/// A demand of one change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Guard {
    /// What is here is of this type, by its name in DynamoDB, which makes no map for a value to be put into, and no number
    /// to count from.
    Type(Path, &'static str),
    /// What is here is NULL or nothing, or if not, not NULL: what a change was made for.
    Null { path: Path, vacant: bool },
    /// This element is here, and no other.
    Element(Path, AttributeValue),
    /// The list here does not contain this.
    Lacks(Path, AttributeValue),
    /// There is nothing under the older names of this attribute.
    Moved(&'static str, &'static [&'static str]),
    /// What is under several of the names of this attribute is the same: which of two values is the later one, nothing says.
    One(&'static str, &'static [&'static str]),
    /// The number here is on the right side of this one, so that what becomes of it fits its type.
    Within {
        path: Path,
        operator: Operator,
        limit: AttributeValue,
        /// Whether there need be no number.
        absent: bool,
    },
}

impl Guard {
    /// The condition.
    pub(crate) fn node(&self) -> Node {
        match self.clone() {
            Self::Type(path, name) => Node::IsType(path, name),
            Self::Null { path, vacant: true } => Node::Vacant(path),
            Self::Null { path, vacant: false } => Node::is_null(path).not(),
            Self::Moved(_, aliases) => {
                Node::And(aliases.iter().map(|alias| Node::NotExists((*alias).into())).collect())
            }
            Self::One(name, aliases) => {
                let names: Vec<&'static str> = std::iter::once(name).chain(aliases.iter().copied()).collect();
                let pairs = names.iter().enumerate().flat_map(|(index, one)| {
                    names[index + 1..].iter().map(|other| {
                        let (one, other) = (Path::from(*one), Path::from(*other));
                        let absent = [&one, &other].map(|path| Node::NotExists(path.clone()));
                        Node::Or(absent.into_iter().chain([Node::Same(one, other)]).collect())
                    })
                });
                Node::And(pairs.collect())
            }
            Self::Element(path, element) => Node::Compare(path, Operator::Eq, element),
            Self::Lacks(path, value) => Node::Contains(path, value).not(),
            Self::Within { path, operator, limit, absent: false } => Node::Compare(path, operator, limit),
            Self::Within { path, operator, limit, absent: true } => {
                Node::Or(vec![Node::NotExists(path.clone()), Node::Compare(path, operator, limit)])
            }
        }
    }
}
