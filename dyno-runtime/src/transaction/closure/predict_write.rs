//! Predicts a write without any request: what it would make of an item, or why the item would refuse it.
//!
//! The write is composed as it would be sent in a transaction. Its condition is evaluated and its changes are applied in memory,
//! and a refusal is read like DynamoDB's. So the prediction also goes on with the numbers of a tombstone, and finds the elements
//! that it removes.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};
use crate::expression::{RawChange, apply};
use crate::key::check_item;
use crate::rule::{Expected, Moot, Phase, Reason, Verb};
use crate::schema::Tables;
use crate::transaction::record::Intent;
use crate::write::WriteCommand;
use crate::write::compose::{Given, compose, is_made_for, make};
use crate::write::retry_limits::given_up;
use crate::write::verdict::verdict;
use crate::write::write_meaning::{Deed, Meaning};
use crate::write::write_steps::{Again, Denial, Ended, Frame, Knowledge, Next, Part, Read, Setting, Tried};

/// The predicted result of a write.
#[derive(Debug)]
pub(crate) struct Prediction {
    pub(crate) outcome: Outcome,
    /// A reason for a refusal that is not in the item. Without it, `outcome` holds.
    pub(crate) unless: Option<Unless>,
}

/// The result of a write, as far as the item determines it.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The item accepts the write.
    Makes {
        /// The item after the write; `None` if there is none.
        item: Option<Item>,
        /// The version that the write expects, if there is one.
        expected: Option<Expected>,
        /// The assumed phase of the idempotency keys in the item.
        phase: Phase,
    },
    Refuses {
        reasons: Vec<Reason>,
        moot: Moot,
    },
    /// The item already is what this very write made.
    Made {
        version: Option<u64>,
    },
}

/// A reason that is not in the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unless {
    /// The idempotency key may have a row already.
    Keyed,
    /// The history may have a row in the way: a later number than the item's, or another item with its number.
    Recorded,
}

/// How often a prediction goes on with what it has learned about numbers, the phase, and the row of the key.
const ROUNDS: usize = 16;

/// Predicts what this write would make of `base` at this time. `phase` is the assumed phase of the idempotency keys in the item.
pub(crate) fn predict(
    command: &WriteCommand,
    base: Option<&Item>,
    tables: &Tables,
    now: EpochMillis,
    phase: Phase,
) -> Result<Prediction, Error> {
    let write = Unsent { command, tables, now, tried: Tried::default(), setting: Setting::Together };
    let mut known = Knowledge { phase, ..Knowledge::default() };
    for _ in 0..ROUNDS {
        let next = match compose(Given::Lent(command), &write.frame(&known))? {
            Next::Send(part, _) => {
                let item = known.item.take().flatten();
                if let Some(outcome) = evaluate(command, &part, item.as_ref(), base)? {
                    return Ok(Prediction { outcome, unless: unless(command, tables) });
                }
                // As if the write had been sent.
                known.fade();
                known.expected = part.write.expected;
                verdict(&part, &Denial::by(base.cloned()), &write.frame(&known))
            }
            next => next,
        };
        let outcome = match next {
            // The result of the other transaction is unknown; and a malformed intent belongs to nobody.
            Next::Again(again @ Again::Held(_)) => {
                base.map_or(Ok(None), |base| Intent::of(base, &command.key()?))?;
                return Err(given_up(&again));
            }
            Next::Again(again) => {
                known.follow(again);
                continue;
            }
            Next::Read(Read::Item) => {
                known.item = Some(base.cloned());
                continue;
            }
            // `unless` says that the key may have a row.
            Next::Read(Read::KeyRow) => {
                known.key_row = Some(false);
                continue;
            }
            Next::Done(Ended::Refused { reasons, moot, .. }) => Outcome::Refuses { reasons, moot },
            Next::Done(Ended::Applied { version, item: _ }) => Outcome::Made { version },
            // Only histories and open attempts lead here, and a prediction has neither.
            Next::Send(..) | Next::First(_) | Next::Read(_) | Next::Fine | Next::Done(Ended::Unknown) => break,
        };
        // A history takes no part in a refusal by the item.
        return Ok(Prediction { outcome, unless: unless(command, tables).filter(|unless| *unless == Unless::Keyed) });
    }
    Err(Error::new(ErrorKind::Service, "what the write would come to cannot be told from the item"))
}

/// A write that is not sent.
struct Unsent<'a> {
    command: &'a WriteCommand,
    tables: &'a Tables,
    now: EpochMillis,
    /// It has no request attempts.
    tried: Tried,
    setting: Setting,
}

impl Unsent<'_> {
    fn frame<'s>(&'s self, known: &'s Knowledge) -> Frame<'s> {
        let Self { command, tables, now, tried, setting } = self;
        Frame { known, tried, schema: command.schema, tables, history: None, now: *now, setting }
    }
}

/// Returns what the write makes of the item; `None` if its condition does not hold. The write was composed for `known`.
fn evaluate(
    command: &WriteCommand,
    part: &Part,
    known: Option<&Item>,
    base: Option<&Item>,
) -> Result<Option<Outcome>, Error> {
    let mut command = if is_made_for(command) { make(command, known).command } else { command.clone() };
    let Meaning { condition, deed } = command.meaning(&part.write)?;
    let nothing = Item::new();
    if condition.is_some_and(|condition| !condition.holds(base.unwrap_or(&nothing))) {
        return Ok(None);
    }
    let item = match deed {
        Deed::Put => Some(command.item?),
        // On the service, an update that only removes creates no item (`test_update_item_non_existent` of `scylladb/scylladb`
        // records this). On DynamoDB Local, it creates an item of the key alone.
        Deed::Update(changes) if base.is_none() && changes.iter().all(RawChange::only_removes) => None,
        Deed::Update(changes) => {
            let key = command.key()?;
            let made = apply(changes, base.unwrap_or(&key))?;
            check_item(&made, command.schema)?;
            Some(made)
        }
        Deed::Delete => None,
        Deed::Check => base.cloned(),
    };
    Ok(Some(Outcome::Makes { item, expected: part.write.expected, phase: part.write.phase }))
}

/// Returns the reason for a refusal that is not in the item, if there can be one.
fn unless(command: &WriteCommand, tables: &Tables) -> Option<Unless> {
    if tables.keys.is_some() && command.key_of_update.is_some() {
        return Some(Unless::Keyed);
    }
    let is_recorded = command.versioned.is_some() && !matches!(command.verb, Verb::Check { .. });
    (tables.history.is_some() && is_recorded).then_some(Unless::Recorded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Action;
    use crate::schema::{KeyAttribute, KeyForm, Schema, Tombstone, Version};
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
        let foretold = predict(&command, base, &tables, EpochMillis::new(0), Phase::default())?;
        assert_eq!(foretold.unless, None);
        Ok(foretold.outcome)
    }

    fn reasons(verb: Verb, base: Option<&Item>) -> Vec<Reason> {
        match of(verb, base) {
            Ok(Outcome::Refuses { reasons, .. }) => reasons,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_create_goes_on_with_the_numbers_of_a_tombstone() {
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
    fn what_is_not_there_has_nothing() {
        assert_eq!(reasons(Verb::Check { absent: false }, None), [Reason::Missing]);
        assert!(matches!(of(Verb::Check { absent: true }, None), Ok(Outcome::Makes { item: None, .. })));
    }

    #[test]
    fn an_upsert_that_only_takes_away_makes_nothing() {
        let tables = Tables { main: "things".to_owned(), history: None, keys: None };
        let made = |action| {
            let mut command = WriteCommand::new(&PLAIN, Verb::Update { upsert: true }, Ok(item([])));
            command.changes = vec![RawChange::new("n", Ok(action))];
            match predict(&command, None, &tables, EpochMillis::new(0), Phase::default()) {
                Ok(Prediction { outcome: Outcome::Makes { item, .. }, .. }) => item,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(made(Action::Remove), None);
        assert_eq!(made(Action::Delete(AttributeValue::Ns(vec!["1".to_owned()]))), None);
        assert_eq!(made(Action::Set(n(1))), Some(item([("n", n(1))])));
    }

    #[test]
    fn of_what_a_transaction_holds_nothing_is_foretold() {
        let intent =
            Item::from([("id".to_owned(), AttributeValue::S("1/born/1/try".to_owned())), ("since".to_owned(), n(1))]);
        for (intent, kind) in [(intent, ErrorKind::Contended), (Item::new(), ErrorKind::Decode)] {
            let held = item([("v", n(1)), ("_x", AttributeValue::M(intent))]);
            let error = of(Verb::Check { absent: false }, Some(&held)).expect_err("held");
            assert_eq!(error.kind(), kind);
        }
    }
}
