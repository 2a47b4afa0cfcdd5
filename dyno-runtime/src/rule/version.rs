//! The version: a counter that each write raises by one. A checked write passes only if the item still has the version that was
//! loaded, so that no update is lost.
//!
//! Retries are safe because a write recognizes its own result by the write id: see `identity`.

use super::write::Rule;
use super::{Expected, Verb, Write, number, number_in, state};
use crate::attribute::Item;
use crate::error::{Error, descriptor};
use crate::expression::{Action, Node, Operator, Path};
use crate::rule::Reason;
use crate::schema::Version;
use aws_sdk_dynamodb::types::AttributeValue;

impl Version {
    /// Returns the version of an item: 0 if it has none, `None` if the attribute is not a version.
    pub(crate) fn of(&self, item: &Item) -> Option<u64> {
        number_in(self.attribute, item)
    }

    /// Gives an item this version.
    pub(crate) fn set(&self, item: &mut Item, version: u64) {
        item.insert(self.attribute.to_owned(), number(version));
    }

    /// Returns the version that a put of this item expects. With 0, the put creates an item if its verb can.
    pub(crate) fn expected_by(&self, verb: Verb, item: &Item) -> Expected {
        match (verb, self.of(item).unwrap_or_default()) {
            (Verb::Put, 0) | (Verb::Create, _) => Expected::New(0),
            (_, version) => Expected::Loaded(version),
        }
    }

    /// Refuses to count beyond what the field's type can hold.
    pub(crate) fn check(&self, expected: Expected) -> Result<(), Error> {
        match expected.last() {
            Some(last) if last >= self.max => Err(Error::invalid(format!(
                "`{}` is at {last}, the last version that its type can hold: take a wider type, such as `u64`",
                self.attribute
            ))),
            _ => Ok(()),
        }
    }

    /// Returns the condition that the item has this version.
    fn at(&self, version: u64) -> Node {
        let equal = Node::Compare(self.attribute.into(), Operator::Eq, number(version));
        match version {
            // An item from before there were versions has no attribute.
            0 => Node::Or(vec![Node::NotExists(self.attribute.into()), equal]),
            _ => equal,
        }
    }
}

impl Rule for Version {
    fn condition(&self, write: &Write) -> Option<Node> {
        match write.expected? {
            // `Presence` adds the condition that there is no item.
            Expected::New(_) => None,
            Expected::Dead(version) | Expected::Loaded(version) | Expected::Behind { found: version, .. } => {
                Some(self.at(version))
            }
            Expected::Unchecked => Some(Node::Or(vec![
                Node::NotExists(self.attribute.into()),
                Node::Between(self.attribute.into(), number(0), number(self.max - 1)),
            ])),
        }
    }

    fn assign(&self, write: &Write, assign: &mut dyn FnMut(Path, Action)) {
        let Some(expected) = write.expected else { return };
        match expected.next() {
            Some(next) => assign(self.attribute.into(), Action::Set(number(next))),
            None => assign(
                self.attribute.into(),
                Action::Plus { by: AttributeValue::N("1".to_owned()), absent: Some(AttributeValue::N("0".to_owned())) },
            ),
        }
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        let Some(expected) = write.expected else { return };
        let attribute = self.attribute;
        let found = item.map(|item| self.of(item).ok_or_else(|| item.get(attribute).map_or("nothing", descriptor)));
        match (expected, found) {
            (_, Some(Err(found))) => {
                reasons.push(Reason::Corrupt { attribute, expected: "a version: a whole number (N)", found });
            }
            (Expected::Unchecked, Some(Ok(found))) if found >= self.max => reasons.push(Reason::Overflow { attribute }),
            (Expected::New(_), Some(Ok(0))) if write.verb == Verb::Put => {
                let is_live = item.is_some_and(|item| state(write.schema, write.now, item).is_live());
                reasons.extend(is_live.then_some(Reason::Uncounted { attribute }));
            }
            // `Presence` reports a live item.
            (
                Expected::New(_) | Expected::Dead(_) | Expected::Behind { is_dead: true, .. } | Expected::Unchecked,
                _,
            ) => {}
            (Expected::Loaded(expected) | Expected::Behind { found: expected, .. }, found) => {
                let found = found.and_then(Result::ok);
                if found != Some(expected) {
                    reasons.push(Reason::Conflict { expected, found });
                }
            }
        }
    }
}
