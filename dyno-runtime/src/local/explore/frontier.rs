//! The runs that are known and have not been made, those with few faults and preemptions first.

use super::choice::Candidate;
use super::decisions::{Branch, Deviation};
use std::collections::{BTreeMap, VecDeque};

/// The runs, by the rank of their costs.
#[derive(Default)]
pub(super) struct Frontier {
    ranks: BTreeMap<(usize, usize), VecDeque<Family>>,
    len: usize,
}

/// The runs of one rank that one run has found. There can be a million of them, so they share the deviations of that run.
struct Family {
    deviations: Box<[Deviation]>,
    last: std::vec::IntoIter<(Deviation, Vec<Candidate>)>,
}

impl Frontier {
    /// Adds the runs that a run with these deviations has found.
    pub(super) fn extend(&mut self, deviations: &[Deviation], branches: Vec<Branch>) {
        self.len += branches.len();
        let mut by_rank: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for Branch { deviation, cost, sleeping } in branches {
            by_rank.entry(cost.rank()).or_default().push((deviation, sleeping));
        }
        for (rank, last) in by_rank {
            // A run finds further choices only after the last of its own.
            let family = Family { deviations: deviations.into(), last: last.into_iter() };
            self.ranks.entry(rank).or_default().push_back(family);
        }
    }

    /// Takes the next run: its deviations, and what sleeps after them.
    pub(super) fn next(&mut self) -> Option<(Vec<Deviation>, Vec<Candidate>)> {
        loop {
            let mut first = self.ranks.first_entry()?;
            let Some(family) = first.get_mut().front_mut() else {
                first.remove();
                continue;
            };
            let Some((last, sleeping)) = family.last.next() else {
                first.get_mut().pop_front();
                continue;
            };
            self.len -= 1;
            let before = family.deviations.iter().copied().filter(|deviation| deviation.step < last.step);
            return Some((before.chain([last]).collect(), sleeping));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}
