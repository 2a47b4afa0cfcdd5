//! The fence: a write passes only if no write with a greater number has been applied. So a process that lost its lock, but does
//! not know it yet, can no longer write.
//!
//! A fence is like a ratchet, but its number belongs to a lease and not to the item's contents, so it does not show which of
//! two writes is newer. A write that is not fenced does not lower the number either: a put carries the number that was loaded,
//! a delete carries 0, and an update leaves the number alone.

use super::write::Rule;
use super::{Write, number, number_in};
use crate::attribute::{Item, Value, compare};
use crate::error::descriptor;
use crate::expression::{Action, Node, Operator, Path};
use crate::rule::Reason;
use crate::schema::Fence;
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;

/// Sources of a fence: a lock that you hold, or a number, which is another system's fencing token or was loaded with the item.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no fence",
    label = "expected a lock that is held, as in `.fenced(&held)`, or a `u64`",
    note = "a fence is a number that is greater with each lease: see `dyno::lock::Held::fence`"
)]
pub trait IntoFence {
    /// Returns the number.
    fn into_fence(self) -> u64;
}

impl IntoFence for u64 {
    fn into_fence(self) -> u64 {
        self
    }
}

impl Fence {
    /// Returns the fence of an item: 0 if it has none, `None` if the attribute is not a fence.
    pub(crate) fn of(&self, item: &Item) -> Option<u64> {
        number_in(self.attribute, item)
    }

    /// Gives an item this fence.
    pub(crate) fn set(&self, item: &mut Item, fence: u64) {
        item.insert(self.attribute.to_owned(), number(fence));
    }

    /// Copies the fence of the superseded item, as it is stored.
    pub(crate) fn keep(&self, superseded: &Item, item: &mut Item) {
        match superseded.get(self.attribute) {
            Some(stored) => item.insert(self.attribute.to_owned(), stored.clone()),
            None => item.remove(self.attribute),
        };
    }

    /// Returns the condition that the item has the fence of the write.
    pub(super) fn same(&self, write: &Write) -> Option<Node> {
        Some(Node::Compare(self.attribute.into(), Operator::Eq, number(write.fence?)))
    }

    /// Returns `true` if the item has the fence of the write.
    pub(super) fn holds_same(&self, write: &Write, item: &Item) -> bool {
        let stored = item.get(self.attribute);
        let same = |(fence, stored): (u64, &AttributeValue)| compare(&number(fence), stored) == Some(Ordering::Equal);
        write.fence.zip(stored).is_some_and(same)
    }
}

impl Rule for Fence {
    fn condition(&self, write: &Write) -> Option<Node> {
        let not_greater = Node::Compare(self.attribute.into(), Operator::Le, number(write.fence?));
        Some(Node::Or(vec![Node::NotExists(self.attribute.into()), not_greater]))
    }

    fn assign(&self, write: &Write, assign: &mut dyn FnMut(Path, Action)) {
        if let Some(fence) = write.fence {
            assign(self.attribute.into(), Action::Set(number(fence)));
        }
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        let Some((fence, stored)) = write.fence.zip(item.and_then(|item| item.get(self.attribute))) else { return };
        let attribute = self.attribute;
        let expected = "a fence: a whole number (N)";
        match (compare(stored, &number(fence)), u64::decode(stored.into())) {
            (Some(Ordering::Less | Ordering::Equal), _) => {}
            (Some(Ordering::Greater), Ok(found)) => reasons.push(Reason::Fenced { attribute, fence, found }),
            (Some(Ordering::Greater), Err(_)) => {
                reasons.push(Reason::Corrupt { attribute, expected, found: "another number (N)" });
            }
            (None, _) => reasons.push(Reason::Corrupt { attribute, expected, found: descriptor(stored) }),
        }
    }
}
