use dyno::{Entity, EpochMillis};

#[derive(Entity)]
struct Rating {
    #[partition_key]
    #[attribute(default)]
    user_id: String,
    #[sort_key]
    #[ratchet]
    at: EpochMillis,
}

fn main() {}
