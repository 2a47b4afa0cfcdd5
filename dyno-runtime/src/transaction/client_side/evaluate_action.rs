//! Evaluates an action against an item.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::RowWrite;
use crate::rule::{Expected, Phase, Refused};
use crate::transaction::closure::{Outcome, Row, predict};
use crate::transaction::native::{Action, named};
use crate::write::write_steps::Companion;

/// The item that an action makes.
pub(crate) struct Made {
    pub(crate) item: Item,
    /// The version that the action expects.
    pub(crate) expected: Option<Expected>,
    /// The history's row that goes with the change, if it was numbered.
    pub(crate) revision: Option<Box<(Companion, RowWrite)>>,
}

/// The result of an action.
pub(crate) enum Evaluated {
    Made(Made),
    /// The item stays as it is.
    Same,
    Refused(Refused),
}

/// Evaluates action `index` against `base`.
pub(crate) fn evaluate(
    index: usize,
    action: &Action,
    base: Option<&Item>,
    row: &Row,
    now: EpochMillis,
) -> Result<Evaluated, Error> {
    let predicted = predict(&action.command, base, &row.tables, now, Phase::default());
    let (outcome, _) = predicted.map_err(|error| named(error, index, action))?;
    Ok(evaluated(outcome, action, base, now))
}

/// Returns what a predicted outcome means for the item.
pub(crate) fn evaluated(outcome: Outcome, action: &Action, base: Option<&Item>, now: EpochMillis) -> Evaluated {
    match outcome {
        Outcome::Makes { item: Some(item), expected, revision, .. } if action.command.is_write() => {
            Evaluated::Made(Made { item, expected, revision })
        }
        Outcome::Makes { .. } | Outcome::Made => Evaluated::Same,
        Outcome::Refuses { reasons, moot } => {
            let (item, context) = (base.cloned(), action.command.context());
            Evaluated::Refused(Refused { reasons, moot, item, now, context, in_doubt: false })
        }
    }
}
