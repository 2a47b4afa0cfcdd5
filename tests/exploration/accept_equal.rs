//! Creates that accept an equal item: two processes that create the same, and one that creates another item of its key.

use crate::Checked;
use dyno::local::explore::{Explore, Fault, Report, World};
use dyno::{Entity, Error};

/// Without a version, nothing in the item tells whose it is.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
struct Note {
    #[partition_key]
    id: String,
    text: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Page {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

fn note(text: &str) -> Note {
    Note { id: "1".to_owned(), text: text.to_owned() }
}

fn page(text: &str) -> Page {
    Page { id: "1".to_owned(), text: text.to_owned(), version: 0 }
}

/// The processes, and what each of them creates.
type Texts<const N: usize> = [(&'static str, &'static str); N];

/// Whoever is told that it is done finds the item equal to its own, and at most one of two different items is created.
fn judge(texts: &[(&str, &str)], outcomes: &[Option<Result<bool, Error>>], stored: Option<&str>) {
    for ((_, text), outcome) in texts.iter().zip(outcomes) {
        match outcome {
            Some(Ok(true)) => assert_eq!(stored, Some(*text), "{outcomes:?}"),
            Some(Ok(false)) => assert!(stored.is_some_and(|stored| stored != *text), "{outcomes:?}"),
            Some(Err(error)) => assert!(error.may_be_applied() || error.is_throttled(), "{error}"),
            None => {}
        }
    }
}

async fn notes<const N: usize>(world: World, texts: Texts<N>) -> Checked {
    let repository = world.repository();
    repository.create_table::<Note>().await?;
    let create = |(name, text)| {
        world.process(name, async move |repository| {
            Ok::<_, Error>(note(text).create().accept_equal().send(&repository).await?.is_applied())
        })
    };
    let outcomes = world.run(texts.map(create)).await;
    let stored = Note::get("1").consistent().send(&repository).await?;
    judge(&texts, &outcomes, stored.as_ref().map(|note| &*note.text));
    Ok(())
}

async fn pages<const N: usize>(world: World, texts: Texts<N>) -> Checked {
    let repository = world.repository();
    repository.create_table::<Page>().await?;
    let create = |(name, text)| {
        world.process(name, async move |repository| {
            Ok::<_, Error>(page(text).create().accept_equal().send(&repository).await?.is_applied())
        })
    };
    let outcomes = world.run(texts.map(create)).await;
    let stored = Page::get("1").consistent().send(&repository).await?;
    judge(&texts, &outcomes, stored.as_ref().map(|page| &*page.text));
    let revisions = Page::revisions("1").limit(3).send(&repository).await?.items;
    assert_eq!(revisions.len(), usize::from(stored.is_some()), "one revision of one item");
    Ok(())
}

#[test]
fn equal_items_are_created_once() {
    let faults =
        [Fault::AnswerLost, Fault::RequestLost, Fault::Late, Fault::Duplicated, Fault::Throttled, Fault::Crash];
    let (one, none) = (Explore::new().with(faults), Explore::new().faults(0));
    let (same, other) = ([("ada", "a"), ("bob", "a")], [("ada", "a"), ("bob", "b")]);
    let three = [("ada", "a"), ("bob", "a"), ("eve", "b")];
    let reports = [
        one.check(async |world| notes(world, same).await),
        one.check(async |world| notes(world, other).await),
        one.check(async |world| pages(world, same).await),
        one.check(async |world| pages(world, other).await),
        none.check(async |world| notes(world, three).await),
        none.check(async |world| pages(world, three).await),
    ];
    assert!(reports.iter().all(Report::is_complete), "{reports:?}");
}
