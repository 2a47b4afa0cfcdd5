//! Reads show the committed state: the item without its intent, and no placeholder.

use super::{Account, Page, account, deleted, held, holding, page, placeholder, put_row, row, stored};
use dyno::stream::{Changed, Event, Record};
use dyno::{EpochMillis, Found, Item, batch_get};
use dyno_tests::{NOW, item, lanes, s, world};

#[tokio::test]
async fn reads_of_a_locked_item_show_its_committed_state() {
    let world = holding(held(stored())).await;
    let repository = &world.repository;
    let expected = account(5, 3);
    for consistent in [false, true] {
        let get = Account::get("1");
        let get = if consistent { get.consistent() } else { get };
        assert_eq!(get.send(repository).await.expect("a get"), Some(expected.clone()));
    }
    assert_eq!(Account::batch_get(["1"]).send(repository).await.expect("a batch"), [Some(expected.clone())]);
    assert_eq!(Account::scan().send(repository).await.expect("a scan").items, std::slice::from_ref(&expected));
    let found = Account::get("1").include_deleted().send(repository).await.expect("a get");
    assert_eq!(found, Some(Found::Live(expected)));
}

/// A read with `include_deleted` returns tombstones, but no read returns a placeholder.
#[tokio::test]
async fn no_read_returns_a_placeholder() {
    let world = holding(placeholder()).await;
    let repository = &world.repository;
    let place = || s("2");
    put_row::<Account>(&world, held(deleted()).into_iter().chain([("id".to_owned(), place())]).collect()).await;
    assert_eq!(Account::get("1").send(repository).await.expect("a get"), None);
    assert_eq!(Account::get("1").include_deleted().send(repository).await.expect("a get"), None);
    let tombstone = Account::get("2").include_deleted().send(repository).await.expect("a get");
    assert!(matches!(tombstone, Some(Found::Deleted(ref tombstone)) if tombstone.version() == 3), "{tombstone:?}");
    let both = Account::batch_get(["1", "2"]).include_deleted().send(repository).await.expect("a batch");
    assert!(matches!(&both[..], [None, Some(Found::Deleted(_))]), "{both:?}");
    let (mixed,) = batch_get((Account::batch_get(["1"]).include_deleted(),)).send(repository).await.expect("a batch");
    assert_eq!(mixed, [None]);
    let scanned = Account::scan().include_deleted().send(repository).await.expect("a scan").items;
    assert!(matches!(&scanned[..], [Found::Deleted(tombstone)] if tombstone.item()["id"] == place()), "{scanned:?}");
    assert_eq!(Account::scan().include_deleted().count(repository).await.expect("a count"), 1);
    assert_eq!(Account::scan().count(repository).await.expect("a count"), 0);
    // A page with a limit of one returns one item, although there is a placeholder.
    let first = Account::scan().include_deleted().limit(1).send(repository).await.expect("a scan").items;
    assert_eq!(first.len(), 1);
}

#[tokio::test]
async fn a_revision_does_not_contain_an_intent() {
    let world = world::<Page>().await;
    world.create_lanes_only().await;
    world.put_head(lanes::open()).await;
    let repository = &world.repository;
    page("one", 0).create().send(repository).await.expect("sent").applied().expect("applied");
    put_row::<Page>(&world, held(row::<Page>(&world).await)).await;
    let newest = Page::revision("1", 1u64).send(repository).await.expect("a revision").expect("it is there");
    assert!(!newest.item().contains_key("_x"), "{newest:?}");
    let all = Page::revisions("1").send(repository).await.expect("revisions").items;
    assert!(all.iter().all(|revision| !revision.item().contains_key("_x")) && all.len() == 1, "{all:?}");
    // A placeholder is no version of an item.
    put_row::<Page>(&world, placeholder().into_iter().chain([("id".to_owned(), s("2"))]).collect()).await;
    assert_eq!(Page::revisions("2").send(repository).await.expect("revisions").items, []);
    assert_eq!(Page::revision("2", 0u64).send(repository).await.expect("a revision"), None);
}

/// The rest field of an item does not contain the intent, so a write of the item does not store it.
#[tokio::test]
async fn the_rest_of_an_item_does_not_contain_an_intent() {
    let extra = || ("colour".to_owned(), s("red"));
    let world = holding(held(stored().into_iter().chain([extra()]).collect())).await;
    let read = Account::get("1").send(&world.repository).await.expect("a get").expect("an account");
    assert_eq!(read.rest, Item::from([extra()]));
    let found = Found::<Account>::classify(held(stored()), EpochMillis::new(NOW)).expect("decodes");
    assert_eq!(found, Found::Live(account(5, 3)));
    let mut written = read;
    written.rest.insert("_x".to_owned(), super::intent());
    let error = written.put().request(&world.repository).expect_err("it is no attribute of the caller's");
    assert!(error.is_invalid_input() && error.to_string().contains("`_x`"), "{error}");
}

/// The change that a stream reports for these two images of an account.
fn change(old: Option<Item>, new: Option<Item>) -> Option<Changed<Account>> {
    let event = match (&old, &new) {
        (None, _) => Event::Insert,
        (_, None) => Event::Remove,
        _ => Event::Modify,
    };
    let record = Record::new(event, item([("id", s("1"))]));
    let record = old.into_iter().fold(record, Record::with_old_image);
    new.into_iter().fold(record, Record::with_new_image).change::<Account>().expect("it decodes")
}

/// A stream reports one change of an item at its commit, and nothing when an intent is placed or removed.
#[test]
fn a_stream_reports_only_committed_changes() {
    for item in [stored(), deleted()] {
        assert_eq!(change(Some(item.clone()), Some(held(item.clone()))), None);
        assert_eq!(change(Some(held(item.clone())), Some(item)), None);
    }
    assert_eq!(change(None, Some(placeholder())), None);
    assert_eq!(change(Some(placeholder()), None), None);
    let (old, new) = (account(5, 3), account(7, 4));
    let committed = || new.to_row();
    assert_eq!(change(Some(placeholder()), Some(committed())), Some(Changed::Created { new: new.clone() }));
    let updated = Changed::Updated { old, new: new.clone() };
    assert_eq!(change(Some(held(stored())), Some(committed())), Some(updated));
    let gone = change(Some(held(committed())), Some(deleted()));
    assert!(matches!(gone, Some(Changed::Deleted { ref old, .. }) if *old == new), "{gone:?}");
}

impl Account {
    fn to_row(&self) -> Item {
        dyno::Entity::to_item(self).expect("an item")
    }
}
