//! Lanes: the rows that serve as transaction records. Each client-side transaction in progress owns one (`owned_lane`).
//!
//! A process takes over lanes that other processes abandoned (`take_over`), after it has rolled their committed attempts forward
//! (`finish_committed`). `recovery_sweep` resolves the intents that no reader or writer has met.

mod finish_committed;
mod lane_pool;
mod owned_lane;
mod recovery_sweep;
mod sweep_report;
mod take_over;

#[cfg(feature = "__tests")]
pub(crate) use lane_pool::Lanes;
pub(crate) use owned_lane::{Lane, take};
pub(crate) use recovery_sweep::{SweptTable, sweep};
pub use sweep_report::{SweepReport, Unresolved};
