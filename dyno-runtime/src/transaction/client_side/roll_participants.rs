//! Ends an attempt: rolls the intents of a committed attempt forward, and those of an aborted one back.

use super::commit_states::Response;
use super::coordinator::{CONCURRENCY, Coordinator};
use crate::exchange::{BackOff, Moment, Repository};
use crate::transaction::record::CompleteIntent;
use crate::transaction::resolve::{Overwritten, Resolution, roll_back_own, roll_forward, trace_events};
use futures_util::stream::{self, StreamExt as _};
use std::time::Duration;

/// The shortest time for which a tombstone is kept.
const SHORTEST_TOMBSTONE: Duration = Duration::from_hours(24);

impl Coordinator {
    /// Rolls committed participants forward.
    pub(crate) async fn apply(&mut self, repository: &Repository, participants: &[usize]) -> Vec<Response> {
        let this = &*self;
        let begun = repository.moment();
        let applied: Vec<_> = stream::iter(participants.iter().copied())
            .map(|participant| async move { this.apply_one(repository, participant, begun).await })
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
        let (heard, overwritten): (Vec<_>, Vec<_>) = applied.into_iter().unzip();
        self.overwritten.extend(overwritten.into_iter().flatten());
        heard
    }

    /// Whether the attempt is so recent that no tombstone of a later delete can have expired.
    fn is_recent(&self, repository: &Repository) -> bool {
        self.made.until(repository.moment()) < SHORTEST_TOMBSTONE
    }

    /// Rolls one participant forward, and reports whether another program wrote over its item.
    async fn apply_one(&self, repository: &Repository, at: usize, begun: Moment) -> (Response, Option<Overwritten>) {
        let participant = &self.participants[at];
        let Some(whole) = participant.intent.clone().map(CompleteIntent::own) else {
            return (Response::Unapplied(at), None);
        };
        let mut pauses = BackOff::new(repository, u32::MAX);
        loop {
            // The revision in the history holds the row as it was read.
            let item = whole.intent().revision_row.is_some().then(|| participant.row());
            match roll_forward(
                repository,
                participant.caller(&self.priority),
                &participant.at,
                &whole,
                item,
                Some(participant.of.schema),
            )
            .await
            {
                // Later on, a write of dyno can have deleted the item, and its tombstone can have expired.
                Ok(Resolution::Overwritten(overwritten)) if !overwritten.is_deleted() || self.is_recent(repository) => {
                    return (Response::RolledForward(at), Some(overwritten));
                }
                Ok(_) => return (Response::RolledForward(at), None),
                Err(error) => {
                    let waited = pauses.paused().max(begun.until(repository.moment()));
                    if error.is_of_one_item() || waited >= repository.patience() {
                        let caller = participant.caller(&self.priority);
                        trace_events::not_applied(caller, &whole.intent().transaction_id, &error);
                        return (Response::Unapplied(at), None);
                    }
                    pauses.pause().await;
                }
            }
        }
    }

    /// Rolls participants back. An intent that cannot be removed is left to the process that meets it.
    pub(crate) async fn undo(&mut self, repository: &Repository, participants: &[usize]) -> Vec<Response> {
        let this = &*self;
        let undone: Vec<_> = stream::iter(participants.iter().copied())
            .map(|at| async move {
                let mut participant = this.participants[at].clone();
                let transaction_id = &this.begun.as_ref()?.transaction_id;
                // The prewrite may have passed, although the future that sent it was dropped.
                let intent = participant.intend(transaction_id, &this.priority).clone();
                let taken =
                    roll_back_own(repository, participant.caller(&this.priority), &participant.at, &intent).await;
                taken.err().map(|_| Response::Unclear(at))
            })
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
        undone.into_iter().flatten().chain([Response::RolledBack]).collect()
    }
}
