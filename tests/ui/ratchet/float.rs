use dyno::Entity;

#[derive(Entity)]
struct Rating {
    #[partition_key]
    id: String,
    #[ratchet]
    at: f64,
}

fn main() {}
