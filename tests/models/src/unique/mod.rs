//! The protocol of unique values: items claim their values in guard rows.

mod client;
mod model;
mod operation;
mod request;
mod state;

pub use client::{Client, Reader};
pub use model::{Action, Scope, UniqueValues};
pub use operation::{Measure, Operation};
pub use request::{Condition, Denial, Effect, GuardAction, GuardCondition, ItemAction, Request};
pub use state::{Item, Rows, State, Value};
