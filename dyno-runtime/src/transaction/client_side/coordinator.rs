//! The coordinator: sends the requests of one transaction attempt. `commit_states` decides each next step.

use super::attempt_requests::{CONCURRENCY, caller};
use super::claim::Claim;
use super::commit_states::{CommitStates, End, Response, Step};
use super::compute_participants::refusal;
use super::heartbeat::while_alive;
use super::history_numbers::Histories;
use super::participant::{Participant, check_indexes};
use super::participant_pages::write_pages;
use super::prewrite_intents::{PrewriteFailure, Prewriter};
use crate::error::{Error, ErrorKind};
use crate::exchange::{Attempts, Moment, Priority, Repository, SendDeadline, boxed_stream};
use crate::transaction::attempt::{AttemptResult, Range, Report, Row, are_free, by_action, hold};
use crate::transaction::lanes::{Lane, take};
use crate::transaction::native::RefusedAction;
use crate::transaction::record::TransactionId;
use crate::transaction::resolve::{Overwritten, trace_events};
use futures_util::future::join;
use futures_util::stream::StreamExt as _;
use std::collections::HashSet;
use std::mem;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time after which an attempt sends no prewrite and no commit. Tombstones are kept for at least a day, so no tombstone can
/// expire before all copies of these requests have arrived (M6).
pub(crate) const LIMIT: Duration = Duration::from_mins(15);

/// The coordinator of one transaction attempt.
pub(crate) struct Coordinator {
    participants: Vec<Participant>,
    /// The start of the closure's run. The attempt may be sent for the time `limit` from then on.
    began: Moment,
    limit: Duration,
    priority: Priority,
    /// The claim on rows of the participants, if there is one.
    claim: Option<Claim>,
    /// The attempt, once it has a lane. The participants and the claim are moved there.
    running: Option<RunningAttempt>,
}

/// An attempt that has a lane and a transaction ID.
pub(crate) struct RunningAttempt {
    pub(crate) participants: Vec<Participant>,
    pub(crate) began: Moment,
    pub(crate) priority: Priority,
    claim: Option<Claim>,
    states: CommitStates,
    pub(crate) transaction_id: TransactionId,
    pub(crate) until: SendDeadline,
    pub(crate) commit: CommitRequest,
    /// The lane, unless another process owns it now.
    pub(crate) lane: Option<Lane>,
    /// The items that another program wrote over before they were rolled forward.
    pub(crate) overwritten: Vec<Overwritten>,
    refused: Vec<RefusedAction>,
    /// The first error that stopped the attempt.
    pub(crate) error: Option<Error>,
}

/// The state of an attempt's commit.
pub(crate) struct CommitRequest {
    /// The last number that the lane committed before this attempt.
    pub(crate) previous: u64,
    pub(crate) attempts: Attempts,
    /// How often the transaction record was read after a commit without an answer.
    pub(crate) reads: u32,
}

impl Coordinator {
    /// Returns a coordinator of these participants. The attempt may be sent for the time `limit` after `began`.
    pub(crate) fn new(
        participants: Vec<Participant>,
        began: Moment,
        limit: Duration,
        priority: Priority,
        claim: Option<Claim>,
    ) -> Self {
        Self { participants, began, limit, priority, claim, running: None }
    }

    /// Sends the attempt, or resumes it if an earlier future was dropped. Calls `note` before each step with whether the attempt
    /// may be committed.
    pub(crate) async fn send(
        &mut self,
        repository: &Repository,
        rows: &[Row],
        ranges: &[Range],
        note: impl Fn(bool) + Sync + Send,
    ) -> Result<AttemptResult, Error> {
        // Other processes wait for the intents, so a pace delays only the beginning.
        if self.running.is_none() && self.claim.is_none() {
            repository.wait_for_write().await?;
        }
        let repository = &repository.without_delay();
        let attempt = match &mut self.running {
            Some(attempt) => {
                attempt.states.resume();
                attempt
            }
            None => match self.begin(repository).await {
                Ok(attempt) => self.running.insert(attempt),
                Err(error) => {
                    if let Some(claim) = &mut self.claim {
                        claim.remove_intents(repository).await;
                    }
                    return Err(error);
                }
            },
        };
        attempt.run(repository, rows, ranges, note).await
    }

    /// Takes a lane, and sets the intents.
    async fn begin(&mut self, repository: &Repository) -> Result<RunningAttempt, Error> {
        let entity = self.participants.first().map_or("", |participant| participant.schema().entity);
        let caller = caller(entity, &self.priority);
        let claimed = self.claim.as_mut().and_then(|claim| claim.lane.take());
        let lane = async {
            match claimed {
                Some(lane) => Ok(lane),
                None => take(repository, caller).await,
            }
        };
        // Both at once, because the first write to a table also reads the table's indexes.
        let mut lane = match join(lane, check_indexes(repository, caller, &self.participants)).await {
            (lane, Ok(())) => lane?,
            (lane, Err(error)) => {
                lane.into_iter().for_each(Lane::give_back);
                return Err(error);
            }
        };
        let transaction_id = lane.next_transaction_id()?;
        // If two transactions began at the same time, all processes must agree which of them is the older one.
        self.priority.name = transaction_id.to_string();
        let priority = &self.priority;
        let intents = self.participants.iter_mut().try_for_each(|participant| {
            participant.intend(&transaction_id, priority)?;
            Ok(())
        });
        if let Err(error) = intents {
            lane.give_back();
            return Err(error);
        }
        Ok(RunningAttempt {
            states: CommitStates::new(self.participants.len()),
            participants: mem::take(&mut self.participants),
            began: self.began,
            priority: self.priority.clone(),
            claim: self.claim.take(),
            transaction_id,
            until: SendDeadline::new(repository.clock(), self.began, self.limit),
            commit: CommitRequest { previous: lane.previous(), attempts: Attempts::default(), reads: 0 },
            lane: Some(lane),
            overwritten: Vec::new(),
            refused: Vec::new(),
            error: None,
        })
    }
}

impl RunningAttempt {
    async fn run(
        &mut self,
        repository: &Repository,
        rows: &[Row],
        ranges: &[Range],
        note: impl Fn(bool) + Sync + Send,
    ) -> Result<AttemptResult, Error> {
        loop {
            note(self.states.may_be_committed());
            let responses = match self.states.next() {
                Step::Prewrite => self.prewrite(repository, rows).await,
                Step::Validate => vec![self.validate(repository, rows, ranges).await],
                Step::Commit => {
                    note(true);
                    vec![self.commit(repository).await]
                }
                Step::ReadRecord => vec![self.read_record(repository).await],
                Step::RollForward => self.roll_forward(repository).await,
                Step::RollBack(participants) => self.roll_back(repository, &participants).await,
                Step::End(end) => return self.end(repository, rows, end).await,
            };
            if let Some(state) = self.states.receive(&responses) {
                trace_events::attempt(&self.transaction_id, state, self.participants.len());
            }
        }
    }

    /// Prewrites the intents and writes the pages of participants. Renews the lane meanwhile.
    async fn prewrite(&mut self, repository: &Repository, rows: &[Row]) -> Vec<Response> {
        let Self { participants, began, priority, claim, transaction_id, until, lane, refused, error, .. } = self;
        let (now, is_lost) = (began.wall, AtomicBool::new(false));
        let shared = &Prewriter { repository, transaction_id, priority, until, rows, now, is_lost };
        let pages = write_pages(repository, transaction_id, participants);
        let (prewritten, listed) = {
            let each = participants.iter_mut().enumerate();
            let each = each.map(|(at, participant)| async move { (at, shared.prewrite(participant).await) });
            let all = boxed_stream(each).buffer_unordered(CONCURRENCY).collect::<Vec<_>>();
            let mut requests = pin!(join(all, pages));
            match while_alive(repository, lane, requests.as_mut()).await {
                Some(results) => results,
                // Another process owns the lane now. The requests in progress are awaited, and then the attempt is rolled back.
                None => {
                    shared.is_lost.store(true, Ordering::Relaxed);
                    requests.await
                }
            }
        };
        let mut responses = Vec::with_capacity(prewritten.len() + 1);
        for (at, result) in prewritten {
            let participant = &participants[at];
            match result {
                Ok(()) => {
                    if let (Some(claim), Some((_, name))) = (claim.as_mut(), &participant.claimed) {
                        claim.note_replaced(name);
                    }
                    responses.push(Response::Prewritten(at));
                }
                Err(PrewriteFailure::Conflict) => {}
                Err(PrewriteFailure::Refused(reasons)) => {
                    let (index, entity) = (participant.index, participant.action.entity);
                    refused.push(RefusedAction { index, entity, refused: reasons });
                }
                Err(PrewriteFailure::Error(failed)) => _ = error.get_or_insert(failed),
                Err(PrewriteFailure::InDoubt(failed)) => {
                    error.get_or_insert(failed);
                    responses.push(Response::Unclear(at));
                }
            }
        }
        match listed {
            Ok(()) => responses.push(Response::PagesWritten),
            Err(failed) => _ = error.get_or_insert(failed),
        }
        responses
    }

    /// Reads again what was only read, now that all intents are in their items (M13, M14).
    async fn validate(&mut self, repository: &Repository, rows: &[Row], ranges: &[Range]) -> Response {
        let Self { participants, began, priority, claim, transaction_id, lane, error, .. } = self;
        let written: HashSet<usize> = participants.iter().map(|participant| participant.row).collect();
        let only_read =
            rows.iter().enumerate().filter(|(at, row)| row.read.is_some() && !row.is_ranged && !written.contains(at));
        let only_read: Vec<&Row> = only_read.map(|(_, row)| row).collect();
        let claim = claim.as_ref().map(|claim| &claim.transaction_id);
        let own: Vec<&TransactionId> = claim.into_iter().chain([&*transaction_id]).collect();
        let histories = Histories { repository, rows, priority, claim, now: began.wall };
        let is_valid = async {
            Ok(are_free(repository, &only_read, priority, claim).await?
                && hold(repository, rows, ranges, priority, &own).await?
                && histories.are_still_free(participants).await?)
        };
        // The lane is renewed meanwhile, because this can take long if other transactions hold what was read.
        match while_alive(repository, lane, is_valid).await {
            Some(Ok(true)) => Response::Valid,
            Some(Ok(false)) | None => Response::Conflict,
            Some(Err(failed)) => {
                error.get_or_insert(failed);
                Response::Conflict
            }
        }
    }

    async fn end(&mut self, repository: &Repository, rows: &[Row], end: End) -> Result<AttemptResult, Error> {
        let is_unclaimed = match &mut self.claim {
            Some(claim) if end != End::InDoubt => claim.remove_intents(repository).await,
            _ => true,
        };
        let is_clear = matches!(end, End::Committed { is_clear: true, .. } | End::Aborted { is_clear: true });
        // A lane whose transaction is not completed does not go back to the pool. Its next owner completes it (M19).
        if let Some(lane) = self.lane.take().filter(|_| is_clear && is_unclaimed) {
            lane.give_back();
        }
        match end {
            End::Committed { unapplied, .. } => {
                let stored = self.participants.iter().map(|participant| (participant.row, participant.version()));
                let (versions, overwritten) = (by_action(rows, stored), mem::take(&mut self.overwritten));
                Ok(AttemptResult::Applied(Report { versions, unapplied, overwritten }))
            }
            End::Aborted { .. } if !self.refused.is_empty() => {
                Ok(AttemptResult::Refused(refusal(rows, mem::take(&mut self.refused))))
            }
            End::Aborted { .. } => self.error.take().map_or(Ok(AttemptResult::RunAgain), Err),
            End::InDoubt => Err(self.error.take().unwrap_or_else(silent)),
        }
    }
}

fn silent() -> Error {
    Error::new(ErrorKind::Unreachable, "DynamoDB did not answer the commit of the transaction")
}
