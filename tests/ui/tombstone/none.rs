use dyno::Entity;

#[derive(Entity)]
struct Rating {
    #[partition_key]
    id: String,
}

fn main() {
    let _ = Rating::get("1").include_deleted();
    let _ = dyno::command::Undelete::new(&Rating { id: String::new() });
}
