//! The words of an entity on a projection.

use dyno::{Document, Entity, Projection};

#[derive(Entity)]
struct User {
    #[partition_key]
    id: String,
    name: String,
    #[version]
    version: u64,
}

#[derive(Projection)]
#[projection(of = User)]
struct Key {
    #[partition_key]
    id: String,
}

#[derive(Projection)]
#[projection(of = User)]
struct Versioned {
    name: String,
    #[version]
    version: u64,
}

#[derive(Projection)]
#[projection(of = User)]
#[entity(table = "users")]
struct Named {
    name: String,
}

#[derive(Projection)]
#[projection(of = User)]
struct Renamed {
    #[attribute(rename = "n")]
    name: String,
}

#[derive(Projection)]
#[projection(of = User)]
struct OnAField {
    #[projection(rename = "n")]
    name: String,
}

// A type that is a document, too, says so how it is stored.
#[derive(Projection, Document)]
#[projection(of = User)]
struct Both {
    #[attribute(rename = "n")]
    name: String,
}

fn main() {}
