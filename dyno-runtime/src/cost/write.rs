//! The cost of a write, as a request of its own or as an action of a native transaction.

use super::bounds::{Bounds, Cost, Span};
use super::check_stored;
use super::history::{OrderedWrite, history_row};
use super::row::{Before, Bytes, IN_TRANSACTION, RowUnits, consistent_read, row_units, write_units};
use crate::attribute::Item;
use crate::error::{Error, Step};
use crate::exchange::{Repository, RowWrite};
use crate::expression::{Action, Null, RawChange};
use crate::key::item_size;
use crate::rule::{Expected, Verb};
use crate::schema::{Layout, Mode, Schema, Store, Tables};
use crate::write::WriteCommand;
use crate::write::compose::needs_item;
use crate::write::drive_writes::Slot;
use crate::write::write_steps::{Companion, ComposedWrite, Next, OtherAttempts, SendAs};
use aws_sdk_dynamodb::types::ReturnValue;

/// The known cost of a write before it is sent.
pub(super) struct WriteCost {
    /// The requests before this one, if the write is applied.
    pub(super) before: Bounds,
    /// The cost of the write if it is refused before its request; `None` if only DynamoDB refuses it.
    pub(super) unsent: Option<Bounds>,
    /// The rows of the request, and whether they are a transaction.
    pub(super) rows: Vec<RowUnits>,
    pub(super) is_single: bool,
    /// How often a rule can have the request sent again.
    pub(super) again: u32,
    /// How often the guards of unique values can have it sent again.
    pub(super) claims_again: u32,
    /// The reads before it is sent again.
    pub(super) read_again: Bounds,
    /// The checks of other items that can be in a later request, because these hold the guards of unique values.
    pub(super) checks: Span,
    /// The requests after a refusal.
    pub(super) after: Bounds,
    /// The read of the item, or of its idempotency key, by which a keyed update is judged if its transaction is not sent.
    pub(super) judged: Bounds,
    pub(super) can_be_refused: bool,
    /// The additional requests of an ordered history, if the entity has one.
    pub(super) ordered: Option<OrderedWrite>,
}

/// Returns the cost of a write. The stored item has up to `stored` bytes, before and after an update.
pub(crate) fn of_write(
    command: &WriteCommand,
    repository: &Repository,
    mut tables: Tables,
    returns: Option<ReturnValue>,
    stored: usize,
) -> Result<Cost, Error> {
    check_stored(stored)?;
    let is_split = splits(command)?;
    if is_split {
        tables.history = None;
    }
    let mut slot = Slot::new(Box::new(command.clone()), repository, tables, repository.now(), SendAs::Single(returns));
    let cost = of_slot(&mut slot, stored).map_err(|error| error.with_context(|| command.context()))?;
    Ok(cost.alone())
}

/// Returns the cost of a change that has this write: the item is read first. There may be no live item, which ends the change.
pub(crate) fn of_modify(
    write: &WriteCommand,
    repository: &Repository,
    tables: Tables,
    stored: usize,
) -> Result<Cost, Error> {
    check_stored(stored)?;
    let get = Bounds::read(consistent_read(stored));
    let Cost { applied, refused } = of_write(write, repository, tables, None, stored)?;
    Ok(Cost { applied: get + applied, refused: Some(get.or(get + refused.unwrap_or_default())) })
}

/// Returns `true` if an ordered history puts the superseded revision by a request of its own, so that the composer needs the item.
pub(super) fn splits(command: &WriteCommand) -> Result<bool, Error> {
    let is_ordered = command.schema.history.as_ref().is_some_and(|history| history.mode == Mode::Ordered);
    let is_counted = command.is_write() && command.versioned.is_some();
    Ok(is_ordered && is_counted && !matches!(command.expected()?, Some(Expected::New(_))))
}

/// Composes a write as if nothing was stored, and returns its cost. The composed rows stay in the slot.
pub(super) fn of_slot(slot: &mut Slot<'_>, stored: usize) -> Result<WriteCost, Error> {
    let needs_item = needs_item(&slot.command);
    let has_nulls = slot.command.update.changes.iter().any(|change| change.null == Null::Unknown);
    let history_row = history_row(slot, stored)?;
    assume_elements(&mut slot.command);
    slot.known.newest = Some(None);
    let Next::Send(composed, rows) = slot.compose(&OtherAttempts::default())? else {
        return Err(Error::invalid("the write sends no request, because the loaded item refuses it"));
    };
    let costs = Costs { slot, composed: &composed, stored };
    let mut units = vec![costs.main(&rows.main)];
    units.extend(rows.companion.iter().map(|row| costs.companion(row)));
    units.extend(rows.claims.guards.iter().map(guard));
    let claims = u8::try_from(rows.claims.guards.len()).unwrap_or(u8::MAX);
    let get = Bounds::read(consistent_read(stored));
    let is_keyed_by_row = composed.companion == Some(Companion::DedupKey);
    let key_read = if is_keyed_by_row { Bounds::read(Span::new(1.0, 2.0)) } else { Bounds::default() };
    let is_keyed = slot.command.has_dedup_key();
    let ordered = OrderedWrite::of(slot, &composed, stored, history_row);
    let reads_newest = ordered.is_none() && composed.companion == Some(Companion::NewRevision) && costs.is_new();
    let query = Bounds::read(consistent_read(history_row.most));
    let cost = WriteCost {
        before: match () {
            () if needs_item => get,
            () if reads_newest => query,
            () => Bounds::default(),
        },
        unsent: needs_item.then_some(get + key_read.or_nothing()),
        is_single: rows.is_single(),
        again: costs.again(has_nulls).max(u32::from(claims > 0)),
        claims_again: u32::from(claims > 0),
        read_again: if needs_item || ordered.is_some() { get } else { Bounds::default() },
        checks: Span::new(0.0, f64::from(claims) * IN_TRANSACTION * write_units(stored)),
        after: if is_keyed_by_row { get.or_nothing() } else { Bounds::default() },
        judged: if is_keyed { (get + key_read).or_nothing() } else { Bounds::default() },
        can_be_refused: rows.main.condition.is_some() || !rows.is_single() || ordered.is_some(),
        rows: units,
        ordered,
    };
    (slot.composed, slot.rows) = (Some(composed), Some(rows));
    Ok(cost)
}

/// Lets the removal of a list element, whose index only the item tells, be composed. The request's size does not depend on it.
fn assume_elements(command: &mut WriteCommand) {
    for (index, change) in command.update.changes.iter_mut().enumerate() {
        if matches!(change.action, Ok(Action::RemoveElement(_))) {
            *change = RawChange::new(change.path.then(Step::Index(index)), Ok(Action::Remove));
        }
    }
}

/// The input of the costs of rows.
struct Costs<'a, 'b> {
    slot: &'a Slot<'b>,
    composed: &'a ComposedWrite,
    stored: usize,
}

impl Costs<'_, '_> {
    /// Returns `true` if the write begins an item with a version.
    fn is_new(&self) -> bool {
        matches!(self.composed.write.expected, Some(Expected::New(_)))
    }

    /// Returns `true` if an item that counts as absent can be stored.
    fn can_be_dead(&self) -> bool {
        let schema = self.slot.command.schema;
        schema.tombstone.is_some() || schema.expires()
    }

    /// Returns how often the stored item can have the request sent again.
    fn again(&self, has_nulls: bool) -> u32 {
        let command = &self.slot.command;
        let is_over_dead = self.is_new() && self.can_be_dead();
        let is_in_item = !matches!(command.schema.key_store(), Some(Store::Row { .. }));
        let has_phases = command.has_dedup_key() && is_in_item;
        u32::from(is_over_dead) + u32::from(has_nulls) + u32::from(has_phases)
    }

    fn main(&self, row: &RowWrite) -> RowUnits {
        let (schema, write, stored) = (self.slot.command.schema, &self.composed.write, self.stored);
        let is_create = self.is_new() || write.verb == Verb::Create;
        let bytes = row.item().map_or(Bytes::default(), |item| self.put_bytes(item));
        let before = Before {
            most: stored,
            applied: if is_create && !self.can_be_dead() { 0 } else { stored },
            differs: schema.version.is_some() && write.verb != Verb::Delete,
            exists: write.verb != Verb::Update { upsert: true },
        };
        row_units(row, Some(schema), bytes, before)
    }

    fn companion(&self, row: &RowWrite) -> RowUnits {
        let is_revision = self.composed.companion != Some(Companion::DedupKey);
        let schema = self.slot.command.schema;
        let is_beside = schema.history.as_ref().is_some_and(|history| history.layout == Layout::SameTable);
        let bytes = row.item().map_or(Bytes::default(), |item| self.put_bytes(item));
        row_units(row, (is_revision && is_beside).then_some(schema), bytes, Before::new_row(bytes.most))
    }

    /// Returns the size of a row that the request puts.
    fn put_bytes(&self, item: &Item) -> Bytes {
        let schema = self.slot.command.schema;
        let bytes = Bytes::of(schema, item);
        let goes_on = self.is_new() && (self.can_be_dead() || schema.history.is_some());
        if has_times(schema) || goes_on || schema.idempotency.is_some() { bytes.with_other_numbers() } else { bytes }
    }
}

/// Returns `true` if the items have times of their own writes.
pub(super) fn has_times(schema: &Schema) -> bool {
    schema.created.is_some() || schema.updated.is_some() || schema.table_ttl().is_some()
}

/// Returns the units of the guard of a unique value, which may exist already.
fn guard(row: &RowWrite) -> RowUnits {
    let size = item_size(row.item_or_key());
    // Another holder's key may be longer.
    row_units(row, None, Bytes { least: size, most: size }, Before::any_row(2 * size))
}

impl WriteCost {
    /// Returns the units of the request if it is applied, and if it is refused.
    pub(super) fn sent(&self, is_single: bool) -> [Span; 2] {
        units_of(self.rows.iter(), is_single)
    }

    /// Returns the cost of sending a refused request before another one.
    pub(super) fn repeat(&self, refused: Span) -> Bounds {
        Bounds::write(refused + self.checks) + self.read_again
    }

    /// Returns the cost of the write as a command of its own.
    fn alone(self) -> Cost {
        if let Some(ordered) = &self.ordered {
            return ordered.alone(&self);
        }
        let [applied, refused] = self.sent(self.is_single);
        let repeats = self.repeat(refused).up_to(self.again);
        let applied = self.before + repeats + Bounds::write(applied + self.checks);
        let denied = self.before + repeats + Bounds::write(refused + self.checks) + self.after;
        let refused = self.unsent.map_or(denied, |unsent| unsent.or(denied));
        Cost { applied, refused: self.can_be_refused.then_some(refused) }
    }
}

/// Returns the units of a request with these rows if it is applied, and if it is refused.
pub(super) fn units_of<'a>(rows: impl Iterator<Item = &'a RowUnits> + Clone, is_single: bool) -> [Span; 2] {
    let factor = if is_single { 1.0 } else { IN_TRANSACTION };
    let refused = |row: &RowUnits| if is_single { row.refused } else { row.cancelled * factor };
    [rows.clone().map(|row| row.applied(factor)).sum(), rows.map(refused).sum()]
}
