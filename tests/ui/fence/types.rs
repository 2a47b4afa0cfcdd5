use dyno::{Entity, EpochMillis};

#[derive(Entity)]
struct Narrow {
    #[partition_key]
    id: String,
    #[fence]
    epoch: u32,
}

#[derive(Entity)]
struct Time {
    #[partition_key]
    id: String,
    #[fence]
    epoch: EpochMillis,
}

fn main() {}
