//! The coordinator: sends one transaction attempt, step by step, as `commit_states` says.

use super::claim::Claim;
use super::commit_states::{CommitStates, End, Response, Step};
use super::heartbeat::keep_alive;
use super::history_numbers::are_free_still;
use super::outcome_errors::{silent, unbegun, versions};
use super::participant::{OPERATION, Participant, check_indexes};
use super::participant_pages::{page_rows, write_pages};
use super::prewrite::{Answered, Prewriter, places};
use crate::error::Error;
use crate::exchange::{Attempts, Caller, Moment, Priority, Repository, SendDeadline};
use crate::transaction::closure::{Range, Row, are_free, hold};
use crate::transaction::lanes::{Lane, take};
use crate::transaction::native::RefusedAction;
use crate::transaction::record::{TransactionId, pages};
use crate::transaction::resolve::{Overwritten, trace_events};
use futures_util::future::{Either, join, select};
use futures_util::stream::{self, StreamExt as _};
use std::any::TypeId;
use std::collections::HashSet;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The number of requests of one transaction that are under way at once.
pub(crate) const CONCURRENCY: usize = 100;

/// The time after which an attempt sends no prewrite and no commit. It is far below the days for which a tombstone is kept, so none
/// of these requests arrives after the tombstone of what it expects is gone (M6).
pub(crate) const LIMIT: Duration = Duration::from_mins(15);

/// A transaction attempt, and how far it has come.
pub(crate) struct Coordinator {
    pub(crate) participants: Vec<Participant>,
    /// The start of the closure's run, and the time for which the attempt may be sent.
    pub(crate) made: Moment,
    limit: Duration,
    pub(crate) priority: Priority,
    /// The claim that keeps other writers out already.
    claim: Option<Claim>,
    pub(crate) begun: Option<Started>,
    /// The items that another program wrote over before they were rolled forward.
    pub(crate) overwritten: Vec<Overwritten>,
}

/// The state of an attempt from its first request on.
pub(crate) struct Started {
    pub(crate) course: CommitStates,
    pub(crate) transaction_id: TransactionId,
    /// The last number that the lane committed before this attempt.
    pub(crate) previous: u64,
    pub(crate) until: SendDeadline,
    /// The request attempts of the commit.
    pub(crate) attempts: Attempts,
    /// How often the transaction record was read.
    pub(crate) asked: u32,
    /// The lane, until it goes back to the pool.
    pub(crate) lane: Option<Lane>,
    pub(crate) refused: Vec<RefusedAction>,
    pub(crate) error: Option<Error>,
}

/// The outcome of a transaction attempt.
#[derive(Clone)]
pub(crate) enum Ended {
    Applied {
        /// The version that each action stored, by the number of the action.
        versions: Vec<(TypeId, Option<u64>)>,
        /// The number of items that do not show the change yet.
        unapplied: usize,
        /// The items that another program wrote over before they were rolled forward.
        overwritten: Vec<Overwritten>,
    },
    Refused(Vec<RefusedAction>),
    /// Another writer was faster, or aborted the attempt.
    Lost,
}

impl Coordinator {
    /// Returns a coordinator of these participants, whose attempt may be sent for so long after `made`.
    pub(crate) fn new(
        participants: Vec<Participant>,
        made: Moment,
        limit: Duration,
        priority: Priority,
        claim: Option<Claim>,
    ) -> Self {
        Self { participants, made, limit, priority, claim, begun: None, overwritten: Vec::new() }
    }

    /// Sends the attempt, or goes on where an earlier future was dropped. It calls `note` with whether the attempt may be
    /// committed.
    pub(crate) async fn send(
        &mut self,
        repository: &Repository,
        rows: &[Row],
        ranges: &[Range],
        note: impl Fn(bool) + Sync + Send,
    ) -> Result<Ended, Error> {
        match &mut self.begun {
            Some(begun) => begun.course.resume(),
            None => {
                let begun = self.begin(repository).await;
                if let (Err(_), Some(claim)) = (&begun, &mut self.claim) {
                    claim.take_away(repository).await;
                }
                self.begun = Some(begun?);
            }
        }
        loop {
            let Some(begun) = &mut self.begun else { return Err(unbegun()) };
            note(begun.course.may_be_committed());
            let step = begun.course.next();
            if step == Step::Commit {
                note(true);
            }
            let responses = match step {
                Step::Prewrite { participants, pages } => self.place(repository, rows, &participants, pages).await,
                Step::Validate => self.validate(repository, rows, ranges).await,
                Step::Commit => self.commit(repository).await,
                Step::ReadRecord => self.ask(repository).await,
                Step::RollForward(participants) => self.apply(repository, &participants).await,
                Step::RollBack(participants) => self.undo(repository, &participants).await,
                Step::End(end) => {
                    let is_clear = match &mut self.claim {
                        Some(claim) if end != End::InDoubt => claim.take_away(repository).await,
                        _ => true,
                    };
                    return self.end(end, is_clear);
                }
            };
            if let Some(begun) = &mut self.begun
                && let Some(state) = begun.course.receive(&responses)
            {
                trace_events::attempt(&begun.transaction_id, state, self.participants.len());
            }
        }
    }

    async fn begin(&mut self, repository: &Repository) -> Result<Started, Error> {
        let claimed = self.claim.as_mut().and_then(|claim| claim.lane.take());
        let lane = async {
            match claimed {
                Some(lane) => Ok(lane),
                None => take(repository, self.caller()).await,
            }
        };
        // Both at once: the first write of a table also asks for its indexes.
        let mut lane = match join(lane, check_indexes(repository, self.caller(), &self.participants)).await {
            (lane, Ok(())) => lane?,
            (lane, Err(error)) => {
                lane.into_iter().for_each(Lane::give_back);
                return Err(error);
            }
        };
        let transaction_id = lane.next_transaction_id()?;
        // If two transactions began at the same time, all others must see the same one as the older.
        self.priority.name = transaction_id.to_string();
        for participant in &mut self.participants {
            participant.intend(&transaction_id, &self.priority);
        }
        if let Err(error) = self.participants.iter().try_for_each(Participant::check) {
            lane.give_back();
            return Err(error);
        }
        let has_pages = !pages("", &transaction_id, &places(&self.participants), self.made.wall).is_empty();
        Ok(Started {
            course: CommitStates::new(self.participants.len(), has_pages),
            previous: lane.previous(),
            transaction_id,
            until: SendDeadline::new(repository.clock(), self.made, self.limit),
            attempts: Attempts::default(),
            asked: 0,
            lane: Some(lane),
            refused: Vec::new(),
            error: None,
        })
    }

    /// The caller of its requests to the lane table.
    fn caller(&self) -> Caller<'_> {
        let entity = self.participants.first().map_or("", |participant| participant.of.schema.entity);
        Caller { operation: OPERATION, entity, priority: Some(&self.priority) }
    }

    /// Prewrites the intents, writes the pages, and renews the lane meanwhile.
    async fn place(
        &mut self,
        repository: &Repository,
        rows: &[Row],
        participants: &[usize],
        has_pages: bool,
    ) -> Vec<Response> {
        let Self { participants: all, made, priority, claim, begun, .. } = self;
        let Some(begun) = begun else { return Vec::new() };
        let Started { transaction_id, until, lane, refused, error, .. } = begun;
        let is_lost = AtomicBool::new(false);
        let placing =
            Prewriter { repository, transaction_id, priority, until, rows, now: made.wall, is_lost: &is_lost };
        let (placing, all_participants) = (&placing, &*all);
        let caller = Caller { operation: OPERATION, entity: "", priority: None };
        let page_rows =
            if has_pages { page_rows(repository, transaction_id, all_participants) } else { Ok(Vec::new()) };
        let placed = {
            let placed = stream::iter(participants.iter().copied())
                .map(|participant| async move { (participant, placing.place(&all_participants[participant]).await) })
                .buffer_unordered(CONCURRENCY)
                .collect::<Vec<_>>();
            let paged = write_pages(repository, caller, page_rows);
            let both = pin!(join(placed, paged));
            let beats = pin!(keep_alive(repository, caller, lane));
            match select(both, beats).await {
                Either::Left((both, _)) => both,
                // Another process owns the lane now. The requests under way are awaited, and then the attempt is rolled back.
                Either::Right(((), both)) => {
                    is_lost.store(true, Ordering::Relaxed);
                    both.await
                }
            }
        };
        let (placed, paged) = placed;
        let mut heard = Vec::with_capacity(placed.len() + 1);
        for (at, placed) in placed {
            heard.push(match placed {
                Answered::There(participant) => {
                    if let (Some(claim), Some((_, name))) = (claim.as_mut(), &participant.claimed) {
                        claim.replaced(name);
                    }
                    all[at] = *participant;
                    Response::Prewritten(at)
                }
                Answered::Moved => Response::NotPrewritten(at),
                Answered::Refused(refusal) => {
                    let participant = &all[at];
                    refused.push(RefusedAction {
                        index: participant.index,
                        entity: participant.of.entity,
                        refused: refusal,
                    });
                    Response::NotPrewritten(at)
                }
                Answered::Failed(failed) => {
                    error.get_or_insert(failed);
                    Response::NotPrewritten(at)
                }
                Answered::Unclear(participant, failed) => {
                    all[at] = *participant;
                    error.get_or_insert(failed);
                    Response::Unclear(at)
                }
            });
        }
        match paged {
            Ok(()) => heard.push(Response::PagesWritten),
            Err(failed) => {
                error.get_or_insert(failed);
                heard.push(Response::Conflict);
            }
        }
        heard
    }

    /// Reads again what was only read, now that all intents are in place.
    async fn validate(&mut self, repository: &Repository, rows: &[Row], ranges: &[Range]) -> Vec<Response> {
        let written: HashSet<usize> = self.participants.iter().map(|participant| participant.row).collect();
        let only_read =
            rows.iter().enumerate().filter(|(at, row)| row.read.is_some() && !row.is_ranged && !written.contains(at));
        let only_read: Vec<&Row> = only_read.map(|(_, row)| row).collect();
        let Self { participants, claim, priority, begun, .. } = self;
        let Some(Started { transaction_id, lane, error, .. }) = begun else { return Vec::new() };
        let claim = claim.as_ref().map(|claim| &claim.transaction_id);
        let own: Vec<&TransactionId> = claim.into_iter().chain([&*transaction_id]).collect();
        let is_valid = pin!(async {
            Ok(are_free(repository, &only_read, priority, claim).await?
                && hold(repository, rows, ranges, priority, &own).await?
                && are_free_still(repository, participants, priority).await?)
        });
        // This can take long, if other transactions hold what was read.
        let caller = Caller { operation: OPERATION, entity: "", priority: None };
        let is_valid = match select(is_valid, pin!(keep_alive(repository, caller, lane))).await {
            Either::Left((is_valid, _)) => is_valid,
            Either::Right(((), _)) => Ok(false),
        };
        match is_valid {
            Ok(true) => vec![Response::Valid],
            Ok(false) => vec![Response::Conflict],
            Err(failed) => {
                error.get_or_insert(failed);
                vec![Response::Conflict]
            }
        }
    }

    fn end(&mut self, end: End, is_unclaimed: bool) -> Result<Ended, Error> {
        let Some(begun) = &mut self.begun else { return Err(unbegun()) };
        let lane = begun.lane.take();
        match end {
            // A lane whose transaction is not completed does not go back to the pool. Its next owner completes it (M19).
            End::Committed { is_clear: true, .. } | End::Aborted { is_clear: true } if is_unclaimed => {
                lane.into_iter().for_each(Lane::give_back);
            }
            End::Committed { .. } | End::Aborted { .. } | End::InDoubt => drop(lane),
        }
        match end {
            End::Committed { unapplied, .. } => {
                let (versions, overwritten) = (versions(&self.participants), self.overwritten.clone());
                Ok(Ended::Applied { versions, unapplied, overwritten })
            }
            End::InDoubt => Err(begun.error.take().unwrap_or_else(silent)),
            End::Aborted { .. } if !begun.refused.is_empty() => Ok(Ended::Refused(begun.refused.clone())),
            End::Aborted { .. } => begun.error.take().map_or(Ok(Ended::Lost), Err),
        }
    }

    pub(crate) fn failed(&mut self, failed: Error) {
        if let Some(begun) = &mut self.begun {
            begun.error.get_or_insert(failed);
        }
    }
}
