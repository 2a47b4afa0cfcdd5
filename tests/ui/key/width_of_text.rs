use dyno::Entity;

#[derive(Entity)]
#[partition_key(name = "PK", template = "User#{user_id:08}")]
struct User {
    user_id: String,
}

fn main() {}
