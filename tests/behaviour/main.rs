//! What each command does to what is in the table, on the embedded engine.

mod backfill;
mod batch;
mod capacity;
mod changes;
mod codec;
mod commands;
mod errors;
mod evolution;
mod extremes;
mod groups;
mod history;
mod idempotency;
mod indexes;
mod keys;
mod marks;
mod query;
mod ratchet;
mod repository;
mod retries;
mod shared;
mod stream;
mod tables;
mod tombstone;
mod transaction;
mod ttl;
mod version;
