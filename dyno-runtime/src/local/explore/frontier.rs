//! The runs that are known and have not been made, those with few faults and preemptions first.

use super::choice::Candidate;
use super::decisions::{Branch, Deviation};
use std::collections::{BTreeMap, VecDeque};

/// The runs, by the rank of their costs.
#[derive(Default)]
pub(super) struct Frontier {
    ranks: BTreeMap<(usize, usize), VecDeque<Family>>,
    /// The number of runs that it holds.
    held: usize,
    /// The number of known runs that it has forgotten.
    forgotten: usize,
}

/// The runs of one rank that one run has found. There can be a million of them, so they share the deviations of that run.
struct Family {
    deviations: Box<[Deviation]>,
    last: std::vec::IntoIter<(Deviation, Vec<Candidate>)>,
}

impl Frontier {
    /// Adds the runs that a run with these deviations has found.
    pub(super) fn extend(&mut self, deviations: &[Deviation], branches: Vec<Branch>) {
        self.held += branches.len();
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
            self.held -= 1;
            let before = family.deviations.iter().copied().filter(|deviation| deviation.step < last.step);
            return Some((before.chain([last]).collect(), sleeping));
        }
    }

    /// Forgets the last of its runs, so that it holds at most so many: no others will be made.
    pub(super) fn keep(&mut self, most: usize) {
        while self.held > most {
            let Some(mut last) = self.ranks.last_entry() else { return };
            let Some(family) = last.get_mut().pop_back() else {
                last.remove();
                continue;
            };
            let mut runs = family.last.collect::<Vec<_>>();
            let forgotten = runs.len().min(self.held - most);
            runs.truncate(runs.len() - forgotten);
            runs.shrink_to_fit();
            self.held -= forgotten;
            self.forgotten += forgotten;
            if !runs.is_empty() {
                last.get_mut().push_back(Family { last: runs.into_iter(), ..family });
            }
        }
    }

    /// Returns the number of runs that are known and have not been made.
    pub(super) fn len(&self) -> usize {
        self.held + self.forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::super::choice::Cost;
    use super::*;

    #[test]
    fn it_forgets_the_most_expensive_runs_first_and_counts_them() {
        let branch = |step, faults, preemptions| Branch {
            deviation: Deviation { step, choice: 1 },
            cost: Cost { faults, preemptions },
            sleeping: Vec::new(),
        };
        let mut frontier = Frontier::default();
        frontier.extend(&[], vec![branch(1, 1, 1), branch(2, 0, 1), branch(3, 1, 1), branch(4, 1, 0), branch(5, 1, 1)]);
        frontier.keep(3);
        assert_eq!(frontier.len(), 5, "it knows all");
        let steps: Vec<u32> =
            std::iter::from_fn(|| frontier.next()).map(|(deviations, _)| deviations[0].step).collect();
        assert_eq!((steps, frontier.len()), (vec![2, 4, 1], 2));
    }
}
