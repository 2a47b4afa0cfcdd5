//! The entity's mark: an attribute that says which entity an item is, in a table that several share.
//!
//! That two entities have no key in common, their templates see to; where a program has put another's item at a key of
//! this entity's all the same, a change of a part of it would leave a row that neither can read. So the mark is part of
//! every condition. A plain put or delete has none, and so can go in a batch: it replaces or removes what is there. A row
//! without a mark, as from before there was one, is known by its key.

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

    /// Whether an item is not marked as another entity's.
    pub(crate) fn may_mark(&self, item: &dyn Peek) -> bool {
        item.peek(self.attribute).is_none_or(|mark| mark == Scalar::S(self.name))
    }

    /// Refuses an item that is marked as another entity's.
    pub(crate) fn check(&self, item: &Item) -> Result<(), DecodeError> {
        match item.get(self.attribute) {
            _ if self.may_mark(item) => Ok(()),
            Some(AttributeValue::S(name)) => {
                Err(DecodeError::new(format!("the mark of this entity, {:?}", self.name), format!("{name:?}"))
                    .at_name(self.attribute))
            }
            Some(other) => Err(DecodeError::wrong_type("the mark of an entity (S)", other).at_name(self.attribute)),
            None => Ok(()),
        }
    }

    /// The mark of an item that is another entity's, as the reason against a write.
    pub(super) fn other(&self, item: &Item) -> Option<Reason> {
        let found = match item.get(self.attribute) {
            _ if self.may_mark(item) => return None,
            Some(AttributeValue::S(name)) => name.clone(),
            other => other.map_or("nothing", descriptor).to_owned(),
        };
        Some(Reason::OtherEntity { found })
    }

    /// An item is not marked as another entity's.
    pub(crate) fn node(&self) -> Node {
        let attribute = Path::from(self.attribute);
        Node::Or(vec![Node::NotExists(attribute.clone()), Node::Compare(attribute, Operator::Eq, self.value())])
    }
}

impl Rule for EntityType {
    fn demanded(&self, write: &Write, others: &[Node], own: bool) -> Option<Node> {
        // Where nothing may be, there is nothing of another's.
        if others.contains(&Node::NotExists(write.schema.partition.name.into())) {
            return None;
        }
        let is_conditional = own || !others.is_empty() || matches!(write.verb, Verb::Update { .. });
        is_conditional.then(|| self.node())
    }

    fn assign(&self, write: &Write, assign: &mut dyn FnMut(Path, Action)) {
        match write.verb {
            // What is there has been marked when it was put.
            Verb::Update { upsert: false } | Verb::Rewrite | Verb::Renumber | Verb::Purge => {}
            Verb::Delete if !write.schema.tombstone.as_ref().is_some_and(|tombstone| tombstone.mark) => {}
            _ => assign(self.attribute.into(), Action::Set(self.value())),
        }
    }
}
