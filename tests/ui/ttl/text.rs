use dyno::Entity;

#[derive(Entity)]
struct Session {
    #[partition_key]
    id: String,
    #[ttl]
    expires: Option<String>,
}

fn main() {}
