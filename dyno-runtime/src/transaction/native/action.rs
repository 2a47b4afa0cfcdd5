//! One action of a transaction.

use crate::error::Error;
use crate::exchange::Repository;
use crate::schema::Tables;
use crate::write::WriteCommand;
use std::any::TypeId;

/// A write or a check of one item of any entity.
#[derive(Clone, Debug)]
pub struct Action {
    pub(crate) command: WriteCommand,
    pub(crate) entity: TypeId,
    pub(crate) tables: fn(&Repository) -> Result<Tables, Error>,
}

/// Adds to an error which action it is of.
pub(crate) fn named(error: Error, index: usize, action: &Action) -> Error {
    error.of(&format!("action {index} of the transaction")).with_context(|| action.command.context())
}
