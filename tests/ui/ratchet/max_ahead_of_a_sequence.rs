use dyno::Entity;

#[derive(Entity)]
struct Rating {
    #[partition_key]
    id: String,
    #[ratchet(max_ahead_secs = 300)]
    sequence: u64,
}

fn main() {}
