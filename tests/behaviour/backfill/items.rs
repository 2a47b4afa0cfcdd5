//! Each item is changed once, and concurrent writes are not lost.

use super::{Counter, Film, counts, film, like, live, none_to_do, older, with_another};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Item, Reason, Repository};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::{item, n, pause, s, world};
use std::collections::BTreeSet;

#[tokio::test]
async fn only_items_stored_in_another_form_are_written() {
    let world = world::<Film>().await;
    for id in ["1", "2"] {
        world.write_foreign::<Film>(older(id)).await;
    }
    film("3").put().send(&world.repository).await.expect("a put");
    let metered = world.repository.metered();
    let done = Film::scan().modify_each(|_| ()).send(&metered).await.expect("sent").completed().expect("no failure");
    assert_eq!(counts(&done), [2, 1, 0, 0, 0]);
    assert!(done.is_finished());
    // One scan, and two updates for each older item, the first of which holds the row for the upgrade.
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

#[tokio::test]
async fn a_concurrent_write_is_not_lost() {
    let world = world::<Film>().await;
    // The item is first an older row, and then a current one.
    for first in [older("1"), film("1").to_item().expect("an item")] {
        world.write_foreign::<Film>(first).await;
        let progress = with_another(&world, like, async |repository| {
            // The other writer changes an attribute that the run does not change.
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
        // The other writer has already set the wanted value, so the item counts as unchanged.
        assert_eq!(counts(&progress), [0, 1, 0, 0, 1]);
        let expected = Film { note: Some("new".to_owned()), likes: 6, ..film("1") };
        assert_eq!(live(&world.repository, "1").await, Some(expected));
        // A concurrent write that only adds an attribute is detected as well.
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
async fn an_item_deleted_or_filtered_out_meanwhile_is_not_written() {
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
    assert_eq!(counts(&run.await.expect("no panic").expect("sent")), [0, 0, 1, 0, 0]);
    assert_eq!(live(&world.repository, "1").await, Some(noted));
}

/// Another writer changes an older row so that the filter no longer matches. The run leaves the row as that writer has
/// stored it.
#[tokio::test]
async fn an_outdated_row_filtered_out_meanwhile_is_not_written() {
    let fields = Film::fields();
    let changed = [("likes", n(5), fields.likes.eq(0)), ("name", s("Aliens"), fields.title.eq("Alien"))];
    // The other write comes after the scan, or between the two writes of the run.
    for (requests, (name, value, filter)) in
        [1, 2].into_iter().flat_map(|requests| changed.clone().map(|of| (requests, of)))
    {
        let world = world::<Film>().await;
        world.write_foreign::<Film>(older("1")).await;
        world.faults.hold_after(requests);
        let repository = world.repository.clone();
        let note = |film: &mut Film| film.note = Some("asked for".to_owned());
        let run = tokio::spawn(async move { Film::scan().filter(filter).modify_each(note).send(&repository).await });
        world.faults.held().await;
        let mut row = older("1");
        row.insert(name.to_owned(), value);
        let put = world.other().client().put_item().table_name("films").set_item(Some(row.clone()));
        put.send().await.expect("a put");
        world.faults.release();
        let run = run.await.expect("no panic").expect("sent");
        assert_eq!(counts(&run), [0, 0, 1, 0, 0], "{name}, {requests}");
        assert_eq!(world.stored::<Film>().await, [row], "{name}, {requests}");
    }
}

#[tokio::test]
async fn an_outdated_row_is_upgraded_despite_a_lost_answer() {
    pause();
    // The lost answer belongs to the write that holds the row, or to the write that changes it.
    for position in [1, 2] {
        let world = world::<Film>().await;
        world.write_foreign::<Film>(older("1")).await;
        world.faults.on_request(position, Event::is_write, Fault::AnswerLost);
        let done = Film::scan().modify_each(like).send(&world.repository).await.expect("sent");
        assert_eq!(done.completed().expect("no failure").changed(), 1, "{position}");
        assert_eq!(live(&world.repository, "1").await.map(|film| film.likes), Some(1), "{position}");
    }
}

#[tokio::test]
async fn a_write_with_a_lost_answer_counts_once() {
    let world = world::<Film>().await;
    film("1").put().send(&world.repository).await.expect("a put");
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let run = tokio::spawn(async move { Film::scan().modify_each(like).send(&repository).await });
    world.faults.held().await;
    world.lose_answers(1);
    world.faults.release();
    // The second attempt finds the wanted value in the item, and the closure does not change it again.
    assert_eq!(counts(&run.await.expect("no panic").expect("sent")), [1, 0, 0, 0, 0]);
    assert_eq!(live(&world.repository, "1").await, Some(Film { likes: 1, ..film("1") }));
}

#[tokio::test]
async fn a_counting_closure_is_not_applied_twice_after_a_lost_answer() {
    let world = world::<Film>().await;
    film("1").put().send(&world.repository).await.expect("a put");
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let count = |film: &mut Film| film.likes += 1;
    let run = tokio::spawn(async move { Film::scan().modify_each(count).send(&repository).await });
    world.faults.held().await;
    world.lose_answers(1);
    world.faults.release();
    // Without a version, nothing shows which write has changed the item.
    let stopped = run.await.expect("no panic").expect("sent");
    assert_eq!(counts(&stopped), [0, 0, 0, 0, 0]);
    assert!(!stopped.is_finished() && stopped.failures()[0].key().is_some());
    assert_eq!(
        stopped.completed().expect_err("not known").to_string(),
        "modify_each of `Film` (id = \"1\"): an attempt got no answer, and the item has changed since it was read; the change may have been applied: load the item and decide, because sending the command again makes another change"
    );
    assert_eq!(live(&world.repository, "1").await.map(|film| film.likes), Some(1));
}

#[tokio::test]
async fn a_write_id_recognizes_an_attempt_with_a_lost_answer() {
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

/// The first schema version of `Shelf`. A shelf without labels has no attribute `labels`.
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

/// `upgrade` may depend on any attribute, even on one that an older program adds during the upgrade. So the write of that
/// program is either part of the upgrade, or refused.
#[tokio::test]
async fn an_older_program_s_write_during_an_upgrade_is_kept_or_refused() {
    let labelled = |label: &'static str| {
        let old = OldShelf::update("1").with(OldShelf::fields().labels.insert(label));
        async move |repository: &Repository| old.send(repository).await.expect("sent")
    };
    // The other write comes after the scan, or between the two writes of the run.
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
            // While the row is held for the upgrade, both programs can read it, and neither can change it.
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

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "wide", schema_version = 2, upgrade = "none_to_do")]
struct Wide {
    #[partition_key]
    id: String,
    #[attribute(alias = "an_attribute_with_a_long_name_that_was_even_longer_once")]
    an_attribute_with_a_long_name: AttributeValue,
}

#[tokio::test]
async fn an_outdated_row_of_140_attributes_is_upgraded_and_one_of_160_refused() {
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
    // A condition cannot name this many attributes, but the upgrade may depend on any of them.
    let (counts, error) = run(row(160)).await;
    assert_eq!(counts, [0, 0, 0, 1, 0]);
    let error = error.expect("too many");
    assert!(error.is_invalid_input() && error.to_string().contains("operators and functions"), "{error}");
    // In a row of the current schema version, attributes that the entity does not declare do not count.
    let mut current = row(160);
    current.insert("_v".to_owned(), n(2));
    assert_eq!(run(current).await.0, [1, 0, 0, 0, 0]);
}
