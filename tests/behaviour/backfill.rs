//! Changing all items of a table, with other writers in between, and going on after a break.

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Checkpoint, Entity, EpochMillis, ErrorKind, Item, Progress, Projection, Reason, Repository, Scan};
use dyno_tests::{World, endpoint, item, n, pause, s, world};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// Without any rule.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "films", schema_version = 2, upgrade = "to_minutes")]
struct Film {
    #[partition_key]
    id: String,
    #[attribute(alias = "name")]
    title: String,
    minutes: u32,
    #[attribute(default)]
    likes: u32,
    note: Option<String>,
}

/// The first version counted seconds.
fn to_minutes(item: &mut Item, _: u32) -> Result<(), &'static str> {
    let seconds = item.remove("seconds").ok_or("no length")?;
    let seconds: u32 = seconds.as_n().ok().and_then(|seconds| seconds.parse().ok()).ok_or("no number")?;
    item.insert("minutes".to_owned(), n(seconds / 60));
    Ok(())
}

fn film(id: &str) -> Film {
    Film { id: id.to_owned(), title: "Alien".to_owned(), minutes: 117, likes: 0, note: None }
}

fn older(id: &str) -> Item {
    item([("id", s(id)), ("name", s("Alien")), ("seconds", n(117 * 60)), ("likes", n(0)), ("other", s("kept"))])
}

async fn live(repository: &Repository, id: &str) -> Option<Film> {
    Film::get(id).consistent().send(repository).await.expect("a get")
}

fn like(film: &mut Film) {
    film.likes = film.likes.max(1);
}

/// What became of the items: changed, unchanged, gone, failed, retried.
fn counts(progress: &Progress) -> [u64; 5] {
    let counts = [progress.changed(), progress.unchanged(), progress.gone(), progress.failed()];
    assert_eq!(progress.done_items(), counts.iter().sum::<u64>());
    [counts[0], counts[1], counts[2], counts[3], progress.retried()]
}

#[tokio::test]
async fn each_item_is_written_that_is_not_stored_as_it_is_to_be() {
    let world = world::<Film>().await;
    for id in ["1", "2"] {
        world.write_foreign::<Film>(older(id)).await;
    }
    film("3").put().send(&world.repository).await.expect("a put");
    let metered = world.repository.metered();
    let done = Film::scan().modify_each(|_| ()).send(&metered).await.expect("sent").completed().expect("no failure");
    assert_eq!(counts(&done), [2, 1, 0, 0, 0]);
    assert!(done.is_finished());
    // A scan, and two updates each of what was older: the first one holds it.
    let usage = metered.usage();
    assert_eq!((usage.requests, usage.read_units, usage.write_units), (5, 0.5, 4.0));
    let mut expected = film("1").to_item().expect("an item");
    expected.insert("other".to_owned(), s("kept"));
    let mut stored = world.stored::<Film>().await;
    stored.retain(|item| item.get("id") == Some(&s("1")));
    assert_eq!(stored, [expected]);

    let again = Film::scan().modify_each(|_| ()).send(&metered).await.expect("sent").completed().expect("no failure");
    assert_eq!(counts(&again), [0, 3, 0, 0, 0]);
    assert_eq!(metered.usage().requests, 6);
    let liked = Film::scan().filter(Film::fields().id.ne("2")).modify_each(like).send(&metered).await.expect("sent");
    assert_eq!(counts(&liked), [2, 0, 0, 0, 0]);
    for (id, likes) in [("1", 1), ("2", 0), ("3", 1)] {
        assert_eq!(live(&world.repository, id).await, Some(Film { likes, ..film(id) }));
    }
}

/// Runs `modify_each` up to its first write, lets another writer write, and lets it go on.
async fn with_another<E, F>(world: &World, edit: F, other: impl AsyncFnOnce(Repository)) -> Progress
where
    E: Entity + Send,
    F: FnMut(&mut E) + Send + 'static,
{
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let run = tokio::spawn(async move { Scan::<E>::new().modify_each(edit).send(&repository).await });
    world.faults.held().await;
    other(world.other()).await;
    world.faults.release();
    run.await.expect("no panic").expect("sent")
}

#[tokio::test]
async fn what_another_writes_meanwhile_is_not_lost() {
    let world = world::<Film>().await;
    // Of an older row and of a current one.
    for first in [older("1"), film("1").to_item().expect("an item")] {
        world.write_foreign::<Film>(first).await;
        let progress = with_another(&world, like, async |repository| {
            // Another attribute than the one that is changed; then one that was absent.
            let renamed = Film { title: "Aliens".to_owned(), ..film("1") };
            renamed.put().send(&repository).await.expect("a put");
        })
        .await;
        assert_eq!(counts(&progress), [1, 0, 0, 0, 1]);
        let expected = Film { title: "Aliens".to_owned(), likes: 1, ..film("1") };
        assert_eq!(live(&world.repository, "1").await, Some(expected));
        film("1").put().send(&world.repository).await.expect("a put");
        let progress = with_another(&world, like, async |repository| {
            let update = Film::update("1").with([Film::fields().note.set("new"), Film::fields().likes.add(6)]);
            update.send(&repository).await.expect("sent").applied().expect("applied");
        })
        .await;
        // By then it is as it is to be.
        assert_eq!(counts(&progress), [0, 1, 0, 0, 1]);
        let expected = Film { note: Some("new".to_owned()), likes: 6, ..film("1") };
        assert_eq!(live(&world.repository, "1").await, Some(expected));
        // An attribute that was absent counts, too.
        film("1").put().send(&world.repository).await.expect("a put");
        let progress = with_another(&world, like, async |repository| {
            let update = Film::update("1").with(Film::fields().note.set("new"));
            update.send(&repository).await.expect("sent").applied().expect("applied");
        })
        .await;
        assert_eq!(counts(&progress), [1, 0, 0, 0, 1]);
        let expected = Film { note: Some("new".to_owned()), likes: 1, ..film("1") };
        assert_eq!(live(&world.repository, "1").await, Some(expected));
    }
}

#[tokio::test]
async fn what_is_deleted_or_does_not_meet_the_filter_any_more_is_left_alone() {
    let world = world::<Film>().await;
    film("1").put().send(&world.repository).await.expect("a put");
    let delete = async |repository| Film::delete("1").send(&repository).await.expect("a delete");
    assert_eq!(counts(&with_another(&world, like, delete).await), [0, 0, 1, 0, 0]);
    assert_eq!(world.stored::<Film>().await, [] as [Item; 0]);

    film("1").put().send(&world.repository).await.expect("a put");
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let filter = Film::fields().note.not_exists();
    let run = tokio::spawn(async move { Film::scan().filter(filter).modify_each(like).send(&repository).await });
    world.faults.held().await;
    let noted = Film { note: Some("mine".to_owned()), ..film("1") };
    noted.put().send(&world.other()).await.expect("a put");
    world.faults.release();
    assert_eq!(counts(&run.await.expect("no panic").expect("sent")), [0, 0, 1, 0, 1]);
    assert_eq!(live(&world.repository, "1").await, Some(noted));
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_is_made_once() {
    let world = world::<Film>().await;
    film("1").put().send(&world.repository).await.expect("a put");
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let run = tokio::spawn(async move { Film::scan().modify_each(like).send(&repository).await });
    world.faults.held().await;
    world.lose_answers(1);
    world.faults.release();
    // What the second attempt found is what was to be, and the closure leaves it as it is.
    assert_eq!(counts(&run.await.expect("no panic").expect("sent")), [1, 0, 0, 0, 0]);
    assert_eq!(live(&world.repository, "1").await, Some(Film { likes: 1, ..film("1") }));
}

#[tokio::test]
async fn a_closure_that_counts_is_not_applied_to_its_own_lost_attempt() {
    let world = world::<Film>().await;
    film("1").put().send(&world.repository).await.expect("a put");
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let count = |film: &mut Film| film.likes += 1;
    let run = tokio::spawn(async move { Film::scan().modify_each(count).send(&repository).await });
    world.faults.held().await;
    world.lose_answers(1);
    world.faults.release();
    // Without a version, nothing tells whose write it was.
    let stopped = run.await.expect("no panic").expect("sent");
    assert_eq!(counts(&stopped), [0, 0, 0, 0, 0]);
    assert!(!stopped.is_finished() && stopped.failures()[0].key().is_some());
    assert_eq!(
        stopped.completed().expect_err("not known").to_string(),
        "modify_each of `Film` (id = \"1\"): an answer was lost, and the item is not what was read any more; the change may have been applied: load the entity and decide, since the command sent again makes it anew"
    );
    assert_eq!(live(&world.repository, "1").await.map(|film| film.likes), Some(1));
}

#[tokio::test]
async fn a_write_id_tells_a_lost_attempt() {
    let world = world::<Counter>().await;
    world.write_foreign::<Counter>(item([("id", s("1")), ("count", n(5)), ("version", n(3))])).await;
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let count = |counter: &mut Counter| counter.step += 1;
    let run = tokio::spawn(async move { Counter::scan().modify_each(count).send(&repository).await });
    world.faults.held().await;
    world.lose_answers(1);
    world.faults.release();
    assert_eq!(counts(&run.await.expect("no panic").expect("sent")), [1, 0, 0, 0, 0]);
    let counter = Counter::get("1").consistent().send(&world.repository).await.expect("a get").expect("there");
    assert_eq!((counter.step, counter.version), (1, 4));
}

/// What is wrong with the caller's rights, the database or the network is wrong with the next items, too.
#[tokio::test]
async fn what_is_no_items_fault_stops_the_segment_before_the_item() {
    pause();
    if endpoint().is_some() {
        // Another engine reads the items in another order than that of their numbers.
        return;
    }
    let answers = [
        (400, r#"{"__type":"com.amazon.coral.service#ExpiredTokenException","message":"expired"}"#, ErrorKind::Service),
        (400, r#"{"__type":"com.amazon.coral.service#AccessDeniedException","message":"no"}"#, ErrorKind::Service),
        (500, r#"{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}"#, ErrorKind::OutcomeUnknown),
        (200, "<html>", ErrorKind::OutcomeUnknown),
    ];
    for (status, body, kind) in answers {
        let world = world::<Film>().await;
        fill(&world, 3).await;
        let repository = Repository::new(world.client(RetryConfig::disabled()));
        for done in 0..3 {
            // The next write is answered so, and the run goes on from its checkpoint.
            world.faults.answer_with("UpdateItem", status, body);
            let stopped = Film::scan().modify_each(like).send(&repository).await.expect("sent");
            assert_eq!(counts(&stopped), [0, done, 0, 0, 0]);
            assert!(!stopped.is_finished() && stopped.failures()[0].key().is_some());
            let checkpoint: Checkpoint = stopped.checkpoint().to_string().parse().expect("a checkpoint");
            assert_eq!(stopped.completed().expect_err("it has stopped").kind(), kind);
            let next = Film::scan().modify_each(like).after(checkpoint).send(&repository).await.expect("sent");
            let next = next.completed().expect("no failure");
            assert_eq!(counts(&next), [3 - done, done, 0, 0, 0]);
            for id in done + 1..3 {
                world.write_foreign::<Film>(older(&id.to_string())).await;
            }
        }
    }
}

#[tokio::test]
async fn what_has_failed_is_tried_again_from_the_checkpoint() {
    let world = world::<Film>().await;
    let repository = &world.repository;
    let shapeless = |id: &str| item([("id", s(id)), ("title", s("x"))]);
    for id in ["1", "2", "3", "4"] {
        world.write_foreign::<Film>(shapeless(id)).await;
    }
    film("fine").put().send(repository).await.expect("a put");
    let run = async |after: Option<String>| {
        let after: Option<Checkpoint> = after.map(|text| text.parse().expect("a checkpoint"));
        let progress = Film::scan().modify_each(like).after(after).send(repository).await.expect("sent");
        (counts(&progress), progress.checkpoint().to_string(), progress)
    };
    let (first, checkpoint, progress) = run(None).await;
    assert_eq!(first, [1, 0, 0, 4, 0]);
    assert!(progress.is_finished() && progress.completed().is_err());
    // As long as they fail, a run from there is not complete.
    let (again, checkpoint, progress) = run(Some(checkpoint)).await;
    assert_eq!((again, progress.failures().len()), ([1, 0, 0, 4, 0], 4));
    assert!(progress.completed().is_err());
    // One is mended, one is as it is to be, one is gone.
    world.write_foreign::<Film>(older("1")).await;
    Film { likes: 1, ..film("2") }.put().send(repository).await.expect("a put");
    let delete = repository.client().delete_item().table_name("films").key("id", s("3"));
    delete.send().await.expect("a delete");
    let (mended, checkpoint, progress) = run(Some(checkpoint)).await;
    assert_eq!((mended, progress.failures().len()), ([2, 1, 1, 1, 0], 1));
    assert!(progress.completed().is_err());
    world.write_foreign::<Film>(older("4")).await;
    let (done, _, progress) = run(Some(checkpoint)).await;
    assert_eq!(done, [3, 1, 1, 0, 0]);
    assert!(progress.completed().is_ok());
}

#[tokio::test]
async fn failures_without_number_are_counted_and_the_first_are_kept() {
    let world = world::<Film>().await;
    for id in 0..70 {
        world.write_foreign::<Film>(item([("id", s(&id.to_string())), ("title", s("x"))])).await;
    }
    let progress = Film::scan().modify_each(like).send(&world.repository).await.expect("sent");
    assert_eq!((progress.failed(), progress.failures().len()), (70, 50));
    let checkpoint = progress.checkpoint().clone();
    let error = progress.completed().expect_err("failures").to_string();
    assert!(error.ends_with("no length; 69 more of the 70 failures"), "{error}");
    for id in 0..70 {
        world.write_foreign::<Film>(older(&id.to_string())).await;
    }
    // The keys of some are not known any more: it is not said that all is done.
    let again = Film::scan().modify_each(like).after(checkpoint).send(&world.repository).await.expect("sent");
    assert_eq!(counts(&again), [50, 0, 0, 20, 0]);
    assert_eq!(
        again.completed().expect_err("not all").to_string(),
        "20 items failed in an earlier run, and the checkpoint does not have their keys: modify each item once more, without `after`"
    );
    let all = Film::scan().modify_each(like).send(&world.repository).await.expect("sent").completed().expect("all");
    assert_eq!(counts(&all), [20, 50, 0, 0, 0]);
}

/// The first version of the next: what has no labels lacks the attribute.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "shelves", schema_version = 1)]
struct OldShelf {
    #[partition_key]
    id: String,
    labels: BTreeSet<String>,
    #[attribute(default)]
    count: u32,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "shelves", schema_version = 2, upgrade = "to_tags")]
struct Shelf {
    #[partition_key]
    id: String,
    tags: BTreeSet<String>,
    count: u32,
}

#[allow(clippy::unnecessary_wraps, reason = "what `upgrade` takes")]
fn to_tags(item: &mut Item, _: u32) -> Result<(), String> {
    let labels = item.remove("labels");
    item.extend(labels.map(|labels| ("tags".to_owned(), labels)));
    let count = item.remove("count").unwrap_or_else(|| n(0));
    item.insert("count".to_owned(), count);
    Ok(())
}

/// Only `upgrade` knows what it looks at: an attribute that an older program adds meanwhile is of that, too.
#[tokio::test]
async fn what_an_older_program_adds_while_a_row_is_brought_up_to_date_is_not_lost() {
    let labelled = |label: &'static str| {
        let old = OldShelf::update("1").with(OldShelf::fields().labels.insert(label));
        async move |repository: &Repository| old.send(repository).await.expect("sent")
    };
    // Behind the scan, and between the two writes.
    for (requests, is_applied) in [(1, true), (2, false)] {
        let world = world::<Shelf>().await;
        world.write_foreign::<Shelf>(item([("id", s("1"))])).await;
        world.faults.hold_after(requests);
        let repository = world.repository.clone();
        let run = tokio::spawn(async move { Shelf::scan().modify_each(|_| ()).send(&repository).await });
        world.faults.held().await;
        let told = labelled("new")(&world.other()).await;
        if let Some(refusal) = told.refusal() {
            assert_eq!(refusal.reasons(), [Reason::Newer { found: 2, current: 1 }]);
            // What is under way can be read, by either program, and changed by neither.
            let read = OldShelf::get("1").send(&world.other()).await;
            assert_eq!(read.expect("a get").map(|shelf| shelf.count), Some(0));
            let read = Shelf::get("1").send(&world.other()).await.expect("a get");
            assert_eq!(read.map(|shelf| shelf.count), Some(0));
            let update =
                Shelf::update("1").with(Shelf::fields().count.add(1)).send(&world.other()).await.expect("sent");
            let outdated = Reason::Outdated { found: 1, current: 2 };
            assert_eq!(update.refusal().map(|refusal| refusal.reasons().to_vec()), Some(vec![outdated]));
        }
        world.faults.release();
        let done = run.await.expect("no panic").expect("sent").completed().expect("no failure");
        assert_eq!((told.is_applied(), done.changed()), (is_applied, 1));
        let tags = if is_applied { BTreeSet::from(["new".to_owned()]) } else { BTreeSet::new() };
        let expected = Shelf { id: "1".to_owned(), count: 0, tags };
        assert_eq!(world.stored::<Shelf>().await, [expected.to_item().expect("an item")], "{requests}");
    }
}

/// Counted by a version, and recorded.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages", schema_version = 2, upgrade = "none_to_do")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Page {
    #[partition_key]
    id: String,
    #[attribute(alias = "body")]
    text: String,
    #[version]
    version: u64,
}

/// Counted by a version, with the keys of its updates.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "counters")]
#[idempotency(window_secs = 60)]
struct Counter {
    #[partition_key]
    id: String,
    #[attribute(alias = "n")]
    count: u32,
    #[attribute(default)]
    step: u32,
    #[version]
    version: u64,
}

#[allow(clippy::unnecessary_wraps, reason = "what `upgrade` takes")]
fn none_to_do(_: &mut Item, _: u32) -> Result<(), String> {
    Ok(())
}

#[tokio::test]
async fn versions_count_and_histories_record() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    let old = item([("id", s("1")), ("body", s("a")), ("version", n(4)), ("_w", s("-x")), ("other", s("kept"))]);
    world.write_foreign::<Page>(old).await;
    // From before there were versions.
    world.write_foreign::<Page>(item([("id", s("2")), ("body", s("b"))])).await;
    let shout = |page: &mut Page| page.text = page.text.to_uppercase();
    let progress = with_another(&world, shout, async |repository| {
        // The one of the two that is held, and the other.
        for id in ["1", "2"] {
            let modify = Page::modify(id, |page| page.text.push('z')).send(&repository).await.expect("sent");
            modify.applied().expect("applied");
        }
    })
    .await;
    assert_eq!(counts(&progress), [2, 0, 0, 0, 2]);
    for (id, text, version) in [("1", "AZ", 6), ("2", "BZ", 2)] {
        let page = Page { id: id.to_owned(), text: text.to_owned(), version };
        assert_eq!(Page::get(id).consistent().send(repository).await.expect("a get"), Some(page.clone()));
        let newest = Page::revision(id, version).send(repository).await.expect("sent").expect("a revision");
        assert_eq!(newest.decode().expect("decodes"), Some(page));
        assert_eq!(newest.item().get("_v"), Some(&n(2)));
        assert!(!newest.item().contains_key("body"));
    }
    // Once more, and nothing is counted.
    let again = Page::scan().modify_each(shout).send(repository).await.expect("sent").completed().expect("no failure");
    assert_eq!(counts(&again), [0, 2, 0, 0, 0]);
    // A tombstone is passed over.
    Page::delete("1", 6u64).send(repository).await.expect("sent").applied().expect("applied");
    let again = Page::scan().modify_each(shout).send(repository).await.expect("sent").completed().expect("no failure");
    assert_eq!(counts(&again), [0, 1, 0, 0, 0]);
}

#[tokio::test]
async fn what_a_history_keeps_of_an_item_that_nobody_counted_is_what_was_read() {
    let world = world::<Page>().await;
    world.write_foreign::<Page>(item([("id", s("1")), ("body", s("a")), ("other", s("kept"))])).await;
    // A writer that knows of no versions.
    let shout = |page: &mut Page| page.text = page.text.to_uppercase();
    let progress = with_another(&world, shout, async |repository| {
        let row = item([("id", s("1")), ("body", s("b")), ("other", s("kept"))]);
        let put = repository.client().put_item().table_name("pages").set_item(Some(row));
        put.send().await.expect("a put");
    })
    .await;
    assert_eq!(counts(&progress), [1, 0, 0, 0, 1]);
    let stored = world.stored::<Page>().await.remove(0);
    assert_eq!(
        (stored.get("text"), stored.get("other"), stored.get("version")),
        (Some(&s("B")), Some(&s("kept")), Some(&n(1)))
    );
}

#[tokio::test]
async fn idempotency_keys_stay() {
    let world = world::<Counter>().await;
    let repository = &world.repository;
    world.write_foreign::<Counter>(item([("id", s("1")), ("n", n(5)), ("version", n(3)), ("_w", s("-x"))])).await;
    let count = async |repository: Repository, key: &str| {
        let update = Counter::update("1").unchecked().with(Counter::fields().count.add(1)).idempotency_key(key);
        update.send(&repository).await.expect("sent").accept_duplicate().expect("made, or made before").is_some()
    };
    assert!(count(world.other(), "a").await);
    let progress = with_another(
        &world,
        |counter: &mut Counter| counter.step = 2,
        async |repository| {
            assert!(count(repository, "b").await);
        },
    )
    .await;
    assert_eq!(counts(&progress), [1, 0, 0, 0, 1]);
    for key in ["a", "b"] {
        assert!(!count(world.other(), key).await);
    }
    let counter = Counter { id: "1".to_owned(), count: 7, step: 2, version: 6 };
    assert_eq!(Counter::get("1").consistent().send(repository).await.expect("a get"), Some(counter));
    // A lost answer of a counted write is no conflict.
    world.faults.hold_after(1);
    let other = repository.clone();
    let run = tokio::spawn(async move { Counter::scan().modify_each(|counter| counter.step = 3).send(&other).await });
    world.faults.held().await;
    world.lose_answers(1);
    world.faults.release();
    assert_eq!(counts(&run.await.expect("no panic").expect("sent")), [1, 0, 0, 0, 0]);
    let counter = Counter::get("1").consistent().send(repository).await.expect("a get").expect("there");
    assert_eq!((counter.step, counter.version), (3, 7));
}

/// Ordered by a token.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: String,
    stars: u8,
    #[attribute(default)]
    votes: u8,
    #[ratchet(strict)]
    at: EpochMillis,
}

fn rating(stars: u8, at: i64) -> Rating {
    Rating { id: "1".to_owned(), stars, votes: 0, at: EpochMillis::new(at) }
}

#[tokio::test]
async fn a_token_stays_or_gets_newer() {
    let world = world::<Rating>().await;
    let repository = &world.repository;
    let raise = |rating: &mut Rating| rating.votes = 1;
    let stored = async || Rating::get("1").consistent().send(repository).await.expect("a get").expect("there");
    // Another writer with the same token, past the rules, and one with a newer one.
    for (stars, at) in [(4, 10), (5, 11)] {
        world.write_foreign::<Rating>(rating(3, 10).to_item().expect("an item")).await;
        let progress = with_another(&world, raise, async |repository| {
            let row = rating(stars, at).to_item().expect("an item");
            let put = repository.client().put_item().table_name("ratings").set_item(Some(row));
            put.send().await.expect("a put");
        })
        .await;
        assert_eq!(counts(&progress), [1, 0, 0, 0, 1]);
        assert_eq!(stored().await, Rating { votes: 1, ..rating(stars, at) });
    }
    let progress = with_another(
        &world,
        |rating: &mut Rating| rating.votes = 2,
        async |repository| {
            Rating::delete("1", EpochMillis::new(12))
                .send(&repository)
                .await
                .expect("sent")
                .applied()
                .expect("applied");
        },
    )
    .await;
    assert_eq!(counts(&progress), [0, 0, 1, 0, 0]);

    rating(1, 20).put().send(repository).await.expect("sent").applied().expect("applied");
    let to = |at| {
        let set = move |rating: &mut Rating| rating.at = EpochMillis::new(at);
        Rating::scan().modify_each(set).send(repository)
    };
    assert_eq!(counts(&to(21).await.expect("sent")), [1, 0, 0, 0, 0]);
    let back = to(19).await.expect("sent");
    assert_eq!(counts(&back), [0, 0, 0, 1, 0]);
    let error = back.completed().expect_err("an older token");
    assert_eq!(error.to_string(), "modify_each of `Rating` (id = \"1\"): refused: stale: the stored `at` is newer");
    let refusal = error.refusal::<Rating>().expect("a refusal");
    assert_eq!(refusal.reasons(), [Reason::Stale { attribute: "at", tie: false }]);
    assert_eq!(stored().await, rating(1, 21));
}

#[tokio::test]
async fn what_fails_is_passed_by_and_told_with_its_key() {
    let world = world::<Film>().await;
    world.write_foreign::<Film>(item([("id", s("no shape")), ("title", s("x"))])).await;
    for id in ["closure", "fine", "key", "size"] {
        film(id).put().send(&world.repository).await.expect("a put");
    }
    let edit = |film: &mut Film| {
        match film.id.as_str() {
            "closure" => return Err("not this one"),
            "key" => film.id = "moved".to_owned(),
            "size" => film.note = Some("x".repeat(410_000)),
            _ => film.likes = 1,
        }
        Ok(())
    };
    let progress = Film::scan().modify_each(edit).send(&world.repository).await.expect("sent");
    assert_eq!(counts(&progress), [1, 0, 0, 4, 0]);
    assert!(progress.is_finished());
    let mut failures: Vec<_> = progress.failures().iter().map(ToString::to_string).collect();
    failures.sort();
    assert_eq!(
        failures,
        [
            "decode of `Film` (id = \"no shape\"): expected a row that `upgrade` takes from schema version 1 to 2, found one that it does not: no length",
            "modify_each of `Film` (id = \"closure\"): the closure returned an error",
            "modify_each of `Film` (id = \"key\"): the key was changed: an item cannot move; create one under the new key and delete this one",
            "modify_each of `Film` (id = \"size\"): the item has 410041 bytes, but DynamoDB keeps at most 409600 (names included): store large values elsewhere and keep a reference",
        ]
    );
    let keys: Vec<_> = progress.failures().iter().filter_map(|failure| failure.key()?.get("id")).collect();
    assert!(keys.contains(&&s("no shape")) && keys.len() == 4);
    assert!(progress.completed().is_err());
    assert_eq!(live(&world.repository, "fine").await.map(|film| film.likes), Some(1));
}

#[tokio::test]
async fn an_item_that_others_keep_writing_is_given_up() {
    let world = world::<Film>().await;
    film("1").put().send(&world.repository).await.expect("a put");
    let once = Film::scan().modify_each(like).attempts(1);
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let run = tokio::spawn(async move { once.send(&repository).await });
    world.faults.held().await;
    Film { minutes: 1, ..film("1") }.put().send(&world.other()).await.expect("a put");
    world.faults.release();
    let progress = run.await.expect("no panic").expect("sent");
    assert_eq!(counts(&progress), [0, 0, 0, 1, 0]);
    let error = progress.completed().expect_err("one attempt");
    assert_eq!(error.kind(), ErrorKind::Contended);
    assert_eq!(error.refusal::<Film>().expect("the last one").reasons(), [Reason::Changed]);
    let none = Film::scan().modify_each(like).attempts(0).send(&world.repository).await.expect_err("none");
    assert!(none.is_invalid_input());
}

async fn fill(world: &World, films: usize) {
    for id in 0..films {
        world.write_foreign::<Film>(older(&id.to_string())).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_broken_off_goes_on_where_it_was() {
    const FILMS: usize = 20;
    let world = world::<Film>().await;
    fill(&world, FILMS).await;
    let mut saved: Option<String> = None;
    let mut writes = 0;
    // Of each run, so many requests are answered, and the last one is perhaps served.
    for (requests, served) in [(3, true), (7, false), (2, true), (9, true)] {
        let kept = Arc::new(Mutex::new(None));
        let command = Film::scan().parallel(3).modify_each(like);
        let command = command.after(saved.as_ref().map(|text| text.parse().expect("a checkpoint")));
        let save = Arc::clone(&kept);
        let command = command.on_progress(move |progress: &Progress| {
            *save.lock().expect("no panic") = Some(progress.checkpoint().to_string());
        });
        world.faults.stop_after(requests, served);
        let repository = world.repository.clone();
        let run = tokio::spawn(async move { command.send(&repository).await });
        world.faults.stopped().await;
        run.abort();
        let _aborted = run.await;
        world.faults.go_on();
        writes += requests;
        saved = kept.lock().expect("no panic").take().or(saved);
    }
    let checkpoint: Checkpoint = saved.expect("some way").parse().expect("a checkpoint");
    let done = Film::scan().parallel(3).modify_each(like).after(checkpoint).send(&world.repository).await;
    let done = done.expect("sent").completed().expect("no failure");
    // Each item once, though what was written last was not known to be.
    assert_eq!(done.done_items(), FILMS as u64);
    assert!(usize::try_from(done.unchanged()).is_ok_and(|unchanged| unchanged <= writes) && done.is_finished());
    for id in 0..FILMS {
        let id = id.to_string();
        assert_eq!(live(&world.repository, &id).await, Some(Film { likes: 1, ..film(&id) }));
    }
    // There is nothing behind the end.
    let metered = world.repository.metered();
    let again = Film::scan().parallel(3).modify_each(like).after(done.checkpoint().clone()).send(&metered).await;
    assert_eq!(again.expect("sent").done_items(), FILMS as u64);
    assert_eq!(metered.usage().requests, 0);
}

#[tokio::test]
async fn segments_of_several_processes_are_the_table() {
    let world = world::<Film>().await;
    fill(&world, 9).await;
    let mut done = 0;
    for segment in 0..3 {
        let run = Film::scan().segment(segment, 3).modify_each(like).send(&world.repository).await.expect("sent");
        assert_eq!(run.changed(), run.done_items());
        done += run.completed().expect("no failure").done_items();
    }
    assert_eq!(done, 9);
}

#[tokio::test(start_paused = true)]
async fn where_dynamodb_asks_to_slow_down_the_segment_stops_before_the_item() {
    let world = world::<Film>().await;
    fill(&world, 3).await;
    let client = world.client(RetryConfig::disabled());
    let repository = Repository::new(client);
    // The scan, and the two writes of the first item.
    world.faults.hold_after(3);
    let other = repository.clone();
    let run = tokio::spawn(async move { Film::scan().modify_each(like).send(&other).await });
    world.faults.held().await;
    world.faults.throttle(1);
    world.faults.release();
    let stopped = run.await.expect("no panic").expect("sent");
    assert_eq!(counts(&stopped), [1, 0, 0, 0, 0]);
    assert!(!stopped.is_finished() && stopped.failures()[0].key().is_some());
    let checkpoint = stopped.checkpoint().clone();
    assert!(stopped.completed().expect_err("throttled").is_throttled());
    // The scan itself, too.
    world.faults.throttle(1);
    let stopped = Film::scan().modify_each(like).after(checkpoint.clone()).send(&repository).await.expect("sent");
    assert!(stopped.failures()[0].key().is_none() && !stopped.is_finished());
    assert_eq!(stopped.checkpoint(), &checkpoint);
    let done = Film::scan().modify_each(like).after(checkpoint).send(&repository).await.expect("sent");
    assert_eq!(counts(&done), [3, 0, 0, 0, 0]);
    assert!(done.is_finished());
}

#[tokio::test]
async fn a_run_that_makes_no_sense_does_not_begin() {
    let world = world::<Film>().await;
    let repository = &world.repository;
    film("1").put().send(repository).await.expect("a put");
    let checkpoint =
        Film::scan().parallel(2).modify_each(like).send(repository).await.expect("sent").checkpoint().clone();
    let cursor = Film::scan().limit(1).send(repository).await.expect("a page").cursor;
    for (command, message) in [
        (
            Film::scan().limit(5).modify_each(like),
            "each item is modified, whatever their number: leave `limit` out, or filter",
        ),
        (
            Film::scan().after(cursor).modify_each(like),
            "a cursor is of a scan: give the checkpoint of an earlier run to `after` behind `modify_each`",
        ),
        (
            Film::scan().segment(0, 2).parallel(2).modify_each(like),
            "one segment or several at once: leave `segment` or `parallel` out",
        ),
        (
            Film::scan().modify_each(like).after(checkpoint),
            "the checkpoint is of 2 of 2 segments, and this scan of 1 of 1, or of others: go on with the same",
        ),
        (
            Film::scan().segment(3, 3).modify_each(like),
            "there is no segment 3 of 3: segments count from 0, and there are at most 1000000",
        ),
    ] {
        let error = command.send(repository).await.expect_err("it makes no sense");
        assert!(error.is_invalid_input());
        assert!(error.to_string().ends_with(message), "{error}");
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "wide", schema_version = 2, upgrade = "none_to_do")]
struct Wide {
    #[partition_key]
    id: String,
    #[attribute(alias = "an_attribute_with_a_long_name_that_was_even_longer_once")]
    an_attribute_with_a_long_name: AttributeValue,
}

#[tokio::test]
async fn an_item_of_many_attributes_and_all_types_is_compared() {
    let world = world::<Wide>().await;
    let values = [
        AttributeValue::S(String::new()),
        AttributeValue::Bool(false),
        AttributeValue::Null(true),
        AttributeValue::B(dyno::aws_sdk_dynamodb::primitives::Blob::new([0u8, 255])),
        AttributeValue::Ss(vec!["b".to_owned(), "a".to_owned()]),
        AttributeValue::Ns(vec!["2".to_owned(), "1".to_owned()]),
        AttributeValue::L(vec![n("1.50"), AttributeValue::M(item([("x", s("y"))]))]),
        AttributeValue::M(item([("x", AttributeValue::L(Vec::new()))])),
        n("-1E-7"),
    ];
    let row = |attributes| {
        let mut row = item([("id", s("1")), ("an_attribute_with_a_long_name_that_was_even_longer_once", s("x"))]);
        for (index, value) in values.iter().cycle().take(attributes).enumerate() {
            row.insert(format!("some other attribute, of which there are many: {index}"), value.clone());
        }
        row
    };
    let run = async |row: Item| {
        world.write_foreign::<Wide>(row).await;
        let progress = Wide::scan().modify_each(|_| ()).send(&world.repository).await.expect("sent");
        (counts(&progress), progress.completed().err())
    };
    assert_eq!(run(row(140)).await.0, [1, 0, 0, 0, 0]);
    let stored = world.stored::<Wide>().await.remove(0);
    assert_eq!((stored.len(), stored.get("an_attribute_with_a_long_name")), (143, Some(&s("x"))));
    // More than a condition can name: the upgrade may have looked at any of them.
    let (counts, error) = run(row(160)).await;
    assert_eq!(counts, [0, 0, 0, 1, 0]);
    let error = error.expect("too many");
    assert!(error.is_invalid_input() && error.to_string().contains("operators and functions"), "{error}");
    // Of the current version, what is not the entity's is nothing to it.
    let mut current = row(160);
    current.insert("_v".to_owned(), n(2));
    assert_eq!(run(current).await.0, [1, 0, 0, 0, 0]);
}

/// In indexes, whose keys are made of fields.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "parcels", type_name = "Parcel", schema_version = 2, upgrade = "none_to_do")]
#[index(name = "GSI1", query = by_city, partition(name = "GSI1PK", template = "City#{city}"), sort(name = "GSI1SK", template = "{depot}#{id}"))]
#[index(name = "by_depot", partition = depot, projection(label))]
struct Parcel {
    #[partition_key]
    id: String,
    depot: String,
    city: Option<String>,
    #[attribute(alias = "title")]
    label: String,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Parcel, index = ParcelByDepot)]
struct Labelled {
    id: String,
    label: String,
}

#[tokio::test]
async fn the_keys_of_indexes_are_made_anew() {
    let world = world::<Parcel>().await;
    let repository = &world.repository;
    let row = |id: &str| item([("id", s(id)), ("depot", s("D")), ("city", s("Rome")), ("title", s("x"))]);
    // From before there was the index, and of an older city.
    world.write_foreign::<Parcel>(row("1")).await;
    let mut other = row("2");
    other.extend(item([("GSI1PK", s("City#Oslo")), ("GSI1SK", s("D#2"))]));
    world.write_foreign::<Parcel>(other).await;
    // What is read in part cannot be upgraded.
    let part = Parcel::get("1").project::<Labelled>().send(repository).await.expect_err("a part");
    assert_eq!(
        part.to_string(),
        "decode of `Parcel` (id = \"1\"): `_v`: expected schema version 2, found 1: `upgrade` takes whole rows, and this is a part: read the entity, or `modify_each` of them first"
    );
    let done =
        Parcel::scan().modify_each(|_| ()).send(repository).await.expect("sent").completed().expect("no failure");
    assert_eq!(counts(&done), [2, 0, 0, 0, 0]);
    let in_rome = Parcel::by_city("Rome").send(repository).await.expect("a page").items;
    let mut ids: Vec<_> = in_rome.into_iter().map(|parcel| (parcel.id, parcel.label)).collect();
    ids.sort();
    assert_eq!(ids, [("1".to_owned(), "x".to_owned()), ("2".to_owned(), "x".to_owned())]);
    assert_eq!(Parcel::by_city("Oslo").send(repository).await.expect("a page").items, []);
    let labelled = Parcel::by_depot("D").project::<Labelled>().send(repository).await.expect("a page").items;
    assert_eq!(labelled.len(), 2);
    // A current row with the older name of an attribute is read in part as it is read whole.
    let mut aliased = row("3");
    aliased.extend(item([("_v", n(2)), ("depot", s("E"))]));
    world.write_foreign::<Parcel>(aliased).await;
    let expected = Labelled { id: "3".to_owned(), label: "x".to_owned() };
    let part = Parcel::get("3").project::<Labelled>().send(repository).await.expect("a get");
    assert_eq!(part.as_ref(), Some(&expected));
    let labelled = Parcel::by_depot("E").project::<Labelled>().send(repository).await.expect("a page").items;
    assert_eq!(labelled, [expected]);
    // What has no city any more leaves the index.
    let leave = |parcel: &mut Parcel| parcel.city = None;
    let done = Parcel::scan().modify_each(leave).send(repository).await.expect("sent").completed().expect("no failure");
    assert_eq!(counts(&done), [3, 0, 0, 0, 0]);
    assert_eq!(Parcel::by_city("Rome").send(repository).await.expect("a page").items, []);
    assert!(world.stored::<Parcel>().await.iter().all(|row| !row.contains_key("GSI1PK") && row.contains_key("GSI1SK")));
}
