//! Requests and their answers: the repository that sends them, what they cost, and the clock. Every request of this crate, about
//! items or about tables, leaves through [`call()`].

mod back_off;
pub(crate) mod batch_rounds;
mod boxed_stream;
mod call;
mod cancelled;
mod capacity_json;
mod classify_error;
mod clock;
mod equal_requests;
mod hedge;
mod history_owners;
mod interceptor;
mod kept_row;
mod key_batch;
#[cfg(feature = "transactions")]
mod lane_settings;
mod memory;
pub(crate) mod metrics;
mod operation;
mod pace;
mod paced_requests;
mod page_deserializer;
mod page_request;
pub(crate) mod random;
mod repository;
mod repository_tables;
mod request;
mod request_attempts;
#[cfg(feature = "model")]
mod request_outline;
mod request_subject;
mod resolve;
mod response_facts;
mod row_read;
mod row_request;
mod row_scan;
mod row_write;
mod seal;
mod send_deadline;
mod send_future;
mod span;
pub(crate) mod trace_events;
pub(crate) mod transact;
mod usage;

/// Calls the setter of a builder if there is a value. Each call moves the whole builder, hundreds of bytes.
macro_rules! set_some {
    ($builder:ident, $set:ident: $value:expr) => {
        let value = $value;
        if value.is_some() {
            $builder = $builder.$set(value);
        }
    };
}
pub(crate) use set_some;

pub(crate) use back_off::{BackOff, sleep, within};
pub(crate) use batch_rounds::CONCURRENCY;
pub(crate) use boxed_stream::boxed_stream;
pub(crate) use call::{Answer, Ask, call, call_undenied, read};
pub(crate) use cancelled::{Cancelled, Cause, Denied, name_throttled_tables};
pub(crate) use clock::Moment;
pub use clock::{Clock, ManualClock, SystemClock};
pub(crate) use equal_requests::Again;
pub(crate) use hedge::Delay;
pub use hedge::Hedge;
pub(crate) use interceptor::Repeat;
pub(crate) use kept_row::KeptRow;
#[cfg(feature = "transactions")]
pub(crate) use key_batch::KEYS;
pub(crate) use key_batch::{Consistency, KeyBatch, KeyResults};
pub(crate) use memory::Memories;
pub(crate) use operation::Operation;
pub use pace::Pace;
pub use repository::Repository;
pub use request::Request;
pub(crate) use request_attempts::{Attempts, WriteIdentity};
#[cfg(feature = "model")]
pub(crate) use request_outline::Outline;
pub(crate) use request_subject::About;
pub(crate) use resolve::{Caller, ItemRef, MOST_INTENTS, Priority, ReadThrough, Resolve, View, Waits, never_free};
pub(crate) use row_read::{read_row, read_rows};
pub(crate) use row_scan::scan_rows;
#[cfg(feature = "transactions")]
pub(crate) use row_write::RowAnswer;
#[cfg(feature = "transactions")]
pub(crate) use row_write::write_row;
pub(crate) use row_write::{Body, RowWrite, capacity, write_row_with};
pub(crate) use seal::Seal;
#[cfg(feature = "transactions")]
pub(crate) use send_deadline::SendDeadline;
pub use send_future::Sending;
#[cfg(feature = "transactions")]
pub(crate) use span::interactive_span;
pub(crate) use span::{span, transaction_span};
pub use usage::Usage;
