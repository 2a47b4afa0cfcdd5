use dyno::{Entity, EpochMillis, EpochSeconds};

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
struct Lease {
    #[partition_key]
    id: String,
    #[ratchet]
    #[ttl]
    until: EpochSeconds,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
struct Tied {
    #[partition_key]
    id: String,
    #[ratchet(tiebreak = "until")]
    at: EpochMillis,
    #[ttl]
    until: EpochSeconds,
}

/// A ratchet that is also the TTL is allowed if only puts write it.
#[derive(Entity)]
struct Fine {
    #[partition_key]
    id: String,
    #[ratchet]
    #[ttl]
    until: EpochSeconds,
}

fn main() {}
