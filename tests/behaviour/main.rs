//! What each command does to what is in the table, on the embedded engine.

/// Sends a command, which must be applied; what it returned.
macro_rules! applied {
    ($command:expr, $repository:expr) => {
        $command.send($repository).await.expect("sent").applied().expect("applied")
    };
}

/// Sends a command, which must be refused; the reasons.
macro_rules! refused {
    ($command:expr, $repository:expr) => {{
        let outcome = $command.send($repository).await.expect("sent");
        assert!(!outcome.is_applied(), "applied");
        dyno_tests::reasons(&outcome)
    }};
}

mod apart;
mod backfill;
mod batch;
mod capacity;
mod changes;
mod codec;
mod commands;
mod cursors;
mod doubt;
mod entities;
mod errors;
mod evolution;
mod exchange;
mod extremes;
mod groups;
mod hedge;
mod history;
mod idempotency;
mod images;
mod indexes;
mod intents;
mod interactive;
mod keys;
mod lanes;
mod late;
mod levels;
mod lock;
mod marks;
mod null;
mod query;
mod ranges;
mod ratchet;
mod repair;
mod repository;
mod requests;
mod retries;
mod shared;
mod spans;
mod strangers;
mod stream;
mod surroundings;
mod tables;
mod text_time;
mod tombstone;
mod transaction;
mod transactional;
mod ttl;
mod version;
mod watched;
