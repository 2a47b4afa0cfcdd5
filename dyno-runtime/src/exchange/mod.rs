//! One request and its answer: where requests go, what is counted of them, and what time it is. Every request that this
//! crate sends, of data and of tables, leaves through [`call`].

mod about;
mod attempts;
mod back_off;
mod call;
mod cancelled;
mod clock;
mod heard;
mod hedge;
mod memory;
mod operation;
pub(crate) mod random;
mod repository;
mod request;
mod resolve;
pub(crate) mod rounds;
mod row;
mod seal;
mod sending;
mod span;
pub(crate) mod transact;
mod until;
mod usage;

pub(crate) use about::About;
pub(crate) use attempts::{Attempts, Identity};
pub(crate) use back_off::{BackOff, sleep, within};
pub(crate) use call::{Answer, Ask, Repeat, call, call_undenied, read};
pub(crate) use cancelled::{Cancelled, Cause, Denied};
pub(crate) use clock::Moment;
pub use clock::{Clock, ManualClock, SystemClock};
pub(crate) use hedge::Delay;
pub use hedge::Hedge;
pub(crate) use memory::Memories;
pub(crate) use operation::Operation;
pub use repository::Repository;
pub use request::Request;
pub(crate) use resolve::{Caller, ItemRef, MOST_INTENTS, Priority, ReadThrough, Resolve, View, Waits, never_free};
pub(crate) use rounds::CONCURRENCY;
pub(crate) use row::{Body, Fluent, RowWrite, write_row};
pub(crate) use seal::Seal;
pub use sending::Sending;
pub(crate) use span::{interactive_span, span, transaction_span};
pub(crate) use until::Until;
pub use usage::Usage;
