//! The course of one try, as pure steps: what is to be sent next, given all that was heard.
//!
//! All intents are placed (M11); what was only read is read once more (M13); then one write of the lane decides; then the
//! intents are applied. Before the decision, any loss ends the try, and what was placed is taken away. Of a decision that may
//! be under way, nothing is given up (M17): it is asked for, again and again.

/// Where a try stands.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    legs: Vec<Stand>,
    /// Whether the participants are in pages, where they have any.
    is_paged: bool,
    stage: Stage,
    /// Whether a request of it may arrive yet, of which no answer tells.
    is_unclear: bool,
}

/// Where one item of it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stand {
    /// Without an intent, as far as is known.
    Free,
    Placed,
    /// It may have the intent, or get it yet.
    Unclear,
    Applied,
    /// It could not be applied.
    Left,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Place,
    Validate,
    Commit,
    /// The commit may be under way.
    Ask,
    Apply,
    Undo,
    Committed,
    Lost,
    InDoubt,
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Place the intents of these, and write the pages, if they are not written.
    Place {
        legs: Vec<usize>,
        pages: bool,
    },
    /// Read what was only read once more.
    Validate,
    Commit,
    /// Look at the lane, what has become of the commit.
    Ask,
    Apply(Vec<usize>),
    /// Take the intents of these away.
    Undo(Vec<usize>),
    End(End),
}

/// How a try ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It is committed. How many items do not show it yet, and whether all that was sent has been answered.
    Committed { unapplied: usize, is_clear: bool },
    /// Nothing of it is, or will be.
    Lost { is_clear: bool },
    /// The commit may be under way.
    InDoubt,
}

/// What was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Placed(usize),
    /// It is not placed, and will not be.
    Kept(usize),
    /// There was no answer that tells.
    Unclear(usize),
    Paged,
    /// What was read is not so any more, or cannot be learned; or a page is not written.
    Lost,
    Valid,
    Committed,
    /// It is not committed, and will not be.
    Void,
    /// The commit may be under way.
    Asked,
    /// It is not known what became of the commit, for now.
    Silent,
    Applied(usize),
    Left(usize),
    /// The intents are taken away, as far as could be.
    Undone,
}

impl Course {
    /// Of so many items to write. Whether there are pages.
    pub(crate) fn new(legs: usize, has_pages: bool) -> Self {
        Self { legs: vec![Stand::Free; legs], is_paged: !has_pages, stage: Stage::Place, is_unclear: false }
    }

    pub(crate) fn next(&self) -> Step {
        let those = |is: &dyn Fn(Stand) -> bool| {
            let legs = self.legs.iter().enumerate().filter(|(_, stand)| is(**stand));
            legs.map(|(leg, _)| leg).collect::<Vec<_>>()
        };
        match self.stage {
            Stage::Place => Step::Place { legs: those(&|stand| stand == Stand::Free), pages: !self.is_paged },
            Stage::Validate => Step::Validate,
            Stage::Commit => Step::Commit,
            Stage::Ask => Step::Ask,
            Stage::Apply => Step::Apply(those(&|stand| !matches!(stand, Stand::Applied | Stand::Left))),
            Stage::Undo => Step::Undo(those(&|stand| matches!(stand, Stand::Placed | Stand::Unclear))),
            Stage::Committed => {
                let unapplied = those(&|stand| stand == Stand::Left).len();
                Step::End(End::Committed { unapplied, is_clear: !self.is_unclear && unapplied == 0 })
            }
            Stage::Lost => Step::End(End::Lost { is_clear: !self.is_unclear }),
            Stage::InDoubt => Step::End(End::InDoubt),
        }
    }

    /// Takes up what was heard since the last step. The state that the attempt came to by that, for the log.
    pub(crate) fn hear(&mut self, heard: &[Heard]) -> Option<&'static str> {
        for heard in heard {
            match *heard {
                Heard::Placed(leg) => self.legs[leg] = Stand::Placed,
                Heard::Unclear(leg) => (self.legs[leg], self.is_unclear) = (Stand::Unclear, true),
                Heard::Applied(leg) => self.legs[leg] = Stand::Applied,
                Heard::Left(leg) => self.legs[leg] = Stand::Left,
                Heard::Paged => self.is_paged = true,
                _ => {}
            }
        }
        let was = |this: Heard| heard.contains(&this);
        let before = self.stage;
        self.stage = match before {
            Stage::Place if self.is_paged && self.legs.iter().all(|stand| *stand == Stand::Placed) => Stage::Validate,
            Stage::Validate if was(Heard::Valid) => Stage::Commit,
            Stage::Place | Stage::Validate => Stage::Undo,
            Stage::Commit | Stage::Ask if was(Heard::Committed) => Stage::Apply,
            Stage::Commit | Stage::Ask if was(Heard::Void) => Stage::Undo,
            Stage::Commit if was(Heard::Asked) => Stage::Ask,
            Stage::Ask if was(Heard::Asked) => Stage::Commit,
            Stage::Commit | Stage::Ask => Stage::InDoubt,
            Stage::Apply => Stage::Committed,
            Stage::Undo => Stage::Lost,
            ended => ended,
        };
        Self::state(before, self.stage)
    }

    fn state(before: Stage, after: Stage) -> Option<&'static str> {
        Some(match (before, after) {
            (Stage::Place, Stage::Validate) => "prewritten",
            (Stage::Validate, Stage::Commit) => "validated",
            (Stage::Commit, Stage::Ask) => "commit unanswered",
            (Stage::Commit | Stage::Ask, Stage::Apply) => "committed",
            (Stage::Apply, Stage::Committed) => "rolled forward",
            (Stage::Place | Stage::Validate | Stage::Commit | Stage::Ask, Stage::Undo) => "aborting",
            (Stage::Undo, Stage::Lost) => "aborted",
            (Stage::Commit | Stage::Ask, Stage::InDoubt) => "in doubt",
            _ => return None,
        })
    }

    /// Goes on where whoever drove it was dropped: what was under way may have been served.
    pub(crate) fn resume(&mut self) {
        self.is_unclear = true;
        match self.stage {
            Stage::Place => {
                for stand in self.legs.iter_mut().filter(|stand| **stand == Stand::Free) {
                    *stand = Stand::Unclear;
                }
                self.stage = Stage::Undo;
            }
            Stage::Validate => self.stage = Stage::Undo,
            Stage::Commit | Stage::InDoubt => self.stage = Stage::Ask,
            _ => {}
        }
    }

    /// Whether it may be committed, for all that is known: then it must not be given up.
    pub(crate) fn may_be_committed(&self) -> bool {
        matches!(self.stage, Stage::Ask | Stage::InDoubt | Stage::Apply | Stage::Committed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goes through these answers, step by step.
    fn course(has_pages: bool, answers: &[&[Heard]]) -> (Vec<Step>, Course) {
        let mut course = Course::new(2, has_pages);
        let mut steps = vec![course.next()];
        for heard in answers {
            course.hear(heard);
            steps.push(course.next());
        }
        (steps, course)
    }

    const PLACED: &[Heard] = &[Heard::Placed(0), Heard::Placed(1), Heard::Paged];
    const VALID: &[Heard] = &[Heard::Valid];
    const COMMITTED: &[Heard] = &[Heard::Committed];

    fn last(has_pages: bool, answers: &[&[Heard]]) -> Step {
        course(has_pages, answers).0.pop().expect("a step")
    }

    #[test]
    fn what_nothing_hinders_is_committed_and_applied() {
        let applied = &[Heard::Applied(1), Heard::Applied(0)];
        let (steps, _) = course(true, &[PLACED, VALID, COMMITTED, applied]);
        let end = End::Committed { unapplied: 0, is_clear: true };
        let place = Step::Place { legs: vec![0, 1], pages: true };
        assert_eq!(steps, [place, Step::Validate, Step::Commit, Step::Apply(vec![0, 1]), Step::End(end)]);
    }

    #[test]
    fn nothing_is_committed_before_all_is_placed_and_valid() {
        for (heard, undone) in [
            (&[Heard::Placed(0), Heard::Kept(1), Heard::Paged][..], vec![0]),
            (&[Heard::Placed(0), Heard::Unclear(1), Heard::Paged], vec![0, 1]),
            (&[Heard::Placed(0), Heard::Placed(1), Heard::Lost], vec![0, 1]),
        ] {
            assert_eq!(last(true, &[heard]), Step::Undo(undone), "{heard:?}");
        }
        assert_eq!(last(true, &[PLACED, &[Heard::Lost]]), Step::Undo(vec![0, 1]));
    }

    #[test]
    fn a_lane_is_clear_only_where_all_was_answered() {
        let unclear = &[Heard::Placed(0), Heard::Unclear(1)];
        let lost = |is_clear| Step::End(End::Lost { is_clear });
        assert_eq!(last(false, &[unclear, &[Heard::Undone]]), lost(false));
        assert_eq!(last(false, &[&[Heard::Placed(0), Heard::Kept(1)], &[Heard::Undone]]), lost(true));
        let left = &[Heard::Applied(0), Heard::Left(1)];
        let end = End::Committed { unapplied: 1, is_clear: false };
        assert_eq!(last(false, &[PLACED, VALID, COMMITTED, left]), Step::End(end));
    }

    #[test]
    fn a_commit_that_may_be_under_way_is_never_given_up() {
        let asked: &[Heard] = &[Heard::Asked];
        assert_eq!(last(false, &[PLACED, VALID, asked]), Step::Ask);
        assert_eq!(last(false, &[PLACED, VALID, asked, asked]), Step::Commit);
        assert_eq!(last(false, &[PLACED, VALID, asked, COMMITTED]), Step::Apply(vec![0, 1]));
        assert_eq!(last(false, &[PLACED, VALID, asked, &[Heard::Void]]), Step::Undo(vec![0, 1]));
        let (steps, mut course) = course(false, &[PLACED, VALID, &[Heard::Silent]]);
        assert_eq!(steps.last(), Some(&Step::End(End::InDoubt)));
        assert!(course.may_be_committed());
        course.resume();
        assert_eq!(course.next(), Step::Ask);
    }

    /// The future can be dropped at each of its steps.
    #[test]
    fn what_was_dropped_goes_on_from_what_may_have_been_served() {
        for (answers, step) in [
            (&[][..], Step::Undo(vec![0, 1])),
            (&[PLACED], Step::Undo(vec![0, 1])),
            (&[PLACED, VALID], Step::Ask),
            (&[PLACED, VALID, COMMITTED], Step::Apply(vec![0, 1])),
        ] {
            let (_, mut course) = course(false, answers);
            course.resume();
            assert_eq!(course.next(), step);
        }
    }
}
