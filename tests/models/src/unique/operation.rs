//! The operations of clients, and the requests that they send.

use super::request::{Condition, Effect, GuardAction, GuardCondition, ItemAction, Request};
use super::state::{Item, Rows, Value};

/// A measure of the protocol. The model can leave it out, to check that the protocol needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// An update that sets a value also claims it.
    ClaimOfUpdate,
    /// A first claim requires that the guard is free or already belongs to the claimant.
    ConditionOfClaim,
    /// A claim of a guard that another item holds checks that this item does not have the value.
    CheckOfHolder,
    /// This check is part of the write's transaction, not a separate read before it.
    CheckInTransaction,
    /// A claim of a guard that another item holds requires that the same item still holds the guard.
    ConditionOnHolder,
    /// A value is refused only if the holder of its guard has it. (A guard alone is no proof.)
    RefusalByHolderOnly,
    /// A write over a loaded item that claims nothing requires that the item still has the loaded value.
    ConditionOnLoadedValue,
    /// If the transaction also writes the holder of a wanted value and keeps the holder's value, the check of the holder is
    /// a condition of that write.
    ConditionBeside,
    /// The removal of a guard checks, in the same transaction, that the holder does not have the value.
    CheckOfSweep,
    /// A reader that does not find the value in the holder's item reads the guard and the item again, at one point in time.
    SnapshotOfReader,
}

/// An operation of a client.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Writes an item with this value, whatever row exists.
    Put(usize, Value),
    /// Writes an item with this value, if no live item exists.
    Create(usize, Value),
    /// Sets the value of a live item.
    Set(usize, Value),
    /// Removes the value of a live item.
    Clear(usize),
    /// Writes a tombstone, whatever row exists.
    Delete(usize),
    /// Writes the loaded item again, with the value that it has. Claims nothing.
    PutOver(usize),
    /// Claims the value that a stored item has.
    Adopt(usize),
    /// Sets the value of the first item and changes another attribute of the second item, in one transaction.
    SetBeside(usize, Value, usize),
    /// Exchanges the values of two live items in one transaction.
    Swap(usize, usize),
    /// Removes the guard of this value, if the holder does not have the value.
    Sweep(Value),
    /// Searches for the item that has this value.
    Find(Value),
}

impl Operation {
    /// Returns all operations on this many items and values.
    #[must_use]
    pub fn all(items: usize, values: Value) -> Vec<Self> {
        let mut all: Vec<Self> = (0..values).flat_map(|value| [Self::Sweep(value), Self::Find(value)]).collect();
        for item in 0..items {
            all.extend([Self::Clear(item), Self::Delete(item), Self::PutOver(item), Self::Adopt(item)]);
            all.extend((item + 1..items).map(|other| Self::Swap(item, other)));
            for value in 0..values {
                all.extend([Self::Put(item, value), Self::Create(item, value), Self::Set(item, value)]);
                let others = (0..items).filter(|other| *other != item);
                all.extend(others.map(|other| Self::SetBeside(item, value, other)));
            }
        }
        all
    }

    /// Returns the operation's writes to items, based on the rows at its start, or `None` if there is nothing to do.
    #[must_use]
    pub fn writes(&self, rows: &Rows, omitted: Option<Measure>) -> Option<Vec<ItemAction>> {
        let write = |item: usize, condition, effect| ItemAction { item, condition, effect, is_check_of_holder: false };
        let put = |value| Effect::Put(Item::with(Some(value)));
        Some(match *self {
            Self::Put(item, value) => vec![write(item, Condition::Any, put(value))],
            Self::Create(item, value) => vec![write(item, Condition::NotLive, put(value))],
            Self::Set(item, value) => vec![write(item, Condition::Live, put(value))],
            Self::Clear(item) => vec![write(item, Condition::Live, Effect::Put(Item::with(None)))],
            Self::Delete(item) => vec![write(item, Condition::Any, Effect::Put(Item::Tombstone))],
            Self::PutOver(item) => {
                let loaded = rows.items[item];
                loaded.value()?;
                let is_omitted = omitted == Some(Measure::ConditionOnLoadedValue);
                let condition = if is_omitted { Condition::Live } else { Condition::Same(loaded) };
                vec![write(item, condition, Effect::Put(loaded))]
            }
            Self::Adopt(item) => vec![write(item, Condition::With(rows.items[item].value()?), Effect::Adopt)],
            Self::SetBeside(item, value, other) => {
                vec![write(item, Condition::Live, put(value)), write(other, Condition::Live, Effect::Keep)]
            }
            Self::Swap(item, other) => {
                let (one, two) = (rows.items[item].value()?, rows.items[other].value()?);
                if one == two {
                    return None;
                }
                vec![write(item, Condition::Live, put(two)), write(other, Condition::Live, put(one))]
            }
            Self::Sweep(_) | Self::Find(_) => return None,
        })
    }

    /// Returns the request of a sweep, if the holder of the guard does not have the value.
    #[must_use]
    pub fn sweep(value: Value, rows: &Rows, omitted: Option<Measure>) -> Option<(Vec<ItemAction>, GuardAction)> {
        let holder = rows.guards[usize::from(value)]?;
        if rows.items[holder].value() == Some(value) {
            return None;
        }
        let guard = GuardAction { value, condition: GuardCondition::Of(holder), claimed_by: None };
        let check = (omitted != Some(Measure::CheckOfSweep)).then(|| check(holder, value));
        Some((check.into_iter().collect(), guard))
    }

    /// Returns `true` if the operation claims the values that it stores.
    #[must_use]
    pub fn claims(&self, omitted: Option<Measure>) -> bool {
        match self {
            Self::PutOver(_) => false,
            Self::Set(..) => omitted != Some(Measure::ClaimOfUpdate),
            _ => true,
        }
    }
}

/// Returns the check that an item does not have a value.
fn check(item: usize, value: Value) -> ItemAction {
    ItemAction { item, condition: Condition::Without(value), effect: Effect::Keep, is_check_of_holder: true }
}

/// Returns the request of these writes, with a claim of each value that they store. `holders` are the holders of guards, as
/// far as earlier denials have shown them.
#[must_use]
pub(super) fn compose(
    (client, round): (usize, u8),
    writes: &[ItemAction],
    claims: bool,
    holders: &[Option<usize>],
    omitted: Option<Measure>,
) -> Request {
    let mut request = Request { client, round, items: writes.to_vec(), guards: Vec::new() };
    for ItemAction { item, condition, effect, .. } in writes.iter().filter(|_| claims) {
        let value = match (effect, condition) {
            (Effect::Put(item), _) => item.value(),
            (Effect::Adopt, Condition::With(value)) => Some(*value),
            _ => None,
        };
        let Some(value) = value else { continue };
        let holder = holders[usize::from(value)].filter(|holder| holder != item);
        let condition = match (holder, omitted) {
            (Some(_), Some(Measure::ConditionOnHolder)) | (None, Some(Measure::ConditionOfClaim)) => {
                GuardCondition::Any
            }
            (Some(holder), _) => GuardCondition::Of(holder),
            (None, _) => GuardCondition::FreeOrOf(*item),
        };
        request.guards.push(GuardAction { value, condition, claimed_by: Some(*item) });
        if let Some(holder) = holder {
            check_holder(&mut request, holder, value, omitted);
        }
    }
    request.items.sort();
    request.guards.sort();
    request
}

/// Adds the condition that the holder of a guard does not have the value. If the transaction writes the holder, the
/// condition is added to that write.
fn check_holder(request: &mut Request, holder: usize, value: Value, omitted: Option<Measure>) {
    match request.items.iter_mut().find(|action| action.item == holder) {
        // This write gives the holder another value, so the request needs no condition.
        Some(ItemAction { effect: Effect::Put(_), .. }) => {}
        Some(_) if omitted == Some(Measure::ConditionBeside) => {}
        Some(action) => action.condition = Condition::LiveWithout(value),
        None if matches!(omitted, Some(Measure::CheckOfHolder | Measure::CheckInTransaction)) => {}
        None => request.items.push(check(holder, value)),
    }
}
