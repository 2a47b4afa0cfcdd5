// Two entities of a table share the table of the guards.

use dyno::{Entities, Entity};

#[derive(Entity)]
#[entity(table = "app", type_name = "User")]
#[partition_key(name = "PK", template = "User#{id}")]
struct User {
    id: String,
    #[unique]
    email: String,
}

#[derive(Entity)]
#[entity(table = "app", type_name = "Admin")]
#[partition_key(name = "PK", template = "Admin#{id}")]
struct Admin {
    id: String,
    #[unique]
    email: String,
}

#[derive(Entities)]
enum Row {
    User(User),
    Admin(Admin),
}

fn main() {}
