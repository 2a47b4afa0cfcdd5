//! Many items in one call, each for itself.

pub(super) mod batch_get;
pub(super) mod batch_write;
pub(super) mod modify_each_command;
pub(super) mod sweep_guards;
