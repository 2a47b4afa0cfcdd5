//! The rows of the two tables, and the other parts of a state.

use super::{Client, Request};

/// A unique value.
pub type Value = u8;

/// A row in the table of the items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item {
    /// There is no row.
    Absent,
    /// The row of a deleted item. It has no value.
    Tombstone,
    /// A live item.
    Live {
        /// Its value, if it has one.
        value: Option<Value>,
        /// `true` if a write that knows the uniqueness rule has stored the value. A row that another program has written, or
        /// that was restored, is not adopted, and the protocol promises nothing for it.
        is_adopted: bool,
    },
}

impl Item {
    /// Returns a live item with a value that the protocol has stored.
    #[must_use]
    pub fn with(value: Option<Value>) -> Self {
        Self::Live { value, is_adopted: true }
    }

    /// Returns a live item with a value that another program has stored.
    #[must_use]
    pub fn foreign(value: Option<Value>) -> Self {
        Self::Live { value, is_adopted: value.is_none() }
    }

    /// Returns `true` if this is a live item.
    #[must_use]
    pub fn is_live(self) -> bool {
        matches!(self, Self::Live { .. })
    }

    /// Returns the value of a live item.
    #[must_use]
    pub fn value(self) -> Option<Value> {
        match self {
            Self::Live { value, .. } => value,
            Self::Absent | Self::Tombstone => None,
        }
    }

    /// Returns the value, if it is adopted.
    #[must_use]
    pub fn adopted(self) -> Option<Value> {
        match self {
            Self::Live { value, is_adopted: true } => value,
            _ => None,
        }
    }
}

/// The rows of both tables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rows {
    /// The items, by number.
    pub items: Vec<Item>,
    /// The guards, by value: the number of the item that claimed the value last; `None` if there is no row.
    pub guards: Vec<Option<usize>>,
}

impl Rows {
    /// Returns `true` if each adopted value has its guard.
    #[must_use]
    pub fn is_guarded(&self) -> bool {
        let has_guard = |(index, item): (usize, &Item)| {
            item.adopted().is_none_or(|value| self.guards[usize::from(value)] == Some(index))
        };
        self.items.iter().enumerate().all(has_guard)
    }

    /// Returns `true` if a live item has this value, adopted or not.
    #[must_use]
    pub fn is_held(&self, value: Value) -> bool {
        self.items.iter().any(|item| item.value() == Some(value))
    }

    /// Returns `true` if a live item has this value and is adopted.
    #[must_use]
    pub fn is_adopted(&self, value: Value) -> bool {
        self.items.iter().any(|item| item.adopted() == Some(value))
    }
}

/// A state of the whole system.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The rows of both tables.
    pub rows: Rows,
    /// The programs that send requests.
    pub clients: Vec<Client>,
    /// The requests in flight, in order. Each one can arrive at any time, or never.
    pub requests: Vec<Request>,
    /// How many requests may still arrive a second time, or lose their answer.
    pub losses: u8,
    /// How many writes of programs that do not know the uniqueness rule, and restores of guards, may still happen.
    pub foreign_writes: u8,
    /// `true` if a client was refused a value that no live item had at that moment.
    pub refused_free_value: bool,
}
