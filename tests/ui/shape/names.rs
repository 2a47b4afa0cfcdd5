//! Names that are taken already: the compiler points at the entity's name, and not at the derive.

use dyno::Entity;

struct UserFields;

#[derive(Entity)]
#[index(name = "by_status", partition = status)]
struct User {
    #[partition_key]
    id: String,
    status: String,
}

impl User {
    fn get(id: &str) -> bool {
        id.is_empty()
    }

    fn by_status() {}
}

struct OrderByStatus;

#[derive(Entity)]
#[index(name = "by_status", partition = status)]
struct Order {
    #[partition_key]
    id: String,
    status: String,
}

mod twice {
    use dyno::Entity;

    #[derive(Entity)]
    struct Note {
        #[partition_key]
        id: String,
    }

    #[derive(Entity)]
    struct Note {
        #[partition_key]
        id: String,
    }
}

fn main() {}
