use dyno::{Entity, EpochMillis};

#[derive(Entity)]
struct Texts {
    #[partition_key]
    id: String,
    #[created]
    made: String,
    #[updated]
    changed: u64,
}

#[derive(Entity)]
struct Note {
    #[partition_key]
    id: String,
    #[created]
    made: EpochMillis,
    #[updated]
    changed: EpochMillis,
}

fn main() {
    let f = Note::fields();
    let _ = Note::update("1").with((f.made.set_if_absent(EpochMillis::new(1)), f.changed.set(EpochMillis::new(2))));
}
