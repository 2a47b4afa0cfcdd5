//! The mark of an entity: an attribute with the name of the entity that an item belongs to, in a table that several entities
//! share.
//!
//! The key templates make sure that two entities have no key in common. But if a program has put an item of another entity at a
//! key of this one, a partial change of it would leave a row that neither entity can read. So the mark is part of every
//! condition. A plain put or delete has no condition, so that it can be part of a batch: it replaces or removes the row as a
//! whole. A row without a mark, for example from before the entity had one, is identified by its key.

use super::write::Rule;
use super::{Verb, Write};
use crate::attribute::{Item, Peek, Scalar};
use crate::error::{DecodeError, descriptor};
use crate::expression::{Action, Node, Operator, Path};
use crate::rule::Reason;
use crate::schema::EntityType;
use aws_sdk_dynamodb::types::AttributeValue;

impl EntityType {
    fn value(&self) -> AttributeValue {
        AttributeValue::S(self.name.to_owned())
    }

    /// Returns `true` unless an item is marked as another entity's.
    pub(crate) fn may_mark(&self, item: &dyn Peek) -> bool {
        item.peek(self.attribute).is_none_or(|mark| matches!(mark, Scalar::S(name) if name == self.name))
    }

    /// Refuses an item that is marked as another entity's.
    pub(crate) fn check(&self, item: &dyn Peek) -> Result<(), DecodeError> {
        let error = match item.peek(self.attribute) {
            None => return Ok(()),
            Some(Scalar::S(name)) if name == self.name => return Ok(()),
            Some(Scalar::S(name)) => {
                DecodeError::new(format!("the mark of this entity, {:?}", self.name), format!("{name:?}"))
            }
            Some(other) => DecodeError::new("the mark of an entity (S)", other.descriptor()),
        };
        Err(error.at_name(self.attribute))
    }

    /// Returns the reason against a write if the item is marked as another entity's.
    pub(super) fn other(&self, item: &Item) -> Option<Reason> {
        let found = match item.get(self.attribute) {
            _ if self.may_mark(item) => return None,
            Some(AttributeValue::S(name)) => name.clone(),
            other => other.map_or("nothing", descriptor).to_owned(),
        };
        Some(Reason::OtherEntity { found })
    }

    /// Returns the condition that an item is not marked as another entity's.
    pub(crate) fn node(&self) -> Node {
        let attribute = Path::from(self.attribute);
        Node::Or(vec![Node::NotExists(attribute.clone()), Node::Compare(attribute, Operator::Eq, self.value())])
    }
}

impl Rule for EntityType {
    fn demanded(&self, write: &Write, others: &[Node], own: bool) -> Option<Node> {
        // If the write requires that there is no row, there is no other entity's row either.
        if others.contains(&Node::NotExists(write.schema.partition.name.into())) {
            return None;
        }
        let is_conditional = own || !others.is_empty() || matches!(write.verb, Verb::Update { .. });
        is_conditional.then(|| self.node())
    }

    fn assign(&self, write: &Write, assign: &mut dyn FnMut(Path, Action)) {
        match write.verb {
            // These keep the mark of the existing item. A purge removes it.
            Verb::Update { upsert: false } | Verb::Rewrite | Verb::Renumber | Verb::Purge => {}
            Verb::Delete if !write.schema.tombstone.as_ref().is_some_and(|tombstone| tombstone.mark) => {}
            _ => assign(self.attribute.into(), Action::Set(self.value())),
        }
    }
}
