//! One transaction attempt: it is sent, sent again if its answer was lost, and returns the outcome.
//!
//! An attempt keeps its identity. If this transaction or a clone sends it again, a native transaction has the same token, and a
//! single write has the same write id.

use crate::error::{Error, ErrorKind};
use crate::exchange::{Moment, Priority, Repository};
use crate::rule::Reason;
use crate::schema::{Tables, names};
use crate::transaction::attempt::{
    AttemptResult, Range, ReadRow, Report, Row, StoredVersions, are_of_one_moment, by_action, changed_rows, hold,
    is_same,
};
use crate::transaction::client_side::{ClaimTarget, Coordinator};
use crate::transaction::native::{NativeAnswer, RefusedAction, RefusedTransaction, TransactionCommand};
use crate::write::{WriteCommand, Written};
use futures_util::future::BoxFuture;
use futures_util::lock::Mutex;
use std::any::TypeId;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The writes of one run of the closure, and the reads that they depend on.
pub(crate) struct Attempt {
    pub(crate) sent: Sent,
    pub(crate) actions: Vec<RowAction>,
    pub(crate) rows: Vec<Row>,
    pub(crate) ranges: Vec<Range>,
    pub(crate) priority: Priority,
    /// The time of the run, and for how long after it the attempt may be sent, if its idempotency keys limit that.
    pub(crate) time: Option<(Moment, Duration)>,
    /// The versions that the closure's handles show after the commit.
    pub(crate) stored: StoredVersions,
}

/// The way in which an attempt is sent.
pub(crate) enum Sent {
    /// A single write: one row is written, and no other row was read.
    Single { command: Box<WriteCommand>, entity: TypeId, tables: Tables },
    /// One `TransactWriteItems`.
    Native(TransactionCommand),
    /// Requests of its own for each row.
    ClientSide(Box<SharedCoordinator>),
}

/// The coordinator of a client-side attempt, which clones share. A second sender waits for the first one, because otherwise one
/// could abort what the other commits.
pub(crate) struct SharedCoordinator {
    coordinator: Mutex<Coordinator>,
    /// Whether the attempt may be committed.
    may_be_committed: AtomicBool,
    /// The outcome, for a clone that waited.
    outcome: OnceLock<AttemptResult>,
}

impl SharedCoordinator {
    pub(crate) fn new(coordinator: Coordinator) -> Self {
        Self {
            coordinator: Mutex::new(coordinator),
            may_be_committed: AtomicBool::new(false),
            outcome: OnceLock::new(),
        }
    }

    async fn send(&self, repository: &Repository, rows: &[Row], ranges: &[Range]) -> Result<AttemptResult, Error> {
        let mut coordinator = self.coordinator.lock().await;
        if let Some(outcome) = self.outcome.get() {
            return Ok(outcome.clone());
        }
        let note = |may_be_committed| self.may_be_committed.store(may_be_committed, Ordering::SeqCst);
        let outcome = coordinator.send(repository, rows, ranges, note).await?;
        Ok(self.outcome.get_or_init(|| outcome).clone())
    }
}

/// The write or the check that the attempt sends for a row.
pub(crate) struct RowAction {
    /// The number of the action; `None` for the check of a row that was only read.
    pub(crate) index: Option<usize>,
    /// The index of the row.
    pub(crate) row: usize,
}

impl Attempt {
    pub(crate) fn send<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Result<AttemptResult, Error>> {
        Box::pin(async move {
            let result = self.send_once(repository).await?;
            if let AttemptResult::Applied(report) = &result {
                self.stored.set(&report.versions);
            }
            Ok(result)
        })
    }

    async fn send_once(&self, repository: &Repository) -> Result<AttemptResult, Error> {
        if self.is_of_other_tables(repository)? {
            return if self.may_be_applied() { Err(other_tables()) } else { Ok(AttemptResult::RunAgain) };
        }
        let sent = match &self.sent {
            Sent::ClientSide(coordinator) => return self.send_client_side(coordinator, repository).await,
            _ if self.is_too_late(repository) => {
                return if self.may_be_applied() { Err(too_late()) } else { Ok(AttemptResult::RunAgain) };
            }
            Sent::Single { command, entity, tables } => {
                command.clone().send(repository, tables.clone(), None).await.map(|written| match written {
                    Written::Done(applied) => NativeAnswer::Done(vec![(*entity, applied.version)]),
                    Written::Denied(refused) => NativeAnswer::Denied(RefusedTransaction::of_one(0, *entity, refused)),
                })
            }
            Sent::Native(command) => command.send(repository).await,
        };
        match sent {
            Ok(NativeAnswer::Done(versions)) => {
                let stored = self.actions.iter().zip(versions).map(|(action, (_, version))| (action.row, version));
                let versions = by_action(&self.rows, stored);
                Ok(AttemptResult::Applied(Report { versions, ..Report::default() }))
            }
            Ok(NativeAnswer::Denied(refused)) => self.classify_refusal(repository, refused).await,
            Err(error) => self.classify_error(repository, error).await,
        }
    }

    async fn send_client_side(
        &self,
        coordinator: &SharedCoordinator,
        repository: &Repository,
    ) -> Result<AttemptResult, Error> {
        if !self.may_be_applied() && self.is_too_late(repository) {
            return Ok(AttemptResult::RunAgain);
        }
        match coordinator.send(repository, &self.rows, &self.ranges).await {
            Ok(AttemptResult::Refused(mut refused)) => {
                for refused in &mut refused.actions {
                    let sent = self.actions.iter().position(|action| action.index == Some(refused.index));
                    refused.index = sent.unwrap_or_default();
                }
                match self.classify_refusal(repository, refused).await? {
                    // The attempt's transaction ID is aborted, so the same attempt cannot pass.
                    AttemptResult::SendAgain => Ok(AttemptResult::RunAgain),
                    result => Ok(result),
                }
            }
            Ok(result) => Ok(result),
            Err(error) => {
                let error = error.of_entities("transaction", self.rows.iter().map(|row| row.of.schema.entity));
                self.classify_error(repository, error).await
            }
        }
    }

    /// Classifies an error. A mistake of the caller counts only if everything that was read was true at one moment; otherwise,
    /// the closure may have made the mistake because of rows that never existed together.
    async fn classify_error(&self, repository: &Repository, error: Error) -> Result<AttemptResult, Error> {
        let are_reads_valid = || are_of_one_moment(repository, &self.rows, &self.ranges, &self.priority);
        if error.is_invalid_input() && !self.may_be_applied() && !are_reads_valid().await? {
            return Ok(AttemptResult::RunAgain);
        }
        Err(error)
    }

    /// Returns `true` if the attempt is too old to be sent.
    fn is_too_late(&self, repository: &Repository) -> bool {
        self.time.is_some_and(|(run, limit)| run.until(repository.moment()) >= limit)
    }

    /// Returns `true` if the rows are of other tables than this repository's.
    fn is_of_other_tables(&self, repository: &Repository) -> Result<bool, Error> {
        for row in &self.rows {
            if (row.of.tables)(repository)? != row.tables {
                return Ok(true);
            }
        }
        for range in &self.ranges {
            if range.is_of_other_table(repository)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the rows to claim if the attempt loses: the rows of a client-side attempt.
    pub(crate) fn claim_targets(&self) -> Vec<ClaimTarget> {
        if matches!(self.sent, Sent::ClientSide(_)) { claim_targets(&self.rows) } else { Vec::new() }
    }

    /// Returns `true` if the attempt may have been applied, or may still be.
    pub(crate) fn may_be_applied(&self) -> bool {
        match &self.sent {
            Sent::Single { command, tables, .. } => command.may_be_applied(&tables.main),
            Sent::Native(command) => command.may_be_applied(),
            Sent::ClientSide(coordinator) => coordinator.may_be_committed.load(Ordering::SeqCst),
        }
    }

    /// Classifies a refusal, whose actions have the positions in `self.actions` as their numbers. It is the caller's refusal only
    /// if each refusing row is as it was read, or was not read, and all of these rows were true at one moment together with
    /// everything else that was read.
    async fn classify_refusal(
        &self,
        repository: &Repository,
        mut refused: RefusedTransaction,
    ) -> Result<AttemptResult, Error> {
        let is_client_side = matches!(self.sent, Sent::ClientSide(_));
        let (mut refusing, mut is_recorded) = (Vec::new(), false);
        for RefusedAction { index, refused, .. } in &mut refused.actions {
            let Some(action) = self.actions.get(*index) else { continue };
            let (Some(own), row) = (action.index, &self.rows[action.row]) else { return Ok(AttemptResult::RunAgain) };
            *index = own;
            // The history already has a revision of the write's number.
            if refused.reasons.iter().any(|reason| matches!(reason, Reason::Recorded { .. })) {
                is_recorded = true;
                // A native transaction demands all rows as they were read, at the moment at which the history refuses it.
                if !is_client_side {
                    continue;
                }
            }
            // The row itself would have let the write pass.
            if refused.item.is_none() && refused.reasons.iter().any(is_of_guard) {
                is_recorded = true;
                continue;
            }
            // The folded write was made from a row that has changed, although no program counted the change.
            if row.actions.len() > 1 && refused.reasons == [Reason::Changed] {
                return Ok(AttemptResult::RunAgain);
            }
            match &row.read {
                Some(read) if is_same(row.of.schema, read.as_ref(), refused.item.as_ref()) => {}
                Some(_) => return Ok(AttemptResult::RunAgain),
                None => refusing.push((row, refused.item.clone())),
            }
        }
        let mut rows: Vec<ReadRow<'_>> = self.rows.iter().filter_map(ReadRow::of).collect();
        let read_by_closure = rows.len();
        rows.extend(refusing.iter().map(|(row, item)| ReadRow { row, item: item.as_ref() }));
        // A single row was true when it was read. But if its history refused a client-side attempt, that was read later.
        let is_single = rows.len() < 2 && !(is_recorded && is_client_side);
        let changed = if is_single { Vec::new() } else { changed_rows(repository, &rows).await? };
        Ok(match changed.first() {
            None if !hold(repository, &self.rows, &self.ranges, &self.priority, &[]).await? => AttemptResult::RunAgain,
            None => AttemptResult::Refused(refused),
            Some(first) if *first < read_by_closure => AttemptResult::RunAgain,
            Some(_) => AttemptResult::SendAgain,
        })
    }
}

/// Returns `true` if a unique value is the reason: another item has it, or another program has written its guard.
fn is_of_guard(reason: &Reason) -> bool {
    let is_taken = matches!(reason, Reason::Taken { .. } | Reason::TakenByOtherEntity { .. });
    is_taken || matches!(reason, Reason::Corrupt { attribute: names::HOLDER, .. })
}

/// Returns the rows to claim. A claim cannot keep new rows out of a range, so the rows that the closure only read by a query are
/// left out.
pub(crate) fn claim_targets(rows: &[Row]) -> Vec<ClaimTarget> {
    // An attempt with a claim is sent client-side, which cannot claim unique values.
    if rows.iter().any(|row| !row.actions.is_empty() && !row.of.schema.unique.is_empty()) {
        return Vec::new();
    }
    rows.iter().filter(|row| !row.is_ranged || !row.actions.is_empty()).map(ClaimTarget::of).collect()
}

fn other_tables() -> Error {
    Error::invalid(
        "the transaction was already sent to other tables, and its clones are the same transaction: build a new one",
    )
}

/// The error of an attempt whose idempotency keys carry the time of the run: stored now, they would be forgotten too early.
fn too_late() -> Error {
    let message = "the transaction may have been applied, and is not sent again after `max_skew_secs`, because its idempotency keys would expire too early: load the items and decide";
    Error::new(ErrorKind::OutcomeUnknown, message)
}
