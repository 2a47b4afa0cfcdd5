//! What each command does to the items in the table, on the embedded engine.

/// Sends a command that must be applied, and returns its result.
macro_rules! applied {
    ($command:expr, $repository:expr) => {
        $command.send($repository).await.expect("sent").applied().expect("applied")
    };
}

/// Sends a command that must be refused, and returns the reasons.
macro_rules! refused {
    ($command:expr, $repository:expr) => {{
        let outcome = $command.send($repository).await.expect("sent");
        assert!(!outcome.is_applied(), "applied");
        dyno_tests::reasons(&outcome)
    }};
}

mod after_image_pages;
mod attribute_types;
mod backfill;
mod batch;
mod capacity;
mod changes;
mod client_side;
mod codec;
mod commands;
mod cursors;
mod each_command;
mod entities;
mod errors;
mod evolution;
mod extremes;
mod harness;
mod hedge;
mod history;
mod idempotency;
mod immutable;
mod in_doubt;
mod indexes;
mod intents;
mod interactive;
mod interactive_queries;
mod keys;
mod lanes;
mod late_attempts;
mod lock;
mod locked_items;
mod model;
mod null;
mod other_writers;
mod pace;
mod query;
mod ratchet;
mod ratchet_groups;
mod read_levels;
mod repair;
mod repository;
mod requests;
mod response_bytes;
mod retries;
mod shared_tables;
mod spans;
mod stale_reads;
mod stream;
mod tables;
mod text_time;
mod tombstone;
mod transaction;
mod ttl;
mod type_names;
mod unencodable;
mod unique;
mod unversioned_writes;
mod usage_and_spans;
mod vector_indexes;
mod version;
mod what_you_see;
mod write_times;
