//! Conditions on one entity's fields, as a user writes them.

use crate::entity::{Entity, clone_and_debug};
use crate::error::EncodeError;
use crate::expression::Node;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, Not};

/// A condition on an item of `E`. You make it from the entity's [fields](crate::Field) and join conditions by `&`, `|` and `!`.
///
/// In a write, it is a further condition beside those of the entity's rules. In a query or scan, it is the filter.
///
/// ```
/// # use dyno::Entity;
/// # #[derive(Entity)] struct Rating { #[partition_key] id: String, rating: u8, note: Option<String> }
/// let f = Rating::fields();
/// let condition = f.rating.ge(3) & !f.note.exists();
/// ```
#[must_use = "a condition demands nothing until it is in a command: `.condition(…)`, `.filter(…)`"]
pub struct Condition<E> {
    node: Result<Node, EncodeError>,
    entity: PhantomData<fn() -> E>,
}

impl<E> Condition<E> {
    pub(crate) fn new(node: Result<Node, EncodeError>) -> Self {
        Self { node, entity: PhantomData }
    }

    pub(crate) fn into_node(self) -> Result<Node, EncodeError> {
        self.node
    }

    fn join(self, other: Self, join: fn(Node, Node) -> Node) -> Self {
        Self::new(match (self.node, other.node) {
            (Ok(one), Ok(other)) => join(one, other).bounded(),
            (Err(error), _) | (_, Err(error)) => Err(error),
        })
    }
}

impl<E: Entity> Condition<E> {
    /// Holds if an item exists at this key: live, expired, or a tombstone.
    pub fn item_exists() -> Self {
        Self::new(Ok(Node::Exists(E::SCHEMA.partition.name.into())))
    }
}

clone_and_debug!([E] Condition<E>: node; entity);

/// Holds if both conditions hold.
impl<E> BitAnd for Condition<E> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.join(other, Node::and)
    }
}

/// Holds if at least one of the conditions holds.
impl<E> BitOr for Condition<E> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.join(other, Node::or)
    }
}

/// Holds if the condition does not hold. A comparison with an absent attribute, or with a value of another type, does not hold,
/// so its negation does.
impl<E> Not for Condition<E> {
    type Output = Self;

    fn not(self) -> Self {
        Self::new(self.node.and_then(|node| node.not().bounded()))
    }
}
