//! A transaction that reads, decides and writes in a closure of the caller: one run of the closure, and how its writes reach
//! DynamoDB.
//!
//! While the closure runs, `session` reads rows for it and holds back its writes. When the closure has returned,
//! `prepare_attempt` makes one attempt of what it has read and written. `native_size` tells whether the attempt fits a native
//! transaction, and `choose_client_side` whether it may be another. `transaction_attempt` sends the attempt, and sends it again
//! if its answer was lost. The loop that runs the closure again is in `command::interactive`, because only the typed command has
//! the closure.

mod choose_client_side;
mod native_size;
mod prepare_attempt;
mod session;
mod transaction_attempt;

pub(crate) use prepare_attempt::Prepared;
pub(crate) use session::Session;
pub(crate) use transaction_attempt::Attempt;
