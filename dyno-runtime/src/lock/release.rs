//! The release of a lock.

use super::heartbeats::current;
use super::lease::Lease;
use super::lock_row::LockRow;
use super::lost::Released;
use crate::error::foreign_text::value;
use crate::error::{Error, ErrorKind};

/// How many times a release may find a heartbeat of its own lease, or be sent again.
const ROUNDS: u32 = 8;

impl Lease {
    /// Releases the lock. The guard is consumed, so the caller cannot ask again. Therefore, if no answer tells whether the
    /// request was applied, this reads the row.
    pub(super) async fn release(&self) -> Result<Released, Error> {
        self.stop();
        for _ in 0..ROUNDS {
            let (fields, version) = (LockRow::fields(), self.version());
            let release = self.own_row(version).with([
                fields.holder.clear(),
                fields.owner.clear(),
                fields.reason.clear(),
                fields.data.clear(),
            ]);
            let released = match release.send(&self.repository).await {
                Ok(outcome) if outcome.is_applied() => return Ok(Released::Free),
                Ok(refused) => self.settled(current(&refused).as_ref()),
                Err(error) if error.may_be_applied() || !error.is_answer() || error.is_throttled() => {
                    let look = LockRow::get(&self.name).consistent().send(&self.repository).await;
                    self.settled(look.map_err(|error| self.unreleased(error))?.as_ref())
                }
                Err(error) => return Err(self.unreleased(error)),
            };
            if let Some(released) = released {
                return Ok(released);
            }
        }
        Err(self.unreleased(Error::new(ErrorKind::Contended, "it kept changing")))
    }

    /// Evaluates the row after a release; `None` while this lease still holds the lock.
    fn settled(&self, row: Option<&LockRow>) -> Option<Released> {
        match row {
            Some(row) if row.is_held_by(&self.holder) => {
                self.learn(row.version);
                None
            }
            // An earlier request of this release was applied.
            Some(row) if row.fence == self.fence && row.holder.is_none() => Some(Released::Free),
            _ => Some(Released::Lost),
        }
    }

    fn unreleased(&self, error: Error) -> Error {
        let what = format!(
            "the release of the lock `{}` has failed, and the lock is free at the latest when its lease of {:?} has run out",
            value(&self.name),
            self.term.lease()
        );
        error.without_command().of(&what)
    }
}
