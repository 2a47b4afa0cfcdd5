//! The read and write set of one run of the closure: row by row, in the order in which they were first named.

use super::read_ranges::Range;
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
    /// The row as it was first read. The closure decides by that.
    pub(crate) read: Known<Item>,
    /// The actions on the row.
    pub(crate) actions: Vec<Enlisted>,
    /// Whether a range that was read includes the row.
    pub(crate) is_ranged: bool,
    /// The number of actions that were there when the row was last read, if it was read after any.
    pub(crate) shown_after: Option<usize>,
}

/// An action that is held back.
pub(crate) struct Enlisted {
    /// The number of the action in the transaction.
    pub(crate) index: usize,
    pub(crate) action: Action,
    /// The number of actions that were there when the row was last read before this action, if it was read after any.
    pub(crate) shown_after: Option<usize>,
}

/// The reads and writes of a run.
#[derive(Default)]
pub(crate) struct ReadWriteSet {
    pub(crate) rows: Vec<Row>,
    /// The ranges that were read.
    pub(crate) ranges: Vec<Range>,
    places: HashMap<String, usize>,
    /// The number of actions.
    actions: usize,
    /// The first reason why the run cannot be sent, whatever is there.
    pub(crate) impossible: Option<Error>,
    /// Whether the closure saw the refusal of a write.
    pub(crate) is_refused: bool,
    /// Whether a row could not be read.
    pub(crate) has_failed: bool,
    /// Whether the closure has returned.
    pub(crate) is_closed: bool,
}

impl ReadWriteSet {
    /// Returns the index of the row at this key.
    pub(crate) fn place(&mut self, repository: &Repository, of: EntityRef, key: &Item) -> Result<usize, Error> {
        let tables = (of.tables)(repository)?;
        let text = distinct(&tables.main, of.schema, key)?;
        let next = self.rows.len();
        let place = *self.places.entry(text).or_insert(next);
        if place == next {
            let key = key.clone();
            self.rows.push(Row {
                of,
                tables,
                key,
                read: None,
                actions: Vec::new(),
                is_ranged: false,
                shown_after: None,
            });
        }
        Ok(place)
    }

    /// Adds an action, and returns its number.
    pub(crate) fn enlist(&mut self, repository: &Repository, action: Action) -> usize {
        let index = self.actions;
        self.actions += 1;
        if let Err(error) = self.add(repository, index, action) {
            self.impossible.get_or_insert(error);
        }
        index
    }

    fn add(&mut self, repository: &Repository, index: usize, action: Action) -> Result<(), Error> {
        let named = |error: Error| named(error, index, &action);
        let of = EntityRef { schema: action.command.schema, entity: action.entity, tables: action.tables };
        let key = action.command.key().map_err(named)?;
        let place = self.place(repository, of, &key).map_err(named)?;
        let row = &mut self.rows[place];
        if row.of.entity != of.entity {
            if !row.actions.is_empty() {
                return Err(named(of_two(row.of.schema.entity)));
            }
            // The row was read as another entity's item; the write determines the entity.
            (row.of, row.tables) = (of, (of.tables)(repository).map_err(named)?);
        }
        row.actions.push(Enlisted { index, action, shown_after: row.shown_after });
        Ok(())
    }
}

fn of_two(other: &str) -> Error {
    Error::invalid(format!(
        "an earlier write of this transaction is of the same item, and of `{other}`: write it as one entity"
    ))
}
