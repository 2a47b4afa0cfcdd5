//! Tables: created as their entities declare, completed if something is missing, and compared with their entities.

mod concurrent_creation;
mod creation;
#[cfg(feature = "all")]
mod inspection;
mod verification;

use dyno::aws_sdk_dynamodb::types::TableDescription;
use dyno::table::Mismatch;
use dyno::{Entity, EpochMillis, Repository, TableOptions};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
#[tombstone(ttl_days = 7)]
#[index(name = "by_status", partition = status, sort = placed_at, projection(total))]
#[index(name = "by_customer", partition = customer, sort = placed_at)]
#[index(name = "by_total", local, sort = total, projection = "keys")]
struct Order {
    #[partition_key]
    shop: String,
    #[sort_key]
    id: u64,
    customer: String,
    status: String,
    total: u64,
    note: Option<String>,
    #[ratchet]
    placed_at: EpochMillis,
}

fn order(id: u64) -> Order {
    Order {
        shop: "s".to_owned(),
        id,
        customer: "c".to_owned(),
        status: "open".to_owned(),
        total: 7,
        note: None,
        placed_at: EpochMillis::new(1),
    }
}

/// The same table with only the local index, which holds whole items, and without TTL.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
#[index(name = "by_total", local, sort = total)]
struct Earlier {
    #[partition_key]
    shop: String,
    #[sort_key]
    id: u64,
    customer: String,
    status: String,
    total: u64,
    placed_at: i64,
}

fn missing(index: &str, is_local: bool) -> Mismatch {
    Mismatch::IndexMissing { index: index.to_owned(), is_local }
}

async fn verify<E: Entity>(repository: &Repository, options: &TableOptions) -> Vec<Mismatch> {
    let differences = repository.verify_table_with::<E>(options).await.expect("a comparison");
    differences.into_iter().map(|difference| difference.what).collect()
}

async fn described(repository: &Repository, table: &str) -> TableDescription {
    let described = repository.client().describe_table().table_name(table).send().await.expect("described");
    described.table.expect("a table")
}
