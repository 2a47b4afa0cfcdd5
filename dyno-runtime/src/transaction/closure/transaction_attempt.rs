//! One transaction attempt: it is sent, sent again if its answer was lost, and returns the outcome.
//!
//! An attempt keeps its identity. Sent again, by this transaction or by a clone, a native transaction has the same token, and a
//! single write has the same write id.

use super::read_ranges::Range;
use super::read_write_set::Row;
use super::row_identity::is_same;
use super::stored_versions::{StoredVersions, Versions, by_action};
use super::validate_reads::{Seen, are_of_one_moment, hold, moved, seen};
use crate::error::{Error, ErrorKind};
use crate::exchange::{Moment, Priority, Repository};
use crate::rule::Reason;
use crate::schema::Tables;
use crate::transaction::client_side::{ClaimTarget, Coordinator};
use crate::transaction::native::{Concluded, RefusedAction, RefusedTransaction, TransactionCommand};
use crate::transaction::resolve::Overwritten;
use crate::write::{WriteCommand, Written};
use futures_util::lock::Mutex;
use std::any::TypeId;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What is sent for one run of the closure.
pub(crate) struct Attempt {
    pub(crate) sent: Sent,
    pub(crate) parts: Vec<Part>,
    pub(crate) rows: Vec<Row>,
    pub(crate) ranges: Vec<Range>,
    pub(crate) priority: Priority,
    /// The time of the run, if its result depends on that time, and how long it may be sent.
    pub(crate) time: Option<(Moment, Duration)>,
    /// The versions that the closure's handles show after the commit.
    pub(crate) stored: StoredVersions,
}

pub(crate) enum Sent {
    /// A single write: one row is written, and no other was read.
    Alone {
        command: Box<WriteCommand>,
        entity: TypeId,
        tables: Tables,
    },
    Together(TransactionCommand),
    /// Client-side: each row by requests of its own.
    Apart(Box<Apart>),
}

/// A client-side attempt that clones share. A second sender waits for the first one; at the same time, one could abort what the
/// other commits.
pub(crate) struct Apart {
    tried: Mutex<Coordinator>,
    /// Whether it may be committed.
    is_open: AtomicBool,
    /// The outcome, for a clone that waited.
    ended: OnceLock<AttemptResult>,
}

impl Apart {
    pub(crate) fn new(tried: Coordinator) -> Self {
        Self { tried: Mutex::new(tried), is_open: AtomicBool::new(false), ended: OnceLock::new() }
    }

    async fn send(&self, repository: &Repository, rows: &[Row], ranges: &[Range]) -> Result<AttemptResult, Error> {
        let mut tried = self.tried.lock().await;
        if let Some(ended) = self.ended.get() {
            return Ok(ended.clone());
        }
        let note = |may_be_committed| self.is_open.store(may_be_committed, Ordering::SeqCst);
        let ended = tried.send(repository, rows, ranges, note).await?;
        Ok(self.ended.get_or_init(|| ended).clone())
    }
}

/// What an attempt stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) versions: Versions,
    /// The number of items that do not show it yet.
    pub(crate) unapplied: usize,
    /// The items that another program wrote over before they were rolled forward.
    pub(crate) overwritten: Vec<Overwritten>,
}

/// A write or a check of the attempt.
pub(crate) struct Part {
    /// The number of its action; `None` if the row was only read.
    pub(crate) index: Option<usize>,
    /// The index of its row.
    pub(crate) row: usize,
}

/// DynamoDB's answer to one request.
enum NativeAnswer {
    /// The version that each part stored, where it is known.
    Applied(Vec<Option<u64>>),
    Refused(RefusedTransaction),
}

/// The outcome of a transaction attempt.
#[derive(Clone)]
pub(crate) enum AttemptResult {
    Applied(Report),
    Refused(RefusedTransaction),
    /// What was read has changed, so nothing was applied, now or later: the closure must run again.
    Moved,
    /// What refused the attempt no longer exists, and what was read is unchanged: the same attempt may pass now.
    Shifted,
}

impl Attempt {
    pub(crate) async fn send(&self, repository: &Repository) -> Result<AttemptResult, Error> {
        let came = self.send_once(repository).await?;
        if let AttemptResult::Applied(report) = &came {
            self.stored.set(&report.versions);
        }
        Ok(came)
    }

    async fn send_once(&self, repository: &Repository) -> Result<AttemptResult, Error> {
        if self.is_elsewhere(repository)? {
            return if self.is_open() { Err(elsewhere()) } else { Ok(AttemptResult::Moved) };
        }
        if let Sent::Apart(apart) = &self.sent {
            return self.send_apart(apart, repository).await;
        }
        if self.is_late(repository) {
            return if self.is_open() { Err(late()) } else { Ok(AttemptResult::Moved) };
        }
        match self.exchange(repository).await {
            Ok(NativeAnswer::Applied(versions)) => {
                let stored = self.parts.iter().map(|part| part.row).zip(versions);
                let versions = by_action(&self.rows, stored);
                Ok(AttemptResult::Applied(Report { versions, ..Report::default() }))
            }
            Ok(NativeAnswer::Refused(refused)) => self.judge(repository, refused).await,
            Err(error) => self.judge_error(repository, error).await,
        }
    }

    /// Sends the attempt client-side.
    async fn send_apart(&self, apart: &Apart, repository: &Repository) -> Result<AttemptResult, Error> {
        if !self.is_open() && self.is_late(repository) {
            return Ok(AttemptResult::Moved);
        }
        match apart.send(repository, &self.rows, &self.ranges).await {
            Ok(AttemptResult::Refused(mut refused)) => {
                for action in &mut refused.actions {
                    let part = self.parts.iter().position(|part| part.index == Some(action.index));
                    action.index = part.unwrap_or_default();
                }
                match self.judge(repository, refused).await? {
                    // Its transaction ID is aborted.
                    AttemptResult::Shifted => Ok(AttemptResult::Moved),
                    came => Ok(came),
                }
            }
            Ok(result) => Ok(result),
            Err(error) => self.judge_error(repository, error).await,
        }
    }

    /// Judges an error. A mistake of the caller counts only if everything that was read was true at one moment: the closure may have made
    /// it because of rows that never were.
    async fn judge_error(&self, repository: &Repository, error: Error) -> Result<AttemptResult, Error> {
        if error.is_invalid_input() && !self.is_open() && !self.is_valid(repository).await? {
            return Ok(AttemptResult::Moved);
        }
        Err(error)
    }

    /// Whether everything that was read was true at one moment.
    async fn is_valid(&self, repository: &Repository) -> Result<bool, Error> {
        are_of_one_moment(repository, &self.rows, &self.ranges, &self.priority).await
    }

    /// Whether the attempt is too old to be sent.
    fn is_late(&self, repository: &Repository) -> bool {
        self.time.is_some_and(|(made, limit)| made.until(repository.moment()) >= limit)
    }

    /// Sends the attempt in one request.
    async fn exchange(&self, repository: &Repository) -> Result<NativeAnswer, Error> {
        Ok(match &self.sent {
            Sent::Alone { command, entity, tables } => {
                match command.clone().send(repository, tables.clone(), None).await? {
                    Written::Done(applied) => NativeAnswer::Applied(vec![applied.version]),
                    Written::Denied(refused) => NativeAnswer::Refused(RefusedTransaction::of_one(0, *entity, refused)),
                }
            }
            Sent::Together(command) => match command.send(repository).await? {
                Concluded::Applied(versions) => {
                    NativeAnswer::Applied(versions.into_iter().map(|(_, version)| version).collect())
                }
                Concluded::Refused(refused) => NativeAnswer::Refused(refused),
            },
            Sent::Apart(_) => NativeAnswer::Applied(Vec::new()),
        })
    }

    /// Whether the rows are of other tables than this repository's.
    fn is_elsewhere(&self, repository: &Repository) -> Result<bool, Error> {
        for row in &self.rows {
            if (row.of.tables)(repository)? != row.tables {
                return Ok(true);
            }
        }
        for range in &self.ranges {
            if range.is_elsewhere(repository)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The rows to claim, if the attempt was lost: the rows of a client-side attempt.
    pub(crate) fn wanted(&self) -> Vec<ClaimTarget> {
        if matches!(self.sent, Sent::Apart(_)) { wanted(&self.rows) } else { Vec::new() }
    }

    /// Whether the attempt may have been applied, or may still be.
    pub(crate) fn is_open(&self) -> bool {
        match &self.sent {
            Sent::Alone { command, tables, .. } => command.may_be_applied(&tables.main),
            Sent::Together(command) => command.may_be_applied(),
            Sent::Apart(apart) => apart.is_open.load(Ordering::SeqCst),
        }
    }

    /// Judges a refusal. It is the caller's only if the refusing rows are as they were read, or were not read, and all of them were
    /// true at one moment with everything else that was read.
    async fn judge(&self, repository: &Repository, mut refused: RefusedTransaction) -> Result<AttemptResult, Error> {
        let (mut found, mut is_recorded) = (Vec::new(), false);
        for RefusedAction { index, refused, .. } in &mut refused.actions {
            let Some(part) = self.parts.get(*index) else { continue };
            let (Some(own), row) = (part.index, &self.rows[part.row]) else { return Ok(AttemptResult::Moved) };
            // The number is in the history already.
            if refused.reasons.iter().any(|reason| matches!(reason, Reason::Recorded { .. })) {
                is_recorded = true;
                // The native transaction demanded all rows as they were read, at the moment at which the history refused it.
                if !matches!(self.sent, Sent::Apart(_)) {
                    *index = own;
                    continue;
                }
            }
            // The folded write was made from a row that has changed, even if no program counted the change.
            if row.actions.len() > 1 && refused.reasons == [Reason::Changed] {
                return Ok(AttemptResult::Moved);
            }
            match &row.read {
                Some(read) if is_same(row.of.schema, read.as_ref(), refused.item.as_ref()) => {}
                Some(_) => return Ok(AttemptResult::Moved),
                None => found.push((row, refused.item.clone())),
            }
            *index = own;
        }
        let found = found.iter().map(|(row, item)| Seen { row, item: item.as_ref() });
        let mut seen: Vec<Seen<'_>> = self.rows.iter().filter_map(seen).collect();
        let read = seen.len();
        seen.extend(found);
        // A single row was true when it was read; but its history was read later.
        let is_single = seen.len() < 2 && !(is_recorded && matches!(self.sent, Sent::Apart(_)));
        let moved = if is_single { Vec::new() } else { moved(repository, &seen).await? };
        Ok(match moved.first() {
            None if !hold(repository, &self.rows, &self.ranges, &self.priority, &[]).await? => AttemptResult::Moved,
            None => AttemptResult::Refused(refused),
            Some(first) if *first < read => AttemptResult::Moved,
            Some(_) => AttemptResult::Shifted,
        })
    }
}

/// Returns the rows to claim. A claim cannot keep new rows out of a range, so rows that a range only read are left out.
pub(crate) fn wanted(rows: &[Row]) -> Vec<ClaimTarget> {
    rows.iter().filter(|row| !row.is_ranged || !row.actions.is_empty()).map(ClaimTarget::of).collect()
}

fn elsewhere() -> Error {
    Error::invalid(
        "the transaction has been sent to other tables already, and its clones are the same one: make another",
    )
}

/// Idempotency keys are stored as of the time of the run. Stored now, they would be forgotten too early.
fn late() -> Error {
    Error::new(
        ErrorKind::OutcomeUnknown,
        "the transaction may have been applied, and is not sent again later than `max_skew_secs`, since its idempotency keys would be forgotten too early: load the entities and decide",
    )
}
