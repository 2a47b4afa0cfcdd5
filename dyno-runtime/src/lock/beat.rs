//! What a holder writes: heartbeats, and the release.

use super::lease::Lease;
use super::lost::{Lost, Released};
use super::row::LockRow;
use crate::command::Update;
use crate::entity::{Found, Outcome, Refusal};
use crate::error::{Error, ErrorKind};
use crate::exchange::within;

/// How often a release meets an own heartbeat.
const ROUNDS: u32 = 8;

impl Lease {
    /// Sends heartbeats until the lease ends.
    pub(super) async fn drive(&self) {
        while let Some(time) = self.before_beat() {
            if time.is_zero() {
                // One that is under way when the lease ends is dropped: it is of no use, and refused where it comes late.
                self.unless_ended(self.beat()).await;
            } else {
                self.sleep(time).await;
            }
        }
    }

    /// Sends one heartbeat. Where it is not confirmed, the next one is due.
    async fn beat(&self) {
        let Ok(left) = self.left() else { return };
        let (begun, version) = (self.repository.moment(), self.version());
        let beat = self.own_row(version).with(LockRow::fields().lease_millis.set(self.term.millis()));
        let limit = self.term.patience().min(left);
        match within(&self.repository, limit, beat.send(&self.repository)).await {
            // The next one is refused where this one has been applied, and the row tells.
            None => self.note(format!("no answer within {limit:?}")),
            Some(Ok(Outcome::Applied(next))) => self.confirm(begun, next),
            Some(Ok(refused)) => {
                if let Err(lost) = self.own(&refused, version) {
                    self.lose(lost);
                }
            }
            Some(Err(error)) => {
                self.note(error.to_string());
                self.sleep(self.term.retry().min(left)).await;
            }
        }
    }

    /// An update of its row, if that is this lease's still, and of this version. (A row that was removed and made anew has the
    /// same versions again.)
    fn own_row(&self, version: u64) -> Update<LockRow, Outcome<LockRow, u64>> {
        LockRow::update(&self.name).version(version).condition(LockRow::fields().holder.eq(Some(self.holder.clone())))
    }

    /// What the row says that has refused a write of this version: where it is of this lease, there was another write of ours, of
    /// which nobody knew.
    fn own<T>(&self, refused: &Outcome<LockRow, T>, version: u64) -> Result<(), Lost> {
        let row = refused.refusal().map_or(Ok(None), Refusal::current);
        match row.map(|row| row.and_then(Found::live)) {
            Ok(Some(row)) if row.is_held_by(&self.holder) && row.version > version => {
                self.raise(row.version);
                Ok(())
            }
            Ok(Some(row)) if row.fence > self.fence => Err(Lost::TakenOver { fence: row.fence }),
            _ => Err(Lost::Interfered),
        }
    }

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
            let outcome = release.send(&self.repository).await?;
            if outcome.is_applied() {
                return Ok(Released::Free);
            }
            if self.own(&outcome, version).is_err() {
                return Ok(Released::Lost);
            }
        }
        Err(Error::new(ErrorKind::Contended, format!("the lock `{}` kept changing while it was released", self.name)))
    }
}
