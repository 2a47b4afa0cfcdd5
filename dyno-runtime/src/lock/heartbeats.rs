//! The heartbeats of a holder.

use super::lease::Lease;
use super::lock_row::LockRow;
use super::lost::Lost;
use crate::command::Update;
use crate::entity::Outcome;
use crate::exchange::within;
use futures_util::future::{BoxFuture, select};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use std::future::pending;
use std::pin::pin;

/// The error of a heartbeat without an answer. (The original error says how to learn the outcome, which is not the user's task
/// here.)
const UNANSWERED: &str = "DynamoDB did not answer";

impl Lease {
    /// Sends heartbeats until the lease ends. If a heartbeat is not answered in time, this sends the next one, and an answer to
    /// the first still counts. When the lease ends, heartbeats in flight are dropped: their answers are useless then, and
    /// DynamoDB refuses them if they arrive after the release.
    pub(super) fn drive(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut beats = FuturesUnordered::new();
            while let Some(time) = self.next_beat_in() {
                let time = if time.is_zero() {
                    let answer_limit = self.term.answer_limit();
                    if !beats.is_empty() {
                        self.record_error(format!("DynamoDB did not answer within {answer_limit:?}"));
                    }
                    // The answer to a heartbeat that is older than a lease confirms nothing.
                    beats.push(within(&self.repository, self.term.trust(), self.beat()));
                    answer_limit
                } else {
                    time
                };
                let answered = async {
                    if beats.next().await.is_none() {
                        pending::<()>().await;
                    }
                };
                select(pin!(answered), pin!(self.sleep(time))).await;
            }
        })
    }

    /// Sends one heartbeat. If it fails, the next one is due after a pause.
    async fn beat(&self) {
        let Ok(left) = self.left() else { return };
        let (begun, version) = (self.repository.moment(), self.version());
        self.record_beat(version, begun);
        let beat = self.update_own_row(version).with(LockRow::fields().lease_millis.set(self.term.millis()));
        match beat.send(&self.repository).await {
            Ok(Outcome::Applied(next)) => self.confirm(begun, next),
            Ok(refused) => {
                if let Err(lost) = self.check_refusal(&refused, version) {
                    self.lose(lost);
                }
            }
            Err(error) => {
                let is_lost = error.may_be_applied();
                self.record_error(if is_lost { UNANSWERED.to_owned() } else { error.without_command().to_string() });
                self.sleep(self.term.retry().min(left)).await;
            }
        }
    }

    /// Returns an update of the lock's row that requires this lease and this version. The version alone is not enough, because
    /// a row that was deleted and created again has the same versions again.
    pub(super) fn update_own_row(&self, version: u64) -> Update<LockRow, Outcome<LockRow, u64>> {
        LockRow::update(&self.name).version(version).condition(LockRow::fields().holder.eq(Some(self.holder.clone())))
    }

    /// Evaluates the row that refused a write of this version. If the row still belongs to this lease, another heartbeat of
    /// this lease was applied, whose answer was lost or has not arrived yet.
    fn check_refusal<T>(&self, refused: &Outcome<LockRow, T>, version: u64) -> Result<(), Lost> {
        match current(refused) {
            Some(row) if row.is_held_by(&self.holder) && row.version > version => {
                self.confirm_unanswered(row.version);
                Ok(())
            }
            Some(row) if row.fence > self.fence => Err(Lost::TakenOver { lease: self.lost_lease(), fence: row.fence }),
            _ => Err(Lost::Interfered { lease: self.lost_lease() }),
        }
    }
}

/// Returns the row that refused a write.
pub(super) fn current<T>(refused: &Outcome<LockRow, T>) -> Option<LockRow> {
    refused.refusal()?.live().ok()?
}
