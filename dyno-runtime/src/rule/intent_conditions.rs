//! The intent: the pending change of a client-side transaction, stored in the item until the transaction is resolved.
//!
//! Every other write requires that the attribute is absent (M7). An intent is no reason against a write, because it is soon
//! resolved: if a refusal shows an intent, the verdict is `Held`, and the write waits. Beside the intent, the item still has its
//! committed attributes. The intent itself is part of no other write, no revision and no image.

use super::write::Rule;
#[cfg(feature = "transactions")]
use super::{Image, identity};
use super::{Reason, Write};
use crate::attribute::{Item, Peek, Scalar};
use crate::error::Step;
use crate::expression::{Node, Operator, Path};
use crate::schema::{Schema, names};
use aws_sdk_dynamodb::types::AttributeValue;

/// The rule of every transactional entity.
#[derive(Debug)]
pub(super) struct Intent;

/// The member of an intent that marks its row as a placeholder: there was no row before.
const NEW: &str = "new";

/// Returns `true` if a transaction holds an item.
pub(crate) fn is_held(schema: &Schema, item: Option<&Item>) -> bool {
    schema.is_transactional && item.is_some_and(|item| item.contains_key(names::INTENT))
}

/// Returns `true` if a write must wait for the transaction that holds the item, because the transaction may remove the other
/// reasons against the write. But an update that has already been made stays a duplicate, whether the transaction commits or not.
pub(crate) fn is_awaited(schema: &Schema, item: Option<&Item>, reasons: &[Reason]) -> bool {
    is_held(schema, item) && !reasons.contains(&Reason::Duplicate)
}

/// Returns `true` if a row is a placeholder for an item that a transaction is about to create. It looks like a tombstone,
/// although nothing was deleted.
pub(super) fn is_placeholder(schema: &Schema, item: &dyn Peek) -> bool {
    schema.is_transactional
        && schema.tombstone.as_ref().is_some_and(|tombstone| tombstone.is_flagged(item))
        && item.peek_in(names::INTENT, NEW) == Some(Scalar::Bool(true))
}

/// Returns the condition that a row is not a placeholder, if the entity can have them.
pub(crate) fn no_placeholder(schema: &Schema) -> Option<Node> {
    let flagged = schema.tombstone.as_ref().filter(|_| schema.is_transactional)?.flagged();
    let new = Path::from(names::INTENT).then(Step::Name(NEW.into()));
    Some(Node::And(vec![flagged, Node::Compare(new, Operator::Eq, AttributeValue::Bool(true))]).not())
}

/// Returns the committed part of a row: the item without its intent, or `None` for a placeholder.
pub(crate) fn committed(schema: &Schema, item: Option<Item>) -> Option<Item> {
    let mut item = item.filter(|item| !is_placeholder(schema, item))?;
    if schema.is_transactional {
        item.remove(names::INTENT);
    }
    Some(item)
}

/// Returns the condition that a row is still as it was read, so that an intent can be put into it (M8).
#[cfg(feature = "transactions")]
pub(crate) fn as_it_was(schema: &Schema, item: &Item) -> Node {
    if identity(schema, item).is_some()
        && let Some(identity) = Image::of_identity(schema, item).node()
    {
        return identity;
    }
    // If a row was deleted, every attribute is absent, so the condition must also require that the row exists.
    let exists = Node::Exists(schema.partition.name.into());
    Image::of_uncounted(schema, item).node().into_iter().fold(exists, Node::and)
}

impl Rule for Intent {
    fn condition(&self, _: &Write) -> Option<Node> {
        Some(Node::NotExists(names::INTENT.into()))
    }
}
