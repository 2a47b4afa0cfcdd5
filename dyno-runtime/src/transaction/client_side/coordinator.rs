//! One try is sent, step by step, as its course says.

use super::claim::Claim;
use super::commit_states::{Course, End, Heard, Step};
use super::heartbeat::keep_alive;
use super::history_numbers::are_free_still;
use super::outcome_errors::{missing_head, silent, unbegun, unknown, versions};
use super::participant::{Leg, OPERATION, check_indexes};
use super::participant_pages::{page_rows, write_pages};
use super::prewrite::{Answered, Placing, places};
use crate::error::Error;
use crate::exchange::{About, Answer, Ask, Attempts, Caller, Moment, Priority, Repeat, Repository, Until, write_row};
use crate::transaction::closure::{Range, Row, are_free, hold};
use crate::transaction::lanes::{Lane, take};
use crate::transaction::native::RefusedAction;
use crate::transaction::record::{Fate, Head, Ticket, commit, pages};
use crate::transaction::resolve::{Overwritten, end, head_of, of_lanes, trace_events};
use futures_util::future::{Either, join, select};
use futures_util::stream::{self, StreamExt as _};
use std::any::TypeId;
use std::collections::HashSet;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How many requests of a transaction are under way at once.
pub(crate) const CONCURRENCY: usize = 100;

/// For how long intents, and a commit, are sent after the try began: far below the days for which a tombstone is kept, so that
/// none of them comes when the tombstone of what it expects is gone (M6).
pub(crate) const LIMIT: Duration = Duration::from_mins(15);

/// How often a commit is asked for whose answer was lost, before it is said that its outcome is open.
const ASKED: u32 = 4;

/// A try, and how far it has come.
pub(crate) struct Try {
    pub(crate) legs: Vec<Leg>,
    /// When the run began that has made it, and for how long it may be sent.
    pub(crate) made: Moment,
    limit: Duration,
    pub(crate) priority: Priority,
    /// What keeps others out already.
    claim: Option<Claim>,
    pub(crate) begun: Option<Begun>,
    /// The items that another program wrote over before they were applied.
    pub(crate) overwritten: Vec<Overwritten>,
}

/// What a try has from when it is sent.
pub(crate) struct Begun {
    course: Course,
    pub(crate) ticket: Ticket,
    /// What the lane has committed before it.
    previous: u64,
    until: Until,
    /// The attempts of the commit.
    attempts: Attempts,
    /// How often it was asked what became of it.
    asked: u32,
    /// Its lane, until that goes back.
    lane: Option<Lane>,
    refused: Vec<RefusedAction>,
    error: Option<Error>,
}

/// How a try ended.
#[derive(Clone)]
pub(crate) enum Ended {
    Applied {
        /// For each action, by its number, what it stored.
        versions: Vec<(TypeId, Option<u64>)>,
        /// How many items do not show it yet.
        unapplied: usize,
        /// The items that another program wrote over before they were applied.
        overwritten: Vec<Overwritten>,
    },
    Refused(Vec<RefusedAction>),
    /// Others were faster, or made it void.
    Lost,
}

impl Try {
    /// A try of these, made at this time, which may be sent for so long.
    pub(crate) fn new(legs: Vec<Leg>, made: Moment, limit: Duration, priority: Priority, claim: Option<Claim>) -> Self {
        Self { legs, made, limit, priority, claim, begun: None, overwritten: Vec::new() }
    }

    /// Sends it; or goes on where an earlier sending was dropped. `note` is told when it may be committed, and when not.
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
            let heard = match step {
                Step::Place { legs, pages } => self.place(repository, rows, &legs, pages).await,
                Step::Validate => self.validate(repository, rows, ranges).await,
                Step::Commit => self.commit(repository).await,
                Step::Ask => self.ask(repository).await,
                Step::Apply(legs) => self.apply(repository, &legs).await,
                Step::Undo(legs) => self.undo(repository, &legs).await,
                Step::End(end) => {
                    let is_clear = match &mut self.claim {
                        Some(claim) if end != End::InDoubt => claim.take_away(repository).await,
                        _ => true,
                    };
                    return self.end(end, is_clear);
                }
            };
            if let Some(begun) = &mut self.begun
                && let Some(state) = begun.course.hear(&heard)
            {
                trace_events::attempt(&begun.ticket, state, self.legs.len());
            }
        }
    }

    async fn begin(&mut self, repository: &Repository) -> Result<Begun, Error> {
        let claimed = self.claim.as_mut().and_then(|claim| claim.lane.take());
        let lane = async {
            match claimed {
                Some(lane) => Ok(lane),
                None => take(repository, self.caller()).await,
            }
        };
        // At once: the first time that a table is written, its indexes are asked for.
        let mut lane = match join(lane, check_indexes(repository, self.caller(), &self.legs)).await {
            (lane, Ok(())) => lane?,
            (lane, Err(error)) => {
                lane.into_iter().for_each(Lane::give_back);
                return Err(error);
            }
        };
        let ticket = lane.ticket()?;
        // Of two that began at once, others must see the same one as the older.
        self.priority.name = ticket.to_string();
        for leg in &mut self.legs {
            leg.intend(&ticket, &self.priority);
        }
        if let Err(error) = self.legs.iter().try_for_each(Leg::check) {
            lane.give_back();
            return Err(error);
        }
        let has_pages = !pages("", &ticket, &places(&self.legs), self.made.wall).is_empty();
        Ok(Begun {
            course: Course::new(self.legs.len(), has_pages),
            previous: lane.previous(),
            ticket,
            until: Until::new(repository.clock(), self.made, self.limit),
            attempts: Attempts::default(),
            asked: 0,
            lane: Some(lane),
            refused: Vec::new(),
            error: None,
        })
    }

    /// What its requests to its lane are about.
    fn caller(&self) -> Caller<'_> {
        let entity = self.legs.first().map_or("", |leg| leg.of.schema.entity);
        Caller { operation: OPERATION, entity, priority: Some(&self.priority) }
    }

    /// Places the intents, and the pages; meanwhile, the lane is kept alive.
    async fn place(&mut self, repository: &Repository, rows: &[Row], legs: &[usize], has_pages: bool) -> Vec<Heard> {
        let Self { legs: all, made, priority, claim, begun, .. } = self;
        let Some(begun) = begun else { return Vec::new() };
        let Begun { ticket, until, lane, refused, error, .. } = begun;
        let is_lost = AtomicBool::new(false);
        let placing = Placing { repository, ticket, priority, until, rows, now: made.wall, is_lost: &is_lost };
        let (placing, all_legs) = (&placing, &*all);
        let caller = Caller { operation: OPERATION, entity: "", priority: None };
        let page_rows = if has_pages { page_rows(repository, ticket, all_legs) } else { Ok(Vec::new()) };
        let placed = {
            let placed = stream::iter(legs.iter().copied())
                .map(|leg| async move { (leg, placing.place(&all_legs[leg]).await) })
                .buffer_unordered(CONCURRENCY)
                .collect::<Vec<_>>();
            let paged = write_pages(repository, caller, page_rows);
            let both = pin!(join(placed, paged));
            let beats = pin!(keep_alive(repository, caller, lane));
            match select(both, beats).await {
                Either::Left((both, _)) => both,
                // It is another's: what is under way is heard, and then given up.
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
                Answered::There(leg) => {
                    if let (Some(claim), Some((_, name))) = (claim.as_mut(), &leg.claimed) {
                        claim.replaced(name);
                    }
                    all[at] = *leg;
                    Heard::Placed(at)
                }
                Answered::Moved => Heard::Kept(at),
                Answered::Refused(refusal) => {
                    let leg = &all[at];
                    refused.push(RefusedAction { index: leg.index, entity: leg.of.entity, refused: refusal });
                    Heard::Kept(at)
                }
                Answered::Failed(failed) => {
                    error.get_or_insert(failed);
                    Heard::Kept(at)
                }
                Answered::Unclear(leg, failed) => {
                    all[at] = *leg;
                    error.get_or_insert(failed);
                    Heard::Unclear(at)
                }
            });
        }
        match paged {
            Ok(()) => heard.push(Heard::Paged),
            Err(failed) => {
                error.get_or_insert(failed);
                heard.push(Heard::Lost);
            }
        }
        heard
    }

    /// Reads once more what was only read, now that all intents are in place.
    async fn validate(&mut self, repository: &Repository, rows: &[Row], ranges: &[Range]) -> Vec<Heard> {
        let written: HashSet<usize> = self.legs.iter().map(|leg| leg.row).collect();
        let only_read =
            rows.iter().enumerate().filter(|(at, row)| row.read.is_some() && !row.is_ranged && !written.contains(at));
        let only_read: Vec<&Row> = only_read.map(|(_, row)| row).collect();
        let Self { legs, claim, priority, begun, .. } = self;
        let Some(Begun { ticket, lane, error, .. }) = begun else { return Vec::new() };
        let claim = claim.as_ref().map(|claim| &claim.ticket);
        let own: Vec<&Ticket> = claim.into_iter().chain([&*ticket]).collect();
        let is_valid = pin!(async {
            Ok(are_free(repository, &only_read, priority, claim).await?
                && hold(repository, rows, ranges, priority, &own).await?
                && are_free_still(repository, legs, priority).await?)
        });
        // That can take long, where others hold what was read.
        let caller = Caller { operation: OPERATION, entity: "", priority: None };
        let is_valid = match select(is_valid, pin!(keep_alive(repository, caller, lane))).await {
            Either::Left((is_valid, _)) => is_valid,
            Either::Right(((), _)) => Ok(false),
        };
        match is_valid {
            Ok(true) => vec![Heard::Valid],
            Ok(false) => vec![Heard::Lost],
            Err(failed) => {
                error.get_or_insert(failed);
                vec![Heard::Lost]
            }
        }
    }

    /// Decides it.
    async fn commit(&mut self, repository: &Repository) -> Vec<Heard> {
        let heard = self.try_commit(repository).await;
        vec![heard.unwrap_or_else(|error| {
            let is_open = self.begun.as_ref().is_some_and(|begun| begun.attempts.may_be_applied());
            self.failed(error);
            if is_open { Heard::Asked } else { Heard::Void }
        })]
    }

    async fn try_commit(&mut self, repository: &Repository) -> Result<Heard, Error> {
        let Self { legs, begun, .. } = self;
        let Some(Begun { ticket, previous, until, attempts, lane, .. }) = begun else { return Err(unbegun()) };
        if until.is_over() {
            return Ok(if attempts.may_be_applied() { Heard::Asked } else { Heard::Void });
        }
        let (table, now) = (repository.lane_table()?, repository.now());
        let row = commit(&table, ticket, *previous, &places(legs), now)?;
        let about = About::new(OPERATION, "", &table);
        let ask = Ask { until: Some(until.clone()), ..Ask::write(about, attempts, Repeat::Freely) };
        match write_row(repository, ask, row).await.map_err(of_lanes)? {
            Answer::Done(_) => {
                if let Some(lane) = lane {
                    lane.committed(ticket);
                }
                Ok(Heard::Committed)
            }
            Answer::Denied(Some(item)) => Ok(self.told(&Head::read(&item)?, true)),
            Answer::Denied(None) => Err(missing_head()),
        }
    }

    /// Looks at the lane, what has become of the commit.
    async fn ask(&mut self, repository: &Repository) -> Vec<Heard> {
        vec![self.try_ask(repository).await.unwrap_or_else(|error| {
            self.failed(error);
            Heard::Silent
        })]
    }

    async fn try_ask(&mut self, repository: &Repository) -> Result<Heard, Error> {
        let caller = Caller { operation: OPERATION, entity: "", priority: None };
        let Some(Begun { ticket, until, asked, .. }) = &mut self.begun else { return Err(unbegun()) };
        *asked += 1;
        if *asked > ASKED {
            *asked = 0;
            return Ok(Heard::Silent);
        }
        let there = head_of(repository, caller, ticket).await?;
        let there = match there.fate(ticket) {
            // Nothing may be sent any more: it is made sure that nothing comes.
            Fate::Open if until.is_over() => end(repository, caller, there, ticket).await?,
            _ => there,
        };
        Ok(self.told(&there, false))
    }

    /// What a head says of the commit (M17); where that was refused, it will not be taken any more.
    fn told(&mut self, head: &Head, is_refused: bool) -> Heard {
        let Some(Begun { ticket, previous, lane, error, .. }) = &mut self.begun else { return Heard::Silent };
        let fate = head.fate(ticket);
        // Who commits on it besides has the same memory, after a snapshot or a fork.
        let is_shared = fate != Fate::Committed && head.committed.number != *previous;
        if let Some(lost) = lane.take_if(|lane| is_shared || !lane.is_own(head)) {
            lost.forget();
        }
        match fate {
            Fate::Committed => {
                if let Some(lane) = lane {
                    lane.learned(ticket);
                }
                *error = None;
                Heard::Committed
            }
            Fate::Void | Fate::Open if fate == Fate::Void || is_refused => {
                *error = None;
                Heard::Void
            }
            Fate::Open | Fate::Void => Heard::Asked,
            Fate::Unknown => {
                *error = Some(unknown());
                Heard::Silent
            }
        }
    }

    fn end(&mut self, end: End, is_unclaimed: bool) -> Result<Ended, Error> {
        let Some(begun) = &mut self.begun else { return Err(unbegun()) };
        let lane = begun.lane.take();
        match end {
            // What was not seen to its end goes back to no pool: whoever takes the lane next ends it (M19).
            End::Committed { is_clear: true, .. } | End::Lost { is_clear: true } if is_unclaimed => {
                lane.into_iter().for_each(Lane::give_back);
            }
            End::Committed { .. } | End::Lost { .. } | End::InDoubt => drop(lane),
        }
        match end {
            End::Committed { unapplied, .. } => {
                let (versions, overwritten) = (versions(&self.legs), self.overwritten.clone());
                Ok(Ended::Applied { versions, unapplied, overwritten })
            }
            End::InDoubt => Err(begun.error.take().unwrap_or_else(silent)),
            End::Lost { .. } if !begun.refused.is_empty() => Ok(Ended::Refused(begun.refused.clone())),
            End::Lost { .. } => begun.error.take().map_or(Ok(Ended::Lost), Err),
        }
    }

    fn failed(&mut self, failed: Error) {
        if let Some(begun) = &mut self.begun {
            begun.error.get_or_insert(failed);
        }
    }
}
