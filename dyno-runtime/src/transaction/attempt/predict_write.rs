//! Predicts a write without any request: the item that it would make, or why the stored item would refuse it.
//!
//! The write is composed as it would be sent in a transaction. Its condition is evaluated and its changes are applied in memory,
//! and a refusal is evaluated like DynamoDB's. So, like a write that is sent, a predicted write continues the version numbers of
//! a tombstone, and finds the list elements that it removes.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};
use crate::exchange::RowWrite;
use crate::expression::{RawChange, apply};
use crate::key::check_size;
use crate::read::HistoryTable;
use crate::rule;
use crate::rule::{Expected, Moot, Phase, RawRevision, Reason, Verb};
use crate::schema::{Schema, Tables};
use crate::transaction::record::Intent;
use crate::write::WriteCommand;
use crate::write::compose::{Composable, compose, depends_on_item, tailor};
use crate::write::retry_limits::contention;
use crate::write::rows_to_send::Rows;
use crate::write::verdict::verdict;
use crate::write::write_meaning::Effect;
use crate::write::write_steps::{
    Companion, ComposedWrite, Conclusion, Denial, Judgement, Knowledge, Next, OtherAttempts, Read, Retry, RevisionPut,
    SendAs, StepInput,
};

/// The result of a write, as far as the stored item determines it.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The item accepts the write.
    Makes {
        /// The item after the write; `None` if there is none.
        item: Option<Item>,
        /// The version that the write expects, if it expects one.
        expected: Option<Expected>,
        /// The history's row that goes with the write, if the prediction knows the history.
        revision: Option<Box<(Companion, RowWrite)>>,
    },
    Refuses {
        reasons: Vec<Reason>,
        moot: Moot,
    },
    /// An earlier attempt of this very write has made the item.
    Made,
}

/// The outcome of a prediction, or what the prediction needs before it can tell.
#[derive(Debug)]
pub(crate) enum Predicted {
    Outcome(Outcome),
    /// This must be read first.
    Read(Read),
    /// This row of the history must be put first.
    Put(RevisionPut),
}

/// A row beside the item that was not read, and that can refuse the write although the item accepts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnreadRow {
    /// The row of the idempotency key, if the key was used before.
    Keyed,
    /// A row of the history: one with a later number than the item's, or another item with the item's number.
    Recorded,
}

/// The most evaluations of one prediction. Each repetition knows more about version numbers, the phase of the idempotency keys,
/// or the row of the key.
const ROUNDS: usize = 16;

/// Predicts the result of this write on `base` at this time. Also returns the row that was not read and can refuse the write.
/// `phase` is the assumed phase of the idempotency keys in the item.
pub(crate) fn predict(
    command: &WriteCommand,
    base: Option<&Item>,
    tables: &Tables,
    now: EpochMillis,
    phase: Phase,
) -> Result<(Outcome, Option<UnreadRow>), Error> {
    let mut prediction = Prediction::new(tables, now);
    prediction.known.phase = phase;
    match prediction.next(command, base)? {
        // A row of the history matters only if the item accepts the write.
        Predicted::Outcome(outcome) => {
            let is_accepted = matches!(outcome, Outcome::Makes { .. });
            let unread = unread_row(command, tables).filter(|unread| is_accepted || *unread == UnreadRow::Keyed);
            Ok((outcome, unread))
        }
        // Only a prediction `in_history` asks for a read or a put.
        Predicted::Read(_) | Predicted::Put(_) => Err(unpredictable()),
    }
}

/// A write that is evaluated and not sent, with what is known of the rows that it would meet.
pub(crate) struct Prediction<'a> {
    tables: &'a Tables,
    /// The entity's history, if the write is to be numbered.
    history: Option<HistoryTable<'a>>,
    now: EpochMillis,
    pub(crate) known: Knowledge,
    /// A write whose number the history has already, until the caller has made the reads that the verdict needs.
    denied: Option<(Box<ComposedWrite>, Denial)>,
    /// Always empty, because a prediction sends no request attempts.
    attempts: OtherAttempts,
    send_as: SendAs,
}

impl<'a> Prediction<'a> {
    pub(crate) fn new(tables: &'a Tables, now: EpochMillis) -> Self {
        let (known, attempts, send_as) = (Knowledge::default(), OtherAttempts::default(), SendAs::Action);
        Self { tables, history: None, now, known, denied: None, attempts, send_as }
    }

    /// Also numbers the write's revision in this history.
    pub(crate) fn in_history(self, history: HistoryTable<'a>) -> Self {
        Self { history: Some(history), ..self }
    }

    fn input(&self, schema: &'static Schema) -> StepInput<'_> {
        let Self { tables, history, now, known, attempts, send_as, .. } = self;
        StepInput { known, attempts, schema, tables, history: history.as_ref(), now: *now, send_as }
    }

    /// Evaluates the write against `base` with what is known. If the prediction asks for a read or a put, make it and call this
    /// again.
    pub(crate) fn next(&mut self, command: &WriteCommand, base: Option<&Item>) -> Result<Predicted, Error> {
        for _ in 0..ROUNDS {
            let judgement = match self.denied.take() {
                Some(denied) => self.judge(denied),
                None => match compose(Composable::Repeatedly(command), &self.input(command.schema))? {
                    Next::Send(composed, rows) => match self.evaluate(command, &composed, base)? {
                        None => self.judge((composed, Denial::of_item(base.cloned()))),
                        Some(mut outcome) => match self.revision_slot(&composed, *rows)? {
                            RevisionSlot::Free(row) => {
                                if let Outcome::Makes { revision, .. } = &mut outcome {
                                    *revision = row;
                                }
                                return Ok(Predicted::Outcome(outcome));
                            }
                            RevisionSlot::Unread(number) => return Ok(Predicted::Read(Read::Revision(number))),
                            RevisionSlot::Taken => {
                                self.judge((composed, Denial { companion: Some(None), ..Denial::default() }))
                            }
                        },
                    },
                    Next::PutRevision(put) => return Ok(Predicted::Put(put)),
                    Next::Judged(judgement) => judgement,
                },
            };
            match judgement {
                // The other transaction is undecided, so its result is unknown. But a malformed intent is a decode error.
                Judgement::Retry(retry @ Retry::Locked(_)) => {
                    base.map_or(Ok(None), |base| Intent::of(base, &command.key()?))?;
                    return Err(contention(&retry));
                }
                Judgement::Retry(retry) => self.known.apply(retry),
                Judgement::Read(Read::Item) => self.known.item = Some(base.cloned()),
                // `UnreadRow::Keyed` tells the caller that the key may have a row.
                Judgement::Read(Read::KeyRow) => self.known.key_row = Some(false),
                Judgement::Read(read) => return Ok(Predicted::Read(read)),
                Judgement::End(Conclusion::Refused { reasons, moot, .. }) => {
                    return Ok(Predicted::Outcome(Outcome::Refuses { reasons, moot }));
                }
                Judgement::End(Conclusion::Applied { .. }) => return Ok(Predicted::Outcome(Outcome::Made)),
                // Only request attempts that may have been applied lead here, and a prediction has none.
                Judgement::Unopposed | Judgement::End(Conclusion::InDoubt) => break,
            }
        }
        Err(unpredictable())
    }

    /// Evaluates a denial as if DynamoDB had answered with it.
    fn judge(&mut self, (composed, denial): (Box<ComposedWrite>, Denial)) -> Judgement {
        self.known.expected = composed.write.expected;
        let judgement = verdict(&composed, &denial, &self.input(composed.write.schema));
        if matches!(judgement, Judgement::Read(_)) {
            self.denied = Some((composed, denial));
        }
        judgement
    }

    /// Returns whether the history still lacks the row that goes with the write.
    fn revision_slot(&self, composed: &ComposedWrite, rows: Rows) -> Result<RevisionSlot, Error> {
        let (Some(_), Some(companion), Some(row)) = (&self.history, composed.companion, rows.companion) else {
            return Ok(RevisionSlot::Free(None));
        };
        let revision = RawRevision::read(row.item().cloned().unwrap_or_default())?;
        let is_newer_than =
            |newest: &Option<RawRevision>| newest.as_ref().is_none_or(|newest| newest.version < revision.version);
        Ok(match self.known.revisions.get(&revision.version) {
            Some(Some(stored))
                if companion == Companion::NewRevision
                    || !rule::is_of_one_write(composed.write.schema, &stored.revision.image, &revision.image) =>
            {
                RevisionSlot::Taken
            }
            None if !self.known.newest.as_ref().is_some_and(is_newer_than) => RevisionSlot::Unread(revision.version),
            _ => RevisionSlot::Free(Some(Box::new((companion, row)))),
        })
    }

    /// Returns the outcome of the write on `base`; `None` if the write's condition does not hold.
    fn evaluate(
        &self,
        command: &WriteCommand,
        composed: &ComposedWrite,
        base: Option<&Item>,
    ) -> Result<Option<Outcome>, Error> {
        let known = self.known.item();
        let mut command = if depends_on_item(command) { tailor(command, known).command } else { command.clone() };
        let (condition, effect) = command.effect(&composed.write)?;
        let nothing = Item::new();
        if condition.is_some_and(|condition| !condition.holds(base.unwrap_or(&nothing))) {
            return Ok(None);
        }
        let item = match effect {
            Effect::Put => Some(command.item?),
            // On the service, an update that only removes creates no item (`test_update_item_non_existent` of `scylladb/scylladb`
            // records this). On the embedded engine and on MiniStack, it creates an item of the key alone.
            Effect::Update(changes) if base.is_none() && changes.iter().all(RawChange::only_removes) => None,
            Effect::Update(changes) => {
                let key = command.key()?;
                let made = apply(changes, base.unwrap_or(&key))?;
                check_size(&made)?;
                Some(made)
            }
            Effect::Delete => None,
            Effect::Check => base.cloned(),
        };
        Ok(Some(Outcome::Makes { item, expected: composed.write.expected, revision: None }))
    }
}

/// The state of the history at the number of a write's revision.
enum RevisionSlot {
    /// This row can be put; `None` if no row goes with the write.
    Free(Option<Box<(Companion, RowWrite)>>),
    /// Another revision has the number.
    Taken,
    /// The row of this number must be read first.
    Unread(u64),
}

fn unpredictable() -> Error {
    Error::new(ErrorKind::Service, "the result of the write cannot be computed from the stored item")
}

/// Returns the row that was not read and can refuse the write, if there can be one.
fn unread_row(command: &WriteCommand, tables: &Tables) -> Option<UnreadRow> {
    if tables.keys.is_some() && command.has_dedup_key() {
        return Some(UnreadRow::Keyed);
    }
    let is_recorded = command.versioned.is_some() && !matches!(command.verb, Verb::Check { .. });
    (tables.history.is_some() && is_recorded).then_some(UnreadRow::Recorded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Action;
    use crate::schema::{KeyAttribute, KeyForm, Tombstone, Version};
    use aws_sdk_dynamodb::types::{AttributeValue, ScalarAttributeType};

    const THING: Schema = Schema {
        partition: KeyAttribute { name: "id", key_type: ScalarAttributeType::S, form: KeyForm::Field(0) },
        key_fields: &["id"],
        ..Schema::PLAIN
    };
    static PLAIN: Schema = THING;
    static SCHEMA: Schema = Schema {
        version: Some(Version { attribute: "v", max: u64::MAX }),
        tombstone: Some(Tombstone { deleted: "deleted", ttl: "ttl", ttl_days: 7, mark: true }),
        is_transactional: true,
        ..THING
    };

    fn item<const N: usize>(others: [(&str, AttributeValue); N]) -> Item {
        let id = ("id", AttributeValue::S("1".to_owned()));
        others.into_iter().chain([id]).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn n(number: u64) -> AttributeValue {
        AttributeValue::N(number.to_string())
    }

    fn of(verb: Verb, base: Option<&Item>) -> Result<Outcome, Error> {
        let command = WriteCommand::new(&SCHEMA, verb, Ok(item([])));
        let tables = Tables { main: "things".to_owned(), history: None, keys: None, guards: None };
        let (outcome, unread) = predict(&command, base, &tables, EpochMillis::new(0), Phase::default())?;
        assert_eq!(unread, None);
        Ok(outcome)
    }

    fn reasons(verb: Verb, base: Option<&Item>) -> Vec<Reason> {
        match of(verb, base) {
            Ok(Outcome::Refuses { reasons, .. }) => reasons,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_create_continues_the_versions_of_a_tombstone() {
        let tombstone = item([("v", n(6)), ("deleted", AttributeValue::Bool(true))]);
        for (base, version, expected) in [(None, 1, Expected::New(0)), (Some(&tombstone), 7, Expected::Dead(6))] {
            let Ok(Outcome::Makes { item: made, expected: found, .. }) = of(Verb::Create, base) else {
                panic!("{base:?}");
            };
            assert_eq!((made, found), (Some(item([("v", n(version))])), Some(expected)));
        }
        assert_eq!(reasons(Verb::Create, Some(&item([("v", n(6))]))), [Reason::Exists]);
    }

    #[test]
    fn a_check_of_an_absent_item_is_predicted_as_missing() {
        assert_eq!(reasons(Verb::Check { absent: false }, None), [Reason::Missing]);
        assert!(matches!(of(Verb::Check { absent: true }, None), Ok(Outcome::Makes { item: None, .. })));
    }

    #[test]
    fn an_upsert_that_only_removes_creates_no_item() {
        let tables = Tables { main: "things".to_owned(), history: None, keys: None, guards: None };
        let made = |action| {
            let mut command = WriteCommand::new(&PLAIN, Verb::Update { upsert: true }, Ok(item([])));
            command.update.changes = vec![RawChange::new("n", Ok(action))];
            match predict(&command, None, &tables, EpochMillis::new(0), Phase::default()) {
                Ok((Outcome::Makes { item, .. }, _)) => item,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(made(Action::Remove), None);
        assert_eq!(made(Action::Delete(AttributeValue::Ns(vec!["1".to_owned()]))), None);
        assert_eq!(made(Action::Set(n(1))), Some(item([("n", n(1))])));
    }

    #[test]
    fn a_write_to_a_locked_item_is_not_predicted() {
        let intent =
            Item::from([("id".to_owned(), AttributeValue::S("1/born/1/try".to_owned())), ("since".to_owned(), n(1))]);
        for (intent, kind) in [(intent, ErrorKind::Contended), (Item::new(), ErrorKind::Decode)] {
            let held = item([("v", n(1)), ("_x", AttributeValue::M(intent))]);
            let error = of(Verb::Check { absent: false }, Some(&held)).expect_err("held");
            assert_eq!(error.kind(), kind);
        }
    }
}
