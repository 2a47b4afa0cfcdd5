//! Evaluates an action against an item.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::rule::{Expected, Phase, Refused};
use crate::transaction::closure::{Outcome, Prediction, Row, predict};
use crate::transaction::native::{Action, named};

/// The item that an action makes.
pub(crate) struct Made {
    pub(crate) item: Item,
    /// The version that the action expects.
    pub(crate) expected: Option<Expected>,
}

/// The result of an action.
pub(crate) enum Evaluated {
    Made(Made),
    /// The item stays as it is.
    Same,
    Refused(Refused),
}

/// Evaluates action `index` against `base`.
pub(crate) fn comes(
    index: usize,
    action: &Action,
    base: Option<&Item>,
    row: &Row,
    now: EpochMillis,
) -> Result<Evaluated, Error> {
    let foretold = predict(&action.command, base, &row.tables, now, Phase::default());
    let Prediction { outcome, unless: _ } = foretold.map_err(|error| named(error, index, action))?;
    Ok(match outcome {
        Outcome::Makes { item: Some(item), expected, .. } if action.command.is_write() => {
            Evaluated::Made(Made { item, expected })
        }
        Outcome::Makes { .. } | Outcome::Made { .. } => Evaluated::Same,
        Outcome::Refuses { reasons, moot } => {
            let (item, context) = (base.cloned(), action.command.context());
            Evaluated::Refused(Refused { reasons, moot, item, now, context, in_doubt: false })
        }
    })
}
