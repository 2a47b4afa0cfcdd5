//! What an item is to become, where that is too much to stand beside what it is: it stands in pages of the lane table.

mod sizes;

use super::is_commit;
use dyno::__private::lanes::take;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, ErrorKind, Item, Sweep, TransactGet, Transaction};
use dyno_tests::faults::{Event, Fault, tally};
use dyno_tests::process::Process;
use dyno_tests::{NOW, World, n, pause, s, world};
use std::collections::BTreeMap;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "files")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct File {
    #[partition_key]
    id: String,
    head: String,
    body: String,
    #[attribute(rest)]
    rest: Item,
    #[version]
    version: u64,
}

const KB: usize = 1024;
const DAY: i64 = 86_400;

fn file(id: &str, body: char, version: u64) -> File {
    let [head, body] = [("h", 50), (&body.to_string(), 250)].map(|(text, kilobytes)| text.repeat(kilobytes * KB));
    File { id: id.to_owned(), head, body, rest: Item::new(), version }
}

/// A file of 300 KB, and one that is small.
async fn files() -> World {
    let world = world::<File>().await;
    world.create_lanes().await;
    applied!(file("a", 'x', 0).create(), &world.repository);
    applied!(small(0).create(), &world.repository);
    world
}

fn small(version: u64) -> File {
    File { id: "small".to_owned(), head: String::new(), body: String::new(), rest: Item::new(), version }
}

/// 250 KB of the one change, and the other changes.
fn change() -> Transaction {
    Transaction::new().put([file("a", 'y', 1).put(), small(1).put()]).by_intents()
}

/// A page of what an intent sets.
fn is_page(event: &Event) -> bool {
    event.operation == "PutItem" && event.tables().contains("dyno-lanes") && event.body()["Item"]["set"].is_object()
}

async fn pages(world: &World) -> Vec<Item> {
    let (mut pages, mut from) = (Vec::new(), None);
    loop {
        let scan = world.other().client().scan().table_name("dyno-lanes").set_exclusive_start_key(from);
        let scan = scan.send().await.expect("a scan");
        pages.extend(scan.items.unwrap_or_default().into_iter().filter(|row| row.contains_key("set")));
        from = scan.last_evaluated_key;
        if from.is_none() {
            return pages;
        }
    }
}

async fn stored(world: &World) -> BTreeMap<String, Item> {
    let rows = world.stored::<File>().await.into_iter();
    rows.map(|row| (row["id"].as_s().expect("a text").clone(), row)).collect()
}

/// A process that dies at this request of the change.
async fn died(world: &World, of: fn(&Event) -> bool, fault: Fault) -> Process {
    let process = world.process(RetryConfig::disabled());
    process.faults.nth(1, of, fault);
    assert!(process.run(change().send(&process.repository)).await.is_none());
    process
}

#[tokio::test]
async fn a_row_of_300_kb_of_which_250_change() {
    pause();
    let world = files().await;
    let before = world.faults.events().len();
    let metered = world.repository.metered();
    let committed = change().send(&metered).await.expect("sent").applied().expect("applied");
    assert_eq!((committed.version_of::<File>(0), committed.unapplied()), (Some(2), 0));
    let found = File::get("a").consistent().send(&world.other()).await.expect("a get");
    assert_eq!(found, Some(file("a", 'y', 2)));
    let events = &world.faults.events()[before..];
    // Beside what it takes ever: a page, and the row once more before it is applied.
    assert_eq!(events.iter().filter(|event| is_page(event)).count(), 1);
    let counts = ["2 BatchGetItem", "1 DescribeTable", "1 GetItem", "3 PutItem", "4 UpdateItem"];
    let mut sums = BTreeMap::<String, usize>::new();
    for (count, operation) in tally(events).iter().map(|line| {
        let mut words = line.split(' ');
        (
            words.next().and_then(|count| count.parse::<usize>().ok()).unwrap_or_default(),
            words.next().unwrap_or_default().to_owned(),
        )
    }) {
        *sums.entry(operation).or_default() += count;
    }
    let found: Vec<_> = sums.into_iter().map(|(operation, count)| format!("{count} {operation}")).collect();
    assert_eq!(found, counts);
    // 251 for the page; 301 for the intent, and for what is made of it; the others are small.
    let units = metered.usage().write_units;
    assert!((850.0..=860.0).contains(&units), "{units}");
    assert!(!stored(&world).await["a"].contains_key("_x"));
}

#[tokio::test]
async fn whoever_meets_it_makes_all_of_it() {
    pause();
    for meeter in ["get", "batch", "scan", "put", "together", "native", "intents", "sweep", "adopter"] {
        let world = files().await;
        died(&world, is_commit, Fault::DiesAfter).await;
        let repository = &world.repository;
        let new = Some(file("a", 'y', 2));
        match meeter {
            "get" => assert_eq!(File::get("a").consistent().send(repository).await.expect("a get"), new),
            "batch" => {
                let found = File::batch_get(["a", "small"]).consistent().send(repository).await.expect("a batch");
                assert_eq!(found, [new, Some(small(2))]);
            }
            "scan" => {
                let found = File::scan().consistent().send(repository).await.expect("a scan").items;
                assert!(found.contains(&file("a", 'y', 2)) && found.contains(&small(2)));
            }
            "put" => assert!(!refused!(file("a", 'z', 1).put(), repository).is_empty()),
            "together" => {
                let both = TransactGet::new((File::get("a"), File::get("small"))).send(repository).await;
                assert_eq!(both.expect("a reading"), (new, Some(small(2))));
            }
            "native" | "intents" => {
                let both = Transaction::new().put([file("a", 'z', 2).put(), small(2).put()]);
                let both = if meeter == "native" { both.natively() } else { both.by_intents() };
                both.send(repository).await.expect("sent").applied().expect("applied");
                assert_eq!(stored(&world).await["a"]["body"], s(&"z".repeat(250 * KB)));
                continue;
            }
            "sweep" => {
                let report = Sweep::new().of::<File>().send(repository).await.expect("a sweep");
                assert_eq!(report.failed(), 0, "{report:?}");
            }
            _ => {
                world.clock.advance(120_000);
                take(repository).await.expect("a lane").give_back();
            }
        }
        // Whatever was not met is not made yet.
        for id in ["a", "small"] {
            File::get(id).consistent().send(repository).await.expect("a get");
        }
        let stored = stored(&world).await;
        assert_eq!((&stored["a"]["body"], &stored["a"]["version"]), (&s(&"y".repeat(250 * KB)), &n(2)), "{meeter}");
        assert!(stored.values().all(|row| !row.contains_key("_x")), "{meeter}");
    }
}

#[tokio::test]
async fn while_it_is_not_decided_it_can_be_looked_at() {
    pause();
    let world = files().await;
    let before = stored(&world).await;
    died(&world, is_commit, Fault::DiesBefore).await;
    let repository = &world.repository;
    let old = Some(file("a", 'x', 1));
    assert_eq!(File::get("a").send(repository).await.expect("a get"), old);
    assert_eq!(File::get("a").consistent().send(repository).await.expect("a get"), old);
    let new = file("a", 'y', 2);
    assert_eq!(File::get("a").uncommitted().send(repository).await.expect("a get"), Some(new.clone()));
    let all = File::batch_get(["a", "small"]).uncommitted().send(repository).await.expect("a batch");
    assert_eq!(all, [Some(new.clone()), Some(small(2))]);
    assert!(File::scan().uncommitted().send(repository).await.expect("a scan").items.contains(&new));
    // Without its pages, it is older than any transaction lasts.
    for page in pages(&world).await {
        remove(&world, &page).await;
    }
    assert_eq!(File::get("a").uncommitted().send(repository).await.expect("a get"), old);
    let hasty = repository.clone().with_patience(std::time::Duration::ZERO);
    let report = Sweep::new().of::<File>().send(&hasty).await.expect("a sweep");
    assert_eq!((report.removed(), report.failed()), (2, 0), "{report:?}");
    assert_eq!(stored(&world).await, before);
}

async fn remove(world: &World, page: &Item) {
    let key = ["lane", "part"].map(|name| (name.to_owned(), page[name].clone())).into();
    let delete = world.other().client().delete_item().table_name("dyno-lanes").set_key(Some(key));
    delete.send().await.expect("deleted");
}

async fn put(world: &World, page: Item) {
    let put = world.other().client().put_item().table_name("dyno-lanes").set_item(Some(page));
    put.send().await.expect("put");
}

/// A page that arrives once more when all is over, and was removed by its TTL, is nobody's.
#[tokio::test]
async fn a_page_that_comes_again_after_its_ttl_changes_nothing() {
    pause();
    let world = files().await;
    let process = world.process(RetryConfig::disabled());
    process.faults.nth(1, is_page, Fault::Kept);
    change().send(&process.repository).await.expect("sent").applied().expect("applied");
    let page = pages(&world).await.pop().expect("a page");
    assert_eq!(page["ttl"], n(NOW / 1000 + 30 * DAY));
    remove(&world, &page).await;
    let next = Transaction::new().put([file("a", 'z', 2).put(), small(2).put()]).by_intents();
    next.send(&process.repository).await.expect("sent").applied().expect("applied");
    let before = stored(&world).await;
    assert!(process.faults.deliver().await.is_some());
    // What the same lane has put since is another page.
    assert_eq!(pages(&world).await.len(), 2);
    let report = Sweep::new().of::<File>().send(&world.repository).await.expect("a sweep");
    assert_eq!((report.applied(), report.removed(), report.failed()), (0, 0, 0), "{report:?}");
    assert_eq!(stored(&world).await, before);
    assert_eq!(before["a"]["body"], s(&"z".repeat(250 * KB)));
}

/// What a create of many bytes was to become, before it met a tombstone, is in other pages than what it becomes.
#[tokio::test]
async fn what_is_made_anew_has_pages_of_its_own() {
    pause();
    let world = files().await;
    applied!(File::delete("small", 1u64), &world.repository);
    let process = world.process(RetryConfig::disabled());
    // The second one: the first has what is the same both times.
    process.faults.nth(2, is_page, Fault::Kept);
    process.faults.nth(1, is_commit, Fault::DiesAfter);
    let large =
        File { body: "w".repeat(400 * KB - 200), rest: [("more".to_owned(), s(&"m".repeat(60)))].into(), ..small(0) };
    let create = Transaction::new().put(large.clone().create()).by_intents();
    assert!(process.run(create.send(&process.repository)).await.is_none());
    // It arrives once more.
    assert!(process.faults.deliver().await.is_some());
    let found = File::get("small").consistent().send(&world.repository).await.expect("a get");
    assert_eq!(found, Some(File { version: 3, ..large }));
}

/// Of what is committed, nothing is made in part, and nothing is passed over.
#[tokio::test]
async fn a_page_that_is_missing_is_named() {
    pause();
    let world = files().await;
    died(&world, is_commit, Fault::DiesAfter).await;
    let page = pages(&world).await.pop().expect("a page");
    remove(&world, &page).await;
    let (before, repository) = (stored(&world).await, &world.repository);
    let errors = [
        File::get("a").consistent().send(repository).await.map(drop),
        File::get("a").uncommitted().send(repository).await.map(drop),
        file("a", 'z', 1).put().send(repository).await.map(drop),
        TransactGet::new((File::get("a"), File::get("small"))).send(repository).await.map(drop),
    ];
    for error in errors {
        let error = error.expect_err("a page is missing");
        assert_eq!(error.kind(), ErrorKind::LaneMissing);
        assert!(error.to_string().contains("is in pages of its lane `1`, which are not there any more"), "{error}");
    }
    world.clock.advance(120_000);
    let report = Sweep::new().of::<File>().send(repository).await.expect("a sweep");
    assert!(report.failed() > 0 && report.unsettled().iter().all(|it| it.to_string().contains("pages of its lane")));
    let other = take(repository).await.expect("another lane");
    other.give_back();
    assert_eq!(stored(&world).await["a"], before["a"]);
    // One that names the key is nobody's.
    let mut strange = page.clone();
    let set = strange.get_mut("set").and_then(|set| match set {
        AttributeValue::M(set) => Some(set),
        _ => None,
    });
    set.expect("a map").insert("id".to_owned(), s("b"));
    put(&world, strange).await;
    let error = File::get("a").consistent().send(repository).await.expect_err("not a page");
    assert_eq!(error.kind(), ErrorKind::Decode, "{error}");
    assert_eq!(stored(&world).await["a"], before["a"]);
    // Old pages of what cannot be settled are kept for another while.
    let mut old = page.clone();
    old.insert("ttl".to_owned(), n(NOW / 1000 + DAY));
    put(&world, old).await;
    assert_eq!(File::get("a").consistent().send(repository).await.expect("a get"), Some(file("a", 'y', 2)));
    let report = Sweep::new().of::<File>().send(repository).await.expect("a sweep");
    assert_eq!(report.failed(), 0, "{report:?}");
}

/// What cannot be applied now may be some day: until then its pages are kept.
#[tokio::test]
async fn a_sweep_keeps_the_pages_of_what_is_not_settled() {
    pause();
    let world = files().await;
    died(&world, is_commit, Fault::DiesAfter).await;
    let mut page = pages(&world).await.pop().expect("a page");
    page.insert("ttl".to_owned(), n(NOW / 1000 + 14 * DAY));
    put(&world, page).await;
    world.clock.advance(120_000);
    let process = world.process(RetryConfig::disabled());
    process.clock.advance(120_000);
    process.faults.nth(1, is_application, Fault::Denied("AccessDeniedException"));
    let report = Sweep::new().send(&process.repository).await.expect("a sweep");
    assert_eq!((report.applied(), report.failed()), (1, 1), "{report:?}");
    let page = pages(&world).await.pop().expect("a page");
    assert_eq!(page["ttl"], n((NOW + 120_000) / 1000 + 30 * DAY));
    let report = Sweep::new().send(&world.repository).await.expect("a sweep");
    assert_eq!((report.applied(), report.failed()), (1, 0), "{report:?}");
    assert_eq!(stored(&world).await["a"]["body"], s(&"y".repeat(250 * KB)));
}

/// The large one is put.
fn is_application(event: &Event) -> bool {
    event.operation == "PutItem" && event.tables().contains("files")
}
