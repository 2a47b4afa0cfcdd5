use dyno::{Entity, Item};

#[derive(Entity)]
#[entity(table = "one", schema_version = 2, upgrade = "forgets_the_version")]
struct One {
    #[partition_key]
    id: String,
}

fn forgets_the_version(_: &mut Item) -> Result<(), String> {
    Ok(())
}

#[derive(Entity)]
#[entity(table = "two", schema_version = 2, upgrade = "missing")]
struct Two {
    #[partition_key]
    id: String,
}

fn main() {}
