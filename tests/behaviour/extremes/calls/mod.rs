//! Every public function of the library that takes a number, a list or a text, called with its extremes.
//!
//! The list is complete: `complete::every_public_function_is_called_with_its_extremes` reads the library's sources and
//! compares. (The tests are compiled with overflow checks, as in the profile `dev`.)

/// Like `sane`, but also accepts a refused outcome.
macro_rules! sane_write {
    ($command:expr, $repository:expr) => {
        match $command.send($repository).await {
            Ok(_) => {}
            Err(error) => sane::<()>(Err(error)),
        }
    };
}

macro_rules! calls {
    ($world:ident; $($name:literal => $body:block)*) => {
        /// The called functions, by file and name. A name appears once for each function of that name in the file.
        pub(super) const NAMES: &[&str] = &[$($name),*];

        pub(super) async fn call_all($world: &World) {
            $(Box::pin(async $body).await;)*
        }
    };
}

mod commands;
mod complete;
mod costs;
mod fields;
mod hedges;
mod interactive;
mod locks;
mod surroundings;
mod values;

use dyno::command::Search;
use dyno::lock::Lock;
use dyno::{Entity, EpochMillis, Error, ErrorKind, ManualClock, Repository};
use dyno_tests::{World, pause, world};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "logs")]
#[index(name = "by_kind", partition = kind, sort = name)]
#[index(name = "by_level", partition(kind), sort(level, name))]
struct Log {
    #[partition_key]
    owner: String,
    #[sort_key]
    line: String,
    kind: String,
    name: String,
    level: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ticks")]
struct Tick {
    #[partition_key]
    owner: u64,
    #[sort_key]
    at: i64,
    name: String,
    bytes: Vec<u8>,
    small: u8,
    number: i64,
    huge: u128,
    ratio: f64,
    #[attribute(default)]
    texts: Vec<String>,
    #[attribute(default)]
    numbers: BTreeSet<i64>,
    #[attribute(default)]
    scores: BTreeMap<String, u64>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "docs")]
#[tombstone(ttl_days = 36500)]
#[history_table(ttl_days = 36500)]
struct Doc {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "parts")]
#[index(name = "GSI1", query = by_place, partition(name = "GSI1PK", template = "{shelf}#{place}"))]
struct Part {
    #[partition_key]
    id: String,
    text: String,
    shelf: String,
    place: u64,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "sights")]
#[index(name = "near", vector = vector, projection = "all")]
struct Sight {
    #[partition_key]
    id: String,
    vector: [f32; 2],
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(window_secs = 60, max_skew_secs = 60)]
struct Bill {
    #[partition_key]
    id: String,
    total: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 36500)]
struct Rating {
    #[partition_key]
    id: String,
    #[ratchet(max_ahead_secs = 300)]
    at: EpochMillis,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "rowed")]
#[idempotency(store = "row", window_secs = 3600)]
struct Rowed {
    #[partition_key]
    id: String,
    total: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "claimed")]
struct Claimed {
    #[partition_key]
    id: String,
    #[unique]
    code: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "slips")]
#[tombstone(ttl_days = 36500)]
#[transactional]
struct Slip {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "guarded")]
#[tombstone(ttl_days = 36500)]
#[history_table]
struct Guarded {
    #[partition_key]
    id: String,
    text: String,
    #[fence]
    epoch: u64,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "numbered")]
#[tombstone(ttl_days = 36500)]
struct Numbered {
    #[partition_key]
    id: String,
    #[fence]
    epoch: u64,
    #[version]
    version: u64,
}

fn tick() -> Tick {
    Tick {
        owner: 1,
        at: 1,
        name: "a".to_owned(),
        bytes: vec![1],
        small: 1,
        number: 0,
        huge: 1,
        ratio: 0.0,
        texts: vec!["a".to_owned()],
        numbers: BTreeSet::new(),
        scores: BTreeMap::new(),
    }
}

/// Texts that are empty or long, or that contain characters which break lines, terminals and JSON.
fn texts() -> [String; 8] {
    let long = |text: &str, bytes: usize| text.repeat(bytes);
    [
        String::new(),
        "\0".to_owned(),
        "\u{10FFFF}\u{D7FF}".to_owned(),
        "a\r\n\u{1b}[31m\u{202e}'\"`{}#:\\".to_owned(),
        long("x", 1025),
        long("ü", 1025),
        long("x", 70_000),
        long("x", 500_000),
    ]
}

/// The functions that are called.
const NAMES: [&[&str]; 8] = [
    values::NAMES,
    commands::NAMES,
    costs::NAMES,
    fields::NAMES,
    hedges::NAMES,
    interactive::NAMES,
    locks::NAMES,
    surroundings::NAMES,
];

const NUMBERS: [u64; 6] = [0, 1, 1 << 31, 1 << 32, u64::MAX - 1, u64::MAX];

const SIGNED: [i64; 5] = [i64::MIN, i64::MIN + 1, 0, i64::MAX - 1, i64::MAX];

const COUNTS: [usize; 5] = [0, 1, 1 << 31, usize::MAX - 1, usize::MAX];

const SMALL: [u32; 4] = [0, 1, u32::MAX - 1, u32::MAX];

/// Checks that a call succeeded, or failed as invalid input with a short message in one line.
fn sane<T: Debug>(result: Result<T, Error>) {
    if let Err(error) = result {
        // The size of the item of an update is known only to DynamoDB.
        if error.to_string().contains("Item size to update has exceeded") {
            return;
        }
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        check_text(&error.to_string());
    }
}

async fn sane_search(world: &World, search: Search<SightNear>) {
    sane(search.send(&world.repository).await);
}

fn check_text(text: &str) {
    assert!(text.len() < 2000, "{} bytes: {}", text.len(), text.chars().take(300).collect::<String>());
    assert!(!text.chars().any(char::is_control), "{text:?}");
}

/// A repository whose clock shows `now`.
fn at(world: &World, now: i64) -> Repository {
    world.other().with_clock(Arc::new(ManualClock::new(EpochMillis::new(now))))
}

#[tokio::test]
async fn extreme_arguments_are_accepted_or_refused_without_a_panic() {
    pause();
    let world = world::<Log>().await;
    world.repository.create_table::<Tick>().await.expect("a table");
    world.repository.create_table::<Doc>().await.expect("a table");
    world.repository.create_table::<Part>().await.expect("a table");
    world.repository.create_table::<Bill>().await.expect("a table");
    world.repository.create_table::<Rating>().await.expect("a table");
    world.repository.create_table::<Rowed>().await.expect("a table");
    world.repository.create_table::<Guarded>().await.expect("a table");
    world.repository.create_table::<Numbered>().await.expect("a table");
    world.repository.create_table::<Sight>().await.expect("a table");
    world.repository.create_table::<Slip>().await.expect("a table");
    Lock::create_table(&world.repository).await.expect("a table");
    tick().put().send(&world.repository).await.expect("a put");
    values::call_all(&world).await;
    commands::call_all(&world).await;
    costs::call_all(&world).await;
    fields::call_all(&world).await;
    hedges::call_all(&world).await;
    interactive::call_all(&world).await;
    locks::call_all(&world).await;
    surroundings::call_all(&world).await;
}
