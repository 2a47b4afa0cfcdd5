//! Which entities have their revisions in which history table, and which table has its unique values in which table of guards.

use crate::error::Error;
use crate::schema::Schema;
use crate::schema::sharing::revisions_meet;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// For each history table that was used so far, the entities whose revisions it has, and their tables.
#[derive(Default)]
pub(super) struct HistoryOwners(Mutex<HashMap<String, Vec<(String, &'static Schema)>>>);

impl HistoryOwners {
    /// Refuses a history table that another table uses already, if revisions of both could have the same key.
    pub(super) fn claim(&self, history: &str, main: &str, schema: &'static Schema) -> Result<(), Error> {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = owners.get(history).map_or(&[][..], Vec::as_slice);
        if known.iter().any(|(table, owner)| table == main && owner.entity == schema.entity) {
            return Ok(());
        }
        if let Some((table, owner)) = known.iter().find(|(table, owner)| table != main && revisions_meet(owner, schema))
        {
            return Err(Error::invalid(format!(
                "the table `{history}` cannot be the history of `{}` in `{main}`: it is that of `{}` in `{table}`, and their keys can be the same, so that one would have the other's revisions; name another with `#[history_table(name = \"…\")]` or `Repository::with_history_table`",
                schema.entity, owner.entity,
            )));
        }
        owners.entry(history.to_owned()).or_default().push((main.to_owned(), schema));
        Ok(())
    }
}

/// For each table of guards that was used so far, the table whose items it is about. A guard names an item by its key alone.
#[derive(Default)]
pub(super) struct GuardOwners(Mutex<HashMap<String, String>>);

impl GuardOwners {
    /// Refuses a table of guards that another table uses already.
    pub(super) fn claim(&self, guards: &str, main: &str, entity: &str) -> Result<(), Error> {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let owner = owners.entry(guards.to_owned()).or_insert_with(|| main.to_owned());
        if owner == main {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "the table `{guards}` cannot have the unique values of `{entity}` in `{main}`: it has those of `{owner}`, and names items by their keys alone; name another with `Repository::with_unique_table`",
        )))
    }
}
