use dyno::Entity;

#[derive(Entity)]
struct Rating {
    #[partition_key]
    score: f64,
}

fn main() {}
