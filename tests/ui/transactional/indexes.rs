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
    // An index does not know committed changes that are not applied yet.
    let _ = Order::by_placed("ada").consistent();
    // It does not know uncommitted changes either.
    let _ = Order::by_placed("ada").uncommitted();
}
