//! Explains errors of requests to the lane table, because the caller of a command may never have named that table.

use crate::error::{Error, ErrorKind};

/// Adds to the error of a request to the lane table that it was about this table, and what to do.
pub(crate) fn explain_lane_error(error: Error) -> Error {
    let cure = match error.kind() {
        ErrorKind::Throttled => "give that table on-demand capacity, or more units, and send the command again",
        _ if error.is_denied() => {
            "give this program the rights that the guide lists under \"How to roll it out\" of client-side transactions, and check its credentials"
        }
        _ => return explain_missing_lane_table(error),
    };
    let message = format!("{error}; the request was to the lane table of client-side transactions: {cure}");
    error.with_message(message)
}

/// Adds how to create the lane table, if it does not exist. The request may have been to other tables, too.
pub(crate) fn explain_missing_lane_table(error: Error) -> Error {
    if !error.is_table_missing() {
        return error;
    }
    let message = format!("{error}; it is the lane table of transactions: `Repository::create_lane_table` creates it");
    error.with_message(message)
}
