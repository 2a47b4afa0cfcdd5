//! Ends an attempt: rolls the intents of a committed attempt forward, and those of an aborted one back.

use super::attempt_requests::CONCURRENCY;
use super::commit_states::Response;
use super::coordinator::RunningAttempt;
use super::participant::Participant;
use crate::error::Error;
use crate::exchange::{BackOff, Moment, Repository, boxed_stream};
use crate::transaction::record::{CompleteIntent, Intent};
use crate::transaction::resolve::{Overwritten, Resolution, roll_back_own, roll_forward, trace_events};
use futures_util::stream::StreamExt as _;
use std::time::Duration;

/// The shortest time for which a tombstone is kept.
const SHORTEST_TOMBSTONE: Duration = Duration::from_hours(24);

impl RunningAttempt {
    /// Rolls all participants forward.
    pub(crate) async fn roll_forward(&mut self, repository: &Repository) -> Vec<Response> {
        let (this, began) = (&*self, repository.moment());
        let rolls = this.intents(0..self.participants.len()).map(|(at, participant, intent)| async move {
            (at, this.roll_forward_one(repository, participant, intent, began).await)
        });
        let rolled: Vec<_> = boxed_stream(rolls).buffer_unordered(CONCURRENCY).collect().await;
        let mut responses = Vec::with_capacity(rolled.len());
        for (at, overwritten) in rolled.into_iter().filter_map(|(at, rolled)| Some((at, rolled.ok()?))) {
            responses.push(Response::RolledForward(at));
            self.overwritten.extend(overwritten);
        }
        responses
    }

    /// Rolls one participant forward. If a foreign program wrote over its item, returns the item.
    async fn roll_forward_one(
        &self,
        repository: &Repository,
        participant: &Participant,
        intent: &Intent,
        began: Moment,
    ) -> Result<Option<Overwritten>, Error> {
        let (caller, at) = (participant.caller(&self.priority), &participant.at);
        let intent = CompleteIntent::own(intent.clone());
        let schema = Some(participant.schema());
        let mut pauses = BackOff::new(repository, u32::MAX);
        loop {
            // The history row contains an image of the item, so the row is needed.
            let item = intent.intent().revision_row.is_some().then(|| participant.row_with(intent.intent()));
            let error = match roll_forward(repository, caller, at, &intent, item, schema).await {
                // If the attempt is a day old, a missing item proves nothing: a write of dyno may have deleted it, and its
                // tombstone may have expired.
                Ok(Resolution::Overwritten(overwritten)) if !overwritten.is_deleted() || self.is_recent(repository) => {
                    return Ok(Some(overwritten));
                }
                Ok(_) => return Ok(None),
                Err(error) => error,
            };
            let waited = pauses.waited(began);
            if error.is_of_one_item() || waited >= repository.lock_timeout() {
                trace_events::not_applied(caller, &self.transaction_id, &error);
                return Err(error);
            }
            pauses.pause().await;
        }
    }

    /// Whether the attempt began so recently that no tombstone written since can have expired.
    fn is_recent(&self, repository: &Repository) -> bool {
        self.began.until(repository.moment()) < SHORTEST_TOMBSTONE
    }

    /// Removes the intents of these participants. If that fails, the next process that finds the intent removes it.
    pub(crate) async fn roll_back(&self, repository: &Repository, participants: &[usize]) -> Vec<Response> {
        let rolls = self.intents(participants.iter().copied()).map(|(at, participant, intent)| async move {
            let caller = participant.caller(&self.priority);
            let rolled = roll_back_own(repository, caller, &participant.at, intent).await;
            rolled.err().map(|_| Response::Unclear(at))
        });
        let rolled: Vec<_> = boxed_stream(rolls).buffer_unordered(CONCURRENCY).collect().await;
        rolled.into_iter().flatten().collect()
    }

    /// The participants at these indexes, with the intents that they were to get.
    fn intents(&self, indexes: impl Iterator<Item = usize>) -> impl Iterator<Item = (usize, &Participant, &Intent)> {
        indexes.filter_map(|at| Some((at, &self.participants[at], self.participants[at].intent.as_ref()?)))
    }
}
