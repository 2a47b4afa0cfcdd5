//! Who meets intents, how many one after the other, and what is said where it does not go on.

use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};

/// What meets an intent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting<'a> {
    /// As users call it.
    pub(crate) operation: &'static str,
    pub(crate) entity: &'a str,
    /// Of a transaction.
    pub(crate) age: Option<&'a Age>,
}

/// How old a transaction is: who began earlier goes before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Age {
    pub(crate) since: EpochMillis,
    pub(crate) name: String,
}

/// How many intents of other transactions one command settles, one after the other, before it is given up. Each of them has
/// ended, or was made void: so it is met only where others place theirs faster than this one is sent again. That often, an
/// item is never free.
pub(crate) const MEETINGS: u32 = 1000;

/// Others hold the item each time.
pub(crate) fn kept() -> Error {
    Error::new(
        ErrorKind::Contended,
        "a transaction of many requests holds the item, by its attribute `_x`, and another one each time that it was let go of: send it again later",
    )
}

/// Says how a lane table is made, where there is none.
pub(crate) fn of_lanes(error: Error) -> Error {
    if !error.is_table_missing() {
        return error;
    }
    let message = format!("{error}; it is the lane table of transactions, which `Repository::create_lane_table` makes");
    error.answered(message)
}
