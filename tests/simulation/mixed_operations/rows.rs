//! Lists in one partition of each of two tables: a few hot ones that most operations use, and some that are created, and
//! deleted while they are empty.

use dyno::Entity;

/// How many lists each table has.
pub(super) const LISTS: u64 = 6;
/// The partition key of all lists.
pub(super) const SHELF: u64 = 7;
/// How many lists of each table are hot.
const HOT: u64 = 3;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "lefts")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub(super) struct Left {
    #[partition_key]
    pub(super) shelf: u64,
    #[sort_key]
    pub(super) id: u64,
    pub(super) list: Vec<u64>,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "rights")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub(super) struct Right {
    #[partition_key]
    pub(super) shelf: u64,
    #[sort_key]
    pub(super) id: u64,
    pub(super) list: Vec<u64>,
    #[version]
    pub(super) version: u64,
}

/// One of the lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    Left(u64),
    Right(u64),
}

impl Place {
    fn new(is_left: bool, id: u64) -> Self {
        if is_left { Self::Left(id) } else { Self::Right(id) }
    }

    /// A random list, mostly a hot one.
    pub(super) fn any() -> Self {
        let last = if fastrand::u8(0..6) == 0 { LISTS } else { HOT };
        Self::new(fastrand::bool(), fastrand::u64(0..last))
    }

    /// A list that is often empty.
    pub(super) fn cold() -> Self {
        Self::new(fastrand::bool(), fastrand::u64(HOT..LISTS))
    }

    /// The list of this number, in a random table.
    pub(super) fn one(id: u64) -> Self {
        Self::new(fastrand::bool(), id)
    }

    /// Another list of the same table.
    pub(super) fn beside(self, id: u64) -> Self {
        Self::new(matches!(self, Self::Left(_)), id)
    }

    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..LISTS).flat_map(|id| [Self::Left(id), Self::Right(id)])
    }

    pub(super) fn name(self) -> String {
        format!("{self:?}")
    }
}

/// Evaluates an expression for the entity and the number of a place.
macro_rules! at {
    ($place:expr, $E:ident, $id:ident => $body:expr) => {
        match $place {
            $crate::mixed_operations::rows::Place::Left($id) => {
                use $crate::mixed_operations::rows::Left as $E;
                $body
            }
            $crate::mixed_operations::rows::Place::Right($id) => {
                use $crate::mixed_operations::rows::Right as $E;
                $body
            }
        }
    };
}

pub(super) use at;
