//! Transactions: several items, all or nothing.
//!
//! `closure` runs a closure that reads and writes, and makes one `attempt` to commit it. An attempt is either `native`, one
//! `TransactWriteItems`, or `client_side`: it prewrites an intent into each item, and one conditional write of its lane row decides it.
//! `record` has the data of that protocol, `lanes` the lane rows and their owners, and `resolve` what any process does with an intent
//! that it finds. The rooms below know of intents only by the hook [`Resolve`](crate::exchange::Resolve).
//!
//! `docs/internals/protocol.md` has the protocol, its states, and its invariants, which comments cite by their numbers, as (M7).

#[cfg(feature = "transactions")]
pub(crate) mod attempt;
#[cfg(feature = "transactions")]
pub(crate) mod client_side;
#[cfg(feature = "transactions")]
pub(crate) mod closure;
#[cfg(feature = "transactions")]
pub(crate) mod lanes;
pub(crate) mod native;
#[cfg(not(feature = "transactions"))]
mod no_transactions;
#[cfg(feature = "transactions")]
pub(crate) mod record;
mod repository;
#[cfg(feature = "transactions")]
pub(crate) mod resolve;
