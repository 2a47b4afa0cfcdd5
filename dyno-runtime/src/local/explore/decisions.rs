//! The decisions of one run: it deviates from the simplest run at the given steps, and notes where later runs can deviate further.

use super::choice::{Candidate, Choice, Cost};
use super::sampling::Sampling;

/// The bounds of an exploration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) faults: usize,
    /// `None` for every interleaving.
    pub(super) preemptions: Option<usize>,
    /// Whether one order of choices that commute stands for both. With a bound on preemptions it does not: the order that stands for
    /// both may be beyond the bound.
    pub(super) is_reduced: bool,
    /// Whether intermediate states are observed.
    pub(super) is_observed: bool,
}

impl Bounds {
    /// Returns how often a run at random changes the order of the processes.
    pub(super) fn sampled_changes(&self) -> usize {
        self.preemptions.map_or(3, |most| most + 1)
    }

    fn allow(&self, cost: Cost) -> bool {
        cost.faults <= self.faults && self.preemptions.is_none_or(|most| cost.preemptions <= most)
    }
}

/// A choice that is not the first of its step. A run is known by its deviations: at all other steps it makes the first choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deviation {
    pub(super) step: u32,
    pub(super) choice: u32,
}

impl Deviation {
    fn new(step: usize, choice: usize) -> Self {
        let small = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        Self { step: small(step), choice: small(choice) }
    }
}

/// A run that deviates once more than the one that found it.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) deviation: Deviation,
    pub(super) cost: Cost,
    /// The choices that other runs make there, and that commute with this one.
    pub(super) sleeping: Vec<Candidate>,
}

/// Where a run's choices come from.
#[derive(Debug)]
pub(super) enum Source {
    /// The deviations, and what sleeps after the last one.
    Deviations(Vec<Deviation>, Vec<Candidate>),
    /// The words of a schedule.
    Words(Vec<String>),
    Sampling(Sampling),
}

/// The decisions of a run.
#[derive(Debug)]
pub(super) struct Decisions {
    bounds: Bounds,
    source: Source,
    /// How many choices were made.
    pub(super) steps: usize,
    pub(super) deviations: Vec<Deviation>,
    /// The words of the choices.
    pub(super) words: Vec<String>,
    pub(super) cost: Cost,
    sleeping: Vec<Candidate>,
    /// The other choices that could have been made, for runs of their own.
    pub(super) branches: Vec<Branch>,
}

/// A decision.
pub(super) enum Decision {
    Made(Choice),
    /// Another run makes these choices in another order, so this run need not go on.
    Redundant,
    /// There is no such choice here.
    Unknown(String),
}

impl Decisions {
    pub(super) fn new(bounds: Bounds, source: Source) -> Self {
        Self {
            bounds,
            source,
            steps: 0,
            deviations: Vec::new(),
            words: Vec::new(),
            cost: Cost::default(),
            sleeping: Vec::new(),
            branches: Vec::new(),
        }
    }

    /// Returns `true` if a further fault is within the bounds.
    pub(super) fn may_fail(&self) -> bool {
        self.cost.faults < self.bounds.faults || matches!(self.source, Source::Words(_))
    }

    /// Decides which of these choices is made. The first one is the simplest.
    pub(super) fn decide(&mut self, candidates: &[Candidate]) -> Decision {
        let step = self.steps;
        let chosen = match &mut self.source {
            Source::Deviations(deviations, sleeping) => {
                match deviations.iter().position(|deviation| deviation.step as usize >= step) {
                    None => return self.explore(candidates),
                    Some(next) if deviations[next].step as usize > step => 0,
                    Some(last) => {
                        let choice = deviations[last].choice as usize;
                        if last + 1 == deviations.len() {
                            self.sleeping = std::mem::take(sleeping);
                        }
                        choice
                    }
                }
            }
            Source::Words(words) => match words.get(step) {
                Some(word) => match candidates.iter().position(|candidate| candidate.word == *word) {
                    Some(chosen) => chosen,
                    None => return Decision::Unknown(word.clone()),
                },
                None => 0,
            },
            Source::Sampling(sampling) => {
                sampling.choose(candidates, self.bounds.faults.saturating_sub(self.cost.faults))
            }
        };
        if chosen >= candidates.len() {
            return Decision::Unknown(format!("choice {chosen}"));
        }
        self.make(candidates, chosen)
    }

    /// Makes the simplest choice that no other run makes, and notes the others.
    fn explore(&mut self, candidates: &[Candidate]) -> Decision {
        let is_awake = |candidate: &Candidate| {
            self.bounds.allow(self.cost.plus(candidate.cost))
                && !self.sleeping.iter().any(|sleeping| sleeping.choice == candidate.choice)
        };
        let mut awake = candidates.iter().enumerate().filter(|(_, candidate)| is_awake(candidate));
        let Some((chosen, first)) = awake.next() else { return Decision::Redundant };
        let mut earlier = vec![first.clone()];
        let mut branches = Vec::new();
        for (other, candidate) in awake {
            let sleeping = self.asleep_after(candidate, &earlier);
            let (deviation, cost) = (Deviation::new(self.steps, other), self.cost.plus(candidate.cost));
            branches.push(Branch { deviation, cost, sleeping });
            if self.bounds.is_reduced {
                earlier.push(candidate.clone());
            }
        }
        self.sleeping = self.asleep_after(first, &[]);
        self.branches.extend(branches);
        self.make(candidates, chosen)
    }

    /// Returns the choices that need not be made after this one: those that other runs make before it, and that commute with it.
    fn asleep_after(&self, chosen: &Candidate, earlier: &[Candidate]) -> Vec<Candidate> {
        if !self.bounds.is_reduced {
            return Vec::new();
        }
        let others = self.sleeping.iter().chain(earlier);
        others.filter(|other| other.commutes_with(chosen, self.bounds.is_observed)).cloned().collect()
    }

    fn make(&mut self, candidates: &[Candidate], chosen: usize) -> Decision {
        let Candidate { choice, cost, word, .. } = &candidates[chosen];
        if chosen > 0 {
            self.deviations.push(Deviation::new(self.steps, chosen));
        }
        self.steps += 1;
        self.words.push(word.clone());
        self.cost = self.cost.plus(*cost);
        Decision::Made(*choice)
    }

    /// Returns the words up to the last deviation. After it, the simplest choices follow.
    pub(super) fn schedule(&self) -> &[String] {
        let needed = self.deviations.last().map_or(0, |last| last.step as usize + 1);
        &self.words[..needed]
    }
}
