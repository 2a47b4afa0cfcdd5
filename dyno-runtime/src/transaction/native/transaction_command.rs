//! A transaction as its typed command holds it, and its results.

use super::action::Action;
use super::native_memory::Memory;
use crate::exchange::Priority;
use crate::expression::Guard;
use crate::rule::{Reason, Refused};
use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

/// A transaction, as the typed command holds it.
#[derive(Clone, Debug, Default)]
pub(crate) struct TransactionCommand {
    pub(crate) actions: Vec<Action>,
    /// The caller's own token.
    pub(crate) token: Option<String>,
    /// The time after which it is hedged, unless the repository says so.
    pub(crate) hedge: Option<Duration>,
    /// The priority of the transaction, if it has one, where it waits for items of others.
    pub(crate) priority: Option<Priority>,
    /// Shared by clones, which are one transaction.
    pub(crate) memory: Arc<Memory>,
}

/// The result of a transaction.
pub(crate) enum Concluded {
    /// For each action the entity, and the version that it stored, where it is known.
    Applied(Vec<(TypeId, Option<u64>)>),
    Refused(RefusedTransaction),
}

/// The refusal of a transaction, with the actions that were refused.
#[derive(Clone)]
pub(crate) struct RefusedTransaction {
    pub(crate) actions: Vec<RefusedAction>,
    /// Whether every write was refused as superseded.
    pub(crate) superseded: bool,
    /// Whether every update that adds a list element was refused because the list contains it already.
    pub(crate) contained: bool,
    /// Whether every keyed update was refused as a duplicate.
    pub(crate) duplicate: bool,
}

impl RefusedTransaction {
    /// The refusal of these actions among all actions.
    pub(crate) fn of(all: &[&Action], actions: Vec<RefusedAction>) -> Self {
        let every = |is_meant: &dyn Fn(&Action) -> bool, is: &dyn Fn(&Refused) -> bool| {
            let mut meant = all.iter().enumerate().filter(|(_, action)| is_meant(action)).peekable();
            let is_refused = |index| actions.iter().any(|action| action.index == index && is(&action.refused));
            meant.peek().is_some() && meant.all(|(index, _)| is_refused(index))
        };
        let is_lacking = |guard: &Guard| matches!(guard, Guard::Lacks(..));
        let is_unique = |action: &Action| {
            let mut changes = action.command.update.changes.iter();
            changes.any(|change| change.guards.iter().any(is_lacking))
        };
        let is_keyed = |action: &Action| action.command.has_dedup_key();
        Self {
            superseded: every(&|action| action.command.is_write(), &|refused| refused.moot.superseded),
            contained: every(&is_unique, &|refused| refused.moot.contained),
            duplicate: every(&is_keyed, &|refused| refused.reasons.contains(&Reason::Duplicate)),
            actions,
        }
    }

    /// The refusal of one action.
    pub(crate) fn of_one(index: usize, entity: TypeId, refused: Refused) -> Self {
        Self {
            superseded: refused.moot.superseded,
            contained: refused.moot.contained,
            duplicate: refused.reasons.contains(&Reason::Duplicate),
            actions: vec![RefusedAction { index, entity, refused }],
        }
    }
}

/// An action that was refused.
#[derive(Clone)]
pub(crate) struct RefusedAction {
    pub(crate) index: usize,
    pub(crate) entity: TypeId,
    pub(crate) refused: Refused,
}

impl TransactionCommand {
    pub(crate) fn actions(&self) -> &[Action] {
        &self.actions
    }

    pub(crate) fn len(&self) -> usize {
        self.actions.len()
    }

    /// Adds an action. Its write gets a new write id, and this becomes another transaction than those it was cloned from.
    pub(crate) fn push(&mut self, mut action: Action) {
        self.renew();
        action.command.renew();
        self.actions.push(action);
    }

    pub(crate) fn set_token(&mut self, token: String) {
        self.renew();
        self.token = Some(token);
    }

    /// The time after which it is hedged: its own, or else the shortest time of its actions.
    pub(crate) fn hedge(&self) -> Option<Duration> {
        self.hedge.or_else(|| self.actions.iter().filter_map(|action| action.command.hedge).min())
    }

    fn renew(&mut self) {
        let is_used = Arc::strong_count(&self.memory) > 1 || self.memory.plan().is_some();
        if is_used {
            self.memory = Arc::default();
            self.actions.iter_mut().for_each(|action| action.command.renew());
        }
    }
}
