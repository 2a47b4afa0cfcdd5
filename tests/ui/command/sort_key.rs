use dyno::Entity;

#[derive(Entity)]
struct NoSortKey {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[partition_key(name = "PK", template = "User#{user_id}")]
#[sort_key(name = "SK", template = "PROFILE")]
struct Constant {
    user_id: String,
}

#[derive(Entity)]
#[sort_key(name = "SK", template = "Order#{number}")]
struct Unpadded {
    #[partition_key]
    id: String,
    number: u32,
}

fn main() {
    let _ = NoSortKey::query("1");
    let _ = Constant::query("1").sort_begins_with("PRO");
    let _ = Unpadded::query("1").sort_ge(10);
    let _ = Unpadded::query("1").sort_eq("10");
    let _ = Unpadded::query("1").sort_begins_with("1");
}
