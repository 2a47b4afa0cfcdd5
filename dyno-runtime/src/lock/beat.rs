//! What a holder writes: heartbeats, and the release.

use super::lease::Lease;
use super::lost::{Lost, Released};
use super::row::LockRow;
use crate::entity::{Found, Outcome, Refusal};
use crate::error::{Error, ErrorKind};
use crate::exchange::within;

/// How often a release meets an own heartbeat.
const ROUNDS: u32 = 8;

impl Lease {
    /// Sends heartbeats until the lease ends.
    pub(super) async fn drive(&self) {
        while let Some(time) = self.before_beat() {
            if !time.is_zero() {
                self.sleep(time).await;
                continue;
            }
            // One that is under way when the lease ends is dropped: it is of no use, and refused where it comes late.
            self.unless_ended(self.beat()).await;
        }
    }

    /// Sends one heartbeat; again where it fails, while there is time.
    async fn beat(&self) {
        let mut version = self.version.lock().await;
        while let Ok(left) = self.left() {
            let begun = self.repository.moment();
            let lease_millis = LockRow::fields().lease_millis.set(self.term.millis());
            let beat = LockRow::update(&self.name).version(*version).with(lease_millis);
            let limit = self.term.patience().min(left);
            match within(&self.repository, limit, beat.send(&self.repository)).await {
                // Sent again, it is refused where it has been applied, and the row tells.
                None => self.note(format!("no answer within {limit:?}")),
                Some(Ok(Outcome::Applied(next))) => {
                    *version = next;
                    return self.confirm(begun);
                }
                Some(Ok(refused)) => match self.own(&refused) {
                    // One of ours, of which nobody knew.
                    Ok(known) => *version = known,
                    Err(lost) => return self.lose(lost),
                },
                Some(Err(error)) => {
                    self.note(error.to_string());
                    self.sleep(self.term.retry().min(left)).await;
                }
            }
        }
    }

    /// The version of the row that has refused a write, if it is of this lease.
    fn own<T>(&self, refused: &Outcome<LockRow, T>) -> Result<u64, Lost> {
        let row = refused.refusal().map_or(Ok(None), Refusal::current);
        match row.map(|row| row.and_then(Found::live)) {
            Ok(Some(row)) if row.is_held_by(&self.holder) => Ok(row.version),
            Ok(Some(row)) if row.fence > self.fence => Err(Lost::TakenOver { fence: row.fence }),
            _ => Err(Lost::Interfered),
        }
    }

    pub(super) async fn release(&self) -> Result<Released, Error> {
        self.stop();
        let mut version = self.version.lock().await;
        for _ in 0..ROUNDS {
            let fields = LockRow::fields();
            let release = LockRow::update(&self.name).version(*version).with([
                fields.holder.clear(),
                fields.owner.clear(),
                fields.reason.clear(),
                fields.data.clear(),
            ]);
            let outcome = release.send(&self.repository).await?;
            match outcome {
                Outcome::Applied(_) => return Ok(Released::Free),
                refused => match self.own(&refused) {
                    Ok(known) => *version = known,
                    Err(_) => return Ok(Released::Lost),
                },
            }
        }
        Err(Error::new(ErrorKind::Contended, format!("the lock `{}` kept changing while it was released", self.name)))
    }
}
