//! Requests: native transactions over both tables. DynamoDB applies all actions of a request, or none.

use super::state::{Item, Rows, Value};

/// The condition on an item's row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// No condition.
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
    /// The row is the same as when it was loaded.
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

/// The effect on an item's row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// The row stays as it is, because the action is a check or changes another attribute.
    Keep,
    /// The row is replaced by this row.
    Put(Item),
    /// Its value is adopted.
    Adopt,
}

/// The part of a request about one item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemAction {
    /// The item's number.
    pub item: usize,
    /// The condition on its row.
    pub condition: Condition,
    /// The effect on its row.
    pub effect: Effect,
    /// `true` if this is the check that the holder of a guard does not have the value.
    pub is_check_of_holder: bool,
}

/// The condition on a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuardCondition {
    /// No condition.
    Any,
    /// The guard has no row, or this item holds it.
    FreeOrOf(usize),
    /// This item holds the guard.
    Of(usize),
}

/// The part of a request about one guard.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GuardAction {
    /// The value.
    pub value: Value,
    /// The condition on the guard.
    pub condition: GuardCondition,
    /// The item that claims the value; `None` to remove the guard.
    pub claimed_by: Option<usize>,
}

impl GuardAction {
    /// Returns `true` if the action requires that an item other than the claimant holds the guard.
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
    /// The number of requests that the client sent before this one, so that a late answer is not mistaken for the answer to
    /// a later request.
    pub round: u8,
    /// The actions on items, at most one for each item.
    pub items: Vec<ItemAction>,
    /// The actions on guards, at most one for each guard.
    pub guards: Vec<GuardAction>,
}

/// The reason why DynamoDB refused a request, with the rows that DynamoDB returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Denial {
    /// `true` if a condition of the write's own items failed.
    pub of_own_item: bool,
    /// The values that a check found in the item of their holder.
    pub taken: Vec<Value>,
    /// The guards whose condition failed, with their holders.
    pub guards: Vec<(Value, Option<usize>)>,
}

impl Request {
    /// Applies the request, or returns why it is refused.
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
