//! What each command does to the items in the table, on the embedded engine.
//!
//! Without the feature `all` of this crate, these are the tests of the light build: see `Cargo.toml`.

/// Sends a command that must be applied, and returns its result.
macro_rules! applied {
    ($command:expr, $repository:expr) => {
        sent!($command, $repository, applied).applied().expect("applied")
    };
}

/// Sends a command that must be refused, and returns the reasons.
macro_rules! refused {
    ($command:expr, $repository:expr) => {{
        let outcome = sent!($command, $repository, refused);
        assert!(!outcome.is_applied(), "applied");
        dyno_tests::reasons(&outcome)
    }};
}

/// Sends a command, and compares what it consumes with its cost.
#[cfg(feature = "all")]
macro_rules! sent {
    ($command:expr, $repository:expr, $outcome:ident) => {{
        let (command, metered) = ($command, $repository.metered());
        let cost = {
            use dyno_tests::costs::by_type::*;
            (&Probe(&command)).sent(&metered)
        };
        let sent = command.send(&metered).await.expect("sent");
        cost.$outcome(metered.usage());
        sent
    }};
}

/// Sends a command.
#[cfg(not(feature = "all"))]
macro_rules! sent {
    ($command:expr, $repository:expr, $outcome:ident) => {
        $command.send($repository).await.expect("sent")
    };
}

#[cfg(feature = "all")]
mod after_image_pages;
mod attribute_types;
mod backfill;
mod batch;
mod capacity;
mod changes;
#[cfg(feature = "all")]
mod client_side;
mod codec;
mod commands;
#[cfg(feature = "all")]
mod composed;
#[cfg(feature = "all")]
mod costs;
mod cursors;
#[cfg(feature = "all")]
mod each_command;
mod entities;
mod errors;
mod evolution;
mod extremes;
#[cfg(feature = "all")]
mod harness;
mod hedge;
mod history;
mod idempotency;
mod immutable;
mod in_doubt;
mod indexes;
#[cfg(feature = "all")]
mod intents;
#[cfg(feature = "all")]
mod interactive;
#[cfg(feature = "all")]
mod interactive_queries;
mod json_lines;
mod keys;
#[cfg(feature = "all")]
mod lanes;
mod late_attempts;
#[cfg(feature = "all")]
mod lock;
#[cfg(feature = "all")]
mod locked_items;
#[cfg(feature = "all")]
mod messages;
#[cfg(feature = "all")]
mod model;
mod null;
mod other_writers;
#[cfg(feature = "all")]
mod pace;
mod query;
mod ratchet;
mod ratchet_groups;
#[cfg(feature = "all")]
mod read_levels;
mod repair;
mod repository;
#[cfg(feature = "all")]
mod requests;
mod response_bytes;
mod retries;
mod send_many;
mod shared_tables;
mod spans;
#[cfg(feature = "all")]
mod stale_reads;
mod stream;
mod tables;
mod text_time;
mod tombstone;
mod transaction;
mod ttl;
mod type_names;
#[cfg(feature = "all")]
mod unencodable;
mod unique;
mod unversioned_writes;
mod usage_and_spans;
mod vector_indexes;
mod version;
#[cfg(feature = "all")]
mod what_you_see;
mod write_times;
