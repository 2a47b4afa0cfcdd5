//! Evaluates an action against an item.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::rule::{Expected, Phase, Refused};
use crate::transaction::attempt::{Outcome, Row, predict};
use crate::transaction::native::{Action, named};
use crate::transaction::record::RevisionRow;

/// The item after an action.
#[derive(Clone)]
pub(crate) struct NewItem {
    pub(crate) item: Item,
    /// The version that the action expects.
    pub(crate) expected: Option<Expected>,
    /// The history row that belongs to the change, once its number is known.
    pub(crate) revision_row: Option<RevisionRow>,
}

/// The effect of an action: the new item, or `None` if the item stays as it is, or a refusal.
pub(crate) type Evaluation = Result<Option<NewItem>, Box<Refused>>;

/// Evaluates action `index` against `base`.
pub(crate) fn evaluate(
    index: usize,
    action: &Action,
    base: Option<&Item>,
    row: &Row,
    now: EpochMillis,
) -> Result<Evaluation, Error> {
    let predicted = predict(&action.command, base, &row.tables, now, Phase::default());
    let (outcome, _) = predicted.map_err(|error| named(error, index, action))?;
    Ok(evaluation(outcome, action, base, now))
}

/// Translates a predicted outcome.
pub(crate) fn evaluation(outcome: Outcome, action: &Action, base: Option<&Item>, now: EpochMillis) -> Evaluation {
    match outcome {
        Outcome::Makes { item: Some(item), expected, revision } if action.command.is_write() => {
            let revision_row = revision.map(|revision| RevisionRow::new(action.command.schema, *revision));
            Ok(Some(NewItem { item, expected, revision_row }))
        }
        Outcome::Makes { .. } | Outcome::Made => Ok(None),
        Outcome::Refuses { reasons, moot } => Err(Box::new(action.command.refused(reasons, moot, base.cloned(), now))),
    }
}
