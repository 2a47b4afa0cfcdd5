use dyno::Entity;

#[derive(Entity)]
#[index(name = "by_placed", local, sort = placed)]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Order {
    #[partition_key]
    customer: String,
    #[sort_key]
    number: u64,
    placed: u64,
    #[version]
    version: u64,
}

fn main() {
    // What is committed and not applied yet is not where the index would have it.
    let _ = Order::by_placed("ada").consistent();
    // Nor what is not committed.
    let _ = Order::by_placed("ada").uncommitted();
}
