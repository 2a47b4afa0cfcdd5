//! Updates by programs that know neither versions nor write ids, of rows that dyno has written. They leave the version and
//! the write id unchanged, and still no dyno write that relies on an earlier read overwrites them.

use super::unversioned_rows::{Note, Ordered, Page};
use super::{item, n, s, set_plain};
use dyno::command::Scan;
use dyno::{Entity, Item, Reason};
use dyno_tests::{World, pause, reasons, world};
use std::time::Duration;

async fn stored<E: Entity>(world: &World) -> Item {
    world.stored::<E>().await.remove(0)
}

macro_rules! a_plain_update_is_kept {
    ($($name:ident: $entity:ident;)*) => {$(
        #[tokio::test]
        async fn $name() {
            pause();
            for attribute in ["text", "author"] {
                let world = world::<$entity>().await;
                let made = $entity { id: "1".to_owned(), text: "read".to_owned(), author: None, version: 0 };
                applied!(made.create(), &world.repository);
                let shout = |there: &mut $entity| there.text = there.text.to_uppercase();

                // A plain update comes between the read and the write of each command.
                world.faults.hold_after(1);
                let repository = world.repository.clone();
                let modify = tokio::spawn(async move { $entity::modify("1", shout).send(&repository).await });
                world.faults.held().await;
                set_plain::<$entity>(&world, attribute, "plain").await;
                world.faults.release();
                let there = modify.await.expect("no panic").expect("sent").applied().expect("applied");
                let kept = if attribute == "text" { ("PLAIN", None) } else { ("READ", Some("plain")) };
                assert_eq!((there.text.as_str(), there.author.as_deref()), kept);

                set_plain::<$entity>(&world, "text", "read again").await;
                world.faults.hold_after(1);
                let repository = world.repository.clone();
                let run = tokio::spawn(async move { Scan::<$entity>::new().modify_each(shout).send(&repository).await });
                world.faults.held().await;
                set_plain::<$entity>(&world, attribute, "plain too").await;
                world.faults.release();
                let progress = run.await.expect("no panic").expect("sent").completed().expect("no failure");
                assert_eq!((progress.changed(), progress.retried()), (1, 1));
                let there = stored::<$entity>(&world).await;
                let kept = if attribute == "text" { ("text", "PLAIN TOO") } else { ("author", "plain too") };
                assert_eq!(there[kept.0], s(kept.1));

                let get = || $entity::get("1").consistent().loaded();
                let loaded = get().send(&world.repository).await.expect("a get").expect("there");
                set_plain::<$entity>(&world, attribute, "plain at last").await;
                let mine = $entity { text: "mine".to_owned(), ..loaded.entity.clone() };
                let put = mine.put().over(&loaded).send(&world.repository).await.expect("sent");
                assert_eq!(reasons(&put), [Reason::Changed]);
                let delete = $entity::delete("1", mine.version).over(&loaded).send(&world.repository);
                assert_eq!(reasons(&delete.await.expect("sent")), [Reason::Changed]);
                assert_eq!(stored::<$entity>(&world).await[attribute], s("plain at last"));
                let loaded = get().send(&world.repository).await.expect("a get").expect("there");
                applied!(mine.put().over(&loaded), &world.repository);
            }
        }
    )*};
}

a_plain_update_is_kept! {
    a_plain_update_is_kept: Note;
    a_plain_update_of_a_row_with_an_atomic_history_is_kept: Page;
    a_plain_update_of_a_row_with_an_ordered_history_is_kept: Ordered;
}

/// A scan is eventually consistent, so it may return a row as it was before an update that was answered long ago.
#[tokio::test]
async fn modify_each_keeps_a_plain_update_that_its_scan_does_not_show() {
    pause();
    if dyno_tests::is_remote() {
        return; // The replica is of the embedded engine.
    }
    let world = world::<Note>().await;
    let made = Note { id: "1".to_owned(), text: "read".to_owned(), author: None, version: 0 };
    applied!(made.create(), &world.repository);
    world.faults.replica_lag(Duration::from_secs(1));
    let table = world.repository.table_name::<Note>().expect("a table");
    let update = world.repository.client().update_item().table_name(table).key("id", s("1"));
    let update = update.update_expression("SET #a = :a").expression_attribute_names("#a", "text");
    update.expression_attribute_values(":a", s("plain")).send().await.expect("an update");
    let shout = |note: &mut Note| note.text = note.text.to_uppercase();
    let progress = Scan::<Note>::new().modify_each(shout).send(&world.repository).await.expect("sent");
    assert_eq!((progress.changed(), progress.retried()), (1, 1));
    assert_eq!(stored::<Note>(&world).await["text"], s("PLAIN"));
}

/// No condition can name so many attributes. Against dyno's own writes, the version and the write id suffice.
#[tokio::test]
async fn a_counted_row_of_many_attributes_can_be_changed() {
    let world = world::<Page>().await;
    let mut row = item([("id", s("1")), ("text", s("read")), ("version", n(4)), ("_w", s("-x"))]);
    row.extend((0..300).map(|number| (format!("other-{number}"), n(number))));
    world.write_foreign::<Page>(row.clone()).await;
    let page = applied!(Page::modify("1", |page: &mut Page| page.text = "mine".to_owned()), &world.repository);
    assert_eq!(page.version, 5);
    row.extend([("text".to_owned(), s("mine")), ("version".to_owned(), n(5))]);
    row.insert("_w".to_owned(), stored::<Page>(&world).await["_w"].clone());
    assert_eq!(stored::<Page>(&world).await, row);
}
