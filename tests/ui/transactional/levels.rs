use dyno::Entity;

#[derive(Entity)]
struct Note {
    #[partition_key]
    id: String,
    #[sort_key]
    line: u64,
}

fn main() {
    // The entity is not transactional, so its items never hold uncommitted changes.
    let _ = Note::get(("a", 1)).uncommitted();
    let _ = Note::batch_get([("a", 1)]).uncommitted();
    let _ = Note::query("a").uncommitted();
    let _ = Note::scan().uncommitted();
}
