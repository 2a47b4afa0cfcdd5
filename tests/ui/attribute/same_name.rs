use dyno::Entity;

#[derive(Entity)]
#[entity(rename_all = "PascalCase")]
#[partition_key(name = "PK", template = "User#{user_id}")]
struct Rating {
    user_id: String,
    note: String,
    #[attribute(rename = "Note")]
    comment: String,
    #[attribute(rename = "PK")]
    rating: u8,
}

fn main() {}
