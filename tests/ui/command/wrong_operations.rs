use dyno::Entity;

#[derive(Entity)]
struct Rating {
    #[partition_key]
    id: u64,
    rating: u8,
    seen: bool,
    notes: Vec<String>,
}

fn main() {
    let f = Rating::fields();
    let _ = f.id.set(1);
    let _ = f.rating.clear();
    let _ = f.rating.begins_with("4");
    let _ = f.rating.contains(4);
    let _ = f.rating.size();
    let _ = f.seen.lt(true);
    let _ = f.notes.contains(4);
}
