//! The intent: what a transaction of many requests is about to do with an item, which it keeps in the item until it is done.
//!
//! Such a transaction holds the item, and every other write keeps out of its way (M7): the attribute is not there. It is no reason
//! against a write, since it goes by itself: a refusal that shows it is read as `Held`, and the write waits. What is committed
//! is beside it: it goes into no write, no revision and no image.

use super::write::Rule;
use super::{Image, Reason, Write, identity};
use crate::attribute::{Item, Peek, Scalar};
use crate::error::Step;
use crate::expression::{Node, Operator, Path};
use crate::schema::{Schema, names};
use aws_sdk_dynamodb::types::AttributeValue;

/// Of every transactional entity.
#[derive(Debug)]
pub(super) struct Intent;

/// That there was no row, so that the one with the intent only keeps the place.
const NEW: &str = "new";

/// Whether a transaction holds an item.
pub(crate) fn is_held(schema: &Schema, item: Option<&Item>) -> bool {
    schema.is_transactional && item.is_some_and(|item| item.contains_key(names::INTENT))
}

/// Whether a write waits for the transaction that holds the item: whatever is against the write can be gone then. But an update
/// that has been made already is no other by what comes.
pub(crate) fn is_awaited(schema: &Schema, item: Option<&Item>, reasons: &[Reason]) -> bool {
    is_held(schema, item) && !reasons.contains(&Reason::Duplicate)
}

/// Whether a row only keeps the place of an item that a transaction is about to make: it looks like a tombstone, and nothing
/// was deleted.
pub(super) fn is_placeholder(schema: &Schema, item: &dyn Peek) -> bool {
    schema.is_transactional
        && schema.tombstone.as_ref().is_some_and(|tombstone| tombstone.is_flagged(item))
        && item.peek_in(names::INTENT, NEW) == Some(Scalar::Bool(true))
}

/// The condition under which a row is no placeholder, where there can be one.
pub(crate) fn no_placeholder(schema: &Schema) -> Option<Node> {
    let flagged = schema.tombstone.as_ref().filter(|_| schema.is_transactional)?.flagged();
    let new = Path::from(names::INTENT).then(Step::Name(NEW.into()));
    Some(Node::And(vec![flagged, Node::Compare(new, Operator::Eq, AttributeValue::Bool(true))]).not())
}

/// What is committed of a row.
pub(crate) fn committed(schema: &Schema, item: Option<Item>) -> Option<Item> {
    let mut item = item.filter(|item| !is_placeholder(schema, item))?;
    if schema.is_transactional {
        item.remove(names::INTENT);
    }
    Some(item)
}

/// The condition under which a row is what was read of it, so that an intent can be placed on it (M8).
pub(crate) fn as_it_was(schema: &Schema, item: &Item) -> Node {
    let exists = Node::Exists(schema.partition.name.into());
    let image = match identity(schema, item) {
        Some(_) => Image::of_identity(schema, item),
        None => Image::of_uncounted(schema, item),
    };
    match image.node() {
        Some(image) if identity(schema, item).is_some() => image,
        // Of a row that has gone, all is true that says what it had not.
        Some(image) => exists.and(image),
        None => exists,
    }
}

impl Rule for Intent {
    fn condition(&self, _: &Write) -> Option<Node> {
        Some(Node::NotExists(names::INTENT.into()))
    }
}
