//! Everything that commits can be applied (M12): transactions of items within 2 KB of DynamoDB's limit, whose sizes are made of
//! numbers, in every form of the roll forward.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::command::Update;
use dyno::{Entity, Item, Transaction};
use dyno_tests::{World, item, n, pause, s, world};

macro_rules! entity {
    ($entity:ident $(, #[$history:meta])?) => {
        #[derive(Entity, Clone, Debug, PartialEq)]
        #[entity(table = "files")]
        #[tombstone(ttl_days = 7)]
        $(#[$history])?
        #[transactional]
        struct $entity {
            #[partition_key]
            id: String,
            text: String,
            more: String,
            #[attribute(rest)]
            rest: Item,
            #[version]
            version: u64,
        }
    };
}

entity!(Table);
entity!(Atomic, #[history_table]);
entity!(Ordered, #[history_table(mode = "ordered")]);

const TABLE: &str = "files";
const KB: usize = 1024;

/// The numbers whose size the developer guide's rule gets wrong, or that have no certain size.
const NUMBERS: [&str; 6] = ["1.5", "3.14159", "100.5", "12000", "0.012", "-1.234E9"];

/// Two texts and a list of numbers, which take up about this many bytes together. The texts differ in their letter.
fn filled(bytes: usize, letter: &str) -> ([String; 2], Item) {
    let number = NUMBERS[fastrand::usize(..NUMBERS.len())];
    let numbers = fastrand::usize(0..=2) * bytes / 40;
    let text = bytes.saturating_sub(numbers * 4);
    let list = AttributeValue::L(vec![n(number); numbers]);
    ([letter.repeat(text / 2), letter.repeat(text - text / 2)], item([("numbers", list)]))
}

/// The stored rows with these IDs.
async fn rows(world: &World, ids: &[String]) -> Vec<Option<Item>> {
    let other = world.other();
    let mut rows = Vec::new();
    for id in ids {
        let get = other.client().get_item().table_name(TABLE).key("id", s(id)).consistent_read(true);
        rows.push(get.send().await.expect("a get").item);
    }
    rows
}

/// Each transaction either is refused before it has written anything, or is applied as a whole.
macro_rules! near_the_limit {
    ($entity:ident, $update:expr) => {{
        pause();
        fastrand::seed(7);
        let world = world::<$entity>().await;
        world.create_lanes().await;
        let new = |id: &str, ([text, more], rest): ([String; 2], Item), version| $entity {
            id: id.to_owned(),
            text,
            more,
            rest,
            version,
        };
        let near = |letter: &str| filled(400 * KB - 2 * KB + fastrand::usize(..2 * KB), letter);
        let half = |letter: &str| filled(fastrand::usize(100 * KB..200 * KB), letter);
        let (mut applied, mut refused) = (0, 0);
        for round in 0..6 {
            let ids = ["new", "changed", "deleted"].map(|id| format!("{round} {id}"));
            let [created, changed, deleted] = &ids;
            let start = if round % 2 == 0 { half("a") } else { filled(0, "") };
            new(changed, start, 0).create().send(&world.repository).await.expect("sent").applied().expect("applied");
            // Without its revision, it may be too large for its history.
            let is_there = new(deleted, near("d"), 0).create().send(&world.repository).await.is_ok();
            let before = rows(&world, &ids).await;
            let (([text, more], rest), update): (_, Option<MakeUpdate>) = (near("p"), $update);
            let mut change = Transaction::new().put(new(created, near("n"), 0).create());
            change = match update.filter(|_| round % 3 == 0) {
                Some(update) => change.update(update(changed, text, more)),
                None => change.put(new(changed, ([text, more], rest), 1).put()),
            };
            if is_there && round % 4 == 0 {
                change = change.delete($entity::delete(deleted.as_str(), 1u64));
            }
            match change.client_side().send(&world.repository).await {
                Err(error) => {
                    assert!(error.is_invalid_input(), "{error}");
                    assert_eq!(rows(&world, &ids).await, before);
                    refused += 1;
                }
                Ok(outcome) => {
                    let committed = outcome.applied().expect("applied");
                    assert_eq!(committed.unapplied(), 0, "round {round}");
                    // No row has an intent, so every row can be written.
                    let rows = rows(&world, &ids).await;
                    assert!(rows.iter().flatten().all(|row| !row.contains_key("_x")));
                    applied += 1;
                }
            }
        }
        assert!(applied > 0 && refused > 0, "{applied} applied, {refused} refused");
    }};
}

type MakeUpdate = fn(&str, String, String) -> Update<Table>;

fn update(id: &str, text: String, more: String) -> Update<Table> {
    let fields = Table::fields();
    Table::update(id).version(1u64).with(fields.text.set(text)).with(fields.more.set(more))
}

#[tokio::test]
async fn a_commit_near_the_limit_is_applied() {
    near_the_limit!(Table, Some(update));
}

// With a history, there are no updates.
#[tokio::test]
async fn a_commit_near_the_limit_is_applied_with_an_atomic_history() {
    near_the_limit!(Atomic, None);
}

#[tokio::test]
async fn a_commit_near_the_limit_is_applied_with_an_ordered_history() {
    near_the_limit!(Ordered, None);
}
