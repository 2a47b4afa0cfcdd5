//! The code of the recipes (`docs/recipes.md`). Each module stands alone, so that you can copy it.

#![expect(missing_docs, reason = "the recipes explain the fields")]

pub mod foreign_times;
pub mod hot_rows;
pub mod lambda;
pub mod large_values;
pub mod nightly_job;
pub mod outbox;
pub mod rate_limit;
pub mod restore;
pub mod web;
