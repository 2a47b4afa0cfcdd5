//! The rule that the item is still as it was read, for writes that expect this.

use super::write::Rule;
use super::{Reason, Write, state};
use crate::attribute::Item;
use crate::expression::Node;

/// The rule of every entity.
#[derive(Debug)]
pub(super) struct Unchanged;

impl Rule for Unchanged {
    fn condition(&self, write: &Write) -> Option<Node> {
        write.image.as_ref()?.node()
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        let (Some(unchanged), Some(item)) = (self.condition(write), item) else { return };
        // If the item counts as absent, and another rule refuses the write for it, that reason says enough.
        let is_reported = !state(write.schema, write.now, item).is_live() && !reasons.is_empty();
        if !is_reported && !unchanged.holds(item) {
            reasons.push(Reason::Changed);
        }
    }
}
