//! Sends the commit, and reads the transaction record if the commit has no answer.

use super::attempt_requests::{NO_ENTITY, write_until};
use super::commit_states::Response;
use super::coordinator::RunningAttempt;
use super::participant_pages::items_of;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Answer, Repository};
use crate::transaction::record::explain_lane_error;
use crate::transaction::record::{Fate, TransactionRecord, commit};
use crate::transaction::resolve::{abort_own, read_transaction_record};

/// The number of times that the coordinator reads the transaction record after a commit without an answer, before it reports that
/// the outcome is unknown.
const READS: u32 = 4;

impl RunningAttempt {
    /// Sends the commit.
    pub(crate) async fn commit(&mut self, repository: &Repository) -> Response {
        match self.try_commit(repository).await {
            Ok(response) => response,
            Err(error) => {
                self.error.get_or_insert(error);
                self.without_answer()
            }
        }
    }

    async fn try_commit(&mut self, repository: &Repository) -> Result<Response, Error> {
        if self.until.is_over() {
            return Ok(self.without_answer());
        }
        let (table, now) = (repository.lane_table()?, repository.now());
        let row = commit(&table, &self.transaction_id, self.commit.previous, &items_of(&self.participants), now)?;
        let sent = write_until(repository, NO_ENTITY, &self.until, &self.commit.attempts, row).await;
        match sent.map_err(explain_lane_error)? {
            Answer::Done(_) => {
                if let Some(lane) = &mut self.lane {
                    lane.committed(&self.transaction_id);
                }
                Ok(Response::Committed)
            }
            // No copy of the refused commit can pass later: `committed` and `void` only grow (M3).
            Answer::Denied(Some(item)) => Ok(self.judge(&TransactionRecord::read(&item)?, Response::Aborted)),
            Answer::Denied(None) => Err(missing_head()),
        }
    }

    /// Returns the response if the commit has no answer, or was not sent.
    fn without_answer(&self) -> Response {
        if self.commit.attempts.may_be_applied() { Response::CommitUnanswered } else { Response::Aborted }
    }

    /// Reads the transaction record, to learn whether the commit took effect.
    pub(crate) async fn read_record(&mut self, repository: &Repository) -> Response {
        match self.try_read_record(repository).await {
            Ok(response) => response,
            Err(error) => {
                self.error.get_or_insert(error);
                Response::NoAnswer
            }
        }
    }

    async fn try_read_record(&mut self, repository: &Repository) -> Result<Response, Error> {
        self.commit.reads += 1;
        if self.commit.reads > READS {
            self.commit.reads = 0;
            return Ok(Response::NoAnswer);
        }
        let mut record = read_transaction_record(repository, NO_ENTITY, &self.transaction_id).await?;
        // After the time limit, the coordinator sends no commit any more, and makes sure that no earlier copy takes effect.
        if record.fate(&self.transaction_id) == Fate::Open && self.until.is_over() {
            record = abort_own(repository, NO_ENTITY, record, &self.transaction_id).await?;
        }
        Ok(self.judge(&record, Response::CommitUnanswered))
    }

    /// Returns what the lane row proves about the commit (M17); `if_open` if it shows the attempt as neither committed nor
    /// aborted.
    fn judge(&mut self, record: &TransactionRecord, if_open: Response) -> Response {
        let fate = record.fate(&self.transaction_id);
        // After a snapshot or a fork, another process commits on this lane with a copy of this process's memory.
        let is_shared = fate != Fate::Committed && record.committed.number != self.commit.previous;
        if let Some(lost) = self.lane.take_if(|lane| is_shared || !lane.is_own(record)) {
            lost.forget();
        }
        let response = match fate {
            Fate::Committed => {
                if let Some(lane) = &mut self.lane {
                    lane.note_committed(&self.transaction_id);
                }
                Response::Committed
            }
            Fate::Aborted => Response::Aborted,
            Fate::Open => if_open,
            Fate::Unknown => {
                self.error = Some(unknown());
                return Response::NoAnswer;
            }
        };
        if response != Response::CommitUnanswered {
            self.error = None;
        }
        response
    }
}

fn missing_head() -> Error {
    Error::new(
        ErrorKind::LaneMissing,
        "the transaction's lane is no longer in the lane table: restore the lane table, or find the program that deleted the lane",
    )
}

fn unknown() -> Error {
    let message = "the transaction may have been applied, but its lane no longer shows it, because other processes have used the lane eight times since: load the items and decide";
    Error::new(ErrorKind::OutcomeUnknown, message)
}
