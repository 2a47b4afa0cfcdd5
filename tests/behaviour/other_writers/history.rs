//! What a history and a rollback keep of the attributes of other programs.

use super::{Line, line, set_plain};
use dyno::Entity;
use dyno_tests::{item, n, s, world};

/// An entity with a history.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Page {
    #[partition_key]
    id: String,
    text: String,
    main: Option<Line>,
    #[version]
    version: u64,
}

#[tokio::test]
async fn a_rollback_keeps_undeclared_attributes() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    let row = item([("id", s("1")), ("text", s("a")), ("main", line("m", "1", "red")), ("other", s("then"))]);
    world.write_foreign::<Page>(row).await;
    let change = |text: &'static str| Page::modify("1", move |page: &mut Page| page.text = text.to_owned());
    change("b").send(repository).await.expect("sent").applied().expect("applied");
    let update = repository.client().update_item().table_name("pages").key("id", s("1"));
    let update =
        update.update_expression("SET #other = :now, another = :now").expression_attribute_names("#other", "other");
    update.expression_attribute_values(":now", s("now")).send().await.expect("an update");
    change("c").send(repository).await.expect("sent").applied().expect("applied");
    let back = Page::rollback("1", 1u64).send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!((back.text.as_str(), back.version), ("b", 3));
    let stored = world.stored::<Page>().await.remove(0);
    assert_eq!((&stored["other"], &stored["another"]), (&s("now"), &s("now")));
    assert_eq!(stored["main"], line("m", "1", "red"));
    // After a deletion there are no current attributes to keep, so the rollback restores the revision as it was.
    Page::delete("1", 3u64).send(repository).await.expect("sent").applied().expect("applied");
    Page::rollback("1", 1u64).send(repository).await.expect("sent").applied().expect("applied");
    let stored = world.stored::<Page>().await.remove(0);
    assert_eq!((&stored["other"], stored.get("another"), &stored["text"]), (&s("then"), None, &s("b")));
}

/// A revision is a whole item, so the put includes the current attributes of other programs.
#[tokio::test]
async fn a_modify_with_a_history_keeps_a_concurrent_undeclared_change() {
    let world = world::<Page>().await;
    let row = item([("id", s("1")), ("text", s("a")), ("version", n(1)), ("other", s("then"))]);
    world.write_foreign::<Page>(row).await;
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let modify =
        tokio::spawn(async move { Page::modify("1", |page: &mut Page| page.text.push('!')).send(&repository).await });
    world.faults.held().await;
    set_plain::<Page>(&world, "other", "now").await;
    world.faults.release();
    modify.await.expect("no panic").expect("sent").applied().expect("applied");
    let stored = world.stored::<Page>().await.remove(0);
    assert_eq!((&stored["text"], &stored["version"], &stored["other"]), (&s("a!"), &n(2), &s("now")));
}

/// A row without a version, whose history keeps whole items.
#[tokio::test]
async fn a_rollback_of_an_unversioned_row_keeps_a_concurrent_write() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    let page = Page { id: "1".to_owned(), text: "a".to_owned(), main: None, version: 0 };
    page.create().send(repository).await.expect("sent").applied().expect("applied");
    // Another program puts its own item over this one.
    let foreign = |text: &str| item([("id", s("1")), ("text", s(text)), ("other", s(text))]);
    world.write_foreign::<Page>(foreign("x")).await;
    world.faults.hold_after(2);
    let other = repository.clone();
    let rollback = tokio::spawn(async move { Page::rollback("1", 1u64).send(&other).await });
    world.faults.held().await;
    let put = world.other().client().put_item().table_name("pages").set_item(Some(foreign("y")));
    put.send().await.expect("a put");
    world.faults.release();
    let page = rollback.await.expect("no panic").expect("sent").applied().expect("applied");
    // The version follows that of the item that was overwritten.
    assert_eq!((page.text.as_str(), page.version), ("a", 2));
    let stored = world.stored::<Page>().await.remove(0);
    assert_eq!((&stored["text"], &stored["other"]), (&s("a"), &s("y")));
}
