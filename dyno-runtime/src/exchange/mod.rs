//! One request and its answer: where requests go, what is counted of them, and what time it is.

mod back_off;
mod clock;
mod repository;
mod seal;
mod span;
mod usage;

pub(crate) use back_off::{BackOff, sleep};
pub use clock::{Clock, ManualClock, SystemClock};
pub use repository::Repository;
pub(crate) use seal::Seal;
pub(crate) use span::{batch_span, span, table_span, transaction_span};
pub use usage::Usage;
