use dyno::Entity;

#[derive(Entity)]
struct Rating {
    user_id: String,
    rating: u8,
}

fn main() {}
