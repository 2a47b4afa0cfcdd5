//! What a restore brings back while others write, and what it does not bring back.

use dyno::{Entity, EpochSeconds, Reason};
use dyno_tests::{NOW, pause, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Note {
    #[partition_key]
    id: String,
    text: String,
    #[ttl]
    until: Option<EpochSeconds>,
    #[version]
    version: u64,
}

fn note(text: &str, version: u64) -> Note {
    Note { id: "1".to_owned(), text: text.to_owned(), until: None, version }
}

/// Another writer creates and deletes the item after the restore has read the history.
#[tokio::test]
async fn it_is_the_last_revision_at_the_moment_of_the_write() {
    pause();
    let world = world::<Note>().await;
    let repository = &world.repository;
    applied!(note("a", 0).create(), repository);
    applied!(Note::delete("1", 1), repository);
    let slow = {
        let repository = repository.clone();
        async move { Note::restore("1").send(&repository).await }
    };
    world.faults.hold_after(3);
    let slow = tokio::spawn(slow);
    world.faults.held().await;
    applied!(note("b", 0).create(), &world.other());
    applied!(Note::delete("1", 3), &world.other());
    world.faults.release();
    assert_eq!(slow.await.expect("no panic").expect("sent").applied().expect("applied"), note("b", 5));
}

#[tokio::test]
async fn an_item_whose_ttl_has_passed_is_not_brought_back() {
    let world = world::<Note>().await;
    let repository = &world.repository;
    applied!(note("a", 0).create(), repository);
    let past = Some(EpochSeconds::new(NOW / 1000 - 60));
    applied!(Note { until: past, ..note("b", 1) }.put(), repository);
    assert_eq!(refused!(Note::restore("1"), repository), [Reason::Expired]);
}
