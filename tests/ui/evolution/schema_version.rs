use dyno::{Entity, Item};

#[derive(Entity)]
#[entity(table = "one", schema_version = 2)]
struct Without {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[entity(table = "two", upgrade = "upgrade", schema_attribute = "v")]
struct Unnumbered {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[entity(table = "three", schema_version = 1, upgrade = "upgrade")]
struct First {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[entity(table = "four", schema_version = 0)]
struct Zeroth {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[entity(table = "five", schema_version = 1, schema_attribute = "shape")]
struct Taken {
    #[partition_key]
    id: String,
    shape: u8,
}

#[derive(Entity)]
#[entity(table = "six", schema_version = 2, upgrade = "not a path")]
struct Unparsed {
    #[partition_key]
    id: String,
}

fn upgrade(_: &mut Item, _: u32) -> Result<(), String> {
    Ok(())
}

fn main() {}
