//! Carries the writes of a native transaction to DynamoDB, all in one request whose contents are kept.

use super::action::named;
use super::native_plan::{Plan, Planned};
use super::transaction_command::{Concluded, RefusedAction, RefusedTransaction, TransactionCommand};
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::transact::send_transaction;
use crate::exchange::{About, Answer, Ask, Cancelled, Denied, Moment, Priority, Repeat, Repository};
use crate::rule::Refused;
use crate::schema::Tables;
use crate::write::drive_writes::{Carrier, CarrierAnswer, Slot};
use crate::write::single_write::{outcome_unknown, refused_for_now};
use crate::write::write_steps::{Conclusion, Denial, OtherAttempts, Retry};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A native transaction under way.
pub(crate) struct Together<'a> {
    command: &'a TransactionCommand,
    /// The time at which it began.
    begun: Moment,
    /// What is sent; at first, what an earlier attempt has left.
    plan: Option<Arc<Plan>>,
}

impl<'a> Together<'a> {
    pub(crate) fn new(command: &'a TransactionCommand, begun: Moment, plan: Option<Arc<Plan>>) -> Self {
        Self { command, begun, plan }
    }

    /// What its requests are about.
    fn about<'p>(&self, plan: &'p Plan) -> About<'p> {
        let entities = self.command.actions.iter().map(|action| action.command.schema.entity);
        let tables = plan.tables.iter().map(Tables::names);
        let entries = entities.zip(tables).flat_map(|(entity, tables)| tables.map(move |table| (entity, table)));
        About::several("transaction", entries)
    }

    /// The error of a transaction that can never pass: the action, and DynamoDB's message.
    fn impossible(&self, plan: &Plan, cancelled: Cancelled) -> Error {
        let (error, at) = cancelled.impossible();
        match at.and_then(|at| plan.parts.iter().position(|planned| planned.at >= at)) {
            Some(index) => self.named(index, error),
            None => error,
        }
    }

    /// Gives the slots the knowledge from which the plan was made.
    fn take_over(plan: &Plan, slots: &mut [Slot<'_>]) {
        for (slot, planned) in slots.iter_mut().zip(&plan.parts) {
            slot.now = plan.now();
            slot.known = planned.known.clone();
            slot.composed = Some(Box::new(planned.part.clone()));
        }
    }

    /// Refuses to report a refusal while a request attempt can still arrive that would pass: DynamoDB does not remember the token
    /// of a cancelled transaction. One action that is refused for good is enough. A duplicate or a superseded write needs no second
    /// chance.
    fn check_lasting(&self, refused: &RefusedTransaction, lasts: bool) -> Result<(), Error> {
        let is_told = lasts || refused.superseded || refused.duplicate;
        match refused.actions.first() {
            Some(first) if !is_told && self.command.may_be_applied() => {
                Err(self.named(first.index, refused_for_now(&first.refused.reasons)))
            }
            _ => Ok(()),
        }
    }

    fn all_applied(&self) -> Concluded {
        self.command.memory.applied.store(true, Ordering::SeqCst);
        let versions = self.plan.as_ref().map(|plan| plan.versions(&self.command.actions));
        Concluded::Applied(versions.unwrap_or_default())
    }
}

impl Carrier for Together<'_> {
    type Outcome = Concluded;

    fn priority(&self) -> Option<&Priority> {
        self.command.priority.as_ref()
    }

    /// Because of its token, an applied transaction is not refused; and earlier request attempts have other numbers, which are
    /// taken.
    fn other_attempts(&self, _: usize) -> OtherAttempts {
        OtherAttempts::default()
    }

    fn resume(&mut self, slots: &mut [Slot<'_>]) -> bool {
        if let Some(plan) = &self.plan {
            Self::take_over(plan, slots);
        }
        self.plan.is_some()
    }

    fn remember(&mut self, repository: &Repository, slots: &mut [Slot<'_>]) -> Result<(), Error> {
        let (time, round) = self.plan.as_ref().map_or((self.begun, 0), |plan| (plan.made, plan.round + 1));
        let plan = self.command.plan(slots, time, round)?;
        let kept = self.command.memory.keep(self.plan.as_ref(), plan, repository.moment(), self.command.limit());
        // Perhaps a clone was faster, and this is its plan.
        Self::take_over(&kept, slots);
        self.plan = Some(kept);
        Ok(())
    }

    async fn send(&self, repository: &Repository, _: &mut [Slot<'_>]) -> Result<CarrierAnswer, Error> {
        let Some(plan) = &self.plan else { return Err(Error::new(ErrorKind::Service, "nothing was composed")) };
        let (requests, token) = (plan.requests.clone(), plan.token.clone());
        let attempts = &self.command.memory.attempts;
        let hedge = repository.hedging(self.command.hedge());
        let ask = Ask { hedge, ..Ask::write(self.about(plan), attempts, Repeat::Freely) };
        let cancelled = match send_transaction(repository, ask, requests, token).await? {
            Answer::Done(()) => return Ok(Answer::Done(None)),
            Answer::Denied(cancelled) => cancelled,
        };
        let said = |action: usize| cancelled.refused(action).map(|Denied(item)| item);
        let denials = plan.parts.iter().map(|planned| {
            let front = planned.part.companion.and_then(|_| planned.at.checked_sub(1));
            let denial = Denial { item: said(planned.at), companion: front.and_then(said) };
            (denial.item.is_some() || denial.companion.is_some()).then_some(denial)
        });
        Ok(Answer::Denied((denials.collect(), self.impossible(plan, cancelled))))
    }

    fn applied(&self, _: &mut [Slot<'_>], _: Option<Item>) -> Concluded {
        self.all_applied()
    }

    fn conclude(&self, slots: &mut [Slot<'_>], is_sent: bool) -> Result<Concluded, Error> {
        let (mut refused, mut lasts) = (Vec::new(), false);
        for (index, (action, slot)) in self.command.actions.iter().zip(slots).enumerate() {
            match slot.conclusion.take().map(|ended| *ended) {
                None => {}
                Some(Conclusion::InDoubt) => return Err(self.named(index, outcome_unknown())),
                Some(Conclusion::Applied { .. }) if is_sent => return Ok(self.all_applied()),
                // The item holds the write id of a write of this transaction, which was applied as a whole.
                Some(Conclusion::Applied { .. }) => {
                    let versions = self.command.actions.iter().map(|action| (action.entity, None));
                    return Ok(Concluded::Applied(versions.collect()));
                }
                Some(Conclusion::Refused { reasons, moot, item, is_lasting: for_good }) => {
                    lasts |= for_good;
                    let (now, context) = (slot.now, action.command.context());
                    let refusal = Refused { reasons, moot, item, now, context, in_doubt: false };
                    refused.push(RefusedAction { index, entity: action.entity, refused: refusal });
                }
            }
        }
        let refused = self.command.refused(refused);
        self.check_lasting(&refused, lasts)?;
        if let Some(plan) = self.plan.as_ref().filter(|_| is_sent) {
            self.command.memory.forget(plan, self.command.token.is_some());
        }
        Ok(Concluded::Refused(refused))
    }

    /// Refuses to send other contents while a request attempt may arrive. Contents with a version or an idempotency key are refused
    /// then; but an attempt under way could find its list element again after other contents are applied.
    fn check_new_contents(&self, slots: &[Slot<'_>]) -> Result<(), Error> {
        let is_numbered =
            |slot: &Slot<'_>| !matches!(slot.retry.as_deref(), None | Some(Retry::ItemChanged(_) | Retry::Locked(_)));
        let planned = self.plan.iter().flat_map(|plan| &plan.parts);
        let is_guarded = slots.iter().any(is_numbered) || planned.into_iter().any(Planned::is_guarded);
        if !is_guarded && self.command.memory.attempts.may_be_applied() {
            return Err(open());
        }
        Ok(())
    }

    fn named(&self, slot: usize, error: Error) -> Error {
        match self.command.actions.get(slot) {
            Some(action) => named(error, slot, action),
            None => error,
        }
    }
}

fn open() -> Error {
    Error::new(
        ErrorKind::OutcomeUnknown,
        "an answer was lost, and the attempt may still be applied, so that the element which has shifted in its list is not looked for again: load the entities and decide",
    )
}
