//! The write of a `modify`, and the requests of a batch, before they are sent: for their cost.

use super::modify_loop::{Edit, Modification, ModifyCommand, check_attempts};
use super::write_batch::{BatchedWrite, Plan};
use super::write_command::WriteCommand;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::Repository;
use crate::exchange::batch::batch_rounds::Batch as _;
use crate::schema::Tables;
use std::sync::Arc;

impl ModifyCommand {
    /// Returns the write that follows if this item is stored, without sending it.
    pub(crate) fn write_over(
        &self,
        repository: &Repository,
        tables: &Tables,
        stored: &Item,
        edit: &mut Edit<'_>,
    ) -> Result<WriteCommand, Error> {
        let mut compose = || {
            let key = self.key.clone()?;
            if key.iter().any(|(name, value)| stored.get(name) != Some(value)) {
                return Err(Error::invalid("the entity that was passed to `cost` has another key than the command"));
            }
            check_attempts(self.attempts)?;
            let modification = Modification { command: self.clone(), repository, tables };
            let new = modification.edit(Some(stored), edit)?;
            let stored = Arc::new(stored.clone());
            modification.command(Some(&stored), &new, false)?.ok_or_else(|| Error::invalid("the change writes nothing"))
        };
        compose().map_err(|error| error.with_context(|| self.context()))
    }
}

/// Checks the writes of a batch. Returns the number of its requests, if DynamoDB leaves no write unprocessed.
pub(crate) fn batch_requests(repository: &Repository, writes: &[BatchedWrite]) -> Result<u64, Error> {
    let (plan, mut requests) = (Plan::new(repository, writes.to_vec())?, 0);
    let mut pending = (0..plan.entries.len()).collect();
    while !plan.chunk(&mut pending).is_empty() {
        requests += 1;
    }
    Ok(requests)
}
