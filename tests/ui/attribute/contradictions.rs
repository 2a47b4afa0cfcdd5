use dyno::Entity;

mod codec {}

#[derive(Entity)]
#[entity(type_name = "")]
#[partition_key(name = "PK", template = "User#{id}")]
struct Rating {
    #[attribute(rename = "Id")]
    id: String,
    #[attribute(skip, rename = "x")]
    cache: u8,
    #[attribute(serde, with = "codec")]
    note: String,
    #[attribute(stored)]
    rating: u8,
    #[attribute(default = "some")]
    more: Option<String>,
    parts: Vec<Self>,
    #[attribute(skip, default = "one")]
    count: u8,
}

fn main() {}
