//! A function that needs a capability: one message, whatever follows in the chain.

use dyno::{Entity, Repository};

#[derive(Entity)]
#[entity(table = "documents")]
#[history_table]
struct Document {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[entity(table = "usages")]
#[idempotency(window_secs = 300)]
struct Usage {
    #[partition_key]
    id: String,
    count: u64,
}

async fn functions(repository: &Repository, usage: &Usage) -> Result<(), dyno::Error> {
    let _ = Document::update("1").version(1_u64).with(Document::fields().text.set("a")).send(repository).await?;
    let _ = usage.put().condition(Usage::fields().count.eq(1_u64)).send(repository).await?;
    Ok(())
}

fn main() {}
