//! The entity's mark: an attribute that says which entity an item is, in a table that several share.
//!
//! It is no condition: that two entities have no key in common, their templates see to. A row without a mark, as from
//! before there was one, is known by its key.

use super::{Rule, Verb, Write};
use crate::attribute::{DecodeError, Item};
use crate::expression::{Action, Node, Operator, Path};
use aws_sdk_dynamodb::types::AttributeValue;

/// The mark of an entity's items.
#[derive(Debug)]
pub struct EntityType {
    /// The attribute.
    pub attribute: &'static str,
    /// What it says.
    pub name: &'static str,
}

impl EntityType {
    fn value(&self) -> AttributeValue {
        AttributeValue::S(self.name.to_owned())
    }

    /// Whether an item is not marked as another entity's.
    pub(crate) fn may_mark(&self, item: &Item) -> bool {
        match item.get(self.attribute) {
            None => true,
            Some(AttributeValue::S(name)) => name == self.name,
            Some(_) => false,
        }
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

    /// The same as a filter.
    pub(crate) fn filter(&self) -> Node {
        let attribute = Path::from(self.attribute);
        Node::Or(vec![Node::Compare(attribute.clone(), Operator::Eq, self.value()), Node::NotExists(attribute)])
    }
}

impl Rule for EntityType {
    fn assign(&self, write: &Write, assign: &mut dyn FnMut(Path, Action)) {
        match write.verb {
            // What is there has been marked when it was put.
            Verb::Update { upsert: false } | Verb::Rewrite | Verb::Purge => {}
            Verb::Delete if !write.schema.tombstone.as_ref().is_some_and(|tombstone| tombstone.mark) => {}
            _ => assign(self.attribute.into(), Action::Set(self.value())),
        }
    }
}
