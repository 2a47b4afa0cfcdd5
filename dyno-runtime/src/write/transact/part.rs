//! One action of a transaction: as it is asked, and as it is sent.

use crate::attribute::Item;
use crate::error::{Context, Error};
use crate::exchange::Repository;
use crate::rule::{Expected, Phase, Verb, Write};
use crate::schema::Tables;
use crate::write::command::WriteCommand;
use std::any::TypeId;

/// What goes into a transaction: a write or a check, of some entity.
#[derive(Clone, Debug)]
pub struct Action {
    pub(crate) command: WriteCommand,
    pub(crate) entity: TypeId,
    pub(crate) tables: fn(&Repository) -> Result<Tables, Error>,
}

/// How a command goes on after what an earlier attempt has found.
#[derive(Clone, Debug, Default)]
pub(super) struct Course {
    /// With these numbers.
    pub(super) expected: Option<Expected>,
    /// From this item.
    pub(super) item: Option<Item>,
    /// With the idempotency keys in the item in this phase.
    pub(super) phase: Option<Phase>,
    /// With other numbers than these, of which one is in the history already.
    pub(super) is_taken: bool,
}

/// A command as it is sent.
#[derive(Debug)]
pub(super) struct Part {
    /// The index of its own request; that of its row is the one before.
    pub(super) at: usize,
    pub(super) row: Option<Row>,
    pub(super) write: Write,
    pub(super) key: Item,
    pub(super) context: Context,
    /// Whether the caller gave it a condition.
    pub(super) is_conditional: bool,
    /// Where the elements are that it removes from lists.
    pub(super) places: Vec<String>,
    pub(super) course: Course,
}

/// What a row is, that goes with a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// The revision that the write makes.
    New,
    /// The one that it supersedes.
    Superseded,
    /// The idempotency key.
    Key,
}

impl Part {
    /// The version that it stores, where the write says it.
    pub(super) fn version(&self) -> Option<u64> {
        let writes = !matches!(self.write.verb, Verb::Check { .. });
        self.write.next().filter(|_| writes)
    }
}

/// Says which action an error is of.
pub(super) fn named(error: Error, index: usize, action: &Action) -> Error {
    error.of(&format!("action {index} of the transaction")).with_context(|| action.command.context())
}
