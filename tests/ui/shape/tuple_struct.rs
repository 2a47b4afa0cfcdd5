use dyno::Entity;

#[derive(Entity)]
struct Rating(String, u8);

#[derive(Entity)]
struct Nothing;

fn main() {}
