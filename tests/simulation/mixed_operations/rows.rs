//! Lists in a partition of each of two tables: a few that all want, and some that are made and deleted as long as nothing is in them.

use dyno::Entity;

/// How many lists each table has.
pub(super) const LISTS: u64 = 6;
/// Whose partition they are in.
pub(super) const SHELF: u64 = 7;
/// How many of them all want.
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

    /// One of those that all want, as a rule.
    pub(super) fn any() -> Self {
        let last = if fastrand::u8(0..6) == 0 { LISTS } else { HOT };
        Self::new(fastrand::bool(), fastrand::u64(0..last))
    }

    /// One that is often empty.
    pub(super) fn cold() -> Self {
        Self::new(fastrand::bool(), fastrand::u64(HOT..LISTS))
    }

    /// This list, of either table.
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

/// The same for the entity of either table.
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
