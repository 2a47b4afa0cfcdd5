//! A crate that is not there.

use dyno::{Document, Entity};

#[derive(Entity)]
#[entity(crate = "::db")]
struct User {
    #[partition_key]
    id: String,
    name: String,
}

#[derive(Document)]
#[document(crate = "::db")]
struct Address {
    street: String,
}

fn main() {}
