use dyno::{Entity, EpochMillis};

#[derive(Entity)]
struct Rating {
    #[partition_key]
    id: String,
    #[ratchet]
    at: EpochMillis,
}

fn main() {
    let _ = Rating::delete("1", EpochMillis::new(1));
}
