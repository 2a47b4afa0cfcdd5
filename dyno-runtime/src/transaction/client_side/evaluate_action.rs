//! What comes of an action, given what is there.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::rule::{Expected, Phase, Refused};
use crate::transaction::closure::{Foretold, Outcome, Row, foretell};
use crate::transaction::native::{Action, named};

/// What an action makes of a row.
pub(crate) struct Made {
    pub(crate) item: Item,
    /// What it expects of the version that is there.
    pub(crate) expected: Option<Expected>,
}

/// What comes of an action.
pub(crate) enum Comes {
    Made(Made),
    /// Nothing else than there is.
    Same,
    Refused(Refused),
}

/// What comes of what is there, by an action of this number.
pub(crate) fn comes(
    index: usize,
    action: &Action,
    base: Option<&Item>,
    row: &Row,
    now: EpochMillis,
) -> Result<Comes, Error> {
    let foretold = foretell(&action.command, base, &row.tables, now, Phase::default());
    let Foretold { outcome, unless: _ } = foretold.map_err(|error| named(error, index, action))?;
    Ok(match outcome {
        Outcome::Makes { item: Some(item), expected, .. } if action.command.is_write() => {
            Comes::Made(Made { item, expected })
        }
        Outcome::Makes { .. } | Outcome::Made { .. } => Comes::Same,
        Outcome::Refuses { reasons, moot } => {
            let (item, context) = (base.cloned(), action.command.context());
            Comes::Refused(Refused { reasons, moot, item, now, context, in_doubt: false })
        }
    })
}
