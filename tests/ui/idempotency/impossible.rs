use dyno::Entity;

#[derive(Entity)]
#[idempotency(window_secs = 300, max_rps = 100, key_bytes = 16)]
struct Bill {
    #[partition_key]
    id: u64,
    total: u64,
}

#[derive(Entity)]
#[idempotency(window_secs = 2592000, max_skew_secs = 60, max_rps = 1)]
struct Month {
    #[partition_key]
    id: u64,
    total: u64,
}

#[derive(Entity)]
#[idempotency(keys = 30000)]
struct Count {
    #[partition_key]
    id: u64,
    total: u64,
}

#[derive(Entity)]
#[idempotency(keys = 1000, max_rps = 80, raw, key_bytes = 36)]
struct Fast {
    #[partition_key]
    id: u64,
    total: u64,
}

fn main() {}
