use dyno::Entity;

#[derive(Entity)]
#[entity(tabel = "ratings")]
struct Typo {
    #[partition_key]
    #[attribute(renam = "id")]
    id: String,
}

#[derive(Entity)]
#[entity(colour = "red")]
struct Unheard {
    #[partition_key]
    id: String,
}

fn main() {}
