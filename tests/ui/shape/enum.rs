use dyno::Entity;

#[derive(Entity)]
enum Rating {
    Good,
    Bad,
}

fn main() {}
