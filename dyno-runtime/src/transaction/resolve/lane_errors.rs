//! Errors of requests to the lane table: the caller may never have named that table.

use crate::error::{Error, ErrorKind};

/// Adds to the error of a request to the lane table which table it was, and what to do.
pub(crate) fn of_lanes(error: Error) -> Error {
    let cure = match error.kind() {
        ErrorKind::Throttled => "give that table on-demand capacity, or more units, and send the command again",
        _ if error.is_access_denied() => {
            "give this program the rights to it that the guide lists under \"How to roll it out\" of client-side transactions"
        }
        _ => return or_of_lanes(error),
    };
    let message = format!("{error}; the request was to the lane table of transactions: {cure}");
    error.with_message(message)
}

/// Adds how to make the lane table, if there is none. The request may have been to other tables, too.
pub(crate) fn or_of_lanes(error: Error) -> Error {
    if !error.is_table_missing() {
        return error;
    }
    let message = format!("{error}; it is the lane table of transactions, which `Repository::create_lane_table` makes");
    error.with_message(message)
}
