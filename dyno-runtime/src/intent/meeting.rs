//! Who meets intents, how many one after the other, and what is said where it does not go on.

use super::watch::Waits;
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
#[derive(Clone, Debug)]
pub(crate) struct Age {
    pub(crate) since: EpochMillis,
    pub(crate) name: String,
    /// How often the transaction has waited for others.
    pub(crate) waits: Waits,
}

impl Age {
    /// Whether it goes before the transaction of this name, which began then.
    pub(super) fn is_before(&self, since: EpochMillis, name: &str) -> bool {
        (self.since, &*self.name) < (since, name)
    }
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

/// Says of a request to the lane table which table it was and what to do: the caller may never have named that table.
pub(crate) fn of_lanes(error: Error) -> Error {
    let cure = match error.kind() {
        ErrorKind::Throttled => "give that table on-demand capacity, or more units, and send the command again",
        _ if error.is_access_denied() => {
            "give this program the rights to it that the guide lists under \"How to roll it out\" of large transactions"
        }
        _ => return or_of_lanes(error),
    };
    let message = format!("{error}; the request was to the lane table of transactions: {cure}");
    error.answered(message)
}

/// Says how a lane table is made, where there is none. The request may have been to other tables, too.
pub(crate) fn or_of_lanes(error: Error) -> Error {
    if !error.is_table_missing() {
        return error;
    }
    let message = format!("{error}; it is the lane table of transactions, which `Repository::create_lane_table` makes");
    error.answered(message)
}
