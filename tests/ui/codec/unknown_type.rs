use dyno::Entity;

struct Opinion;

#[derive(Entity)]
struct Rating {
    #[partition_key]
    id: String,
    opinion: Opinion,
}

fn main() {}
