use dyno::{Entity, EpochMillis};

#[derive(Entity)]
#[idempotency(window_secs = 0, max_skew_secs = 10, table = "t", windows = 3, key_bytes = 4)]
struct One {
    #[partition_key]
    id: u64,
    total: u64,
}

#[derive(Entity)]
#[idempotency(window_secs = 60, max_skew_secs = 90, raw)]
struct Two {
    #[partition_key]
    id: u64,
    #[attribute(rename = "_k7")]
    total: u64,
}

#[derive(Entity)]
#[idempotency(keys = 10, window_secs = 60)]
struct Three {
    #[partition_key]
    id: u64,
    total: u64,
}

#[derive(Entity)]
#[idempotency(store = "row", keys = 10, max_rps = 5, table = "a b")]
struct Four {
    #[partition_key]
    id: u64,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[idempotency(store = "rows")]
#[history_table]
struct Five {
    #[partition_key]
    id: u64,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[idempotency]
struct Six {
    #[partition_key]
    id: u64,
    #[ratchet]
    at: EpochMillis,
}

fn main() {}
