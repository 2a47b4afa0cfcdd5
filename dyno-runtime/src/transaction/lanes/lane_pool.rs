//! The lanes that a process owns, for each lane table. `owned_lane` sends the requests.
//!
//! Clones of a repository share them. A repository with another lane table has its own lanes there.

use crate::exchange::Moment;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A lane of this process.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OwnedLane {
    pub(crate) name: u32,
    /// The birth mark of the lane, and the mark of this owner.
    pub(crate) born: String,
    pub(crate) owner: String,
    /// The last number that committed.
    pub(crate) previous: u64,
    /// The last number that was given out. It is never read from the lane row again, because an aborted number leaves no trace
    /// there.
    pub(crate) number: u64,
    /// The time of the last known write of the lane row.
    pub(crate) written: Moment,
}

/// The lanes of each lane table.
#[derive(Default)]
pub(crate) struct Lanes(Mutex<HashMap<String, Known>>);

#[derive(Clone, Default)]
struct Known {
    /// Lanes that no transaction uses, the last used last.
    free: Vec<OwnedLane>,
    /// Lanes of transactions that were not completed.
    left: Vec<OwnedLane>,
    /// The names of all lanes that this process owns, or is about to own.
    taken: BTreeSet<u32>,
}

impl Lanes {
    fn known(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a copy of the lanes, for another memory.
    #[cfg(feature = "__tests")]
    pub(crate) fn copied(&self) -> Self {
        Self(Mutex::new(self.known().clone()))
    }

    /// Takes a free lane with a name up to `most`, the last used one. Its name stays reserved.
    pub(crate) fn free(&self, table: &str, most: u32) -> Option<OwnedLane> {
        let mut known = self.known();
        let free = &mut known.get_mut(table)?.free;
        let at = free.iter().rposition(|lane| lane.name <= most)?;
        Some(free.remove(at))
    }

    /// Takes an abandoned lane of this process with a name up to `most`. Its name stays reserved.
    pub(crate) fn left(&self, table: &str, most: u32) -> Option<OwnedLane> {
        let mut known = self.known();
        let left = &mut known.get_mut(table)?.left;
        let at = left.iter().position(|lane| lane.name <= most)?;
        Some(left.remove(at))
    }

    /// Reserves a name. Returns whether it was not reserved.
    pub(crate) fn reserve(&self, table: &str, name: u32) -> bool {
        self.known().entry(table.to_owned()).or_default().taken.insert(name)
    }

    /// Whether this process owns the lane of this name, or is about to.
    pub(crate) fn is_taken(&self, table: &str, name: u32) -> bool {
        self.known().get(table).is_some_and(|known| known.taken.contains(&name))
    }

    /// Forgets a name: the lane belongs to another process.
    pub(crate) fn forget(&self, table: &str, name: u32) {
        if let Some(known) = self.known().get_mut(table) {
            known.taken.remove(&name);
        }
    }

    /// Returns a lane to the pool.
    pub(crate) fn give_back(&self, table: &str, lane: OwnedLane) {
        self.known().entry(table.to_owned()).or_default().free.push(lane);
    }

    /// Notes a lane whose transaction was not completed.
    pub(crate) fn leave(&self, table: &str, lane: OwnedLane) {
        self.known().entry(table.to_owned()).or_default().left.push(lane);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::time::EpochMillis;
    use std::time::Duration;

    fn lane(name: u32) -> OwnedLane {
        let written = Moment { wall: EpochMillis::new(0), monotonic: Duration::ZERO };
        OwnedLane { name, born: "b".into(), owner: "o".into(), previous: 0, number: 0, written }
    }

    #[test]
    fn the_pool_of_each_table_returns_its_last_used_lane_first() {
        let lanes = Lanes::default();
        for name in [1, 3, 2] {
            assert!(lanes.reserve("t", name) && !lanes.reserve("t", name) && lanes.is_taken("t", name));
            lanes.give_back("t", lane(name));
        }
        assert_eq!(lanes.free("other", 9), None);
        assert!(lanes.reserve("other", 1));
        // A repository that allows fewer lanes.
        assert_eq!(lanes.free("t", 1), Some(lane(1)));
        assert_eq!([9, 9, 9].map(|most| lanes.free("t", most)), [Some(lane(2)), Some(lane(3)), None]);
        lanes.leave("t", lane(2));
        assert_eq!([1, 9, 9].map(|most| lanes.left("t", most)), [None, Some(lane(2)), None]);
        assert!(lanes.is_taken("t", 2));
        lanes.forget("t", 2);
        assert!(lanes.reserve("t", 2));
    }
}
