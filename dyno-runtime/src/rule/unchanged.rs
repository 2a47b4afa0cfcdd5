//! The item is as it was read, where that is what the write expects.

use super::write::Rule;
use super::{Reason, Write, state};
use crate::attribute::Item;
use crate::expression::Node;

/// Of every entity.
#[derive(Debug)]
pub(super) struct Unchanged;

impl Rule for Unchanged {
    fn condition(&self, write: &Write) -> Option<Node> {
        write.image.as_ref()?.node()
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        let (Some(unchanged), Some(item)) = (self.condition(write), item) else { return };
        // What counts as absent is another rule's, where that has something against it: a put goes over it.
        let is_told = !state(write.schema, write.now, item).is_live() && !reasons.is_empty();
        if !is_told && !unchanged.holds(item) {
            reasons.push(Reason::Changed);
        }
    }
}
