//! Lanes: the rows that decide client-side transactions. Each transaction under way owns one (`owned_lane`).
//!
//! A process takes over lanes that other processes abandoned (`take_over`), after it has completed what they committed
//! (`finish_committed`). `recovery_sweep` finds what nobody else meets.

mod finish_committed;
mod lane_pool;
mod owned_lane;
mod recovery_sweep;
mod sweep_report;
mod take_over;

#[cfg(feature = "__tests")]
pub(crate) use lane_pool::Lanes;
pub(crate) use owned_lane::{Lane, take};
pub(crate) use recovery_sweep::{Swept, sweep};
pub use sweep_report::{SweepReport, Unresolved};
