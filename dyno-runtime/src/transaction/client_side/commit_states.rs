//! The states of one transaction attempt, as a pure state machine: the next step, given all responses so far.
//!
//! The coordinator prewrites all intents (M11), validates what was only read (M13), commits by one write of the lane row, and rolls
//! the intents forward. A conflict before the commit aborts the attempt, and its intents are rolled back. While the commit may be
//! under way, nothing is rolled back (M17): the coordinator reads the transaction record, and sends the commit again.

/// The state of an attempt.
#[derive(Clone, Debug)]
pub(crate) struct CommitStates {
    participants: Vec<ParticipantState>,
    stage: Stage,
    /// Whether a request without an answer may still arrive.
    is_unclear: bool,
}

/// The state of one participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParticipantState {
    /// Without an intent, as far as is known.
    Unwritten,
    Prewritten,
    /// The prewrite has no answer: the item may have the intent, or may get it later.
    Unclear,
    RolledForward,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Prewrite,
    Validate,
    Commit,
    /// The commit has no answer.
    ReadRecord,
    RollForward,
    RollBack,
    Committed,
    Aborted,
    InDoubt,
}

/// The next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Prewrite the intents of all participants, and write the pages that list the participants.
    Prewrite,
    /// Read again what was only read.
    Validate,
    Commit,
    /// Read the transaction record, to learn what became of the commit.
    ReadRecord,
    /// Roll all participants forward.
    RollForward,
    /// Remove the intents of these participants.
    RollBack(Vec<usize>),
    End(End),
}

/// The end of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The attempt is committed. The number of items that do not show it yet, and whether every request was answered.
    Committed { unapplied: usize, is_clear: bool },
    /// Nothing of the attempt is applied, now or later.
    Aborted { is_clear: bool },
    /// The commit may be under way.
    InDoubt,
}

/// The response to a request of the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Response {
    Prewritten(usize),
    /// The prewrite has no conclusive answer.
    Unclear(usize),
    /// All pages are written, or none are needed.
    PagesWritten,
    /// What was read has changed, or could not be read.
    Conflict,
    Valid,
    Committed,
    /// The attempt is aborted.
    Aborted,
    /// The commit may be under way.
    CommitUnanswered,
    /// The state of the commit cannot be learned for now.
    NoAnswer,
    RolledForward(usize),
}

impl CommitStates {
    /// The states of an attempt with so many participants.
    pub(crate) fn new(participants: usize) -> Self {
        let participants = vec![ParticipantState::Unwritten; participants];
        Self { participants, stage: Stage::Prewrite, is_unclear: false }
    }

    pub(crate) fn next(&self) -> Step {
        let those = |is: &dyn Fn(ParticipantState) -> bool| {
            let participants = self.participants.iter().enumerate().filter(|(_, stand)| is(**stand));
            participants.map(|(participant, _)| participant).collect::<Vec<_>>()
        };
        match self.stage {
            Stage::Prewrite => Step::Prewrite,
            Stage::Validate => Step::Validate,
            Stage::Commit => Step::Commit,
            Stage::ReadRecord => Step::ReadRecord,
            Stage::RollForward => Step::RollForward,
            Stage::RollBack => Step::RollBack(those(&|stand| {
                matches!(stand, ParticipantState::Prewritten | ParticipantState::Unclear)
            })),
            Stage::Committed => {
                let unapplied = those(&|stand| stand != ParticipantState::RolledForward).len();
                Step::End(End::Committed { unapplied, is_clear: !self.is_unclear && unapplied == 0 })
            }
            Stage::Aborted => Step::End(End::Aborted { is_clear: !self.is_unclear }),
            Stage::InDoubt => Step::End(End::InDoubt),
        }
    }

    /// Takes the responses to the last step. Returns the name of the new state, for the log.
    pub(crate) fn receive(&mut self, responses: &[Response]) -> Option<&'static str> {
        for response in responses {
            match *response {
                Response::Prewritten(participant) => self.participants[participant] = ParticipantState::Prewritten,
                Response::Unclear(participant) => {
                    (self.participants[participant], self.is_unclear) = (ParticipantState::Unclear, true);
                }
                Response::RolledForward(participant) => {
                    self.participants[participant] = ParticipantState::RolledForward;
                }
                _ => {}
            }
        }
        let was = |this: Response| responses.contains(&this);
        let before = self.stage;
        self.stage = match before {
            Stage::Prewrite
                if was(Response::PagesWritten)
                    && self.participants.iter().all(|stand| *stand == ParticipantState::Prewritten) =>
            {
                Stage::Validate
            }
            Stage::Validate if was(Response::Valid) => Stage::Commit,
            Stage::Prewrite | Stage::Validate => Stage::RollBack,
            Stage::Commit | Stage::ReadRecord if was(Response::Committed) => Stage::RollForward,
            Stage::Commit | Stage::ReadRecord if was(Response::Aborted) => Stage::RollBack,
            Stage::Commit if was(Response::CommitUnanswered) => Stage::ReadRecord,
            Stage::ReadRecord if was(Response::CommitUnanswered) => Stage::Commit,
            Stage::Commit | Stage::ReadRecord => Stage::InDoubt,
            Stage::RollForward => Stage::Committed,
            Stage::RollBack => Stage::Aborted,
            ended => ended,
        };
        Self::state(before, self.stage)
    }

    fn state(before: Stage, after: Stage) -> Option<&'static str> {
        Some(match (before, after) {
            (Stage::Prewrite, Stage::Validate) => "prewritten",
            (Stage::Validate, Stage::Commit) => "validated",
            (Stage::Commit, Stage::ReadRecord) => "commit unanswered",
            (Stage::Commit | Stage::ReadRecord, Stage::RollForward) => "committed",
            (Stage::RollForward, Stage::Committed) => "rolled forward",
            (Stage::Prewrite | Stage::Validate | Stage::Commit | Stage::ReadRecord, Stage::RollBack) => "aborting",
            (Stage::RollBack, Stage::Aborted) => "aborted",
            (Stage::Commit | Stage::ReadRecord, Stage::InDoubt) => "in doubt",
            _ => return None,
        })
    }

    /// Goes on after the future that drove the attempt was dropped: requests under way may have been served.
    pub(crate) fn resume(&mut self) {
        self.is_unclear = true;
        match self.stage {
            Stage::Prewrite => {
                for stand in self.participants.iter_mut().filter(|stand| **stand == ParticipantState::Unwritten) {
                    *stand = ParticipantState::Unclear;
                }
                self.stage = Stage::RollBack;
            }
            Stage::Validate => self.stage = Stage::RollBack,
            Stage::Commit | Stage::InDoubt => self.stage = Stage::ReadRecord,
            _ => {}
        }
    }

    /// Whether the attempt may be committed. While it may, it must not be rolled back.
    pub(crate) fn may_be_committed(&self) -> bool {
        matches!(self.stage, Stage::ReadRecord | Stage::InDoubt | Stage::RollForward | Stage::Committed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes these responses, step by step.
    fn course(answers: &[&[Response]]) -> (Vec<Step>, CommitStates) {
        let mut course = CommitStates::new(2);
        let mut steps = vec![course.next()];
        for heard in answers {
            course.receive(heard);
            steps.push(course.next());
        }
        (steps, course)
    }

    const PLACED: &[Response] = &[Response::Prewritten(0), Response::Prewritten(1), Response::PagesWritten];
    const VALID: &[Response] = &[Response::Valid];
    const COMMITTED: &[Response] = &[Response::Committed];

    fn last(answers: &[&[Response]]) -> Step {
        course(answers).0.pop().expect("a step")
    }

    #[test]
    fn an_unhindered_attempt_commits_and_rolls_forward() {
        let applied = &[Response::RolledForward(1), Response::RolledForward(0)];
        let (steps, _) = course(&[PLACED, VALID, COMMITTED, applied]);
        let end = End::Committed { unapplied: 0, is_clear: true };
        assert_eq!(steps, [Step::Prewrite, Step::Validate, Step::Commit, Step::RollForward, Step::End(end)]);
    }

    #[test]
    fn an_attempt_commits_only_after_every_prewrite_and_a_validation() {
        for (heard, undone) in [
            (&[Response::Prewritten(0), Response::PagesWritten][..], vec![0]),
            (&[Response::Prewritten(0), Response::Unclear(1), Response::PagesWritten], vec![0, 1]),
            (&[Response::Prewritten(0), Response::Prewritten(1)], vec![0, 1]),
        ] {
            assert_eq!(last(&[heard]), Step::RollBack(undone), "{heard:?}");
        }
        assert_eq!(last(&[PLACED, &[Response::Conflict]]), Step::RollBack(vec![0, 1]));
    }

    #[test]
    fn a_lane_is_clear_only_if_every_request_was_answered() {
        let unclear = &[Response::Prewritten(0), Response::Unclear(1)];
        let lost = |is_clear| Step::End(End::Aborted { is_clear });
        assert_eq!(last(&[unclear, &[]]), lost(false));
        assert_eq!(last(&[&[Response::Prewritten(0)], &[]]), lost(true));
        let left = &[Response::RolledForward(0)];
        let end = End::Committed { unapplied: 1, is_clear: false };
        assert_eq!(last(&[PLACED, VALID, COMMITTED, left]), Step::End(end));
    }

    #[test]
    fn an_attempt_whose_commit_may_be_under_way_is_not_rolled_back() {
        let asked: &[Response] = &[Response::CommitUnanswered];
        assert_eq!(last(&[PLACED, VALID, asked]), Step::ReadRecord);
        assert_eq!(last(&[PLACED, VALID, asked, asked]), Step::Commit);
        assert_eq!(last(&[PLACED, VALID, asked, COMMITTED]), Step::RollForward);
        assert_eq!(last(&[PLACED, VALID, asked, &[Response::Aborted]]), Step::RollBack(vec![0, 1]));
        let (steps, mut course) = course(&[PLACED, VALID, &[Response::NoAnswer]]);
        assert_eq!(steps.last(), Some(&Step::End(End::InDoubt)));
        assert!(course.may_be_committed());
        course.resume();
        assert_eq!(course.next(), Step::ReadRecord);
    }

    /// The future can be dropped at each step.
    #[test]
    fn a_dropped_attempt_resumes_from_its_last_possibly_served_request() {
        for (answers, step) in [
            (&[][..], Step::RollBack(vec![0, 1])),
            (&[PLACED], Step::RollBack(vec![0, 1])),
            (&[PLACED, VALID], Step::ReadRecord),
            (&[PLACED, VALID, COMMITTED], Step::RollForward),
        ] {
            let (_, mut course) = course(answers);
            course.resume();
            assert_eq!(course.next(), step);
        }
    }
}
