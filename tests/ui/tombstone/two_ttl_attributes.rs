use dyno::{Entity, EpochSeconds};

#[derive(Entity)]
#[tombstone(ttl_days = 7, ttl = "ttl")]
struct Session {
    #[partition_key]
    id: String,
    #[ttl]
    expires: EpochSeconds,
}

fn main() {}
