use dyno::Entity;

#[derive(Entity)]
struct OnFields {
    #[partition_key]
    user_id: String,
    #[partition_key]
    movie_id: String,
}

#[derive(Entity)]
#[partition_key(name = "PK", template = "User#{user_id}")]
struct OnBoth {
    user_id: String,
    #[partition_key]
    movie_id: String,
}

#[derive(Entity)]
struct OneForBoth {
    #[partition_key]
    #[sort_key]
    id: String,
}

fn main() {}
