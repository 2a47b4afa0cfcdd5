//! The states of one transaction attempt, as a pure state machine: it decides the next step from all responses so far.
//!
//! The coordinator prewrites all intents (M11), validates what was only read (M13), commits by one write of the lane row, and
//! rolls the intents forward. A conflict before the commit aborts the attempt, and its intents are rolled back. As long as the
//! commit may have taken effect, or may still do so, nothing is rolled back (M17): the coordinator reads the transaction record,
//! and sends the commit again.

/// The state of an attempt.
#[derive(Clone, Debug)]
pub(crate) struct CommitStates {
    participants: Vec<ParticipantState>,
    stage: Stage,
    /// Whether the outcome of a prewrite or of a removal is unknown, so that an intent may exist or may still arrive.
    is_unclear: bool,
}

/// The state of one participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParticipantState {
    /// No prewrite was acknowledged so far.
    Unwritten,
    Prewritten,
    /// The prewrite has no answer, so the item may have the intent, or may get it later.
    Unclear,
    RolledForward,
}

/// The step that is next, or the end that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Prewrite,
    Validate,
    Commit,
    /// The commit has no answer, so the transaction record is read.
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
    /// Read the transaction record, to learn whether the commit took effect.
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
    /// The attempt is committed. `unapplied` items are not rolled forward yet.
    ///
    /// In both ends, `is_clear` says that the lane may be used again (M19): all items are rolled forward or back, and no prewrite
    /// or removal is without an answer.
    Committed { unapplied: usize, is_clear: bool },
    /// Nothing of the attempt is applied, now or later.
    Aborted { is_clear: bool },
    /// Nobody knows whether the commit took effect, or may still do so.
    InDoubt,
}

/// The response to a request of the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Response {
    Prewritten(usize),
    /// The prewrite or the removal of this participant's intent has no conclusive answer.
    Unclear(usize),
    /// All pages are written, or none are needed.
    PagesWritten,
    /// An item that was read has changed, or could not be read again.
    Conflict,
    Valid,
    Committed,
    /// The attempt is aborted.
    Aborted,
    /// The commit may have taken effect, or may still do so.
    CommitUnanswered,
    /// The state of the commit cannot be found out for now.
    NoAnswer,
    RolledForward(usize),
}

impl CommitStates {
    /// Returns the first state of an attempt with so many participants.
    pub(crate) fn new(participants: usize) -> Self {
        let participants = vec![ParticipantState::Unwritten; participants];
        Self { participants, stage: Stage::Prewrite, is_unclear: false }
    }

    /// Returns the next step.
    pub(crate) fn next(&self) -> Step {
        let select = |is: &dyn Fn(ParticipantState) -> bool| {
            let participants = self.participants.iter().enumerate().filter(|(_, state)| is(**state));
            participants.map(|(participant, _)| participant).collect::<Vec<_>>()
        };
        match self.stage {
            Stage::Prewrite => Step::Prewrite,
            Stage::Validate => Step::Validate,
            Stage::Commit => Step::Commit,
            Stage::ReadRecord => Step::ReadRecord,
            Stage::RollForward => Step::RollForward,
            Stage::RollBack => Step::RollBack(select(&|state| {
                matches!(state, ParticipantState::Prewritten | ParticipantState::Unclear)
            })),
            Stage::Committed => {
                let unapplied = select(&|state| state != ParticipantState::RolledForward).len();
                Step::End(End::Committed { unapplied, is_clear: !self.is_unclear && unapplied == 0 })
            }
            Stage::Aborted => Step::End(End::Aborted { is_clear: !self.is_unclear }),
            Stage::InDoubt => Step::End(End::InDoubt),
        }
    }

    /// Takes the responses to the last step. Returns the name of the state that the attempt reached, for the log.
    pub(crate) fn receive(&mut self, responses: &[Response]) -> Option<&'static str> {
        // Note the responses that concern one participant.
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
        let has = |response: Response| responses.contains(&response);
        // All responses together decide the next stage.
        let before = self.stage;
        self.stage = match before {
            Stage::Prewrite
                if has(Response::PagesWritten)
                    && self.participants.iter().all(|state| *state == ParticipantState::Prewritten) =>
            {
                Stage::Validate
            }
            Stage::Validate if has(Response::Valid) => Stage::Commit,
            Stage::Prewrite | Stage::Validate => Stage::RollBack,
            Stage::Commit | Stage::ReadRecord if has(Response::Committed) => Stage::RollForward,
            Stage::Commit | Stage::ReadRecord if has(Response::Aborted) => Stage::RollBack,
            Stage::Commit if has(Response::CommitUnanswered) => Stage::ReadRecord,
            Stage::ReadRecord if has(Response::CommitUnanswered) => Stage::Commit,
            Stage::Commit | Stage::ReadRecord => Stage::InDoubt,
            Stage::RollForward => Stage::Committed,
            Stage::RollBack => Stage::Aborted,
            end => end,
        };
        Self::name_of_state(before, self.stage)
    }

    /// Returns the name of the state that the attempt reached by this step.
    fn name_of_state(before: Stage, after: Stage) -> Option<&'static str> {
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

    /// Resumes an attempt whose future was dropped. Requests that were in progress may have been executed, or may still be.
    pub(crate) fn resume(&mut self) {
        self.is_unclear = true;
        match self.stage {
            Stage::Prewrite => {
                for state in self.participants.iter_mut().filter(|state| **state == ParticipantState::Unwritten) {
                    *state = ParticipantState::Unclear;
                }
                self.stage = Stage::RollBack;
            }
            Stage::Validate => self.stage = Stage::RollBack,
            Stage::Commit | Stage::InDoubt => self.stage = Stage::ReadRecord,
            _ => {}
        }
    }

    /// Whether the attempt may be committed. If so, it must not be rolled back (M17).
    pub(crate) fn may_be_committed(&self) -> bool {
        matches!(self.stage, Stage::ReadRecord | Stage::InDoubt | Stage::RollForward | Stage::Committed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the steps of an attempt that receives these responses, and its last state.
    fn run(responses: &[&[Response]]) -> (Vec<Step>, CommitStates) {
        let mut states = CommitStates::new(2);
        let mut steps = vec![states.next()];
        for responses in responses {
            states.receive(responses);
            steps.push(states.next());
        }
        (steps, states)
    }

    const PREWRITTEN: &[Response] = &[Response::Prewritten(0), Response::Prewritten(1), Response::PagesWritten];
    const VALID: &[Response] = &[Response::Valid];
    const COMMITTED: &[Response] = &[Response::Committed];

    fn last(responses: &[&[Response]]) -> Step {
        run(responses).0.pop().expect("a step")
    }

    #[test]
    fn an_unhindered_attempt_commits_and_rolls_forward() {
        let applied = &[Response::RolledForward(1), Response::RolledForward(0)];
        let (steps, _) = run(&[PREWRITTEN, VALID, COMMITTED, applied]);
        let end = End::Committed { unapplied: 0, is_clear: true };
        assert_eq!(steps, [Step::Prewrite, Step::Validate, Step::Commit, Step::RollForward, Step::End(end)]);
    }

    #[test]
    fn an_attempt_commits_only_after_every_prewrite_and_a_validation() {
        for (responses, rolled_back) in [
            (&[Response::Prewritten(0), Response::PagesWritten][..], vec![0]),
            (&[Response::Prewritten(0), Response::Unclear(1), Response::PagesWritten], vec![0, 1]),
            (&[Response::Prewritten(0), Response::Prewritten(1)], vec![0, 1]),
        ] {
            assert_eq!(last(&[responses]), Step::RollBack(rolled_back), "{responses:?}");
        }
        assert_eq!(last(&[PREWRITTEN, &[Response::Conflict]]), Step::RollBack(vec![0, 1]));
    }

    #[test]
    fn a_lane_is_clear_only_if_every_request_was_answered() {
        let unclear = &[Response::Prewritten(0), Response::Unclear(1)];
        let aborted = |is_clear| Step::End(End::Aborted { is_clear });
        assert_eq!(last(&[unclear, &[]]), aborted(false));
        assert_eq!(last(&[&[Response::Prewritten(0)], &[]]), aborted(true));
        let one_left = &[Response::RolledForward(0)];
        let end = End::Committed { unapplied: 1, is_clear: false };
        assert_eq!(last(&[PREWRITTEN, VALID, COMMITTED, one_left]), Step::End(end));
    }

    #[test]
    fn an_attempt_whose_commit_may_be_under_way_is_not_rolled_back() {
        let unanswered: &[Response] = &[Response::CommitUnanswered];
        assert_eq!(last(&[PREWRITTEN, VALID, unanswered]), Step::ReadRecord);
        assert_eq!(last(&[PREWRITTEN, VALID, unanswered, unanswered]), Step::Commit);
        assert_eq!(last(&[PREWRITTEN, VALID, unanswered, COMMITTED]), Step::RollForward);
        assert_eq!(last(&[PREWRITTEN, VALID, unanswered, &[Response::Aborted]]), Step::RollBack(vec![0, 1]));
        let (steps, mut states) = run(&[PREWRITTEN, VALID, &[Response::NoAnswer]]);
        assert_eq!(steps.last(), Some(&Step::End(End::InDoubt)));
        assert!(states.may_be_committed());
        states.resume();
        assert_eq!(states.next(), Step::ReadRecord);
    }

    /// The future can be dropped at each step.
    #[test]
    fn a_dropped_attempt_resumes_from_its_last_possibly_served_request() {
        for (responses, step) in [
            (&[][..], Step::RollBack(vec![0, 1])),
            (&[PREWRITTEN], Step::RollBack(vec![0, 1])),
            (&[PREWRITTEN, VALID], Step::ReadRecord),
            (&[PREWRITTEN, VALID, COMMITTED], Step::RollForward),
        ] {
            let (_, mut states) = run(responses);
            states.resume();
            assert_eq!(states.next(), step);
        }
    }

    /// The request during which the future was dropped may still arrive (M19).
    #[test]
    fn the_lane_of_a_resumed_attempt_is_not_clear() {
        let rolled_forward: &[Response] = &[Response::RolledForward(0), Response::RolledForward(1)];
        let committed = End::Committed { unapplied: 0, is_clear: false };
        for (responses, rest, end) in [
            (&[][..], &[][..], End::Aborted { is_clear: false }),
            (&[PREWRITTEN], &[], End::Aborted { is_clear: false }),
            (&[PREWRITTEN, VALID, COMMITTED], rolled_forward, committed),
        ] {
            let (_, mut states) = run(responses);
            states.resume();
            states.receive(rest);
            assert_eq!(states.next(), Step::End(end), "{responses:?}");
        }
    }
}
