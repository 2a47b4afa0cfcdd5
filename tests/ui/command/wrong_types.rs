use dyno::Entity;

#[derive(Entity)]
struct Rating {
    #[partition_key]
    id: u64,
    rating: u8,
    note: Option<String>,
    bytes: Vec<u8>,
}

#[derive(Entity)]
struct Other {
    #[partition_key]
    id: u64,
    rating: u8,
}

fn main() {
    let f = Rating::fields();
    let _ = f.rating.ge("3");
    let _ = f.note.eq(3);
    let _ = f.rating.set("4");
    let _ = Rating::get("1");
    let _ = Rating::update(1).condition(Other::fields().rating.ge(3));
    let _ = Rating::update(1).with(Other::fields().rating.set(3));
    let _ = Rating::update(1).with((f.rating.set(3), "x")); // a value is no change
    let _ = f.bytes.contains(7);
}
