//! Prewrites one intent. If the item holds an intent of another transaction, it resolves that intent first, or waits for it.

use super::attempt_requests::write_until;
use super::evaluate_action::evaluate;
use super::history_numbers::Histories;
use super::participant::Participant;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::{Answer, Attempts, MOST_INTENTS, Priority, Repository, SendDeadline};
use crate::rule::Refused;
use crate::transaction::attempt::{Row, is_same};
use crate::transaction::record::explain_lane_error;
use crate::transaction::record::{TransactionId, has_intent_of, image_pages, prewrite};
use crate::transaction::resolve::read_when_free;
use std::sync::atomic::{AtomicBool, Ordering};

/// The state that all participants of an attempt share.
pub(crate) struct Prewriter<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) transaction_id: &'a TransactionId,
    pub(crate) priority: &'a Priority,
    pub(crate) until: &'a SendDeadline,
    pub(crate) rows: &'a [Row],
    pub(crate) now: EpochMillis,
    /// Whether the attempt can no longer commit, because a prewrite failed or another process owns the lane. Then further
    /// prewrites are useless.
    pub(crate) is_lost: AtomicBool,
}

/// The reason why an intent is not known to be in its item.
pub(crate) enum PrewriteFailure {
    /// Another writer changed the item, or the attempt was lost before.
    Conflict,
    /// The item refuses the write.
    Refused(Refused),
    /// The prewrite ended in this error, and was not applied.
    Error(Error),
    /// The prewrite ended in this error, and may have been applied.
    InDoubt(Error),
}

impl From<Error> for PrewriteFailure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl Prewriter<'_> {
    /// Prewrites the intent of a participant. If that fails, the other participants stop as well.
    pub(crate) async fn prewrite(&self, participant: &mut Participant) -> Result<(), PrewriteFailure> {
        if self.is_lost.load(Ordering::Relaxed) {
            return Err(PrewriteFailure::Conflict);
        }
        let prewritten = self.send(participant).await;
        if prewritten.is_err() {
            self.is_lost.store(true, Ordering::Relaxed);
        }
        prewritten
    }

    async fn send(&self, participant: &mut Participant) -> Result<(), PrewriteFailure> {
        for _ in 0..MOST_INTENTS {
            let found = match self.send_once(participant).await? {
                Answer::Done(()) => return Ok(()),
                Answer::Denied(found) => found,
            };
            if participant.claimed.as_ref().is_some_and(|(claim, _)| has_intent_of(found.as_ref(), claim)) {
                return Err(PrewriteFailure::Conflict);
            }
            // A process that waited for too long aborted the claim.
            participant.claimed = None;
            let caller = participant.caller(self.priority);
            let found = read_when_free(self.repository, caller, &participant.at, found).await;
            let found = participant.named(found)?;
            if is_same(participant.schema(), participant.base.as_ref(), found.as_ref()) {
                continue;
            }
            if participant.is_read {
                return Err(PrewriteFailure::Conflict);
            }
            // The participant assumed that there was no item.
            participant.base = found;
            self.evaluate_again(participant).await?;
        }
        Err(PrewriteFailure::Conflict)
    }

    /// Evaluates the action against the item that was found.
    async fn evaluate_again(&self, participant: &mut Participant) -> Result<(), PrewriteFailure> {
        let Self { repository, rows, priority, now, .. } = *self;
        let row = &rows[participant.row];
        match evaluate(participant.index, &participant.action, participant.base.as_ref(), row, now)? {
            Ok(Some(new)) => participant.replace(new),
            Ok(None) => return Err(PrewriteFailure::Conflict),
            Err(refused) => return Err(PrewriteFailure::Refused(*refused)),
        }
        match (Histories { repository, rows, priority, claim: None, now }).number_one(participant).await? {
            None => Ok(()),
            Some(refused) => Err(PrewriteFailure::Refused(refused)),
        }
    }

    /// Sends the prewrite. A denial returns the item that was found.
    async fn send_once(&self, participant: &mut Participant) -> Result<Answer<(), Option<Item>>, PrewriteFailure> {
        if self.until.is_over() {
            return Err(PrewriteFailure::Conflict);
        }
        let intent = participant.intend(self.transaction_id, self.priority)?.clone();
        self.write_pages(participant).await?;
        let claim = participant.claimed.as_ref().map(|(claim, _)| claim);
        let row = prewrite(participant.schema(), &participant.at, participant.base.as_ref(), claim, &intent);
        let (row, attempts) = (participant.named(row)?, Attempts::default());
        let caller = participant.caller(self.priority);
        match participant.named(write_until(self.repository, caller, self.until, &attempts, row).await) {
            Ok(Answer::Denied(found)) if !has_intent_of(found.as_ref(), self.transaction_id) => {
                Ok(Answer::Denied(found))
            }
            // If DynamoDB denied it and the item has this very intent, an earlier request attempt passed.
            Ok(_) => Ok(Answer::Done(())),
            Err(error) if attempts.may_be_applied() => Err(PrewriteFailure::InDoubt(error)),
            Err(error) => Err(PrewriteFailure::Error(error)),
        }
    }

    /// Writes the pages of an intent that is too large for the item.
    async fn write_pages(&self, participant: &mut Participant) -> Result<(), PrewriteFailure> {
        let Some(intent) = participant.intent.as_ref().filter(|intent| intent.pages.is_some()) else { return Ok(()) };
        if participant.is_paged {
            return Ok(());
        }
        let table = participant.named(self.repository.lane_table())?;
        for page in image_pages(&table, intent, self.repository.now()) {
            let caller = participant.caller(self.priority);
            let written = write_until(self.repository, caller, self.until, &Attempts::default(), page).await;
            participant.named(written.map_err(explain_lane_error))?;
        }
        participant.is_paged = true;
        Ok(())
    }
}
