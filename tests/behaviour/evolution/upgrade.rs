//! Older schema versions: reads upgrade such rows, and changes that were made for another version are refused.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis, Found, Item, Reason, Repository, Transaction};
use dyno_tests::{item, n, reasons, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "people")]
struct FirstPerson {
    #[partition_key]
    id: String,
    name: String,
    visits: u32,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "people", schema_version = 2, upgrade = "split_name")]
struct Person {
    #[partition_key]
    id: String,
    first: String,
    last: String,
    visits: u32,
}

/// Splits the name in two. A single name is an error.
fn split_name(item: &mut Item, from: u32) -> Result<(), String> {
    assert_eq!(from, 1);
    let name = item.remove("name").ok_or("there is no name")?;
    let name = name.as_s().map_err(|_| "the name is no text")?;
    let (first, last) = name.split_once(' ').ok_or_else(|| format!("{name:?} is one name"))?;
    item.insert("first".to_owned(), s(first));
    item.insert("last".to_owned(), s(last));
    Ok(())
}

fn ada() -> Person {
    Person { id: "1".to_owned(), first: "Ada".to_owned(), last: "Lovelace".to_owned(), visits: 3 }
}

fn first_ada() -> FirstPerson {
    FirstPerson { id: "1".to_owned(), name: "Ada Lovelace".to_owned(), visits: 3 }
}

async fn person(repository: &Repository) -> Result<Option<Person>, dyno::Error> {
    Person::get("1").consistent().send(repository).await
}

#[tokio::test]
async fn every_read_upgrades_an_outdated_row() {
    let world = world::<Person>().await;
    let repository = &world.repository;
    first_ada().put().send(repository).await.expect("a put");
    assert_eq!(person(repository).await.expect("a get"), Some(ada()));
    assert_eq!(Person::scan().send(repository).await.expect("a scan").items, [ada()]);
    let outcome = ada().create().send(repository).await.expect("sent");
    let current = outcome.refusal().expect("it is there").current().expect("decodes");
    assert_eq!(current, Some(Found::Live(ada())));
    // A read changes nothing in the table.
    assert_eq!(world.stored::<Person>().await, [first_ada().to_item().expect("an item")]);
    // A put writes the current schema version, whatever the row has.
    let old = ada().put().return_old().send(repository).await.expect("a put").decode().expect("decodes");
    assert_eq!(old, Some(Found::Live(ada())));
    let stored = ada().to_item().expect("an item");
    assert_eq!(stored.get("_v"), Some(&n(2)));
    assert_eq!(world.stored::<Person>().await, std::slice::from_ref(&stored));
    assert_eq!(person(repository).await.expect("a get"), Some(ada()));
    // `from_item` does not upgrade a row of the current version.
    assert_eq!(Person::from_item(stored).expect("decodes"), ada());
}

#[tokio::test]
async fn a_row_that_cannot_be_upgraded_is_a_decode_error() {
    let world = world::<Person>().await;
    let repository = &world.repository;
    FirstPerson { name: "Ada".to_owned(), ..first_ada() }.put().send(repository).await.expect("a put");
    let error = person(repository).await.expect_err("one name");
    assert!(error.is_decode());
    assert_eq!(
        error.to_string(),
        "decode of `Person` (id = \"1\"): expected a row that `upgrade` converts from schema version 1 to 2, found one that it rejects: \"Ada\" is one name"
    );
    for (stored, message) in [
        (
            n(3),
            "`_v`: expected a schema version up to 2, found 3, written by a newer program: deploy that program here, too",
        ),
        (n(0), "`_v`: expected a schema version: a whole number (N), from 1, found 0"),
        (n("1.5"), "`_v`: expected a schema version: a whole number (N), from 1, found 1.5"),
        (s("2"), "`_v`: expected a schema version: a whole number (N), from 1, found S"),
    ] {
        let mut row = ada().to_item().expect("an item");
        row.insert("_v".to_owned(), stored);
        world.write_foreign::<Person>(row.clone()).await;
        let error = person(repository).await.expect_err("of no known version");
        assert!(error.is_decode());
        assert_eq!(error.to_string(), format!("decode of `Person` (id = \"1\"): {message}"));
        // An update does not change such a row either.
        let update = Person::update("1").with(Person::fields().visits.add(1)).send(repository).await.expect("sent");
        assert!(!update.is_applied());
        assert_eq!(world.stored::<Person>().await, [row]);
    }
}

#[tokio::test]
async fn an_update_of_a_row_with_another_schema_version_is_refused() {
    let world = world::<Person>().await;
    let repository = &world.repository;
    first_ada().put().send(repository).await.expect("a put");
    let update = || Person::update("1").with(Person::fields().visits.add(1));
    let metered = repository.metered();
    let outcome = update().send(&metered).await.expect("sent");
    assert_eq!(reasons(&outcome), [Reason::Outdated { found: 1, current: 2 }]);
    let refusal = outcome.refusal().expect("refused");
    assert!(refusal.is_outdated());
    assert_eq!(refusal.current().expect("decodes"), Some(Found::Live(ada())));
    assert_eq!(
        refusal.to_string(),
        "update of `Person` (id = \"1\") was refused: the row has schema version 1, and this program writes 2: `modify` it, or bring all rows up to date with `modify_each`"
    );
    let usage = metered.usage();
    assert_eq!((usage.requests, usage.write_units, usage.read_units), (1, 1.0, 0.0));
    let upsert = || update().with([Person::fields().first.set("A"), Person::fields().last.set("B")]).upsert();
    assert_eq!(reasons(&upsert().send(repository).await.expect("sent")), [Reason::Outdated { found: 1, current: 2 }]);
    assert_eq!(world.stored::<Person>().await, [first_ada().to_item().expect("an item")]);

    let mut newer = ada().to_item().expect("an item");
    newer.insert("_v".to_owned(), n(3));
    world.write_foreign::<Person>(newer).await;
    assert_eq!(reasons(&update().send(repository).await.expect("sent")), [Reason::Newer { found: 3, current: 2 }]);
    let mut corrupt = ada().to_item().expect("an item");
    corrupt.insert("_v".to_owned(), s("2"));
    world.write_foreign::<Person>(corrupt).await;
    let expected = "a schema version: a whole number (N), from 1";
    let corrupt = Reason::Corrupt { attribute: "_v", expected, found: "S" };
    assert_eq!(reasons(&update().send(repository).await.expect("sent")), [corrupt]);

    // After a put, the update is applied. If there is no item, an upsert creates a row of the current version.
    ada().put().send(repository).await.expect("a put");
    update().send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(person(repository).await.expect("a get"), Some(Person { visits: 4, ..ada() }));
    Person::delete("1").send(repository).await.expect("a delete");
    assert_eq!(reasons(&update().send(repository).await.expect("sent")), [Reason::Missing]);
    upsert().send(repository).await.expect("sent").applied().expect("applied");
    let made = Person { first: "A".to_owned(), last: "B".to_owned(), visits: 1, ..ada() };
    assert_eq!(world.stored::<Person>().await, [made.to_item().expect("an item")]);
    upsert().send(repository).await.expect("sent").applied().expect("applied");
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "people", schema_version = 1, schema_attribute = "shape")]
struct Numbered {
    #[partition_key]
    id: String,
    name: String,
    visits: u32,
}

#[tokio::test]
async fn a_row_without_a_schema_version_has_version_1() {
    let world = world::<Numbered>().await;
    let repository = &world.repository;
    first_ada().put().send(repository).await.expect("a put");
    let numbered = Numbered { id: "1".to_owned(), name: "Ada Lovelace".to_owned(), visits: 3 };
    let found = Numbered::get("1").send(repository).await.expect("a get");
    assert_eq!(found.as_ref(), Some(&numbered));
    let update = || Numbered::update("1").with(Numbered::fields().visits.add(1)).send(repository);
    update().await.expect("sent").applied().expect("applied");
    assert!(!world.stored::<Numbered>().await[0].contains_key("shape"));
    numbered.put().send(repository).await.expect("a put");
    assert_eq!(world.stored::<Numbered>().await[0].get("shape"), Some(&n(1)));
    update().await.expect("sent").applied().expect("applied");
    // A program of schema version 1 recognizes a row of version 2 as newer.
    let mut newer = numbered.to_item().expect("an item");
    newer.insert("shape".to_owned(), n(2));
    world.write_foreign::<Numbered>(newer).await;
    assert_eq!(reasons(&update().await.expect("sent")), [Reason::Newer { found: 2, current: 1 }]);
    assert!(Numbered::get("1").send(repository).await.expect_err("newer").is_decode());
}

/// The entity of an older program. In the next test, a newer program has written the row.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "drafts", schema_version = 1)]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Draft {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

#[tokio::test]
async fn a_conditional_put_does_not_overwrite_a_newer_program_s_row() {
    let newer = Reason::Newer { found: 2, current: 1 };
    let world = world::<Numbered>().await;
    let repository = &world.repository;
    let mut row = Numbered { id: "1".to_owned(), name: "Ada Lovelace".to_owned(), visits: 3 };
    let mut stored = row.to_item().expect("an item");
    stored.extend([("shape".to_owned(), n(2)), ("first".to_owned(), s("Ada"))]);
    world.write_foreign::<Numbered>(stored.clone()).await;
    row.visits = 4;
    assert_eq!(reasons(&row.replace().send(repository).await.expect("sent")), std::slice::from_ref(&newer));
    let put = row.put().condition(Numbered::fields().visits.eq(3)).send(repository).await.expect("sent");
    assert_eq!(reasons(&put), std::slice::from_ref(&newer));
    let transaction = Transaction::new().put(row.replace()).send(repository).await.expect("sent");
    let refusal = transaction.refusal().expect("refused").refusal_of::<Numbered>(0);
    assert_eq!(refusal.map(|refusal| refusal.reasons().to_vec()), Some(vec![newer.clone()]));
    assert_eq!(world.stored::<Numbered>().await, std::slice::from_ref(&stored));
    // A put without a condition does not check the schema version.
    row.put().send(repository).await.expect("a put");
    assert_eq!(world.stored::<Numbered>().await, [row.to_item().expect("an item")]);
    row.replace().send(repository).await.expect("sent").applied().expect("applied");

    // The older program may know the version number of the newer program's item, for example from a client's request.
    let world = dyno_tests::world::<Draft>().await;
    let repository = &world.repository;
    let draft = Draft { id: "1".to_owned(), text: "a".to_owned(), version: 0 };
    draft.create().send(repository).await.expect("sent").applied().expect("applied");
    let mut stored = world.stored::<Draft>().await.remove(0);
    stored.extend([("_v".to_owned(), n(2)), ("version".to_owned(), n(2)), ("language".to_owned(), s("en"))]);
    world.write_foreign::<Draft>(stored.clone()).await;
    let known = Draft { version: 2, ..draft };
    assert_eq!(reasons(&known.put().send(repository).await.expect("sent")), std::slice::from_ref(&newer));
    assert_eq!(reasons(&known.replace().send(repository).await.expect("sent")), std::slice::from_ref(&newer));
    let rollback = Draft::rollback("1", 1u64).send(repository).await.expect("sent");
    assert_eq!(reasons(&rollback), [newer]);
    assert_eq!(world.stored::<Draft>().await, [stored]);
    // A delete is applied, because it mixes no shapes. A create after the delete is applied too.
    let deleted = Draft::delete("1", 2u64).send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(deleted, 3);
    known.create().send(repository).await.expect("sent").applied().expect("applied");
}

/// An entity with rules whose commands read and write more than one row.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages", schema_version = 3, upgrade = "Self::upgrade")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Page {
    #[partition_key]
    id: String,
    #[attribute(alias = "body")]
    text: String,
    /// Since schema version 2.
    language: String,
    /// Since schema version 3.
    words: u32,
    #[version]
    version: u64,
}

impl Page {
    fn upgrade(item: &mut Item, from: u32) -> Result<(), &'static str> {
        if item.remove("moved").is_some() {
            item.insert("id".to_owned(), s("2"));
        }
        if from < 2 {
            item.insert("language".to_owned(), s("en"));
        }
        let text = item.get("text").or(item.get("body")).and_then(|text| text.as_s().ok()).ok_or("no text")?;
        let words = text.split(' ').count();
        item.insert("words".to_owned(), n(words));
        Ok(())
    }
}

fn page(text: &str, words: u32, version: u64) -> Page {
    Page { id: "1".to_owned(), text: text.to_owned(), language: "en".to_owned(), words, version }
}

fn first_page() -> Item {
    item([("id", s("1")), ("body", s("a b c")), ("version", n(4)), ("_w", s("-other"))])
}

#[tokio::test]
async fn modify_and_rollback_upgrade_outdated_items_and_revisions() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    world.write_foreign::<Page>(first_page()).await;
    let modify = Page::modify("1", |page| page.text.push('!')).send(repository).await.expect("sent");
    assert_eq!(modify.applied().expect("applied"), page("a b c!", 3, 5));
    let stored = world.stored::<Page>().await.remove(0);
    assert_eq!(stored.get("_v"), Some(&n(3)));
    assert!(!stored.contains_key("body"));
    // An atomic history does not record the loaded item, so this history begins with version 5. A rollback also upgrades older
    // images.
    let deleted = Page::delete("1", 5u64).send(repository).await.expect("sent").applied().expect("applied");
    let tombstone = world.stored::<Page>().await.remove(0);
    assert!(!tombstone.contains_key("_v"));
    let restored = Page::rollback("1", 5u64).send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!((deleted, restored), (6, page("a b c!", 3, 7)));

    let history = repository.history_table_name::<Page>().expect("a name");
    let image = AttributeValue::M(item([
        ("id", s("1")),
        ("text", s("x y")),
        ("language", s("de")),
        ("version", n(2)),
        ("_v", n(2)),
    ]));
    let row = item([("_key", s("1")), ("_version", n(2)), ("_image", image)]);
    repository.client().put_item().table_name(history).set_item(Some(row)).send().await.expect("a row");
    let revision = Page::revision("1", 2u64).send(repository).await.expect("sent").expect("a revision");
    let second = Page { language: "de".to_owned(), ..page("x y", 2, 2) };
    assert_eq!(revision.decode().expect("decodes"), Some(second.clone()));
    let restored = Page::rollback("1", 2u64).send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(restored, Page { version: 8, ..second });
}

#[tokio::test]
async fn an_upgrade_that_changes_the_key_is_a_decode_error() {
    let world = world::<Page>().await;
    let mut row = first_page();
    row.insert("moved".to_owned(), n(1));
    world.write_foreign::<Page>(row).await;
    let error = Page::get("1").send(&world.repository).await.expect_err("another key");
    assert_eq!(
        error.to_string(),
        "decode of `Page` (id = \"1\"): expected a row that `upgrade` converts from schema version 1 to 3, found one whose key it changes, and a key is fixed"
    );
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "reviews", schema_version = 2, upgrade = "keep")]
#[tombstone(ttl_days = 7)]
struct Review {
    #[partition_key]
    id: String,
    #[attribute(alias = "stars")]
    rating: u8,
    #[ratchet(guards(rating))]
    rated_at: EpochMillis,
}

#[allow(clippy::unnecessary_wraps, reason = "what `upgrade` takes")]
fn keep(_: &mut Item, _: u32) -> Result<(), String> {
    Ok(())
}

#[tokio::test]
async fn an_update_of_a_ratcheted_group_of_an_outdated_row_is_refused() {
    let world = world::<Review>().await;
    let repository = &world.repository;
    let at = |millis| EpochMillis::new(millis);
    let older = item([("id", s("1")), ("stars", n(3)), ("rated_at", n(10))]);
    world.write_foreign::<Review>(older.clone()).await;
    let rate = |millis| Review::update("1").rated_at(at(millis)).rating(5).send(repository);
    let outdated = Reason::Outdated { found: 1, current: 2 };
    assert_eq!(reasons(&rate(11).await.expect("sent")), std::slice::from_ref(&outdated));
    // An update with an older token is stale, whatever the schema version of the row.
    let stale = rate(9).await.expect("sent");
    assert_eq!(reasons(&stale), [outdated, Reason::Stale { attribute: "rated_at", tie: false }]);
    assert_eq!(stale.accept_stale().expect("old news"), None);
    // On a row of the current schema version, the group's update moves the value from its alias.
    let mut current = older;
    current.insert("_v".to_owned(), n(2));
    world.write_foreign::<Review>(current).await;
    rate(11).await.expect("sent").applied().expect("applied");
    let review = Review { id: "1".to_owned(), rating: 5, rated_at: at(11) };
    assert_eq!(world.stored::<Review>().await, [review.to_item().expect("an item")]);
    // A tombstone has no schema version. A put over the tombstone writes the schema version again.
    Review::delete("1", at(12)).send(repository).await.expect("sent").applied().expect("applied");
    assert!(!world.stored::<Review>().await[0].contains_key("_v"));
    assert_eq!(reasons(&rate(13).await.expect("sent")), [Reason::Deleted]);
    Review { rated_at: at(14), ..review }.put().send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(world.stored::<Review>().await[0].get("_v"), Some(&n(2)));
}
