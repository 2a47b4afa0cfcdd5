use dyno::Entity;

#[derive(Entity)]
#[sort_key(name = "SK", template = "Movie#{movie_id}")]
struct Rating {
    #[partition_key]
    user_id: Option<String>,
    movie_id: Option<String>,
}

fn main() {}
