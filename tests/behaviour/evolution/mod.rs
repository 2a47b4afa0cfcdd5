//! Rows of older shapes: with older names of attributes, or of older schema versions.

mod aliases;
mod conditions;
mod expired;
mod upgrade;

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Item, Repository};
use dyno_tests::{World, item, n, s};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "films")]
struct Film {
    #[partition_key]
    id: String,
    #[attribute(alias = "name", alias = "label")]
    title: String,
    #[attribute(alias = "n", default)]
    likes: u8,
    #[attribute(alias = "labels")]
    tags: BTreeSet<String>,
    #[attribute(alias = "people", default)]
    cast: Vec<String>,
    #[attribute(alias = "marks", default)]
    scores: BTreeMap<String, u8>,
    #[attribute(alias = "remark", alias = "comment")]
    note: Option<String>,
}

fn film(title: &str) -> Film {
    Film {
        id: "1".to_owned(),
        title: title.to_owned(),
        likes: 0,
        tags: BTreeSet::new(),
        cast: Vec::new(),
        scores: BTreeMap::new(),
        note: None,
    }
}

fn list(elements: &[&str]) -> AttributeValue {
    AttributeValue::L(elements.iter().map(|element| s(element)).collect())
}

/// A row of a film with the older attribute names.
fn older() -> Item {
    item([
        ("id", s("1")),
        ("name", s("Alien")),
        ("n", n(7)),
        ("labels", AttributeValue::Ss(vec!["horror".to_owned()])),
        ("people", list(&["Ripley", "Dallas"])),
        ("marks", AttributeValue::M(item([("go", n(1))]))),
        ("remark", s("seen")),
    ])
}

fn alien() -> Film {
    Film {
        likes: 7,
        tags: BTreeSet::from(["horror".to_owned()]),
        cast: vec!["Ripley".to_owned(), "Dallas".to_owned()],
        scores: BTreeMap::from([("go".to_owned(), 1)]),
        note: Some("seen".to_owned()),
        ..film("Alien")
    }
}

async fn live(repository: &Repository) -> Option<Film> {
    Film::get("1").consistent().send(repository).await.expect("a get")
}

/// The names of the stored attributes.
async fn names(world: &World) -> BTreeSet<String> {
    world.stored::<Film>().await.remove(0).into_keys().collect()
}
