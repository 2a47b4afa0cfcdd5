//! What an ordered history adds to the cost of a write: the reads by which the write learns the numbers, and the put of the
//! superseded revision. `write::compose::companion_revision` and `next_version` decide which of them are sent.

use super::bounds::{Bounds, Cost, Span};
use super::row::{Before, Bytes, RowUnits, consistent_read, row_units};
use super::write::{WriteCost, units_of};
use crate::error::Error;
use crate::exchange::{Body, RowWrite};
use crate::expression::Placeholders;
use crate::key::item_size;
use crate::rule::{Expected, RawRevision};
use crate::schema::{Layout, Mode};
use crate::write::drive_writes::Slot;
use crate::write::write_steps::ComposedWrite;

/// The attributes that rules add to an item, at most. Each attribute of an image takes a byte more than in an item.
const OF_RULES: usize = 40;

/// Returns the row of a revision of an item with up to `stored` bytes, without a content, and its size; nothing if the entity has
/// no history.
pub(super) fn history_row(slot: &Slot<'_>, stored: usize) -> Result<Bytes, Error> {
    let schema = slot.command.schema;
    let (Some(history), key) = (&schema.history, slot.command.key()?) else { return Ok(Bytes::default()) };
    let key_size = item_size(&key);
    let revision = RawRevision { version: u64::MAX, deleted: true, image: key };
    let row = item_size(&history.row(schema, revision, slot.now)?);
    Ok(Bytes { least: row, most: row + stored.saturating_sub(key_size) + schema.attributes.len() + OF_RULES })
}

/// The item that a write supersedes.
#[derive(Clone, Copy, PartialEq)]
enum Over {
    /// None: the write begins an item, as a create does.
    Nothing,
    /// One that the caller has loaded.
    Loaded,
    /// One that the write reads first.
    Unread,
}

/// A write of an entity with an ordered history.
pub(super) struct OrderedWrite {
    over: Over,
    can_be_dead: bool,
    /// The read of the newest revision.
    query: Bounds,
    /// The read of the item.
    get: Bounds,
    /// The row of the superseded revision.
    revision: RowUnits,
    /// `true` if a revision that was put long ago is put once more, because it has a TTL.
    is_renewed: bool,
}

impl OrderedWrite {
    pub(super) fn of(slot: &Slot<'_>, composed: &ComposedWrite, stored: usize, row: Bytes) -> Option<Self> {
        let schema = slot.command.schema;
        let history = schema.history.as_ref().filter(|history| history.mode == Mode::Ordered)?;
        let versioned = slot.command.versioned.as_ref()?;
        if !slot.command.is_write() {
            return None;
        }
        let key = slot.command.key().unwrap_or_default();
        let put = RowWrite::new(String::new(), Body::Put(key), None, Placeholders::default());
        let is_beside = history.layout == Layout::SameTable;
        Some(Self {
            over: match composed.write.expected {
                Some(Expected::New(_)) => Over::Nothing,
                _ if versioned.loaded.is_some() => Over::Loaded,
                _ => Over::Unread,
            },
            can_be_dead: schema.tombstone.is_some() || schema.expires(),
            query: Bounds::read(consistent_read(row.most)),
            get: Bounds::read(consistent_read(stored)),
            revision: row_units(&put, is_beside.then_some(schema), row, Before::any_row(row.most)),
            is_renewed: history.ttl_days.is_some(),
        })
    }

    /// Returns the puts of the superseded revision.
    fn puts(&self) -> Bounds {
        let units = self.revision.applied(1.0);
        let put = Bounds::write(Span::new(units.least.min(self.revision.refused.least), units.most));
        put + put.up_to(u32::from(self.is_renewed))
    }

    /// Returns the cost of the write as a command of its own.
    pub(super) fn alone(&self, cost: &WriteCost) -> Cost {
        let [applied, refused] = cost.sent(cost.is_single);
        let repeats = |refused: Span| cost.repeat(refused).up_to(cost.claims_again);
        let send = |units: Span| Bounds::write(units + cost.checks);
        if self.over != Over::Nothing {
            let get = if self.over == Over::Loaded { Bounds::default() } else { self.get };
            let before = self.puts() + repeats(refused);
            return Cost {
                applied: get + before + send(applied),
                refused: Some(self.get.or(self.get.or_nothing() + before + send(refused))),
            };
        }
        let known = self.query + repeats(refused);
        // The item was deleted, and the row of the deletion may be missing.
        let deletion = self.get.or_nothing() + Bounds::write(self.revision.applied(1.0)).or_nothing();
        let mut outcomes = [applied, refused].map(|units| known + deletion + send(units));
        if self.can_be_dead {
            // The write over the dead item has its revision put before, and not in one transaction.
            let rows = cost.rows.iter().enumerate().filter(|(index, _)| *index != 1).map(|(_, row)| row);
            let over = units_of(rows, cost.rows.len() == 2);
            let before = known + self.get.or_nothing() + Bounds::write(refused).or_nothing() + self.puts();
            for (outcome, units) in outcomes.iter_mut().zip(over) {
                *outcome = outcome.or(before + send(units));
            }
        }
        let [applied, refused] = outcomes;
        Cost { applied, refused: Some(refused.or(self.query + self.get)) }
    }

    /// Returns the reads and puts before a transaction of which the write is an action.
    pub(super) fn before_action(&self) -> Bounds {
        match self.over {
            Over::Nothing => {
                self.query + self.get.or_nothing() + Bounds::write(self.revision.applied(1.0)).or_nothing()
            }
            Over::Unread => self.get,
            Over::Loaded => Bounds::default(),
        }
    }

    /// Returns the row of the superseded revision, if it is an action of the transaction; for a new item, in the place of the row
    /// of the new revision.
    pub(super) fn add_action(&self, rows: &mut Vec<RowUnits>) {
        match rows.get_mut(1).filter(|_| self.over == Over::Nothing) {
            Some(row) if self.can_be_dead => *row = row.or(self.revision),
            Some(_) => {}
            None => rows.insert(1, self.revision),
        }
    }
}
