//! Requests: native transactions over both tables. DynamoDB applies all of its actions, or none.

use super::state::{Item, Rows, Value};

/// What a row of an item must be like.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// Anything.
    Any,
    /// A live item.
    Live,
    /// A live item without this value.
    LiveWithout(Value),
    /// No live item.
    NotLive,
    /// Anything but a live item with this value. The condition of a holder's check.
    Without(Value),
    /// A live item with this value.
    With(Value),
    /// The row as it was loaded.
    Same(Item),
}

impl Condition {
    fn holds(&self, item: Item) -> bool {
        match self {
            Self::Any => true,
            Self::Live => item.is_live(),
            Self::LiveWithout(value) => item.is_live() && item.value() != Some(*value),
            Self::NotLive => !item.is_live(),
            Self::Without(value) => item.value() != Some(*value),
            Self::With(value) => item.value() == Some(*value),
            Self::Same(loaded) => item == *loaded,
        }
    }
}

/// What becomes of the row of an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// It stays as it is: a check, or a change of something else.
    Keep,
    /// It becomes this row.
    Put(Item),
    /// Its value is adopted.
    Adopt,
}

/// The part of a request about one item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemAction {
    /// The item's number.
    pub item: usize,
    /// What it must be like.
    pub condition: Condition,
    /// What becomes of it.
    pub effect: Effect,
    /// `true` for the check of another item, which holds a guard.
    pub is_check_of_holder: bool,
}

/// What a guard must be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuardCondition {
    /// Anything.
    Any,
    /// No row, or the row of this item.
    FreeOrOf(usize),
    /// The row of this item.
    Of(usize),
}

/// The part of a request about one guard.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GuardAction {
    /// The value.
    pub value: Value,
    /// What the guard must be like.
    pub condition: GuardCondition,
    /// The item that claims the value; `None` to remove the guard.
    pub claimed_by: Option<usize>,
}

impl GuardAction {
    /// Returns `true` if another item than the claimant must hold the guard.
    #[must_use]
    pub fn is_held_by_other(&self, claimant: usize) -> bool {
        matches!(self.condition, GuardCondition::Of(holder) if holder != claimant)
    }

    fn holds(&self, guard: Option<usize>) -> bool {
        match self.condition {
            GuardCondition::Any => true,
            GuardCondition::FreeOrOf(item) => guard.is_none_or(|holder| holder == item),
            GuardCondition::Of(item) => guard == Some(item),
        }
    }
}

/// A native transaction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Request {
    /// The client that waits for the answer.
    pub client: usize,
    /// The number of requests that the client has sent before it, so that no late answer is taken for the answer to a later one.
    pub round: u8,
    /// Its items, each once.
    pub items: Vec<ItemAction>,
    /// Its guards, each once.
    pub guards: Vec<GuardAction>,
}

/// Why DynamoDB refused a request, with the rows that it returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Denial {
    /// `true` if a condition of the write's own items failed.
    pub of_own_item: bool,
    /// The values whose holder's check failed: the holder has the value.
    pub taken: Vec<Value>,
    /// The guards whose condition failed, and their holders.
    pub guards: Vec<(Value, Option<usize>)>,
}

impl Request {
    /// Applies the request, or says why it is refused.
    pub fn arrive(&self, rows: &mut Rows) -> Result<(), Denial> {
        let mut denial = Denial::default();
        for ItemAction { item, condition, is_check_of_holder, .. } in &self.items {
            match condition {
                condition if condition.holds(rows.items[*item]) => {}
                Condition::Without(value) | Condition::LiveWithout(value)
                    if rows.items[*item].value() == Some(*value) =>
                {
                    denial.taken.push(*value);
                }
                _ => denial.of_own_item |= !is_check_of_holder,
            }
        }
        for guard in &self.guards {
            let holder = rows.guards[usize::from(guard.value)];
            if !guard.holds(holder) {
                denial.guards.push((guard.value, holder));
            }
        }
        if denial != Denial::default() {
            return Err(denial);
        }
        for ItemAction { item, effect, .. } in &self.items {
            let row = &mut rows.items[*item];
            *row = match effect {
                Effect::Keep => *row,
                Effect::Put(item) => *item,
                Effect::Adopt => Item::with(row.value()),
            };
        }
        for GuardAction { value, claimed_by, .. } in &self.guards {
            rows.guards[usize::from(*value)] = *claimed_by;
        }
        Ok(())
    }
}
