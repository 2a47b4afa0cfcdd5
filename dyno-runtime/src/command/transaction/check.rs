//! The action of a transaction that checks an item without writing it: `check`.

use crate::attribute::IntoField;
use crate::entity::{Counted as _, Entity, Versioned, clone_and_debug};
use crate::field::Condition;
use crate::key::build_key;
use crate::rule::{Expected, Verb};
use crate::write::WriteCommand;
use std::marker::PhantomData;

/// Requires in a [`Transaction`](crate::Transaction) that a live item exists at a key. If it does not, no action of the transaction
/// is applied. The check writes nothing: it is one `ConditionCheck`, which costs 2 write units per KB of the item.
#[must_use = "a check does nothing until its transaction is sent"]
pub struct Check<E> {
    pub(in crate::command) command: Box<WriteCommand>,
    entity: PhantomData<fn() -> E>,
}

impl<E: Entity> Check<E> {
    /// Makes the check of this key.
    pub fn new(key: E::Key) -> Self {
        let key = build_key(E::SCHEMA, &key);
        let command = WriteCommand::new(E::SCHEMA, Verb::Check { absent: false }, key);
        Self { command: Box::new(command), entity: PhantomData }
    }

    /// Requires the opposite: no live item at the key. A tombstone, or an item past its TTL, counts as absent.
    pub fn absent(mut self) -> Self {
        self.command.verb = Verb::Check { absent: true };
        self
    }

    /// Requires this condition, too. Several conditions are joined by AND.
    pub fn condition(mut self, condition: Condition<E>) -> Self {
        self.command.and(condition.into_node());
        self
    }

    /// Requires that the item still has this version, which you loaded. If version numbers begin again after a deletion, another
    /// item can have it.
    pub fn version(mut self, version: impl IntoField<E::Version>) -> Self
    where
        E: Versioned,
    {
        self.command.expecting(Expected::Loaded(version.into_field().__number()));
        self
    }
}

clone_and_debug!([E] Check<E>: command; entity);
