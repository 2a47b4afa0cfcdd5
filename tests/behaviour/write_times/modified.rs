//! `modify`, `modify_each` and `rollback`: a change of the item sets the time of the last write. A change of only the row's
//! shape does not.

use dyno::{Entity, EpochMillis, ErrorKind, Item};
use dyno_tests::{NOW, World, item, n, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages", schema_version = 2, upgrade = "Self::upgrade")]
#[tombstone(ttl_days = 7)]
struct Page {
    #[partition_key]
    id: String,
    text: String,
    #[attribute(default)]
    views: u64,
    #[created]
    made: Option<EpochMillis>,
    #[updated]
    changed: Option<EpochMillis>,
    #[version]
    version: u64,
}

impl Page {
    /// Schema version 1 stores the text as `body`.
    fn upgrade(item: &mut Item, _: u32) -> Result<(), &'static str> {
        let body = item.remove("body").ok_or("no body")?;
        item.insert("text".to_owned(), body);
        Ok(())
    }
}

fn page(text: &str) -> Page {
    Page { id: "1".to_owned(), text: text.to_owned(), views: 0, made: None, changed: None, version: 0 }
}

async fn times(world: &World) -> (Option<i64>, Option<i64>) {
    let page = Page::get("1").consistent().send(&world.repository).await.expect("a get").expect("a page");
    let seconds = |time: EpochMillis| (time.get() - NOW) / 1000;
    (page.made.map(seconds), page.changed.map(seconds))
}

#[tokio::test]
async fn a_modify_that_changes_something_sets_the_time() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    applied!(page("1").put(), repository);
    world.clock.advance(1000);
    let page = applied!(Page::modify("1", |page| page.text.push('!')), repository);
    assert_eq!(page.changed, Some(EpochMillis::new(NOW + 1000)), "the entity is returned as it was stored");
    assert_eq!(times(&world).await, (Some(0), Some(1)));
    world.clock.advance(1000);
    assert_eq!(applied!(Page::modify("1", |_| ()), repository).version, 3);
    assert_eq!(times(&world).await, (Some(0), Some(1)));
}

#[tokio::test]
async fn modify_each_leaves_the_time_of_a_row_of_which_only_the_shape_changes() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    let row =
        [("id", s("1")), ("body", s("1")), ("made", n(NOW)), ("changed", n(NOW)), ("version", n(1)), ("_v", n(1))];
    world.write_foreign::<Page>(item(row)).await;
    world.clock.advance(1000);
    let each = Page::scan().modify_each(|_| ()).send(repository).await.expect("sent").completed().expect("completed");
    assert_eq!(each.changed(), 1);
    assert_eq!(times(&world).await, (Some(0), Some(0)));
    let each = Page::scan().modify_each(|page| page.views = 7).send(repository).await.expect("sent");
    assert_eq!(each.completed().expect("completed").changed(), 1);
    assert_eq!(times(&world).await, (Some(0), Some(1)));
}

/// Two answers are lost. The change is applied once, with its time.
#[tokio::test]
async fn a_modify_each_whose_answer_is_lost_is_applied_once() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    applied!(page("1").put(), repository);
    world.clock.advance(1000);
    world.lose_answers(2);
    let each = Page::scan().modify_each(|page| page.views = 7).send(repository).await.expect("sent");
    let each = each.completed().expect("completed");
    assert_eq!(each.changed() + each.unchanged(), 1);
    assert_eq!(times(&world).await, (Some(0), Some(1)));
}

#[tokio::test]
async fn a_closure_may_set_an_absent_time_and_change_no_other() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    world.write_foreign::<Page>(item([("id", s("1")), ("text", s("1")), ("version", n(1)), ("_v", n(2))])).await;
    let day = EpochMillis::new(NOW - 5000);
    applied!(Page::modify("1", |page| (page.made, page.changed) = (Some(day), Some(day))), repository);
    assert_eq!(times(&world).await, (Some(-5), Some(-5)));
    for edit in [|page: &mut Page| page.made = None, |page: &mut Page| page.changed = Some(EpochMillis::new(NOW))] {
        let error = Page::modify("1", edit).send(repository).await.expect_err("a mistake");
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains("but the write itself sets this time"), "{error}");
    }
    assert_eq!(times(&world).await, (Some(-5), Some(-5)));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Draft {
    #[partition_key]
    id: String,
    text: String,
    #[created]
    made: EpochMillis,
    #[updated]
    changed: EpochMillis,
    #[version]
    version: u64,
}

#[tokio::test]
async fn revisions_have_their_times_and_a_rollback_has_that_of_the_creation() {
    let world = world::<Draft>().await;
    let repository = &world.repository;
    let unset = EpochMillis::default();
    let draft = Draft { id: "1".to_owned(), text: "1".to_owned(), made: unset, changed: unset, version: 0 };
    applied!(draft.put(), repository);
    world.clock.advance(1000);
    applied!(Draft::modify("1", |draft| draft.text.push('!')), repository);
    world.clock.advance(1000);
    let at = |seconds: i64| EpochMillis::new(NOW + seconds * 1000);
    let back = applied!(Draft::rollback("1", 1u64), repository);
    assert_eq!((&back.text[..], back.made), ("1", at(0)));
    let stored = Draft::get("1").send(repository).await.expect("a get").expect("a draft");
    assert_eq!((stored.made, stored.changed), (at(0), at(2)));
    assert_eq!(back, stored);
    applied!(Draft::delete("1", 3u64), repository);
    world.clock.advance(1000);
    assert_eq!(applied!(Draft::rollback("1", 2u64), repository).made, at(0), "of the revision");
    let revisions = Draft::revisions("1").send(repository).await.expect("revisions").items;
    let changes: Vec<_> =
        revisions.iter().filter_map(|revision| Some(revision.decode().expect("decodes")?.changed)).collect();
    assert_eq!(changes.len(), 4);
    assert!([at(0), at(1), at(2), at(3)].iter().all(|time| changes.contains(time)), "{changes:?}");
}
