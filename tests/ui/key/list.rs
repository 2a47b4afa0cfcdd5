use dyno::Entity;

#[derive(Entity)]
struct Rating {
    #[partition_key]
    user_id: String,
    #[sort_key]
    movies: Vec<String>,
}

fn main() {}
