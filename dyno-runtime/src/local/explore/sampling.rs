//! Runs at random beyond the bounds: probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte 2010). Each process
//! has a random priority, and the one with the highest goes on; at a few random points, its priority becomes the lowest.

use super::choice::{Candidate, Choice};
use fastrand::Rng;
use std::collections::BTreeMap;

/// The choices of a run at random.
#[derive(Debug)]
pub(super) struct Sampling {
    random: Rng,
    /// The priorities of the processes; of late requests and of time under `usize::MAX` and below.
    priorities: BTreeMap<usize, u64>,
    /// The steps at which the priority of the process that would go on becomes lower than all that were drawn.
    changes: Vec<usize>,
    /// The steps at which a fault comes.
    faults: Vec<usize>,
    step: usize,
}

impl Sampling {
    /// Draws a run of about `steps` steps with at most this many changes of priorities and faults.
    pub(super) fn new(seed: u64, steps: usize, changes: usize, faults: usize) -> Self {
        let mut random = Rng::with_seed(seed);
        let mut draw = |count| (0..count).map(|_| random.usize(..steps.max(1))).collect();
        let (changes, faults) = (draw(changes), draw(faults));
        Self { random, priorities: BTreeMap::new(), changes, faults, step: 0 }
    }

    /// Returns the index of the choice.
    pub(super) fn choose(&mut self, candidates: &[Candidate], faults_left: usize) -> usize {
        let step = self.step;
        self.step += 1;
        let actor = |candidate: &Candidate| match candidate.choice {
            Choice::Request(id, _) => id.process,
            Choice::Late(_) => usize::MAX,
            Choice::Time => usize::MAX - 1,
        };
        for candidate in candidates {
            let random = &mut self.random;
            self.priorities.entry(actor(candidate)).or_insert_with(|| random.u64(1 << 32..));
        }
        let highest = |priorities: &BTreeMap<usize, u64>| {
            let priority = |at: &usize| priorities.get(&actor(&candidates[*at])).copied().unwrap_or_default();
            let plain = (0..candidates.len()).filter(|at| candidates[*at].cost.faults == 0);
            plain.max_by_key(|at| (priority(at), usize::MAX - at)).unwrap_or_default()
        };
        let mut first = highest(&self.priorities);
        // The changes were drawn in no order, and each of them has a priority of its own, below all that were drawn.
        if let Some(change) = self.changes.iter().position(|at| *at == step) {
            self.priorities.insert(actor(&candidates[first]), change as u64);
            first = highest(&self.priorities);
        }
        let chosen = actor(&candidates[first]);
        let faulty =
            (0..candidates.len()).filter(|at| candidates[*at].cost.faults > 0 && actor(&candidates[*at]) == chosen);
        let faulty: Vec<_> = faulty.collect();
        if faults_left > 0 && self.faults.contains(&step) && !faulty.is_empty() {
            return faulty[self.random.usize(..faulty.len())];
        }
        first
    }
}
