//! Writes of one item.

pub(super) mod accept_equal;
pub(super) mod delete;
pub(super) mod in_doubt;
pub(super) mod modify;
pub(super) mod put;
pub(super) mod repair;
pub(super) mod restore;
pub(super) mod update;
