//! Versions: what each write expects, what a conflict reports, and how a write recognizes its own first attempt.

mod loaded_items;
mod lost_answers;
mod modify;
mod numbers;
mod rules;

use dyno::{Entity, EpochSeconds, Found, Reason, Repository};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "carts")]
struct Cart {
    #[partition_key]
    id: String,
    lines: u32,
    note: Option<String>,
    #[version]
    version: u64,
}

/// An entity with a tombstone, and with a version attribute whose name is not a valid placeholder.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "papers")]
#[tombstone(ttl_days = 7)]
struct Paper {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    #[attribute(rename = "the.version")]
    version: u32,
    #[ttl]
    expires: Option<EpochSeconds>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "plain")]
struct Unnamed {
    #[partition_key]
    id: String,
    count: u8,
    #[version(write_id = false)]
    version: u8,
}

fn cart(lines: u32, version: u64) -> Cart {
    Cart { id: "1".to_owned(), lines, note: None, version }
}

fn paper(text: &str, version: u32) -> Paper {
    Paper { id: "1".to_owned(), text: text.to_owned(), version, expires: None }
}

fn unnamed(count: u8, version: u8) -> Unnamed {
    Unnamed { id: "1".to_owned(), count, version }
}

fn conflict(expected: u64, found: impl Into<Option<u64>>) -> Reason {
    Reason::Conflict { expected, found: found.into() }
}

async fn stored_cart(repository: &Repository) -> Option<Cart> {
    Cart::get("1").consistent().send(repository).await.expect("a get")
}

async fn tombstone(repository: &Repository) -> dyno::Tombstone<Paper> {
    match Paper::get("1").include_deleted().send(repository).await.expect("a get") {
        Some(Found::Deleted(tombstone)) => tombstone,
        other => panic!("{other:?}"),
    }
}

/// An entity with a ratchet and a version: the token must not be older, and no other writer may have written since.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "fenced")]
#[tombstone(ttl_days = 7)]
struct Fenced {
    #[partition_key]
    id: String,
    text: String,
    #[ratchet]
    fence: u64,
    #[version]
    version: u64,
}

fn fenced(fence: u64, version: u64) -> Fenced {
    Fenced { id: "1".to_owned(), text: String::new(), fence, version }
}
