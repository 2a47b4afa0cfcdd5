//! Puts, updates and deletes of an entity without rules; conditions; what commands return; requests that are printed, or
//! changed and sent with the SDK.

mod accept_equal;
mod generic;
mod requests;
mod writes;

use dyno::Entity;
use std::collections::BTreeSet;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
struct User {
    #[partition_key]
    id: u64,
    name: String,
    note: Option<String>,
    logins: u32,
    tags: BTreeSet<String>,
    colours: Vec<String>,
}

fn user(name: &str) -> User {
    User {
        id: 1,
        name: name.to_owned(),
        note: None,
        logins: 3,
        tags: ["a".to_owned(), "b".to_owned()].into(),
        colours: vec!["red".to_owned()],
    }
}
