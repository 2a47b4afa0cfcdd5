//! What became of a change whose write may have been applied although no answer came.

use super::modify_loop::{Edit, Modification, ModifyOutcome};
use super::rewrite::changes;
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::rule::{Reason, Refused};
use crate::schema::Schema;

impl Modification<'_> {
    /// Returns the outcome of a write in doubt, if it does not matter whether the write was applied: the caller's change would
    /// leave the stored item as it is, or the item is to be deleted and is there. Otherwise returns the error.
    pub(super) async fn resolve_doubt(
        &self,
        new: &Item,
        error: Error,
        edit: &mut Edit<'_>,
    ) -> Result<ModifyOutcome, Error> {
        if self.command.question().is_none() {
            return Err(error);
        }
        let stored = self.load().await?;
        if let Some(refused) = self.absent(stored.as_ref(), false) {
            return Ok(ModifyOutcome::Refused(refused));
        }
        if self.command.is_delete_each() {
            let refused = self.command.refused(self.repository.now(), Reason::Changed, stored);
            return Ok(ModifyOutcome::Contended(Refused { in_doubt: true, ..refused }));
        }
        let (schema, stored) = (self.command.schema, stored.unwrap_or_default());
        if is_unnumbered(schema, &stored) {
            return Err(error);
        }
        let edited = edit(Some(&stored))?;
        match (changes(schema, &stored, &edited).is_empty(), changes(schema, &stored, new).is_empty()) {
            (true, true) => Ok(ModifyOutcome::Applied(stored)),
            (true, false) => Ok(ModifyOutcome::Unchanged(stored)),
            _ => Err(error),
        }
    }
}

/// Returns `true` if an item has no version yet. Then it is written even if nothing else changes, so that it gets one. An
/// attribute that holds no valid version stays as it is.
pub(super) fn is_unnumbered(schema: &Schema, item: &Item) -> bool {
    schema.version.as_ref().is_some_and(|version| version.of(item) == Some(0))
}

pub(super) fn lost_answer() -> Error {
    let message = "an attempt got no answer, and the item has changed since it was read";
    Error::new(ErrorKind::OutcomeUnknown, message).of_a_lost_change()
}
