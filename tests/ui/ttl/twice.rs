use dyno::{Entity, EpochSeconds};

#[derive(Entity)]
struct Session {
    #[partition_key]
    id: String,
    #[ttl]
    expires: EpochSeconds,
    #[ttl]
    gone: EpochSeconds,
}

fn main() {}
