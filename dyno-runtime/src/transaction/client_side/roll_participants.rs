//! A try that is decided is seen to its end: what is committed is applied, and what is given up is taken away.

use super::commit_states::Heard;
use super::coordinator::{CONCURRENCY, Try};
use crate::exchange::{BackOff, Moment, Repository};
use crate::transaction::record::Whole;
use crate::transaction::resolve::{Overwritten, Settled, make, take_back};
use futures_util::stream::{self, StreamExt as _};
use std::time::Duration;

/// For how long a tombstone is kept, at least.
const SHORTEST_TOMBSTONE: Duration = Duration::from_hours(24);

impl Try {
    /// Makes what is committed.
    pub(crate) async fn apply(&mut self, repository: &Repository, legs: &[usize]) -> Vec<Heard> {
        let this = &*self;
        let begun = repository.moment();
        let applied: Vec<_> = stream::iter(legs.iter().copied())
            .map(|leg| async move { this.apply_one(repository, leg, begun).await })
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
        let (heard, overwritten): (Vec<_>, Vec<_>) = applied.into_iter().unzip();
        self.overwritten.extend(overwritten.into_iter().flatten());
        heard
    }

    /// Whether no tombstone that is younger than it can have expired.
    fn is_recent(&self, repository: &Repository) -> bool {
        self.made.until(repository.moment()) < SHORTEST_TOMBSTONE
    }

    /// Applies one leg; and says whether another program wrote over its item.
    async fn apply_one(&self, repository: &Repository, at: usize, begun: Moment) -> (Heard, Option<Overwritten>) {
        let leg = &self.legs[at];
        let Some(whole) = leg.intent.clone().map(Whole::own) else { return (Heard::Left(at), None) };
        let mut pauses = BackOff::new(repository, u32::MAX);
        loop {
            // Where the item goes into its history, that is what was read.
            let item = whole.intent().record.is_some().then(|| leg.row());
            match make(repository, leg.caller(&self.priority), &leg.at, &whole, item, Some(leg.of.schema)).await {
                // Long afterwards, what is gone can have been deleted by a write of ours, and its tombstone has expired.
                Ok(Settled::Overwritten(overwritten)) if !overwritten.is_deleted() || self.is_recent(repository) => {
                    return (Heard::Applied(at), Some(overwritten));
                }
                Ok(_) => return (Heard::Applied(at), None),
                Err(error) => {
                    let waited = pauses.paused().max(begun.until(repository.moment()));
                    if error.is_of_one_item() || waited >= repository.patience() {
                        tracing::warn!(entity = leg.of.schema.entity, %error, "a committed change is not applied yet");
                        return (Heard::Left(at), None);
                    }
                    pauses.pause().await;
                }
            }
        }
    }

    /// Takes away what was placed. What cannot be taken away, whoever meets it will.
    pub(crate) async fn undo(&mut self, repository: &Repository, legs: &[usize]) -> Vec<Heard> {
        let this = &*self;
        let undone: Vec<_> = stream::iter(legs.iter().copied())
            .map(|at| async move {
                let mut leg = this.legs[at].clone();
                let ticket = &this.begun.as_ref()?.ticket;
                // Where whoever has sent it was dropped, it may be there all the same.
                let intent = leg.intend(ticket, &this.priority).clone();
                let taken = take_back(repository, leg.caller(&this.priority), &leg.at, &intent).await;
                taken.err().map(|_| Heard::Unclear(at))
            })
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
        undone.into_iter().flatten().chain([Heard::Undone]).collect()
    }
}
