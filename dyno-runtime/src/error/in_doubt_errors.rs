//! Errors of a write that may have been applied.

use super::{Error, ErrorKind};

impl Error {
    /// Marks the error of a write or transaction in doubt: one of its attempts may have been applied, perhaps an earlier attempt
    /// than the one that failed. `hint` says how to find out. (Some kinds already say all of that.)
    pub(crate) fn in_doubt(mut self, what: &str, hint: &str) -> Self {
        if matches!(self.0.kind, ErrorKind::OutcomeUnknown | ErrorKind::InProgress | ErrorKind::TokenMismatch) {
            return self;
        }
        let earlier = if self.0.fate.lost { "" } else { " an earlier answer was lost, and" };
        let is_of_an_answer = matches!(
            self.0.kind,
            ErrorKind::Throttled | ErrorKind::Contended | ErrorKind::Service | ErrorKind::TableMissing
        );
        if is_of_an_answer && !self.0.fate.lost {
            self.0.kind = ErrorKind::Unreachable;
        }
        self.0.fate.may_be_applied = true;
        self.0.message = format!("{};{earlier} the {what} may have been applied: {hint}", self.0.message);
        self
    }

    /// Marks the error of an update that was sent and must not be sent again, because it would count twice.
    pub(crate) fn of_a_lost_answer(mut self) -> Self {
        self.0.kind = ErrorKind::OutcomeUnknown;
        self.0.message = format!(
            "{}; the update may have been applied, and was not sent again, since it would count twice: load the item and decide, and give such updates an idempotency key",
            self.0.message
        );
        self
    }

    /// Marks the error of a change that was sent and would be another change if it were made again.
    pub(crate) fn of_a_lost_change(mut self) -> Self {
        self.0.kind = ErrorKind::OutcomeUnknown;
        self.0.message += "; the change may have been applied: load the entity and decide, since the command sent again makes it anew";
        self
    }
}
