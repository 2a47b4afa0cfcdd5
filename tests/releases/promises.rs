//! Promises that more than one item or more than two commands make up, and what becomes of them while two releases run.

use crate::order::{other_two_groups, two_groups};
use crate::release::database;
use dyno::model::{Impact, Model};
use dyno::{Entities, Entity, Repository};

/// Returns the impact of the change from one entity to another.
fn impact<Old: Entity, New: Entity>() -> Option<Impact> {
    let [old, new] = [crate::release::lock::<Old>(), crate::release::lock::<New>()];
    new.changes_since(&old.to_string()).expect("a file").iter().map(|change| change.impact).max()
}

/// `stars` changes its group. The token of its new group is not the one of its last write.
#[tokio::test]
async fn a_late_write_overwrites_a_newer_one_after_its_attribute_has_changed_the_group() {
    let db = database();
    db.create_table::<two_groups::Film>().await.expect("a table");
    let film = two_groups::Film { id: "1".to_owned(), at: 1, stars: None, seen: 1, place: None, touched: None };
    film.put().send(&db).await.expect("a put").applied().expect("applied");
    let newer = two_groups::Film::update("1").at(9u64).stars(9).touched(None);
    newer.send(&db).await.expect("an update").applied().expect("applied");
    let late = two_groups::Film::update("1").at(5u64).stars(5).touched(None);
    assert!(!late.send(&db).await.expect("an update").is_applied());
    let late = other_two_groups::Film::update("1").seen(5u64).stars(5).place(None);
    assert!(late.send(&db).await.expect("an update").is_applied());
    assert_eq!(impact::<two_groups::Film, other_two_groups::Film>(), Some(Impact::Conditional));
}

mod articles {
    use dyno::Entity;

    /// An article that has no vector yet.
    #[derive(Entity)]
    #[entity(table = "articles")]
    pub(super) struct Plain {
        #[partition_key]
        pub(super) id: String,
        pub(super) title: String,
    }

    /// The entity of both releases of the rollout. Programs of the first one store no vectors.
    #[derive(Entity)]
    #[entity(table = "articles")]
    #[index(name = "similar", vector = embedding, of(title))]
    pub(super) struct Coupled {
        #[partition_key]
        pub(super) id: String,
        pub(super) title: String,
        pub(super) embedding: Option<[f32; 2]>,
    }
}

/// Returns the stored vector after a program of an earlier release has changed the title.
async fn vector_after(update: impl AsyncFnOnce(&Repository)) -> Option<[f32; 2]> {
    let db = database();
    db.create_table::<articles::Coupled>().await.expect("a table");
    articles::Plain { id: "1".to_owned(), title: "Tea".to_owned() }.put().send(&db).await.expect("a put");
    let embed = articles::Coupled::embed("1", "Tea", [0.5, 0.5]);
    embed.send(&db).await.expect("a vector").applied().expect("applied");
    update(&db).await;
    articles::Coupled::get("1").send(&db).await.expect("a get").expect("an article").embedding
}

/// Changes the title as a program does that does not know the vector.
async fn change_title(db: &Repository) {
    let update = articles::Plain::update("1").with(articles::Plain::fields().title.set("Coffee"));
    update.send(db).await.expect("an update").applied().expect("applied");
}

/// The page on vector indexes has the rollout: a release with the index and without vectors comes first.
#[tokio::test(start_paused = true)]
async fn a_program_that_does_not_know_a_vector_leaves_that_of_an_older_text() {
    let by_last_release = vector_after(change_title);
    assert_eq!(by_last_release.await, Some([0.5, 0.5]));
    let repaired = vector_after(async |db| {
        change_title(db).await;
        let repair = articles::Coupled::scan().modify_each(|article| article.embedding = None);
        assert_eq!(repair.send(db).await.expect("a repair").changed(), 1);
    });
    assert_eq!(repaired.await, None);
    let by_first_release = vector_after(async |db| {
        let update = articles::Coupled::update("1").with(articles::Coupled::fields().title.set("Coffee"));
        update.send(db).await.expect("an update").applied().expect("applied");
    });
    assert_eq!(by_first_release.await, None);
    assert_eq!(impact::<articles::Plain, articles::Coupled>(), Some(Impact::Conditional));
}

macro_rules! row {
    ($name:ident, $template:literal, [$($attribute:meta),*], $($field:ident: $type:ty),*) => {
        #[derive(Entity, Debug)]
        #[entity(table = "films")]
        #[partition_key(name = "PK", template = "Film#{film}")]
        #[sort_key(name = "SK", template = $template)]
        $(#[$attribute])*
        struct $name { film: String, $($field: $type),* }
    };
}

row!(Profile, "Profile", [], year: u64);
row!(Role, "Role#{actor}", [], actor: String, ttl: Option<u64>);
row!(RoleWithoutTtl, "Role#{actor}", [], actor: String);
row!(Review, "Review#{user}", [tombstone(ttl_days = 7)], user: String);

#[expect(dead_code, reason = "only the table is used here")]
#[derive(Debug, Entities)]
enum Row {
    Profile(Profile),
    Role(Role),
}

#[expect(dead_code, reason = "only the table is used here")]
#[derive(Debug, Entities)]
enum NewRow {
    Profile(Profile),
    Role(Role),
    Review(PlainReview),
}

row!(PlainReview, "Review#{user}", [], user: String);

#[expect(dead_code, reason = "only the table is used here")]
#[derive(Debug, Entities)]
enum RowWithTtl {
    Profile(Profile),
    Role(RoleWithoutTtl),
    Review(Review),
}

/// Returns the changes from one enum of entities to another.
fn changes<Old: Entities, New: Entities>() -> Vec<String> {
    let db = database();
    let [old, new] = [Model::new(&db).shared_table::<Old>(), Model::new(&db).shared_table::<New>()]
        .map(|model| model.schema_lock().expect("a lock"));
    new.changes_since(&old.to_string()).expect("a file").iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn programs_that_read_several_entities_fail_at_the_first_item_of_a_new_one() {
    let db = database();
    db.create_shared_table::<Row>().await.expect("a table");
    Profile { film: "Alien".to_owned(), year: 1979 }.put().send(&db).await.expect("a put");
    PlainReview { film: "Alien".to_owned(), user: "ada".to_owned() }.put().send(&db).await.expect("a put");
    let query = || Profile::query("Alien").entities::<Row>();
    let error = query().send(&db).await.expect_err("a review");
    assert!(error.to_string().contains("the item belongs to none of"), "{error}");
    assert_eq!(query().skip_unknown().send(&db).await.expect("the others").items.len(), 1);
    let expected = "conditional: films/PlainReview: the entity is new, in a table of others. Programs of the last release that read several entities";
    assert!(
        changes::<Row, NewRow>().iter().any(|change| change.starts_with(expected)),
        "{:?}",
        changes::<Row, NewRow>()
    );
    let expected = "conditional: films/PlainReview: the entity is removed. Its items stay stored";
    assert!(
        changes::<NewRow, Row>().iter().any(|change| change.starts_with(expected)),
        "{:?}",
        changes::<NewRow, Row>()
    );
}

/// The TTL of a new entity is the name of an attribute that another entity stores.
#[test]
fn a_table_gets_no_ttl_under_the_name_of_a_stored_attribute() {
    let found = changes::<Row, RowWithTtl>();
    let expected = "breaking: films/Role: `ttl` is an attribute of stored items, and the TTL of the table now";
    assert!(found.iter().any(|change| change.starts_with(expected)), "{found:#?}");
}
