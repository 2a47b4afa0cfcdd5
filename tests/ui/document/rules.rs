//! The words of an entity's keys and rules on a document.

use dyno::{Document, Entity, EpochMillis, EpochSeconds};

#[derive(Document)]
struct Key {
    #[partition_key]
    id: String,
}

#[derive(Document)]
struct Expires {
    #[ttl]
    at: EpochSeconds,
}

#[derive(Document)]
struct Made {
    #[created]
    at: EpochMillis,
}

#[derive(Document)]
enum Choice {
    One {
        #[unique]
        email: String,
    },
    Two,
}

#[derive(Document)]
#[tombstone(ttl_days = 7)]
struct Deleted {
    id: String,
}

// A type that is both may have them.
#[derive(Entity, Document)]
struct Both {
    #[partition_key]
    id: String,
    #[ttl]
    at: EpochSeconds,
}

fn main() {}
