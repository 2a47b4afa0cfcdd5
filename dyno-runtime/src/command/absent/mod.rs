//! Commands that an entity or a build does not have, so that the compiler says why.

pub(crate) mod absent_commands;
#[cfg(not(all(feature = "bulk", feature = "inspection", feature = "transactions")))]
pub(super) mod absent_features;
#[cfg(not(feature = "vectors"))]
#[allow(missing_docs, missing_debug_implementations, clippy::must_use_candidate, reason = "the types do not exist")]
pub(super) mod absent_search;
