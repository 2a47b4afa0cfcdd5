use dyno::Entity;

#[derive(Entity)]
#[partition_key(name = "PK", template = "User#{userid}")]
#[sort_key(name = "SK", template = "{user_id}{movie_id}")]
struct Holes {
    user_id: String,
    movie_id: String,
}

#[derive(Entity)]
#[partition_key(name = "PK", template = "User#{user_id")]
#[sort_key(name = "SK", template = "")]
struct Braces {
    user_id: String,
}

#[derive(Entity)]
#[partition_key(template = "User#{user_id}")]
#[sort_key(name = "SK")]
struct Parts {
    user_id: String,
}

#[derive(Entity)]
#[partition_key]
struct Bare {
    user_id: String,
}

fn main() {}
