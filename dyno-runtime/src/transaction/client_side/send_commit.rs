//! Sends the commit, and reads the transaction record if its answer was lost.

use super::commit_states::Response;
use super::coordinator::{Coordinator, Started};
use super::outcome_errors::{missing_head, unbegun, unknown};
use super::participant::OPERATION;
use super::prewrite::places;
use crate::error::Error;
use crate::exchange::{About, Answer, Ask, Caller, Repeat, Repository, write_row};
use crate::transaction::record::{Fate, TransactionRecord, commit};
use crate::transaction::resolve::{abort_own, of_lanes, read_transaction_record};

/// The number of times that the coordinator reads the transaction record after a commit without an answer, before it reports that
/// the outcome is unknown.
const ASKED: u32 = 4;

impl Coordinator {
    /// Sends the commit.
    pub(crate) async fn commit(&mut self, repository: &Repository) -> Vec<Response> {
        let heard = self.try_commit(repository).await;
        vec![heard.unwrap_or_else(|error| {
            let is_open = self.begun.as_ref().is_some_and(|begun| begun.attempts.may_be_applied());
            self.failed(error);
            if is_open { Response::CommitUnanswered } else { Response::Aborted }
        })]
    }

    async fn try_commit(&mut self, repository: &Repository) -> Result<Response, Error> {
        let Self { participants, begun, .. } = self;
        let Some(Started { transaction_id, previous, until, attempts, lane, .. }) = begun else {
            return Err(unbegun());
        };
        if until.is_over() {
            return Ok(if attempts.may_be_applied() { Response::CommitUnanswered } else { Response::Aborted });
        }
        let (table, now) = (repository.lane_table()?, repository.now());
        let row = commit(&table, transaction_id, *previous, &places(participants), now)?;
        let about = About::new(OPERATION, "", &table);
        let ask = Ask { deadline: Some(until.clone()), ..Ask::write(about, attempts, Repeat::Freely) };
        match write_row(repository, ask, row).await.map_err(of_lanes)? {
            Answer::Done(_) => {
                if let Some(lane) = lane {
                    lane.committed(transaction_id);
                }
                Ok(Response::Committed)
            }
            Answer::Denied(Some(item)) => Ok(self.told(&TransactionRecord::read(&item)?, true)),
            Answer::Denied(None) => Err(missing_head()),
        }
    }

    /// Reads the transaction record, to learn what became of the commit.
    pub(crate) async fn ask(&mut self, repository: &Repository) -> Vec<Response> {
        vec![self.try_ask(repository).await.unwrap_or_else(|error| {
            self.failed(error);
            Response::NoAnswer
        })]
    }

    async fn try_ask(&mut self, repository: &Repository) -> Result<Response, Error> {
        let caller = Caller { operation: OPERATION, entity: "", priority: None };
        let Some(Started { transaction_id, until, asked, .. }) = &mut self.begun else { return Err(unbegun()) };
        *asked += 1;
        if *asked > ASKED {
            *asked = 0;
            return Ok(Response::NoAnswer);
        }
        let there = read_transaction_record(repository, caller, transaction_id).await?;
        let there = match there.fate(transaction_id) {
            // The time is over, so the coordinator makes sure that no commit arrives any more.
            Fate::Open if until.is_over() => abort_own(repository, caller, there, transaction_id).await?,
            _ => there,
        };
        Ok(self.told(&there, false))
    }

    /// Returns what the lane row says of the commit (M17). If the commit was refused, it will not pass any more.
    fn told(&mut self, record: &TransactionRecord, is_refused: bool) -> Response {
        let Some(Started { transaction_id, previous, lane, error, .. }) = &mut self.begun else {
            return Response::NoAnswer;
        };
        let fate = record.fate(transaction_id);
        // Another process commits on this lane with a copy of this memory, after a snapshot or a fork.
        let is_shared = fate != Fate::Committed && record.committed.number != *previous;
        if let Some(lost) = lane.take_if(|lane| is_shared || !lane.is_own(record)) {
            lost.forget();
        }
        match fate {
            Fate::Committed => {
                if let Some(lane) = lane {
                    lane.learned(transaction_id);
                }
                *error = None;
                Response::Committed
            }
            Fate::Aborted | Fate::Open if fate == Fate::Aborted || is_refused => {
                *error = None;
                Response::Aborted
            }
            Fate::Open | Fate::Aborted => Response::CommitUnanswered,
            Fate::Unknown => {
                *error = Some(unknown());
                Response::NoAnswer
            }
        }
    }
}
