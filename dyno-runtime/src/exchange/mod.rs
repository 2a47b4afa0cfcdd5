//! Requests and their answers: the repository that sends them, what they cost, and the clock. Every request of this crate, about
//! items or about tables, leaves through [`call()`].

pub(crate) mod batch;
mod hedge;
mod pace;
pub(crate) mod repository;
mod request;
mod resolve;
pub(crate) mod row;
mod send;
pub(crate) mod watch;

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

pub(crate) use batch::batch_rounds;
pub(crate) use batch::batch_rounds::CONCURRENCY;
pub(crate) use batch::boxed_stream::boxed_stream;
#[cfg(feature = "transactions")]
pub(crate) use batch::key_batch::KEYS;
pub(crate) use batch::key_batch::{Consistency, KeyBatch, KeyResults};
pub(crate) use hedge::Delay;
pub use hedge::Hedge;
pub use pace::Pace;
pub use repository::Repository;
pub(crate) use repository::clock::Moment;
pub use repository::clock::{Clock, ManualClock, SystemClock};
pub(crate) use repository::memory::Memories;
pub(crate) use repository::random;
pub(crate) use repository::seal::Seal;
pub use request::Request;
pub(crate) use request::request_attempts::{Attempts, WriteIdentity};
#[cfg(feature = "model")]
pub(crate) use request::request_outline::Outline;
pub(crate) use request::request_subject::About;
pub(crate) use resolve::{Caller, ItemRef, MOST_INTENTS, Priority, ReadThrough, Resolve, View, Waits, never_free};
pub(crate) use row::kept_row::KeptRow;
#[cfg(any(feature = "bulk", feature = "transactions"))]
pub(crate) use row::many_rows::read_rows;
#[cfg(any(feature = "bulk", feature = "transactions"))]
pub(crate) use row::many_rows::scan_rows;
pub(crate) use row::row_read::read_row;
#[cfg(any(feature = "inspection", feature = "json-lines"))]
pub(crate) use row::row_scan::scan_page;
#[cfg(feature = "transactions")]
pub(crate) use row::row_write::RowAnswer;
#[cfg(any(feature = "json-lines", feature = "transactions"))]
pub(crate) use row::row_write::write_row;
pub(crate) use row::row_write::{Body, RowWrite, capacity, write_row_with};
pub(crate) use send::back_off::{BackOff, within};
pub(crate) use send::call::{Answer, Ask, call, read};
pub(crate) use send::cancellation_reasons::{Cancelled, Cause, Denied, conflicting_action, name_throttled_tables};
pub(crate) use send::equal_requests::Again;
pub(crate) use send::interceptor::Repeat;
#[cfg(feature = "transactions")]
pub(crate) use send::send_deadline::SendDeadline;
pub use send::send_future::Sending;
#[cfg(feature = "tables")]
pub(crate) use send::{back_off::sleep, call::call_undenied, operation::Operation};
pub use watch::consumed_capacity::Usage;
pub(crate) use watch::metrics;
#[cfg(feature = "transactions")]
pub(crate) use watch::span::interactive_span;
pub(crate) use watch::span::{span, transaction_span};
pub(crate) use watch::trace_events;
