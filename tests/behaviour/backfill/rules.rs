//! Items of entities with rules: versions, histories, idempotency keys, ratchets, index keys.

use super::{Counter, counts, none_to_do, with_another};
use dyno::{Entity, EpochMillis, Projection, Reason, Repository};
use dyno_tests::{item, n, s, world};

/// An entity with a version and a history.
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

#[tokio::test]
async fn modify_each_advances_versions_and_records_revisions() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    let old = item([("id", s("1")), ("body", s("a")), ("version", n(4)), ("_w", s("-x")), ("other", s("kept"))]);
    world.write_foreign::<Page>(old).await;
    // This row is from before the entity had versions.
    world.write_foreign::<Page>(item([("id", s("2")), ("body", s("b"))])).await;
    let shout = |page: &mut Page| page.text = page.text.to_uppercase();
    let progress = with_another(&world, shout, async |repository| {
        // The other writer modifies the item whose write is held, and the other item as well.
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
    // A second run changes nothing, so no version advances.
    let again = Page::scan().modify_each(shout).send(repository).await.expect("sent").completed().expect("no failure");
    assert_eq!(counts(&again), [0, 2, 0, 0, 0]);
    // A tombstone is skipped.
    Page::delete("1", 6u64).send(repository).await.expect("sent").applied().expect("applied");
    let again = Page::scan().modify_each(shout).send(repository).await.expect("sent").completed().expect("no failure");
    assert_eq!(counts(&again), [0, 1, 0, 0, 0]);
}

#[tokio::test]
async fn a_concurrent_write_without_a_version_is_not_lost() {
    let world = world::<Page>().await;
    world.write_foreign::<Page>(item([("id", s("1")), ("body", s("a")), ("other", s("kept"))])).await;
    // The other writer does not know about versions.
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
async fn modify_each_keeps_idempotency_keys() {
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
    // A lost answer to a write with a version is not a conflict.
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

/// An entity with a ratchet.
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
async fn modify_each_never_lowers_a_token() {
    let world = world::<Rating>().await;
    let repository = &world.repository;
    let raise = |rating: &mut Rating| rating.votes = 1;
    let stored = async || Rating::get("1").consistent().send(repository).await.expect("a get").expect("there");
    // The other writer ignores the rules. It writes once with the same token, and once with a newer one.
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
    assert_eq!(
        error.to_string(),
        "modify_each of `Rating` (id = \"1\"): refused: stale: the stored `at` is newer than the write's"
    );
    let refusal = error.refusal::<Rating>().expect("a refusal");
    assert_eq!(refusal.reasons(), [Reason::Stale { attribute: "at", tie: false }]);
    assert_eq!(stored().await, rating(1, 21));
}

/// An entity with indexes whose keys are made of fields.
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
async fn modify_each_rewrites_index_keys() {
    let world = world::<Parcel>().await;
    let repository = &world.repository;
    let row = |id: &str| item([("id", s(id)), ("depot", s("D")), ("city", s("Rome")), ("title", s("x"))]);
    // Row 1 is from before the index existed, and row 2 has the index keys of an earlier city.
    world.write_foreign::<Parcel>(row("1")).await;
    let mut other = row("2");
    other.extend(item([("GSI1PK", s("City#Oslo")), ("GSI1SK", s("D#2"))]));
    world.write_foreign::<Parcel>(other).await;
    // A projection cannot be upgraded, because `upgrade` needs the whole row.
    let part = Parcel::get("1").project::<Labelled>().send(repository).await.expect_err("a part");
    assert_eq!(
        part.to_string(),
        "decode of `Parcel` (id = \"1\"): `_v`: expected schema version 2, found 1: `upgrade` needs the whole row: read the entity, or upgrade all rows with `modify_each` first"
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
    // A projection reads an attribute under its older name, as a read of the whole row does.
    let mut aliased = row("3");
    aliased.extend(item([("_v", n(2)), ("depot", s("E"))]));
    world.write_foreign::<Parcel>(aliased).await;
    let expected = Labelled { id: "3".to_owned(), label: "x".to_owned() };
    let part = Parcel::get("3").project::<Labelled>().send(repository).await.expect("a get");
    assert_eq!(part.as_ref(), Some(&expected));
    let labelled = Parcel::by_depot("E").project::<Labelled>().send(repository).await.expect("a page").items;
    assert_eq!(labelled, [expected]);
    // A parcel without a city leaves the index.
    let leave = |parcel: &mut Parcel| parcel.city = None;
    let done = Parcel::scan().modify_each(leave).send(repository).await.expect("sent").completed().expect("no failure");
    assert_eq!(counts(&done), [3, 0, 0, 0, 0]);
    assert_eq!(Parcel::by_city("Rome").send(repository).await.expect("a page").items, []);
    assert!(world.stored::<Parcel>().await.iter().all(|row| !row.contains_key("GSI1PK") && row.contains_key("GSI1SK")));
}
