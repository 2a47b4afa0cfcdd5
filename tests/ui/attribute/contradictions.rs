use dyno::Entity;

mod codec {}

#[derive(Entity)]
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
}

fn main() {}
