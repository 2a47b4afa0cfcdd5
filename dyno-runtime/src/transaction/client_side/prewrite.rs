//! One intent is placed; whoever else has the item under way is settled, or waited for.

use super::evaluate_action::{Comes, comes};
use super::history_numbers::Histories;
use super::participant::{Leg, OPERATION};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::{
    About, Answer, Ask, Attempts, ItemRef, MOST_INTENTS, Priority, Repeat, Repository, Until, write_row,
};
use crate::rule::Refused;
use crate::transaction::closure::{Row, is_same};
use crate::transaction::native::named;
use crate::transaction::record::{Intent, Ticket, image_pages, is_of, place};
use crate::transaction::resolve::{free, of_lanes};
use std::sync::atomic::{AtomicBool, Ordering};

/// All that the legs of a try have in common.
pub(crate) struct Placing<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) ticket: &'a Ticket,
    pub(crate) priority: &'a Priority,
    pub(crate) until: &'a Until,
    pub(crate) rows: &'a [Row],
    pub(crate) now: EpochMillis,
    /// Whether the try is lost already, so that what is not sent need not be.
    pub(crate) is_lost: &'a AtomicBool,
}

/// What has become of a leg.
pub(crate) enum Answered {
    There(Box<Leg>),
    /// Others have changed the item, or the try was lost before.
    Moved,
    /// The write is refused by what is there.
    Refused(Refused),
    /// It is not placed, for this.
    Failed(Error),
    /// It may be placed.
    Unclear(Box<Leg>, Error),
}

impl Placing<'_> {
    pub(crate) async fn place(&self, leg: &Leg) -> Answered {
        let placed = if self.is_lost.load(Ordering::Relaxed) { Answered::Moved } else { self.send(leg.clone()).await };
        if !matches!(placed, Answered::There(_)) {
            self.is_lost.store(true, Ordering::Relaxed);
        }
        placed
    }

    async fn send(&self, mut leg: Leg) -> Answered {
        for _ in 0..MOST_INTENTS {
            let there = match self.send_once(&mut leg).await {
                Ok(Sent::Placed) => return Answered::There(Box::new(leg)),
                Ok(Sent::Denied(there)) => there,
                Err(placed) => return placed,
            };
            if leg.claimed.as_ref().is_some_and(|(claim, _)| is_of(there.as_ref(), claim)) {
                return Answered::Moved;
            }
            // Whoever has waited for too long has taken the claim away.
            leg.claimed = None;
            let there = match free(self.repository, leg.caller(self.priority), &leg.at, there).await {
                Ok(there) => there,
                Err(error) => return Answered::Failed(named(error, leg.index, &leg.action)),
            };
            if is_same(leg.of.schema, leg.base.as_ref(), there.as_ref()) {
                continue;
            }
            if leg.is_read {
                return Answered::Moved;
            }
            // It was taken that nothing was there.
            leg.base = there;
            if let Err(placed) = self.make_anew(&mut leg).await {
                return placed;
            }
        }
        Answered::Moved
    }

    /// Makes what it is to be of what is there.
    async fn make_anew(&self, leg: &mut Leg) -> Result<(), Answered> {
        match comes(leg.index, &leg.action, leg.base.as_ref(), &self.rows[leg.row], self.now) {
            Ok(Comes::Made(made)) => leg.become_this(made),
            Ok(Comes::Same) => return Err(Answered::Moved),
            Ok(Comes::Refused(refused)) => return Err(Answered::Refused(refused)),
            Err(error) => return Err(Answered::Failed(error)),
        }
        let Self { repository, rows: all, priority, now, .. } = *self;
        match (Histories { repository, all, priority, claim: None, now }).record_one(leg).await {
            Ok(None) => Ok(()),
            Ok(Some(refused)) => Err(Answered::Refused(refused)),
            Err(error) => Err(Answered::Failed(error)),
        }
    }

    async fn send_once(&self, leg: &mut Leg) -> Result<Sent, Answered> {
        if self.until.is_over() {
            return Err(Answered::Moved);
        }
        let intent = leg.intend(self.ticket, self.priority).clone();
        leg.check().map_err(Answered::Failed)?;
        self.page(leg, &intent).await?;
        let row = place(leg.of.schema, &leg.at, leg.base(), &intent);
        let row = row.map_err(|error| Answered::Failed(named(error, leg.index, &leg.action)))?;
        let attempts = Attempts::default();
        let about = About::new(OPERATION, leg.of.schema.entity, &leg.at.table);
        let ask = Ask::write(about, &attempts, Repeat::Freely);
        let ask = Ask { until: Some(self.until.clone()), ..ask };
        match write_row(self.repository, ask, row).await {
            Ok(Answer::Done(_)) => Ok(Sent::Placed),
            // An earlier attempt of this very request.
            Ok(Answer::Denied(there)) if is_of(there.as_ref(), self.ticket) => Ok(Sent::Placed),
            Ok(Answer::Denied(there)) => Ok(Sent::Denied(there)),
            Err(error) if attempts.may_be_applied() => {
                Err(Answered::Unclear(Box::new(leg.clone()), named(error, leg.index, &leg.action)))
            }
            Err(error) => Err(Answered::Failed(named(error, leg.index, &leg.action))),
        }
    }
}

impl Placing<'_> {
    /// Puts what is too much for the intent where it says that it is.
    async fn page(&self, leg: &mut Leg, intent: &Intent) -> Result<(), Answered> {
        if intent.pages.is_none() || leg.is_paged {
            return Ok(());
        }
        let failed = |error| Answered::Failed(named(error, leg.index, &leg.action));
        let table = self.repository.lane_table().map_err(failed)?;
        for page in image_pages(&table, intent, self.repository.now()) {
            let (attempts, about) = (Attempts::default(), About::new(OPERATION, leg.of.schema.entity, &table));
            let ask = Ask::write(about, &attempts, Repeat::Freely);
            let ask = Ask { until: Some(self.until.clone()), ..ask };
            write_row(self.repository, ask, page).await.map_err(of_lanes).map_err(failed)?;
        }
        leg.is_paged = true;
        Ok(())
    }
}

enum Sent {
    Placed,
    Denied(Option<Item>),
}

/// The items of these legs.
pub(crate) fn places(legs: &[Leg]) -> Vec<ItemRef> {
    legs.iter().map(|leg| leg.at.clone()).collect()
}
