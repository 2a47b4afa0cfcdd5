use dyno::Entity;

#[derive(Entity)]
#[entity(table = "x", crate = "dyno")]
struct Names {
    #[partition_key]
    id: String,
    #[attribute(rename = "")]
    note: String,
}

#[derive(Entity)]
#[entity = "ratings"]
struct Value {
    #[partition_key]
    id: String,
    #[attribute(with)]
    note: String,
    #[ttl(days = 7)]
    ttl: Option<dyno::EpochSeconds>,
}

#[derive(Entity)]
#[partition_key("PK", "User#{id}")]
#[tombstone(days = 7)]
struct Syntax {
    id: String,
    #[ratchet(strict = true)]
    at: u64,
    #[attribute(default = 5)]
    one: u8,
    #[attribute(default = "|| 5")]
    two: u8,
    #[attribute(rename = three)]
    three: u8,
}

#[derive(Entity)]
#[tombstone(ttl_days = "7")]
struct Numbers {
    #[partition_key]
    id: String,
    #[ratchet(max_ahead_secs = -1)]
    at: dyno::EpochMillis,
}

fn main() {}
