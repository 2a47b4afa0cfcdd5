//! Many items in one call, each for itself.

pub(super) mod batch_get;
pub(super) mod batch_write;
#[cfg(feature = "bulk")]
pub(super) mod each_commands;
#[cfg(feature = "bulk")]
pub(super) mod send_many;
#[cfg(feature = "bulk")]
pub(super) mod send_many_checkpoint;
#[cfg(feature = "bulk")]
pub(super) mod sweep_guards;
