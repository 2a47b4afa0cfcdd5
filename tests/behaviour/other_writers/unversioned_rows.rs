//! Rows of programs that write no version, or a version without a write id: dyno's changes of them lose no plain write, and
//! `modify_each` gives them a version.

use super::{item, n, s};
use dyno::{Entity, Error, Item, Loaded, Outcome, Progress, Reason, Repository, Transaction};
use dyno_tests::{World, pause, reasons, world};
use std::pin::Pin;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
pub(super) struct Note {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    pub(super) author: Option<String>,
    #[version]
    pub(super) version: u64,
}

/// An entity whose changes put the whole item.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table]
pub(super) struct Page {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    pub(super) author: Option<String>,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ordered")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
pub(super) struct Ordered {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    pub(super) author: Option<String>,
    #[version]
    pub(super) version: u64,
}

/// A row with this version, as a program without write ids leaves it.
fn row(text: &str, version: Option<u64>) -> Item {
    let mut row = item([("id", s("1")), ("text", s(text))]);
    row.extend(version.map(|version| ("version".to_owned(), n(version))));
    row
}

/// The row that another program puts without a condition: it has another text, and the version is not raised.
fn plain(version: Option<u64>) -> Item {
    row("plain", version)
}

/// Puts a plain row from another process.
async fn put_plain<E: Entity>(world: &World, version: Option<u64>) {
    let other = world.other();
    let table = other.table_name::<E>().expect("a table");
    let put = other.client().put_item().table_name(table).set_item(Some(plain(version)));
    put.send().await.expect("a put");
}

fn text(item: &Item) -> &str {
    item["text"].as_s().expect("a text")
}

/// Runs `modify_each` up to its first write, puts a plain row, and lets `modify_each` continue.
async fn with_a_plain_put<E>(world: &World, shout: fn(&mut E), version: Option<u64>) -> Progress
where
    E: Entity + Send,
{
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let run = tokio::spawn(async move { dyno::command::Scan::<E>::new().modify_each(shout).send(&repository).await });
    world.faults.held().await;
    put_plain::<E>(world, version).await;
    world.faults.release();
    run.await.expect("no panic").expect("sent")
}

macro_rules! a_plain_put_is_kept {
    ($($name:ident: $entity:ty;)*) => {$(
        #[tokio::test]
        async fn $name() {
            pause();
            for version in [None, Some(0), Some(3)] {
                let world = world::<$entity>().await;
                world.write_foreign::<$entity>(row("read", version)).await;
                let shout = |entity: &mut $entity| entity.text = entity.text.to_uppercase();
                let progress = with_a_plain_put(&world, shout, version).await.completed().expect("no failure");
                assert_eq!((progress.changed(), progress.retried()), (1, 1), "{version:?}");
                assert_eq!(text(&world.stored::<$entity>().await[0]), "PLAIN", "{version:?}");
            }
        }
    )*};
}

a_plain_put_is_kept! {
    modify_each_keeps_a_plain_put_over_a_row_without_a_write_id: Note;
    modify_each_keeps_a_plain_put_over_a_row_with_an_atomic_history: Page;
    modify_each_keeps_a_plain_put_over_a_row_with_an_ordered_history: Ordered;
}

#[tokio::test]
async fn modify_keeps_a_plain_put_over_a_row_without_a_write_id() {
    pause();
    for version in [None, Some(3)] {
        let world = world::<Note>().await;
        world.write_foreign::<Note>(row("read", version)).await;
        world.faults.hold_after(1);
        let repository = world.repository.clone();
        let modify = tokio::spawn(async move { Note::modify("1", |note| note.text.push('!')).send(&repository).await });
        world.faults.held().await;
        put_plain::<Note>(&world, version).await;
        world.faults.release();
        let note = modify.await.expect("no panic").expect("sent").applied().expect("applied");
        assert_eq!((note.text.as_str(), note.version), ("plain!", version.unwrap_or(0) + 1));
    }
}

/// Another program puts a row without a write id over a row that dyno has written, with the same version.
macro_rules! a_plain_put_over_a_written_row_is_kept {
    ($($name:ident: $entity:ident;)*) => {$(
        #[tokio::test]
        async fn $name() {
            pause();
            let world = world::<$entity>().await;
            let made = $entity { id: "1".to_owned(), text: "read".to_owned(), author: None, version: 0 };
            applied!(made.create(), &world.repository);
            world.faults.hold_after(1);
            let repository = world.repository.clone();
            let modify = tokio::spawn(async move {
                $entity::modify("1", |there| there.text.push('!')).send(&repository).await
            });
            world.faults.held().await;
            put_plain::<$entity>(&world, Some(1)).await;
            world.faults.release();
            let there = modify.await.expect("no panic").expect("sent").applied().expect("applied");
            // An ordered history keeps the plain row, too, and so gives it a version of its own.
            assert!(there.text == "plain!" && there.version > 1, "{there:?}");

            let get = || $entity::get("1").consistent().loaded().send(&world.repository);
            let loaded = get().await.expect("a get").expect("there");
            put_plain::<$entity>(&world, Some(there.version)).await;
            let mine = $entity { text: "mine".to_owned(), ..loaded.entity.clone() };
            let put = mine.put().over(&loaded).send(&world.repository).await.expect("sent");
            assert_eq!(reasons(&put), [Reason::Changed]);
            let delete = $entity::delete("1", there.version).over(&loaded).send(&world.repository).await.expect("sent");
            assert_eq!(reasons(&delete), [Reason::Changed]);
            assert_eq!(text(&world.stored::<$entity>().await[0]), "plain");
            let loaded = get().await.expect("a get").expect("there");
            let put = mine.put().over(&loaded).send(&world.repository).await.expect("sent");
            assert!(put.applied().expect("applied") > there.version);
        }
    )*};
}

a_plain_put_over_a_written_row_is_kept! {
    a_plain_put_over_a_written_row_is_kept: Note;
    a_plain_put_over_a_written_row_with_an_atomic_history_is_kept: Page;
    a_plain_put_over_a_written_row_with_an_ordered_history_is_kept: Ordered;
}

#[tokio::test]
async fn modify_each_without_a_change_gives_rows_a_version() {
    let world = world::<Note>().await;
    let repository = &world.repository;
    for version in [None, Some(n(0)), Some(n("0.0")), Some(n(3))] {
        let mut row = row("x", None);
        row.extend(version.clone().map(|version| ("version".to_owned(), version)));
        row.insert("other".to_owned(), s("kept"));
        world.write_foreign::<Note>(row).await;
        let run = Note::scan().modify_each(|_| {}).send(repository).await.expect("sent").completed();
        let numbered = u64::from(version != Some(n(3)));
        assert_eq!(run.expect("no failure").changed(), numbered, "{version:?}");
        let stored = world.stored::<Note>().await.remove(0);
        assert_eq!(stored["version"], n(if numbered == 1 { 1 } else { 3 }), "{version:?}");
        assert_eq!((text(&stored), &stored["other"], stored.contains_key("_w")), ("x", &s("kept"), numbered == 1));
        // Another run changes nothing, and a put of the loaded note passes.
        let again = Note::scan().modify_each(|_| {}).send(repository).await.expect("sent").completed();
        assert_eq!(again.expect("no failure").unchanged(), 1);
        let note = Note::get("1").consistent().send(repository).await.expect("a get").expect("there");
        applied!(note.put(), repository);
    }
}

#[tokio::test]
async fn modify_each_without_a_change_begins_a_history() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    world.write_foreign::<Page>(row("x", None)).await;
    let run = Page::scan().modify_each(|_| {}).send(repository).await.expect("sent").completed();
    assert_eq!(run.expect("no failure").changed(), 1);
    let revision = Page::revision("1", 1u64).send(repository).await.expect("sent").expect("a revision");
    assert_eq!(revision.decode().expect("decodes").map(|page| page.version), Some(1));
}

/// `modify_each` does not replace a version that is not a number. The write of the row refuses it.
#[tokio::test]
async fn modify_each_reports_a_version_that_is_not_a_number() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "notes", schema_version = 2, upgrade = "mended")]
    struct Mended {
        #[partition_key]
        id: String,
        text: String,
        #[version]
        version: u64,
    }
    #[allow(clippy::unnecessary_wraps, reason = "what `upgrade` takes")]
    fn mended(item: &mut Item, _: u32) -> Result<(), String> {
        item.insert("version".to_owned(), n(0));
        Ok(())
    }
    let world = world::<Mended>().await;
    let mut row = row("x", None);
    row.insert("version".to_owned(), s("none"));
    world.write_foreign::<Mended>(row).await;
    let run = Mended::scan().modify_each(|_| {}).send(&world.repository).await.expect("sent");
    let failure = run.failures().first().map(|failure| failure.error().to_string()).expect("a failure");
    assert!(failure.contains("`version`"), "{failure}");
}

/// The answer to the write that gives the row a version is lost, and a plain put removes the version again.
#[tokio::test]
async fn modify_each_does_not_count_a_version_that_was_removed_again() {
    pause();
    let world = world::<Note>().await;
    world.write_foreign::<Note>(row("x", None)).await;
    let repository = world.repository.clone();
    world.faults.hold_after(1);
    let run = tokio::spawn(async move { Note::scan().modify_each(|_| {}).send(&repository).await });
    world.faults.held().await;
    world.lose_answers(1);
    world.faults.hold_after(1);
    world.faults.held().await;
    put_plain::<Note>(&world, None).await;
    world.faults.release();
    let run = run.await.expect("no panic").expect("sent");
    let stored = world.stored::<Note>().await.remove(0);
    let is_numbered = stored.get("version") == Some(&n(1));
    assert_eq!(run.changed() == 1, is_numbered, "{run:?}: {stored:?}");
}

type Sent = Pin<Box<dyn Future<Output = Result<Outcome<Note, u64>, Error>> + Send>>;

/// A write over the loaded note.
type Write = fn(Repository, Loaded<Note>) -> Sent;

/// Each kind of write that takes the loaded note with `over`.
fn writes() -> [(&'static str, Write); 4] {
    fn changed(loaded: &Loaded<Note>) -> Note {
        Note { text: "mine".to_owned(), ..loaded.entity.clone() }
    }
    [
        ("put", |repository, loaded| {
            Box::pin(async move { changed(&loaded).put().over(&loaded).send(&repository).await })
        }),
        ("replace", |repository, loaded| {
            Box::pin(async move { changed(&loaded).replace().over(&loaded).send(&repository).await })
        }),
        ("update", |repository, loaded| {
            let update = Note::update("1").over(&loaded).with(Note::fields().text.set("mine"));
            Box::pin(async move { update.send(&repository).await })
        }),
        ("delete", |repository, loaded| {
            let delete = Note::delete("1", loaded.entity.version).over(&loaded);
            Box::pin(async move {
                Ok(match delete.send(&repository).await? {
                    Outcome::Applied(_) => Outcome::Applied(0),
                    Outcome::Refused(refusal) => Outcome::Refused(refusal),
                })
            })
        }),
    ]
}

#[tokio::test]
async fn a_write_over_a_loaded_row_without_a_write_id_overwrites_only_that_row() {
    let world = world::<Note>().await;
    let repository = &world.repository;
    for version in [None, Some(3)] {
        for (name, write) in writes() {
            world.write_foreign::<Note>(row("read", version)).await;
            let get = Note::get("1").consistent().loaded();
            let loaded = get.send(repository).await.expect("a get").expect("there");
            world.write_foreign::<Note>(plain(version)).await;
            let outcome = write(repository.clone(), loaded).await.expect("sent");
            assert_eq!(reasons(&outcome), [Reason::Changed], "{name}, {version:?}");
            assert_eq!(text(&world.stored::<Note>().await[0]), "plain", "{name}, {version:?}");
            let get = Note::get("1").consistent().loaded();
            let loaded = get.send(repository).await.expect("a get").expect("there");
            let outcome = write(repository.clone(), loaded).await.expect("sent");
            let stored = outcome.applied().expect("applied");
            assert!([0, version.unwrap_or(0) + 1].contains(&stored), "{name}, {version:?}: {stored}");
        }
    }
}

/// The rules of `docs/beside-other-writers.md` for a row without a version.
#[tokio::test]
async fn every_write_but_a_put_changes_a_row_without_a_version() {
    let world = world::<Note>().await;
    let repository = &world.repository;
    let anew = async || world.write_foreign::<Note>(row("x", None)).await;
    let note = Note { id: "1".to_owned(), text: "y".to_owned(), author: None, version: 0 };
    let y = || Note::fields().text.set("y");
    anew().await;
    let refused = note.put().send(repository).await.expect("sent");
    assert_eq!(reasons(&refused), [Reason::Exists, Reason::Uncounted { attribute: "version" }]);
    assert_eq!(
        refused.refusal().expect("refused").to_string(),
        "put of `Note` (id = \"1\") was refused: a live item already exists at this key; the stored item has no `version` yet, and a put of version 0 only creates items: `modify` or `replace` it, or give all such rows a version with `modify_each(|_| {})` of a scan"
    );
    assert_eq!(refused!(note.create(), repository), [Reason::Exists]);
    assert_eq!(applied!(note.replace(), repository), 1);
    anew().await;
    assert_eq!(applied!(Note::update("1").version(0u64).with(y()), repository), 1);
    anew().await;
    assert_eq!(applied!(Note::update("1").unchecked().with(y()), repository), 1);
    anew().await;
    assert_eq!(applied!(Note::modify("1", |note| note.text = "y".to_owned()), repository).version, 1);
    anew().await;
    let transaction = Transaction::new().put(note.replace());
    transaction.send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(world.stored::<Note>().await[0]["version"], n(1));
    anew().await;
    applied!(Note::delete("1", 0u64), repository);
    assert!(world.stored::<Note>().await.is_empty());
}
