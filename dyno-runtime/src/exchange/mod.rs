//! One request and its answer: where requests go, what is counted of them, and what time it is. Every request that this
//! crate sends, of data and of tables, leaves through [`call`].

mod back_off;
pub(crate) mod batch_rounds;
mod call;
mod cancelled;
mod classify_error;
mod clock;
mod hedge;
mod memory;
mod operation;
pub(crate) mod random;
mod repository;
mod request;
mod request_attempts;
mod request_subject;
mod resolve;
mod row_read;
mod row_write;
mod seal;
mod send_deadline;
mod send_future;
mod span;
pub(crate) mod transact;
mod usage;

pub(crate) use back_off::{BackOff, sleep, within};
pub(crate) use batch_rounds::CONCURRENCY;
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
pub(crate) use request_attempts::{Attempts, Identity};
pub(crate) use request_subject::About;
pub(crate) use resolve::{Caller, ItemRef, MOST_INTENTS, Priority, ReadThrough, Resolve, View, Waits, never_free};
pub(crate) use row_read::{Consistency, read_row};
pub(crate) use row_write::{Body, RowAnswer, RowWrite, no_request, write_row, write_row_kept};
pub(crate) use seal::Seal;
pub(crate) use send_deadline::Until;
pub use send_future::Sending;
pub(crate) use span::{interactive_span, span, transaction_span};
pub use usage::Usage;
