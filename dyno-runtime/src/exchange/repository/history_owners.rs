//! Which entities have their revisions in which history table, and which table has its unique values in which table of guards.

use crate::error::Error;
use crate::schema::Schema;
use crate::schema::sharing::{are_distinct, revisions_meet};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// For each history table that was used so far, the entities whose revisions it has, and their tables.
#[derive(Default)]
pub(in crate::exchange) struct HistoryOwners(Mutex<HashMap<String, Vec<(String, &'static Schema)>>>);

impl HistoryOwners {
    /// Refuses a history table that another table uses already, if revisions of both could have the same key.
    pub(in crate::exchange) fn claim(&self, history: &str, main: &str, schema: &'static Schema) -> Result<(), Error> {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = owners.get(history).map_or(&[][..], Vec::as_slice);
        if known.iter().any(|(table, owner)| table == main && owner.entity == schema.entity) {
            return Ok(());
        }
        if let Some((table, owner)) = known.iter().find(|(table, owner)| table != main && revisions_meet(owner, schema))
        {
            return Err(Error::invalid(format!(
                "the table `{history}` cannot be the history of `{}` in `{main}`: it is already that of `{}` in `{table}`, and items of both can have the same key, which would mix their revisions: name another table with `#[history_table(name = \"…\")]` or `Repository::with_history_table`",
                schema.entity, owner.entity,
            )));
        }
        owners.entry(history.to_owned()).or_default().push((main.to_owned(), schema));
        Ok(())
    }
}

/// For each table of guards that was used so far, the table whose items it is about, and the entities. A guard names an item by its key
/// alone.
#[derive(Default)]
pub(in crate::exchange) struct GuardOwners(Mutex<HashMap<String, (String, Vec<&'static Schema>)>>);

impl GuardOwners {
    /// Refuses a table of guards that another table uses already, or another entity that has a unique value of the same name.
    pub(in crate::exchange) fn claim(&self, guards: &str, main: &str, schema: &'static Schema) -> Result<(), Error> {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (owner, known) = owners.entry(guards.to_owned()).or_insert_with(|| (main.to_owned(), Vec::new()));
        let entity = schema.entity;
        if owner != main {
            return Err(Error::invalid(format!(
                "the table `{guards}` cannot hold the unique values of `{entity}` in `{main}`: it already holds those of `{owner}`, and identifies items by their keys alone: name another table with `Repository::with_unique_table`",
            )));
        }
        if known.iter().any(|known| std::ptr::eq(*known, schema)) {
            return Ok(());
        }
        let mut others = known.iter().filter(|known| are_distinct(known, schema));
        if let Some((other, name)) = others.find_map(|other| Some((other.entity, common_unique(other, schema)?))) {
            return Err(Error::invalid(format!(
                "`{other}` and `{entity}` both have a unique value `{name}`, and share the table `{guards}` of its guards, which would mix them: give one of them another name: `#[unique(name = \"…\")]`",
            )));
        }
        known.push(schema);
        Ok(())
    }
}

/// Returns the name of a unique value that both entities have.
fn common_unique(one: &Schema, other: &Schema) -> Option<&'static str> {
    let is_of_other = |name: &&str| other.unique.iter().any(|unique| unique.name == *name);
    one.unique.iter().map(|unique| unique.name).find(is_of_other)
}
