//! A text and its embedding: an item never keeps the vector of another text.

use super::{Article, Picture, article, picture};
use dyno::{Entity, Item, Reason};
use dyno_tests::{item, s, world};

const X: [f32; 3] = [1.0, 0.0, 0.0];
const Y: [f32; 3] = [0.0, 1.0, 0.0];

async fn stored(repository: &dyno::Repository) -> Article {
    Article::get("1").send(repository).await.expect("a get").expect("an article")
}

#[tokio::test]
async fn a_changed_text_loses_its_vector_in_the_same_request() {
    let world = world::<Article>().await;
    let repository = &world.repository;
    article("1", "old", Some(X)).put().send(repository).await.expect("a put");
    applied!(Article::update("1").with(Article::fields().brand.set("y")), repository);
    assert_eq!(stored(repository).await.embedding, Some(X), "the brand is not in the text");
    applied!(Article::update("1").with(Article::fields().title.set("new")), repository);
    assert_eq!(stored(repository).await, Article { brand: "y".to_owned(), ..article("1", "new", None) });
}

#[tokio::test]
async fn a_text_and_its_vector_can_be_set_together() {
    let world = world::<Article>().await;
    let repository = &world.repository;
    article("1", "old", Some(X)).put().send(repository).await.expect("a put");
    let all = Article::fields().title_and_body_and_embedding.set(("new", "body", Some(Y)));
    applied!(Article::update("1").with(all), repository);
    assert_eq!(stored(repository).await, Article { body: "body".to_owned(), ..article("1", "new", Some(Y)) });
    applied!(Article::update("1").with(Article::fields().embedding.clear()), repository);
    assert_eq!(stored(repository).await.embedding, None);
}

#[tokio::test]
async fn a_late_embedding_of_an_older_text_is_refused_as_old_news() {
    let world = world::<Article>().await;
    let repository = &world.repository;
    article("1", "old", None).put().send(repository).await.expect("a put");
    let of_old = Article::embed("1", ("old", "…"), X);
    applied!(Article::update("1").with(Article::fields().title.set("new")), repository);
    applied!(Article::embed("1", ("new", "…"), Y), repository);
    let outcome = of_old.send(repository).await.expect("sent");
    assert_eq!(dyno_tests::reasons(&outcome), [Reason::OtherText { attribute: "title" }]);
    assert_eq!(outcome.accept_stale().expect("old news"), None);
    assert_eq!(stored(repository).await.embedding, Some(Y));
}

#[tokio::test]
async fn an_embedding_of_an_item_that_is_gone_is_refused() {
    let world = world::<Article>().await;
    let repository = &world.repository;
    assert_eq!(refused!(Article::embed("1", ("old", "…"), X), repository), [Reason::Missing]);
    article("1", "old", None).put().send(repository).await.expect("a put");
    Article::delete("1").send(repository).await.expect("a delete");
    assert_eq!(refused!(Article::embed("1", ("old", "…"), X), repository), [Reason::Deleted]);
    // A consumer of the stream has nothing left to do.
    let outcome = Article::embed("1", ("old", "…"), X).send(repository).await.expect("sent");
    assert_eq!(outcome.accept_stale().expect("old news"), None);
}

/// The condition compares the text before the update, so the vector would not describe the new text.
#[tokio::test]
async fn an_embedding_beside_a_change_of_its_text_is_refused_before_the_request() {
    let world = world::<Article>().await;
    let repository = &world.repository;
    article("1", "old", None).put().send(repository).await.expect("a put");
    let before = world.faults.events().len();
    let update = Article::embed("1", ("old", "…"), X).with(Article::fields().title.set("new"));
    let error = update.send(repository).await.expect_err("a change of what the vector was made of");
    assert!(error.is_invalid_input() && error.to_string().contains("and changes `title`"), "{error}");
    assert_eq!(world.faults.events().len(), before);
}

/// Such an update also loses its other changes, so it is not old news.
#[tokio::test]
async fn an_embedding_with_further_changes_is_no_old_news() {
    let world = world::<Article>().await;
    let repository = &world.repository;
    article("1", "new", None).put().send(repository).await.expect("a put");
    let update = Article::embed("1", ("old", "…"), X).with(Article::fields().brand.set("y"));
    let outcome = update.send(repository).await.expect("sent");
    assert_eq!(dyno_tests::reasons(&outcome), [Reason::OtherText { attribute: "title" }]);
    assert!(outcome.accept_stale().is_err(), "the brand would be lost");
}

/// An entity whose older rows have the text under another name. The text has not changed, so no newer stream record follows.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "teas", schema_version = 2, upgrade = "rename")]
#[index(name = "similar", vector = vector, of(title), filter(origin), projection = "keys")]
struct Tea {
    #[partition_key]
    id: String,
    title: String,
    #[attribute(default = "unknown")]
    origin: String,
    vector: Option<[f32; 2]>,
}

fn unknown() -> String {
    "unknown".to_owned()
}

fn rename(item: &mut Item, _: u32) -> Result<(), String> {
    let heading = item.remove("heading").ok_or("no heading")?;
    item.insert("title".to_owned(), heading);
    Ok(())
}

#[tokio::test]
async fn an_embedding_of_a_row_of_an_older_shape_is_no_old_news() {
    let world = world::<Tea>().await;
    world.write_foreign::<Tea>(item([("id", s("1")), ("heading", s("Sencha"))])).await;
    let outcome = Tea::embed("1", "Sencha", [1.0, 0.0]).send(&world.repository).await.expect("sent");
    assert!(dyno_tests::reasons(&outcome).contains(&Reason::Outdated { found: 1, current: 2 }));
    assert!(outcome.accept_stale().is_err(), "nobody else embeds it");
}

/// A filter finds an item only if the filtered attribute is stored, even if it has a default.
#[tokio::test]
async fn an_upsert_cannot_leave_the_default_of_a_filter_out() {
    let world = world::<Tea>().await;
    let update = Tea::update("1").upsert().with(Tea::fields().title.set("Sencha"));
    let error = update.send(&world.repository).await.expect_err("no origin");
    assert!(error.is_invalid_input() && error.to_string().contains("without `origin`"), "{error}");
}

#[tokio::test]
async fn a_write_once_text_that_is_there_already_still_costs_the_vector() {
    let world = world::<Article>().await;
    let repository = &world.repository;
    article("1", "old", Some(X)).put().send(repository).await.expect("a put");
    // dyno cannot know whether the item has a text.
    applied!(Article::update("1").with(Article::fields().title.set_if_absent("other")), repository);
    assert_eq!(stored(repository).await, article("1", "old", None));
}

/// The answer is lost, and the SDK sends the update again, which sets the same vector for the same text.
#[tokio::test]
async fn an_embedding_whose_answer_is_lost_is_applied() {
    let world = world::<Article>().await;
    article("1", "old", None).put().send(&world.repository).await.expect("a put");
    world.lose_answers(1);
    applied!(Article::embed("1", ("old", "…"), X), &world.repository);
    assert_eq!(stored(&world.repository).await.embedding, Some(X));
}

#[tokio::test]
async fn a_required_vector_changes_with_its_text_alone() {
    let world = world::<Picture>().await;
    let repository = &world.repository;
    picture("1", [1.0, 0.0]).put().send(repository).await.expect("a put");
    let both = Picture::fields().caption_and_vector.set(("new", Box::new([0.0, 1.0])));
    applied!(Picture::update("1").with(both), repository);
    let found = Picture::get("1").send(repository).await.expect("a get").expect("a picture");
    assert_eq!((found.caption.as_str(), *found.vector), ("new", [0.0, 1.0]));
}
