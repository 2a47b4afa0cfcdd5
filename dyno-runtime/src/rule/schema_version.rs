//! The schema version: the shape in which a row is written. Reads bring older rows up to date before they decode them, so that a
//! table can hold rows of several shapes.
//!
//! An update changes a part of a row, so its condition requires the current schema version: otherwise it could leave a mixture of
//! two shapes. Puts write a whole item in the current shape, and a tombstone has no shape. But this program cannot read a newer
//! row, so a put that has a condition anyway does not replace one that is live.
//!
//! Only `upgrade` knows which attributes it reads, and no condition can require that an item has no new attributes since it was
//! read. So a row without a version counter is *held* before it is upgraded: its schema version is negated. Reads return it as
//! before, and no update passes until a whole item is written.

use super::write::Rule;
use super::{Expected, Verb, Write, dead, state};
use crate::attribute::{Item, Peek, Scalar, parse_integer};
use crate::error::descriptor;
use crate::expression::{Action, Node, Operator, Path};
use crate::rule::Reason;
use crate::schema::{Schema, SchemaVersion};
use aws_sdk_dynamodb::types::AttributeValue;

/// The version of rows without the attribute: they are from before there were versions.
const FIRST: u32 = 1;

impl SchemaVersion {
    /// Returns a row's schema version, or the attribute's content if it is not a version.
    pub(crate) fn of(&self, item: &dyn Peek) -> Result<u32, String> {
        match item.peek(self.attribute) {
            None => Ok(FIRST),
            Some(Scalar::N(number)) => {
                let version: Option<i64> = parse_integer(&number);
                let version = version.and_then(|version| u32::try_from(version.unsigned_abs()).ok());
                version.filter(|version| *version >= FIRST).ok_or_else(|| number.into_owned())
            }
            Some(other) => Err(other.descriptor().to_owned()),
        }
    }

    /// Returns `true` if a row is held for an upgrade.
    pub(crate) fn is_held(&self, item: &dyn Peek) -> bool {
        matches!(item.peek(self.attribute), Some(Scalar::N(number)) if number.starts_with('-'))
    }

    /// Returns the attribute's value for a held row of this version.
    pub(crate) fn held(version: u32) -> AttributeValue {
        AttributeValue::N(format!("-{version}"))
    }

    /// Gives an item the current schema version.
    pub(crate) fn set(&self, item: &mut Item) {
        item.insert(self.attribute.to_owned(), self.number());
    }

    /// Returns the condition that a row has the current schema version.
    pub(super) fn is_current(&self) -> Node {
        Node::compare(self.attribute, Operator::Eq, &self.number())
    }

    /// Returns the alternatives of which one holds if a row has the current schema version, or if there is no row. A row without the
    /// attribute has the first version.
    pub(super) fn is_current_or_absent(&self, schema: &Schema) -> Vec<Node> {
        let absent = if self.current == FIRST { self.attribute } else { schema.partition.name };
        vec![Node::NotExists(absent.into()), self.is_current()]
    }

    fn number(&self) -> AttributeValue {
        AttributeValue::N(self.current.to_string())
    }
}

/// Returns `true` if a write can replace a live item as a whole.
fn is_put_over(write: &Write) -> bool {
    let starts = matches!(write.expected, Some(Expected::New(_) | Expected::Dead(_)));
    matches!(write.verb, Verb::Put | Verb::Replace) && !starts
}

impl Rule for SchemaVersion {
    fn condition(&self, write: &Write) -> Option<Node> {
        let Verb::Update { upsert } = write.verb else { return None };
        Some(match (self.current, upsert) {
            (FIRST, _) | (_, true) => Node::Or(self.is_current_or_absent(write.schema)),
            (_, false) => self.is_current(),
        })
    }

    fn demanded(&self, write: &Write, others: &[Node], own: bool) -> Option<Node> {
        // The put may replace the item only if no newer program has written it. It may replace a dead row of any shape: nothing of it
        // is read.
        (is_put_over(write) && (own || !others.is_empty())).then(|| {
            let known = Node::compare(self.attribute, Operator::Le, &self.number());
            let mut terms = vec![Node::NotExists(self.attribute.into()), known];
            if write.verb == Verb::Put {
                terms.extend(dead(write.schema, write.now));
            }
            Node::Or(terms)
        })
    }

    fn assign(&self, write: &Write, assign: &mut dyn FnMut(Path, Action)) {
        // An upsert may create the item. For any other update, the condition already requires the number.
        if write.verb == (Verb::Update { upsert: true }) {
            assign(self.attribute.into(), Action::Set(self.number()));
        }
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        let is_update = matches!(write.verb, Verb::Update { .. });
        let Some(item) = item.filter(|_| is_update || is_put_over(write)) else { return };
        if !state(write.schema, write.now, item).is_live() {
            return;
        }
        let (attribute, current) = (self.attribute, self.current);
        match self.of(item) {
            Ok(found) if found < current && is_update => reasons.push(Reason::Outdated { found, current }),
            Ok(found) if found > current => reasons.push(Reason::Newer { found, current }),
            // A newer program holds the row for an upgrade.
            Ok(found) if is_update && self.is_held(item) => {
                reasons.push(Reason::Newer { found: found.saturating_add(1), current });
            }
            Ok(_) => {}
            Err(_) => reasons.push(Reason::Corrupt {
                attribute,
                expected: "a schema version: a whole number (N), from 1",
                found: item.get(attribute).map_or("nothing", descriptor),
            }),
        }
    }
}
