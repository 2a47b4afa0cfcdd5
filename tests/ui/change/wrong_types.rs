use dyno::{Document, Entity};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Document)]
struct Address {
    tags: BTreeSet<String>,
}

#[derive(Entity)]
struct Profile {
    #[partition_key]
    id: u64,
    name: String,
    friends: Vec<String>,
    tags: BTreeSet<String>,
    scores: BTreeMap<String, u32>,
    address: Address,
    bytes: Vec<u8>,
    #[attribute(with = "codec")]
    coded: u64,
}

mod codec {
    use dyno::aws_sdk_dynamodb::types::AttributeValue;

    pub fn encode(number: &u64) -> Result<AttributeValue, String> {
        Ok(AttributeValue::S(number.to_string()))
    }

    pub fn decode(_: AttributeValue) -> Result<u64, String> {
        Ok(0)
    }
}

fn main() {
    let f = Profile::fields;
    // A list operation on a set, and a set operation on a list.
    let _ = f().tags.push("x");
    let _ = f().friends.insert("x");
    // `add` and `increment` on fields that are no numbers, or keys.
    let _ = f().name.add("x");
    let _ = f().id.increment(1u64);
    let _ = f().coded.add(1u64);
    // Entries and members of fields that have none.
    let _ = f().friends.entry("x");
    let _ = f().scores.fields();
    // DynamoDB's ADD takes top-level attributes only.
    let _ = f().address.fields().tags.insert("x");
    let _ = f().bytes.push(1u8);
}
