//! The release of a lock.

use super::heartbeats::current;
use super::lease::Lease;
use super::lock_row::LockRow;
use super::lost::Released;
use crate::error::foreign_text::value;
use crate::error::{Error, ErrorKind};

/// The number of times that the request is sent. It is sent again if a heartbeat of the same lease has changed the row, or if
/// it was not applied.
const ROUNDS: u32 = 8;

impl Lease {
    /// Releases the lock. The caller cannot call it again, because the guard is consumed. So if an answer is lost, this reads
    /// the row to learn whether the request was applied.
    pub(super) async fn release(&self) -> Result<Released, Error> {
        self.stop();
        for _ in 0..ROUNDS {
            let (fields, version) = (LockRow::fields(), self.version());
            let release = self.update_own_row(version).with([
                fields.holder.clear(),
                fields.owner.clear(),
                fields.reason.clear(),
                fields.data.clear(),
            ]);
            let released = match release.send(&self.repository).await {
                Ok(outcome) if outcome.is_applied() => return Ok(Released::Free),
                Ok(refused) => self.evaluate(current(&refused).as_ref()),
                Err(error) if error.may_be_applied() || !error.is_answer() || error.is_throttled() => {
                    let look = LockRow::get(&self.name).consistent().send(&self.repository).await;
                    self.evaluate(look.map_err(|error| self.release_error(error))?.as_ref())
                }
                Err(error) => return Err(self.release_error(error)),
            };
            if let Some(released) = released {
                return Ok(released);
            }
        }
        Err(self.release_error(Error::new(ErrorKind::Contended, "other requests kept changing its row")))
    }

    /// Evaluates the row after a release; `None` while this lease still holds the lock.
    fn evaluate(&self, row: Option<&LockRow>) -> Option<Released> {
        match row {
            Some(row) if row.is_held_by(&self.holder) => {
                self.confirm_unanswered(row.version);
                None
            }
            // An earlier request of this release was applied.
            Some(row) if row.fence == self.fence && row.holder.is_none() => Some(Released::Free),
            _ => Some(Released::Lost),
        }
    }

    fn release_error(&self, error: Error) -> Error {
        let what = format!(
            "the lock `{}` was not released, and becomes free at the latest when its lease of {:?} has expired",
            value(&self.name),
            self.term.lease()
        );
        error.without_command().of(&what)
    }
}
