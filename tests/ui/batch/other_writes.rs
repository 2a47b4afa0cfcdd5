use dyno::{BatchWrite, Entity};

#[derive(Entity)]
struct User {
    #[partition_key]
    id: String,
    name: String,
}

fn main() {
    let user = User { id: String::new(), name: String::new() };
    let name = User::fields().name;
    let _ = BatchWrite::new().add(user.put().condition(name.eq("x")));
    let _ = BatchWrite::new().add(User::delete("1").return_old());
    let _ = BatchWrite::new().add(user.create());
    let _ = BatchWrite::new().add(User::update("1").with(name.set("x")));
    let _ = BatchWrite::new().add(&user);
}
