//! The untyped contents of a `Transaction`, and the results of sending them.

use super::action::Action;
use super::native_memory::Memory;
use crate::exchange::{Answer, Priority, trace_events};
use crate::expression::Guard;
use crate::rule::{Reason, Refused};
use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

/// The untyped contents of a `Transaction`, or a native attempt of an interactive transaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct TransactionCommand {
    pub(crate) actions: Vec<Action>,
    /// The caller's own token.
    pub(crate) token: Option<String>,
    /// The time after which a second, equal request is sent, unless the repository's setting applies.
    pub(crate) hedge: Option<Duration>,
    /// The priority of an interactive transaction when it waits for items that other transactions hold.
    pub(crate) priority: Option<Priority>,
    /// Shared by clones, because they are the same transaction.
    pub(crate) memory: Arc<Memory>,
}

/// The entity of each action, and the version that the action stored: `None` if it stored none, or if only DynamoDB knows it.
pub(crate) type Versions = Vec<(TypeId, Option<u64>)>;

/// The result of a native transaction or of a single write.
pub(crate) type NativeAnswer = Answer<Versions, RefusedTransaction>;

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
    /// Reports the refusal as an event.
    pub(crate) fn trace(&self) {
        trace_events::refused(self.actions.iter().map(|action| &action.refused));
    }

    /// Returns the refusal of a transaction with all these actions, some of which were refused.
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

    /// Returns the refusal of a transaction in which only this action counts.
    #[cfg(feature = "transactions")]
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
    /// Adds an action. Its write gets a new write id, and the transaction is no longer the same as its clones.
    pub(crate) fn push(&mut self, mut action: Action) {
        self.renew();
        action.command.renew();
        self.actions.push(action);
    }

    pub(crate) fn set_token(&mut self, token: String) {
        self.renew();
        self.token = Some(token);
    }

    /// Returns the time after which the request is hedged: the transaction's own, or the shortest of its actions.
    pub(crate) fn hedge(&self) -> Option<Duration> {
        self.hedge.or_else(|| self.actions.iter().filter_map(|action| action.command.hedge).min())
    }

    /// Makes this another transaction than its clones, and than the one that was sent.
    fn renew(&mut self) {
        let is_new = Arc::get_mut(&mut self.memory).is_some_and(|memory| memory.plan().is_none());
        if !is_new {
            self.memory = Arc::default();
            self.actions.iter_mut().for_each(|action| action.command.renew());
        }
    }
}
