use dyno::{Document, Entity};
use std::collections::BTreeSet;

#[derive(Document, PartialEq, Eq, PartialOrd, Ord)]
struct Tag {
    name: String,
}

#[derive(Entity)]
struct Rating {
    #[partition_key]
    id: String,
    tags: BTreeSet<Tag>,
}

fn main() {}
