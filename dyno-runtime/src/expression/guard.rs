//! Guards: the conditions that a change adds to its request, so that it has the promised effect or none. `rule` interprets their
//! refusals.

use super::{Node, Operator, Path};
use aws_sdk_dynamodb::types::AttributeValue;

/// A condition of one change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Guard {
    /// The value has this type, by its name in DynamoDB. DynamoDB does not create a map in order to set a member of it, nor a
    /// number in order to add to it.
    Type(Path, &'static str),
    /// The stored value is still what the change was made for: NULL or absent if `vacant`, otherwise anything but NULL.
    Null { path: Path, vacant: bool },
    /// The element at this index equals this one.
    Element(Path, AttributeValue),
    /// The attribute, which a vector is made of, has this value. `or_absent` tells whether an absent attribute stands for it.
    Embedded { attribute: &'static str, value: Option<AttributeValue>, or_absent: bool, nullable: bool },
    /// The list does not contain this element.
    Lacks(Path, AttributeValue),
    /// No alias of this attribute has a value.
    Moved(&'static str, &'static [&'static str]),
    /// All names of this attribute that have a value have the same value. If two values differ, nothing in the row shows which
    /// one is newer.
    One(&'static str, &'static [&'static str]),
    /// The stored number is within a limit, so that the result of the change fits the number's type.
    Within {
        path: Path,
        operator: Operator,
        limit: AttributeValue,
        /// True if the guard also passes when there is no number.
        absent: bool,
    },
}

impl Guard {
    /// Returns the condition.
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
                        Node::Or(absent.into_iter().chain([Node::same(one, other)]).collect())
                    })
                });
                Node::And(pairs.collect())
            }
            Self::Element(path, element) => Node::Compare(path, Operator::Eq, element),
            Self::Embedded { attribute, value, or_absent, nullable } => {
                let same = value.map(|value| Node::Compare(attribute.into(), Operator::Eq, value));
                let absent = or_absent.then(|| Node::absent(attribute.into(), nullable));
                match (same, absent) {
                    (Some(same), Some(absent)) => Node::Or(vec![same, absent]),
                    (Some(same), None) => same,
                    (None, _) => Node::absent(attribute.into(), nullable),
                }
            }
            Self::Lacks(path, value) => Node::Contains(path, value).not(),
            Self::Within { path, operator, limit, absent: false } => Node::Compare(path, operator, limit),
            Self::Within { path, operator, limit, absent: true } => {
                Node::Or(vec![Node::NotExists(path.clone()), Node::Compare(path, operator, limit)])
            }
        }
    }
}
