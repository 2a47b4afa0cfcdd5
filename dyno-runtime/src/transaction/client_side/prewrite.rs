//! Prewrites one intent. It resolves, or waits for, the intents of other transactions that it meets.

use super::evaluate_action::{Evaluated, evaluate};
use super::history_numbers::Histories;
use super::participant::{OPERATION, Participant};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::{
    About, Answer, Ask, Attempts, ItemRef, MOST_INTENTS, Priority, Repeat, Repository, SendDeadline, write_row,
};
use crate::rule::Refused;
use crate::transaction::closure::{Row, is_same};
use crate::transaction::native::named;
use crate::transaction::record::{Intent, TransactionId, image_pages, is_of, place};
use crate::transaction::resolve::{of_lanes, read_when_free};
use std::sync::atomic::{AtomicBool, Ordering};

/// What all participants of an attempt share.
pub(crate) struct Prewriter<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) transaction_id: &'a TransactionId,
    pub(crate) priority: &'a Priority,
    pub(crate) until: &'a SendDeadline,
    pub(crate) rows: &'a [Row],
    pub(crate) now: EpochMillis,
    /// Whether the attempt has lost already, so that further requests are not needed.
    pub(crate) is_lost: &'a AtomicBool,
}

/// The result of a prewrite.
pub(crate) enum Answered {
    There(Box<Participant>),
    /// Another writer changed the item, or the attempt lost before.
    Moved,
    /// The item refuses the write.
    Refused(Refused),
    /// The intent was not written, because of this error.
    Failed(Error),
    /// The intent may have been written.
    Unclear(Box<Participant>, Error),
}

impl Prewriter<'_> {
    pub(crate) async fn place(&self, participant: &Participant) -> Answered {
        let placed =
            if self.is_lost.load(Ordering::Relaxed) { Answered::Moved } else { self.send(participant.clone()).await };
        if !matches!(placed, Answered::There(_)) {
            self.is_lost.store(true, Ordering::Relaxed);
        }
        placed
    }

    async fn send(&self, mut participant: Participant) -> Answered {
        for _ in 0..MOST_INTENTS {
            let there = match self.send_once(&mut participant).await {
                Ok(Sent::Placed) => return Answered::There(Box::new(participant)),
                Ok(Sent::Denied(there)) => there,
                Err(placed) => return placed,
            };
            if participant.claimed.as_ref().is_some_and(|(claim, _)| is_of(there.as_ref(), claim)) {
                return Answered::Moved;
            }
            // A process that waited for too long aborted the claim.
            participant.claimed = None;
            let there = match read_when_free(self.repository, participant.caller(self.priority), &participant.at, there)
                .await
            {
                Ok(there) => there,
                Err(error) => return Answered::Failed(named(error, participant.index, &participant.action)),
            };
            if is_same(participant.of.schema, participant.base.as_ref(), there.as_ref()) {
                continue;
            }
            if participant.is_read {
                return Answered::Moved;
            }
            // The participant assumed that there was no item.
            participant.base = there;
            if let Err(placed) = self.make_anew(&mut participant).await {
                return placed;
            }
        }
        Answered::Moved
    }

    /// Evaluates the action against what is there.
    async fn make_anew(&self, participant: &mut Participant) -> Result<(), Answered> {
        match evaluate(
            participant.index,
            &participant.action,
            participant.base.as_ref(),
            &self.rows[participant.row],
            self.now,
        ) {
            Ok(Evaluated::Made(made)) => participant.become_this(made),
            Ok(Evaluated::Same) => return Err(Answered::Moved),
            Ok(Evaluated::Refused(refused)) => return Err(Answered::Refused(refused)),
            Err(error) => return Err(Answered::Failed(error)),
        }
        let Self { repository, rows: all, priority, now, .. } = *self;
        match (Histories { repository, all, priority, claim: None, now }).number_one(participant).await {
            Ok(None) => Ok(()),
            Ok(Some(refused)) => Err(Answered::Refused(refused)),
            Err(error) => Err(Answered::Failed(error)),
        }
    }

    async fn send_once(&self, participant: &mut Participant) -> Result<Sent, Answered> {
        if self.until.is_over() {
            return Err(Answered::Moved);
        }
        let intent = participant.intend(self.transaction_id, self.priority).clone();
        participant.check().map_err(Answered::Failed)?;
        self.page(participant, &intent).await?;
        let row = place(participant.of.schema, &participant.at, participant.base(), &intent);
        let row = row.map_err(|error| Answered::Failed(named(error, participant.index, &participant.action)))?;
        let attempts = Attempts::default();
        let about = About::new(OPERATION, participant.of.schema.entity, &participant.at.table);
        let ask = Ask::write(about, &attempts, Repeat::Freely);
        let ask = Ask { deadline: Some(self.until.clone()), ..ask };
        match write_row(self.repository, ask, row).await {
            Ok(Answer::Done(_)) => Ok(Sent::Placed),
            // An earlier request attempt of this very prewrite.
            Ok(Answer::Denied(there)) if is_of(there.as_ref(), self.transaction_id) => Ok(Sent::Placed),
            Ok(Answer::Denied(there)) => Ok(Sent::Denied(there)),
            Err(error) if attempts.may_be_applied() => Err(Answered::Unclear(
                Box::new(participant.clone()),
                named(error, participant.index, &participant.action),
            )),
            Err(error) => Err(Answered::Failed(named(error, participant.index, &participant.action))),
        }
    }
}

impl Prewriter<'_> {
    /// Writes the pages of an intent that is too large for the item.
    async fn page(&self, participant: &mut Participant, intent: &Intent) -> Result<(), Answered> {
        if intent.pages.is_none() || participant.is_paged {
            return Ok(());
        }
        let failed = |error| Answered::Failed(named(error, participant.index, &participant.action));
        let table = self.repository.lane_table().map_err(failed)?;
        for page in image_pages(&table, intent, self.repository.now()) {
            let (attempts, about) = (Attempts::default(), About::new(OPERATION, participant.of.schema.entity, &table));
            let ask = Ask::write(about, &attempts, Repeat::Freely);
            let ask = Ask { deadline: Some(self.until.clone()), ..ask };
            write_row(self.repository, ask, page).await.map_err(of_lanes).map_err(failed)?;
        }
        participant.is_paged = true;
        Ok(())
    }
}

enum Sent {
    Placed,
    Denied(Option<Item>),
}

/// Returns the items of these participants.
pub(crate) fn places(participants: &[Participant]) -> Vec<ItemRef> {
    participants.iter().map(|participant| participant.at.clone()).collect()
}
