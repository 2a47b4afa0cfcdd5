//! Sends the writes of a native transaction to DynamoDB, all in one request whose contents are kept.

use super::action::named;
use super::native_plan::{Plan, PlannedAction};
use super::transaction_command::{NativeAnswer, RefusedAction, RefusedTransaction, TransactionCommand};
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::row::transact::send_transaction;
use crate::exchange::{About, Answer, Ask, Denied, Moment, Priority, Repeat, Repository, conflicting_action};
use crate::schema::Tables;
use crate::write::drive_writes::{Carrier, CarrierAnswer, Slot};
use crate::write::single_write::{outcome_unknown, refused_for_now};
use crate::write::write_steps::{Conclusion, OtherAttempts, Retry};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// One `send` of a native transaction.
pub(super) struct NativeCarrier<'a> {
    command: &'a TransactionCommand,
    /// The time at which the `send` began.
    began: Moment,
    /// The plan to send; at first, the plan of an earlier `send`, if it can be sent again.
    plan: Option<Arc<Plan>>,
}

impl<'a> NativeCarrier<'a> {
    pub(super) fn new(command: &'a TransactionCommand, began: Moment, plan: Option<Arc<Plan>>) -> Self {
        Self { command, began, plan }
    }

    /// Returns the entities and tables of the plan's request.
    fn about<'p>(&self, plan: &'p Plan) -> About<'p> {
        let entities = self.command.actions.iter().map(|action| action.command.schema.entity);
        let tables = plan.tables.iter().map(Tables::names);
        let entries = entities.zip(tables).flat_map(|(entity, tables)| tables.map(move |table| (entity, table)));
        About::several("transaction", entries)
    }

    /// Adds to an error the action of the request that caused it, if one did.
    fn of_request(&self, plan: &Plan, (error, request): (Error, Option<usize>)) -> Error {
        let index = |request| plan.actions.iter().position(|planned| planned.request >= request);
        match request.and_then(index) {
            Some(index) => self.named(index, error),
            None => error,
        }
    }

    /// Gives the slots the contents of a plan, and the knowledge from which it was made.
    fn restore(plan: &Plan, slots: &mut [Slot<'_>]) {
        for (slot, planned) in slots.iter_mut().zip(&plan.actions) {
            slot.now = plan.now();
            slot.known = planned.known.clone();
            slot.composed = Some(Box::new(planned.composed.clone()));
        }
    }

    /// Refuses to report a refusal while a request attempt can still arrive and pass, because DynamoDB does not remember the
    /// token of a cancelled transaction. A refusal `is_final` if one action was refused for good. A refusal is reported, too, if
    /// all writes are superseded or all keyed updates are duplicates, because such a transaction needs no second attempt.
    fn check_final(&self, refused: &RefusedTransaction, is_final: bool) -> Result<(), Error> {
        let is_reported = is_final || refused.superseded || refused.duplicate;
        match refused.actions.first() {
            Some(first) if !is_reported && self.command.may_be_applied() => {
                Err(self.named(first.index, refused_for_now(&first.refused)))
            }
            _ => Ok(()),
        }
    }

    fn all_applied(&self) -> NativeAnswer {
        self.command.memory.applied.store(true, Ordering::SeqCst);
        let versions = self.plan.as_ref().map(|plan| plan.versions(&self.command.actions));
        NativeAnswer::Done(versions.unwrap_or_default())
    }
}

impl Carrier for NativeCarrier<'_> {
    type Outcome = NativeAnswer;

    fn priority(&self) -> Option<&Priority> {
        self.command.priority.as_ref()
    }

    /// Returns no earlier attempts, because a refusal cannot be an echo of this transaction's own attempt. While DynamoDB knows
    /// the token, it accepts an applied transaction again; and earlier plans had other version numbers, which are taken.
    fn other_attempts(&self, _: usize) -> OtherAttempts {
        OtherAttempts::default()
    }

    fn resume(&mut self, slots: &mut [Slot<'_>]) -> bool {
        if let Some(plan) = &self.plan {
            Self::restore(plan, slots);
        }
        self.plan.is_some()
    }

    fn remember(&mut self, repository: &Repository, slots: &mut [Slot<'_>]) -> Result<(), Error> {
        let (made, round) = self.plan.as_ref().map_or((self.began, 0), |plan| (plan.made, plan.round + 1));
        let plan = self.command.plan(slots, made, round)?;
        let kept = self.command.memory.replace(self.plan.as_ref(), plan, repository.moment(), self.command.limit());
        // If a clone was faster, this is the clone's plan.
        Self::restore(&kept, slots);
        self.plan = Some(kept);
        Ok(())
    }

    async fn send(&self, repository: &Repository, _: &mut [Slot<'_>]) -> Result<CarrierAnswer, Error> {
        let Some(plan) = &self.plan else { return Err(Error::new(ErrorKind::Service, "nothing was composed")) };
        let attempts = &self.command.memory.attempts;
        let hedge = repository.hedging(self.command.hedge());
        let ask = Ask { hedge, ..Ask::write(self.about(plan), attempts, Repeat::Freely) };
        let (requests, token) = (&plan.requests, plan.token.clone());
        let sent = send_transaction(repository, ask, requests, token, self.command.reports_indexes());
        let cancelled = match sent.await {
            Ok(Answer::Done(())) => return Ok(Answer::Done(None)),
            Ok(Answer::Denied(cancelled)) => cancelled,
            Err(error) => {
                let request = conflicting_action(&error);
                return Err(self.of_request(plan, (error, request)));
            }
        };
        let item_of = |request: usize| cancelled.refused(request).map(|Denied(item)| item);
        let denials = plan.actions.iter().map(|planned| planned.denial(item_of));
        Ok(Answer::Denied((denials.collect(), self.of_request(plan, cancelled.unexecutable()))))
    }

    fn applied(&self, _: &mut [Slot<'_>], _: Option<Item>) -> NativeAnswer {
        self.all_applied()
    }

    fn conclude(&self, slots: &mut [Slot<'_>], is_sent: bool) -> Result<NativeAnswer, Error> {
        let (mut refused, mut is_final) = (Vec::new(), false);
        for (index, (action, slot)) in self.command.actions.iter().zip(slots).enumerate() {
            match slot.take_conclusion() {
                None => {}
                Some(Conclusion::InDoubt) => return Err(self.named(index, outcome_unknown())),
                Some(Conclusion::Applied { .. }) if is_sent => return Ok(self.all_applied()),
                // The item holds the write id of a write of this transaction, which was applied as a whole.
                Some(Conclusion::Applied { .. }) => {
                    let versions = self.command.actions.iter().map(|action| (action.entity, None));
                    return Ok(NativeAnswer::Done(versions.collect()));
                }
                Some(Conclusion::Refused { reasons, moot, item, is_lasting }) => {
                    is_final |= is_lasting;
                    let refusal = action.command.refused(reasons, moot, item, slot.now);
                    refused.push(RefusedAction { index, entity: action.entity, refused: refusal });
                }
            }
        }
        let refused = RefusedTransaction::of(&self.command.actions.iter().collect::<Vec<_>>(), refused);
        self.check_final(&refused, is_final)?;
        if let Some(plan) = self.plan.as_ref().filter(|_| is_sent) {
            self.command.memory.forget(plan, self.command.token.is_some());
        }
        Ok(NativeAnswer::Denied(refused))
    }

    /// Refuses to send other contents while a request attempt with the old contents may still arrive, unless a version or an
    /// idempotency key would then refuse that attempt, or it would change nothing more. Otherwise, the attempt could find its list
    /// element again after the other contents are applied.
    fn check_new_contents(&self, slots: &[Slot<'_>]) -> Result<(), Error> {
        if self.command.has_own_token() {
            // They have the same token, with which DynamoDB refuses them if it has applied the attempt.
            return if self.command.may_be_applied() { Err(open_attempt()) } else { Ok(()) };
        }
        let is_numbered = |slot: &Slot<'_>| {
            matches!(slot.retry(), Some(Retry::Renumbered(..) | Retry::NumberTaken | Retry::OtherPhase(_)))
        };
        let planned = || self.plan.iter().flat_map(|plan| &plan.actions);
        let is_guarded = || planned().any(PlannedAction::is_guarded);
        let is_repeatable = || planned().all(|planned| planned.composed.repeat == Repeat::Freely);
        if slots.iter().any(is_numbered) || is_guarded() || is_repeatable() || !self.command.may_be_applied() {
            return Ok(());
        }
        Err(open_attempt())
    }

    fn named(&self, slot: usize, error: Error) -> Error {
        match self.command.actions.get(slot) {
            Some(action) => named(error, slot, action),
            None => error,
        }
    }
}

fn open_attempt() -> Error {
    let message = "an attempt got no answer and may still be applied, and the transaction would need other contents by now, for example because a list element has moved, so it is not sent again: load the items and decide";
    Error::new(ErrorKind::OutcomeUnknown, message)
}
