//! The compiler points to the field's type or attribute, and not to the derive.

use dyno::{Aggregate, Document, Entities, Entity, EpochMillis};

struct Foreign(u8);

#[derive(Document)]
struct Tag(String);

mod halves {
    pub fn encode(_: &u8) -> Result<dyno::aws_sdk_dynamodb::types::AttributeValue, dyno::EncodeError> {
        Ok(dyno::aws_sdk_dynamodb::types::AttributeValue::Null(true))
    }
}

#[derive(Entity)]
struct Skips {
    #[partition_key]
    id: String,
    #[attribute(skip)]
    foreign: Foreign,
}

#[derive(Entity)]
struct Half {
    #[partition_key]
    id: String,
    #[attribute(with = "halves")]
    half: u8,
}

// `Tag` lacks `Clone`, which the type of a key needs.
#[derive(Entity)]
struct Tagged {
    #[partition_key]
    tag: Tag,
}

#[derive(Entity)]
#[partition_key(name = "PK", template = "Tag#{tag}")]
struct InTemplate {
    tag: Tag,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
struct Optional {
    #[partition_key]
    id: String,
    #[ratchet]
    at: Option<EpochMillis>,
}

#[derive(Document)]
struct Wrapped(Foreign);

#[derive(Entities)]
enum Row {
    Foreign(Foreign),
}

#[derive(Aggregate)]
struct All {
    foreign: Foreign,
}

fn main() {}
