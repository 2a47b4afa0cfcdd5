//! The lanes that a process owns, by lane table. `owned_lane` sends the requests.
//!
//! Clones of a repository share the lanes.

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
    /// The number of the last attempt or claim. It is counted in memory only, because an attempt that was given up leaves no
    /// trace in the lane row.
    pub(crate) number: u64,
    /// The time of the last known write of the lane row.
    pub(crate) written: Moment,
}

/// The lanes of each lane table.
#[derive(Default)]
pub(crate) struct Lanes(Mutex<HashMap<String, Pool>>);

#[derive(Clone, Default)]
struct Pool {
    /// Lanes that no transaction uses. The one that was used last is the last one.
    free: Vec<OwnedLane>,
    /// Lanes whose transactions were not completed.
    abandoned: Vec<OwnedLane>,
    /// The names of all lanes that this process owns, or is about to own.
    reserved: BTreeSet<u32>,
}

impl Lanes {
    fn pools(&self) -> MutexGuard<'_, HashMap<String, Pool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a copy of the lanes, as a snapshot or a fork makes it.
    #[cfg(feature = "__tests")]
    pub(crate) fn copied(&self) -> Self {
        Self(Mutex::new(self.pools().clone()))
    }

    /// Takes the free lane that was used last, of those with a name up to `most`. Its name stays reserved.
    pub(crate) fn take_free(&self, table: &str, most: u32) -> Option<OwnedLane> {
        let mut pools = self.pools();
        let free = &mut pools.get_mut(table)?.free;
        let at = free.iter().rposition(|lane| lane.name <= most)?;
        Some(free.remove(at))
    }

    /// Takes a lane that this process has abandoned, with a name up to `most`. Its name stays reserved.
    pub(crate) fn take_abandoned(&self, table: &str, most: u32) -> Option<OwnedLane> {
        let mut pools = self.pools();
        let abandoned = &mut pools.get_mut(table)?.abandoned;
        let at = abandoned.iter().position(|lane| lane.name <= most)?;
        Some(abandoned.remove(at))
    }

    /// Reserves a name. Returns false if it was reserved already.
    pub(crate) fn reserve(&self, table: &str, name: u32) -> bool {
        self.pools().entry(table.to_owned()).or_default().reserved.insert(name)
    }

    /// Whether this process owns the lane of this name, or is about to.
    pub(crate) fn is_reserved(&self, table: &str, name: u32) -> bool {
        self.pools().get(table).is_some_and(|pool| pool.reserved.contains(&name))
    }

    /// Releases the reservation of a name, because the lane belongs to another process.
    pub(crate) fn forget(&self, table: &str, name: u32) {
        if let Some(pool) = self.pools().get_mut(table) {
            pool.reserved.remove(&name);
        }
    }

    /// Returns a lane to the pool.
    pub(crate) fn give_back(&self, table: &str, lane: OwnedLane) {
        self.pools().entry(table.to_owned()).or_default().free.push(lane);
    }

    /// Keeps a lane whose transaction was not completed.
    pub(crate) fn abandon(&self, table: &str, lane: OwnedLane) {
        self.pools().entry(table.to_owned()).or_default().abandoned.push(lane);
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
            assert!(lanes.reserve("t", name) && !lanes.reserve("t", name) && lanes.is_reserved("t", name));
            lanes.give_back("t", lane(name));
        }
        assert_eq!(lanes.take_free("other", 9), None);
        assert!(lanes.reserve("other", 1));
        // A repository that allows fewer lanes.
        assert_eq!(lanes.take_free("t", 1), Some(lane(1)));
        assert_eq!([9, 9, 9].map(|most| lanes.take_free("t", most)), [Some(lane(2)), Some(lane(3)), None]);
        lanes.abandon("t", lane(2));
        assert_eq!([1, 9, 9].map(|most| lanes.take_abandoned("t", most)), [None, Some(lane(2)), None]);
        assert!(lanes.is_reserved("t", 2));
        lanes.forget("t", 2);
        assert!(lanes.reserve("t", 2));
    }
}
