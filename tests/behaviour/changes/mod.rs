//! Changes of parts of an item: numbers, lists, sets, maps, members of documents; the effect of each change, and its
//! refusals.

/// Sends an update with these changes.
macro_rules! update {
    ($world:expr, $($change:expr),+) => {
        Profile::update("1").with([$($change),+]).send(&$world.repository).await.expect("an answer")
    };
}

/// Sends an update, applies the same change to the profile in memory, and checks that both are equal.
macro_rules! check {
    ($($change:expr),+ => |$profile:ident| $expected:expr) => {{
        let world = with_profile().await;
        assert!(update!(world, $($change),+).is_applied());
        let mut $profile = profile();
        let _: () = $expected;
        assert_eq!(stored(&world).await, $profile);
    }};
}

/// Sends an update, and checks that it is refused for this reason and changes nothing.
macro_rules! check_refused {
    ($($change:expr),+ => $reason:expr) => {{
        let world = with_profile().await;
        assert_eq!(dyno_tests::reasons(&update!(world, $($change),+)), [$reason]);
        assert_eq!(stored(&world).await, profile());
    }};
}

mod collections;
mod combined_changes;
mod lists;
mod numbers;

use dyno::{Document, Entity};
use dyno_tests::{World, world};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

#[derive(Document, Clone, Debug, PartialEq)]
#[document(rename_all = "PascalCase")]
struct Address {
    city: String,
    #[attribute(rename = "zip.code")]
    zip: Option<String>,
    floors: u8,
    tags: BTreeSet<String>,
    lines: Vec<String>,
    geo: Geo,
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Geo {
    latitude: f64,
}

#[derive(Document, Clone, Copy, Debug, PartialEq)]
struct Points(i16);

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "profiles")]
struct Profile {
    #[partition_key]
    id: String,
    likes: u64,
    stars: u8,
    balance: i64,
    points: Points,
    ratio: f64,
    huge: u128,
    spare: Option<u32>,
    #[attribute(default = "ten")]
    level: u32,
    friends: Vec<String>,
    notes: Option<Vec<String>>,
    #[attribute(default = "greeting")]
    log: Vec<String>,
    tags: BTreeSet<String>,
    lucky: HashSet<u32>,
    keys: BTreeSet<Vec<u8>>,
    scores: BTreeMap<String, u32>,
    extra: Option<HashMap<String, String>>,
    address: Address,
    second: Option<Address>,
}

fn ten() -> u32 {
    10
}

fn greeting() -> Vec<String> {
    texts(["hello"])
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).into()
}

fn address() -> Address {
    Address {
        city: "Paris".to_owned(),
        zip: Some("75001".to_owned()),
        floors: 3,
        tags: ["old".to_owned()].into(),
        lines: texts(["1 rue"]),
        geo: Geo { latitude: 48.8 },
    }
}

fn profile() -> Profile {
    Profile {
        id: "1".to_owned(),
        likes: 5,
        stars: 250,
        balance: -3,
        points: Points(7),
        ratio: 0.5,
        huge: 1,
        spare: None,
        level: 12,
        friends: texts(["ann", "bob", "ann"]),
        notes: None,
        log: texts(["hello"]),
        tags: ["a".to_owned()].into(),
        lucky: HashSet::new(),
        keys: BTreeSet::new(),
        scores: [("chess".to_owned(), 3)].into(),
        extra: None,
        address: address(),
        second: None,
    }
}

/// A world with the profile in it.
async fn with_profile() -> World {
    let world = world::<Profile>().await;
    profile().put().send(&world.repository).await.expect("a put");
    world
}

async fn stored(world: &World) -> Profile {
    Profile::get("1").consistent().send(&world.repository).await.expect("a get").expect("a profile")
}

fn path(path: &str) -> String {
    path.to_owned()
}
