use dyno::{Entity, Projection};

#[derive(Entity)]
#[index(name = "by_status", partition = status, projection(total))]
struct Order {
    #[partition_key]
    id: String,
    status: String,
    note: Option<String>,
    total: u64,
}

#[derive(Entity)]
#[index(name = "by_name", partition = name)]
struct User {
    #[partition_key]
    id: String,
    name: String,
}

#[derive(Projection)]
#[projection(of = Order)]
struct Unknown {
    totl: u64,
}

#[derive(Projection)]
#[projection(of = Order)]
struct OtherType {
    total: u32,
}

#[derive(Projection)]
#[projection(of = Order, index = OrderByStatus)]
struct NotHeld {
    total: u64,
    note: Option<String>,
}

#[derive(Projection)]
#[projection(of = Order, index = UserByName)]
struct OfAnother {
    total: u64,
}

#[derive(Projection)]
struct OfNothing {
    total: u64,
}

#[derive(Projection)]
#[projection(of = Order, from = "x")]
struct UnknownKey {
    total: u64,
}

#[derive(Projection)]
#[projection(of = Order)]
enum NoStruct {
    A,
}

#[derive(Projection)]
#[projection(of = Order)]
struct Tuple(u64);

#[derive(Projection)]
#[projection(of = String)]
struct OfNoEntity {
    total: u64,
}

fn main() {
    let _ = User::get("1").project::<OtherType>();
}
