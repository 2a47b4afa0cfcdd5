//! Unique values: which writes claim a value, which writes are refused, and how a free value is taken over.

mod adoption;
mod claims;
mod costs;
mod find;
mod refused;
mod shapes;
mod sweep;
#[cfg(feature = "all")]
mod transactions;
#[cfg(feature = "all")]
mod two_entities;

use dyno::{Entity, EpochMillis, Item, Outcome};
use dyno_tests::{World, item, s};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
#[unique(name = "handle", fields(tenant, handle))]
struct User {
    #[partition_key]
    id: String,
    #[unique]
    email: Option<String>,
    tenant: String,
    handle: String,
    logins: u32,
}

fn user(id: &str, email: &str) -> User {
    User {
        id: id.to_owned(),
        email: Some(email.to_owned()),
        tenant: "acme".to_owned(),
        handle: format!("handle of {id}"),
        logins: 0,
    }
}

/// An entity with a tombstone, a version, and a TTL of its own.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "members")]
#[tombstone(ttl_days = 7, ttl = "expires")]
struct Member {
    #[partition_key]
    id: u64,
    #[unique]
    email: String,
    #[ttl]
    expires: Option<dyno::EpochSeconds>,
    visits: u32,
    #[version]
    version: u64,
}

fn member(id: u64, email: &str) -> Member {
    Member { id, email: email.to_owned(), expires: None, visits: 0, version: 0 }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "rated")]
#[tombstone(ttl_days = 7)]
struct Rated {
    #[partition_key]
    id: String,
    #[unique]
    code: u64,
    #[ratchet]
    at: EpochMillis,
}

/// Returns the constraints that refused, with the key of each holder.
fn taken<E, T>(outcome: &Outcome<E, T>) -> Vec<(&'static str, String)> {
    let refusal = outcome.refusal().expect("refused");
    assert_eq!(refusal.reasons().len(), refusal.taken().count(), "{:?}", refusal.reasons());
    refusal.taken().map(|(constraint, holder)| (constraint, holder.to_string())).collect()
}

/// Returns the guards of a table, each with the text of its holder's key attribute.
async fn guards(world: &World, table: &str, key: &str) -> Vec<(String, String)> {
    let scan = world.repository.client().scan().table_name(format!("{table}-unique")).consistent_read(true);
    let rows = scan.send().await.expect("a scan").items.unwrap_or_default();
    let holder = |row: &Item| {
        let holder = row["_of"].as_m().expect("a key")[key].clone();
        holder.as_s().or_else(|_| holder.as_n()).expect("a text").clone()
    };
    let mut guards: Vec<_> = rows.iter().map(|row| (row["_key"].as_s().expect("a key").clone(), holder(row))).collect();
    guards.sort();
    guards
}

fn pairs<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
    pairs.map(|(one, other)| (one.to_owned(), other.to_owned())).to_vec()
}

/// Deletes a row as a program does that does not know the rule.
async fn delete_foreign(world: &World, table: &str, key: Item) {
    world.repository.client().delete_item().table_name(table).set_key(Some(key)).send().await.expect("a delete");
}

fn user_key(id: &str) -> Item {
    item([("id", s(id))])
}
