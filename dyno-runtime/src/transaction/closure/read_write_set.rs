//! What a run of the closure has read, and is to write: row by row, in the order in which they were first named.

use super::read_ranges::Range;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::Repository;
use crate::key::distinct;
use crate::schema::{Schema, Tables};
use crate::transaction::native::{Action, named};
use crate::write::step::Known;
use std::any::TypeId;
use std::collections::HashMap;

/// Of which entity a row is.
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
    /// What was there when it was read first: that is what the closure goes by.
    pub(crate) read: Known<Item>,
    /// What is to be done with it.
    pub(crate) actions: Vec<Enlisted>,
    /// Whether a range that was read tells what it is.
    pub(crate) is_ranged: bool,
    /// After how many of these it was last read, if it was read after any.
    pub(crate) shown_after: Option<usize>,
}

/// An action that is held back.
pub(crate) struct Enlisted {
    /// Which action of the transaction it is.
    pub(crate) index: usize,
    pub(crate) action: Action,
    /// After how many actions the row had last been read by then, if after any.
    pub(crate) shown_after: Option<usize>,
}

/// All rows.
#[derive(Default)]
pub(crate) struct ReadWriteSet {
    pub(crate) rows: Vec<Row>,
    /// The parts of partitions that were read.
    pub(crate) ranges: Vec<Range>,
    places: HashMap<String, usize>,
    /// How many actions there are.
    actions: usize,
    /// Why it cannot be sent, whatever is there: the first reason.
    pub(crate) impossible: Option<Error>,
    /// Whether the closure was told of a write that is refused.
    pub(crate) is_refused: bool,
    /// Whether a row could not be read.
    pub(crate) has_failed: bool,
    /// Whether the closure has returned.
    pub(crate) is_closed: bool,
}

impl ReadWriteSet {
    /// The place of the row at this key.
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

    /// Takes up an action, and returns its number.
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
            // It was read as another entity's; what is written says whose it is.
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
