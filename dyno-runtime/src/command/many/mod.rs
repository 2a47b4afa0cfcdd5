//! Many items in one call, each for itself.

pub(super) mod batch_get;
pub(super) mod batch_write;
pub(super) mod each_commands;
pub(super) mod send_many;
pub(super) mod send_many_checkpoint;
pub(super) mod sweep_guards;
