//! The read and write set of one run of the closure: its rows, in the order in which the closure first named them.

use super::validate_ranges::Range;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::Repository;
use crate::key::distinct;
use crate::schema::{Schema, Tables};
use crate::transaction::native::{Action, named};
use crate::write::write_steps::Known;
use std::any::TypeId;
use std::collections::HashMap;

/// The entity of a row.
#[derive(Clone, Copy)]
pub(crate) struct EntityRef {
    pub(crate) schema: &'static Schema,
    pub(crate) entity: TypeId,
    pub(crate) tables: fn(&Repository) -> Result<Tables, Error>,
}

/// A row of a table.
pub(crate) struct Row {
    pub(crate) of: EntityRef,
    pub(crate) tables: Tables,
    pub(crate) key: Item,
    /// The row as it was first read. The closure decides by it.
    pub(crate) read: Known<Item>,
    /// The actions on the row.
    pub(crate) actions: Vec<Enlisted>,
    /// Whether a range that was read includes the row.
    pub(crate) is_ranged: bool,
    /// The number of actions on the row when the closure last read it, if there were any.
    pub(crate) last_read_after: Option<usize>,
}

/// An action that is held back until the closure has returned.
pub(crate) struct Enlisted {
    /// The number of the action in the transaction.
    pub(crate) index: usize,
    pub(crate) action: Action,
    /// The row's `last_read_after` at the time of this action.
    pub(crate) last_read_after: Option<usize>,
}

/// The reads and writes of a run.
#[derive(Default)]
pub(crate) struct ReadWriteSet {
    pub(crate) rows: Vec<Row>,
    /// The ranges that were read.
    pub(crate) ranges: Vec<Range>,
    row_indexes: HashMap<String, usize>,
    /// The claimed items, by their keys. A claim keeps other writers out, so a claimed item need not be read.
    pub(crate) claimed: HashMap<String, Option<Item>>,
    action_count: usize,
    /// The first error of an action that cannot be sent for any stored item.
    pub(crate) action_error: Option<Error>,
    /// Whether the closure saw the refusal of a write.
    pub(crate) has_seen_refusal: bool,
    /// Whether a row could not be read.
    pub(crate) has_failed: bool,
    /// Whether the closure has returned.
    pub(crate) is_closed: bool,
}

impl ReadWriteSet {
    pub(crate) fn new(claimed: HashMap<String, Option<Item>>) -> Self {
        Self { claimed, ..Self::default() }
    }

    /// Returns the index of the row at this key.
    fn row_index(&mut self, repository: &Repository, of: EntityRef, key: &Item) -> Result<usize, Error> {
        let tables = (of.tables)(repository)?;
        let text = distinct(&tables.main, of.schema, key)?;
        let next = self.rows.len();
        let index = *self.row_indexes.entry(text).or_insert(next);
        if index == next {
            let key = key.clone();
            self.rows.push(Row {
                of,
                tables,
                key,
                read: None,
                actions: Vec::new(),
                is_ranged: false,
                last_read_after: None,
            });
        }
        Ok(index)
    }

    /// Returns the index of a row that the closure is about to read. A claimed row counts as read.
    pub(crate) fn row_to_read(&mut self, repository: &Repository, of: EntityRef, key: &Item) -> Result<usize, Error> {
        let index = self.row_index(repository, of, key)?;
        let row = &mut self.rows[index];
        if row.read.is_none() && !self.claimed.is_empty() {
            row.read = self.claimed.get(&distinct(&row.tables.main, of.schema, key)?).cloned();
        }
        Ok(index)
    }

    /// Adds an action, and returns its number.
    pub(crate) fn enlist(&mut self, repository: &Repository, action: Action) -> usize {
        let index = self.action_count;
        self.action_count += 1;
        if let Err(error) = self.add(repository, index, action) {
            self.action_error.get_or_insert(error);
        }
        index
    }

    fn add(&mut self, repository: &Repository, index: usize, action: Action) -> Result<(), Error> {
        let named = |error: Error| named(error, index, &action);
        let of = EntityRef { schema: action.command.schema, entity: action.entity, tables: action.tables };
        let key = action.command.key().map_err(named)?;
        let row = self.row_index(repository, of, &key).map_err(named)?;
        let row = &mut self.rows[row];
        if row.of.entity != of.entity {
            if !row.actions.is_empty() {
                return Err(named(two_entities(row.of.schema.entity)));
            }
            // The row was read as another entity's item, but the write determines the entity.
            (row.of, row.tables) = (of, (of.tables)(repository).map_err(named)?);
        }
        row.actions.push(Enlisted { index, action, last_read_after: row.last_read_after });
        Ok(())
    }
}

fn two_entities(other: &str) -> Error {
    Error::invalid(format!(
        "an earlier write of this transaction wrote the same item as `{other}`: write it as one entity"
    ))
}
