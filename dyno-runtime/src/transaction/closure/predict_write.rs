//! Predicts a write without any request: what it would make of an item, or why the item would refuse it.
//!
//! The write is composed as it would be sent in a transaction. Its condition is evaluated and its changes are applied in memory,
//! and a refusal is read like DynamoDB's. So the prediction also goes on with the numbers of a tombstone, and finds the elements
//! that it removes.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};
use crate::exchange::RowWrite;
use crate::expression::{RawChange, apply};
use crate::key::check_item;
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
    Companion, ComposedWrite, Conclusion, Denial, Knowledge, Next, OtherAttempts, Read, Retry, RevisionPut, SendAs,
    StepInput,
};

/// The result of a write, as far as the item determines it.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The item accepts the write.
    Makes {
        /// The item after the write; `None` if there is none.
        item: Option<Item>,
        /// The version that the write expects, if there is one.
        expected: Option<Expected>,
        /// The history's row that goes with the write, if the prediction knows the history.
        revision: Option<Box<(Companion, RowWrite)>>,
    },
    Refuses {
        reasons: Vec<Reason>,
        moot: Moot,
    },
    /// The item already is what this very write made.
    Made,
}

/// What a prediction comes to, or needs first.
#[derive(Debug)]
pub(crate) enum Predicted {
    Outcome(Outcome),
    /// This must be read first.
    Read(Read),
    /// This row of the history must be put first.
    Put(RevisionPut),
}

/// A reason that is not in the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unless {
    /// The idempotency key may have a row already.
    Keyed,
    /// The history may have a row in the way: a later number than the item's, or another item with its number.
    Recorded,
}

/// How often a prediction is made again with what it has learned about numbers, the phase, and the row of the key.
const ROUNDS: usize = 16;

/// Predicts what this write would make of `base` at this time, and the reason for a refusal that is not in the item. `phase` is the
/// assumed phase of the idempotency keys in the item.
pub(crate) fn predict(
    command: &WriteCommand,
    base: Option<&Item>,
    tables: &Tables,
    now: EpochMillis,
    phase: Phase,
) -> Result<(Outcome, Option<Unless>), Error> {
    let mut prediction = Prediction::new(tables, now);
    prediction.known.phase = phase;
    match prediction.next(command, base)? {
        // A history takes no part in a refusal by the item.
        Predicted::Outcome(outcome) => {
            let is_made = matches!(outcome, Outcome::Makes { .. });
            let unless = unless(command, tables).filter(|unless| is_made || *unless == Unless::Keyed);
            Ok((outcome, unless))
        }
        // Only histories lead here.
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
    /// The write whose row of the history was taken, until the reads that tell how it goes on.
    denied: Option<(Box<ComposedWrite>, Denial)>,
    /// It has no request attempts.
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

    fn frame(&self, schema: &'static Schema) -> StepInput<'_> {
        let Self { tables, history, now, known, attempts, send_as, .. } = self;
        StepInput { known, attempts, schema, tables, history: history.as_ref(), now: *now, send_as }
    }

    /// Evaluates the write against `base` with what is known. After the read or the put that it asks for, call it again.
    pub(crate) fn next(&mut self, command: &WriteCommand, base: Option<&Item>) -> Result<Predicted, Error> {
        for _ in 0..ROUNDS {
            let next = match self.denied.take() {
                Some(denied) => self.judge(denied),
                None => match compose(Composable::Repeatedly(command), &self.frame(command.schema))? {
                    Next::Send(part, rows) => match self.evaluate(command, &part, base)? {
                        None => self.judge((part, Denial::of_item(base.cloned()))),
                        Some(mut outcome) => match self.row_in_front(&part, *rows)? {
                            RowInFront::Free(row) => {
                                if let Outcome::Makes { revision, .. } = &mut outcome {
                                    *revision = row;
                                }
                                return Ok(Predicted::Outcome(outcome));
                            }
                            RowInFront::Unknown(number) => return Ok(Predicted::Read(Read::Revision(number))),
                            RowInFront::Taken => self.judge((part, Denial { item: None, companion: Some(None) })),
                        },
                    },
                    next => next,
                },
            };
            match next {
                // The result of the other transaction is unknown; and a malformed intent belongs to nobody.
                Next::Retry(retry @ Retry::Locked(_)) => {
                    base.map_or(Ok(None), |base| Intent::of(base, &command.key()?))?;
                    return Err(contention(&retry));
                }
                Next::Retry(retry) => self.known.apply(retry),
                Next::Read(Read::Item) => self.known.item = Some(base.cloned()),
                // `unless` says that the key may have a row.
                Next::Read(Read::KeyRow) => self.known.key_row = Some(false),
                Next::Read(read) => return Ok(Predicted::Read(read)),
                Next::PutRevision(side) => return Ok(Predicted::Put(side)),
                Next::End(Conclusion::Refused { reasons, moot, .. }) => {
                    return Ok(Predicted::Outcome(Outcome::Refuses { reasons, moot }));
                }
                Next::End(Conclusion::Applied { .. }) => return Ok(Predicted::Outcome(Outcome::Made)),
                // Only open attempts lead here, and a prediction has none.
                Next::Send(..) | Next::Unopposed | Next::End(Conclusion::InDoubt) => break,
            }
        }
        Err(unpredictable())
    }

    /// Reads a denial as if DynamoDB had answered with it.
    fn judge(&mut self, (part, denial): (Box<ComposedWrite>, Denial)) -> Next {
        self.known.expected = part.write.expected;
        let next = verdict(&part, &denial, &self.frame(part.write.schema));
        if matches!(next, Next::Read(_)) {
            self.denied = Some((part, denial));
        }
        next
    }

    /// Returns whether the history lacks the row that goes with the write, or has it already.
    fn row_in_front(&self, part: &ComposedWrite, rows: Rows) -> Result<RowInFront, Error> {
        let (Some(_), Some(front), Some(row)) = (&self.history, part.companion, rows.companion) else {
            return Ok(RowInFront::Free(None));
        };
        let revision = RawRevision::read(row.item().cloned().unwrap_or_default())?;
        let is_behind_all =
            |newest: &Option<RawRevision>| newest.as_ref().is_none_or(|newest| newest.version < revision.version);
        Ok(match self.known.revisions.get(&revision.version) {
            Some(Some(there))
                if front == Companion::NewRevision
                    || !rule::is_of_one_write(part.write.schema, &there.revision.image, &revision.image) =>
            {
                RowInFront::Taken
            }
            None if !self.known.newest.as_ref().is_some_and(is_behind_all) => RowInFront::Unknown(revision.version),
            _ => RowInFront::Free(Some(Box::new((front, row)))),
        })
    }

    /// Returns what the write makes of the item; `None` if its condition does not hold.
    fn evaluate(
        &self,
        command: &WriteCommand,
        part: &ComposedWrite,
        base: Option<&Item>,
    ) -> Result<Option<Outcome>, Error> {
        let known = self.known.item();
        let mut command = if depends_on_item(command) { tailor(command, known).command } else { command.clone() };
        let (condition, effect) = command.effect(&part.write)?;
        let nothing = Item::new();
        if condition.is_some_and(|condition| !condition.holds(base.unwrap_or(&nothing))) {
            return Ok(None);
        }
        let item = match effect {
            Effect::Put => Some(command.item?),
            // On the service, an update that only removes creates no item (`test_update_item_non_existent` of `scylladb/scylladb`
            // records this). On DynamoDB Local, it creates an item of the key alone.
            Effect::Update(changes) if base.is_none() && changes.iter().all(RawChange::only_removes) => None,
            Effect::Update(changes) => {
                let key = command.key()?;
                let made = apply(changes, base.unwrap_or(&key))?;
                check_item(&made, command.schema)?;
                Some(made)
            }
            Effect::Delete => None,
            Effect::Check => base.cloned(),
        };
        Ok(Some(Outcome::Makes { item, expected: part.write.expected, revision: None }))
    }
}

/// The row of the history that goes with a write.
enum RowInFront {
    /// It can be put, or no row goes with the write.
    Free(Option<Box<(Companion, RowWrite)>>),
    /// Another revision has its number.
    Taken,
    /// The row of this number must be read first.
    Unknown(u64),
}

fn unpredictable() -> Error {
    Error::new(ErrorKind::Service, "what the write would come to cannot be told from the item")
}

/// Returns the reason for a refusal that is not in the item, if there can be one.
fn unless(command: &WriteCommand, tables: &Tables) -> Option<Unless> {
    if tables.keys.is_some() && command.has_dedup_key() {
        return Some(Unless::Keyed);
    }
    let is_recorded = command.versioned.is_some() && !matches!(command.verb, Verb::Check { .. });
    (tables.history.is_some() && is_recorded).then_some(Unless::Recorded)
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
        let tables = Tables { main: "things".to_owned(), history: None, keys: None };
        let (outcome, unless) = predict(&command, base, &tables, EpochMillis::new(0), Phase::default())?;
        assert_eq!(unless, None);
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
        let tables = Tables { main: "things".to_owned(), history: None, keys: None };
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
