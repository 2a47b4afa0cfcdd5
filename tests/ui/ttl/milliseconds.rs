use dyno::{Entity, EpochMillis};

#[derive(Entity)]
struct Session {
    #[partition_key]
    id: String,
    #[ttl]
    expires: EpochMillis,
}

fn main() {}
