//! `modify` and `rollback`: what happens to the vector.

use dyno::Entity;
use dyno_tests::world;

/// An entity with a history, so that it can be rolled back.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[history_table]
#[index(name = "similar", vector = vector, of(text), projection = "keys")]
struct Page {
    #[partition_key]
    id: String,
    text: String,
    views: u64,
    vector: Option<[f32; 2]>,
    #[version]
    version: u64,
}

/// An entity with a required vector.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "cards")]
#[index(name = "similar", vector = vector, of(text), projection = "keys")]
struct Card {
    #[partition_key]
    id: String,
    text: String,
    vector: [f32; 2],
    #[version]
    version: u64,
}

/// An entity of which a search reads one partition.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
#[index(name = "similar", vector = vector, of(text), partition = tenant, projection = "keys")]
struct Note {
    #[partition_key]
    id: String,
    tenant: String,
    text: String,
    vector: [f32; 2],
    #[version]
    version: u64,
}

const X: [f32; 2] = [1.0, 0.0];
const Y: [f32; 2] = [0.0, 1.0];

fn page() -> Page {
    Page { id: "1".to_owned(), text: "old".to_owned(), views: 0, vector: Some(X), version: 0 }
}

async fn stored(repository: &dyno::Repository) -> Page {
    Page::get("1").send(repository).await.expect("a get").expect("a page")
}

#[tokio::test]
async fn a_modify_of_the_text_removes_the_vector_unless_it_sets_another() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    applied!(page().put(), repository);
    applied!(Page::modify("1", |page| page.views += 1), repository);
    assert_eq!(stored(repository).await.vector, Some(X));
    applied!(Page::modify("1", |page| page.text = "new".to_owned()), repository);
    assert_eq!(stored(repository).await.vector, None);
    applied!(Page::modify("1", |page| page.vector = Some(Y)), repository);
    assert_eq!(stored(repository).await.vector, Some(Y));
    applied!(
        Page::modify("1", |page| {
            page.text = "newer".to_owned();
            page.vector = Some(X);
        }),
        repository
    );
    assert_eq!(stored(repository).await.vector, Some(X));
}

/// A revision keeps a text together with its vector.
#[tokio::test]
async fn a_rollback_brings_back_a_text_with_its_vector() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    applied!(page().put(), repository);
    applied!(Page::modify("1", |page| page.text = "new".to_owned()), repository);
    applied!(Page::rollback("1", 1u64), repository);
    let found = stored(repository).await;
    assert_eq!((found.text.as_str(), found.vector), ("old", Some(X)));
    // A search does not find a revision, although it has the text and the vector.
    let found = Page::similar(X).top(100).project::<Id>().send(repository).await.expect("a search");
    assert_eq!((found.items.len(), found.dropped), (1, 0));
}

#[derive(dyno::Projection)]
#[projection(of = Page, index = PageSimilar)]
struct Id {
    #[expect(dead_code, reason = "only the number of results matters")]
    id: String,
}

#[tokio::test]
async fn a_modify_of_the_text_under_a_required_vector_is_refused_before_the_write() {
    let world = world::<Card>().await;
    let repository = &world.repository;
    let card = Card { id: "1".to_owned(), text: "old".to_owned(), vector: X, version: 0 };
    applied!(card.put(), repository);
    let before = world.faults.events().len();
    let error = Card::modify("1", |card| card.text = "new".to_owned()).send(repository).await.expect_err("refused");
    assert!(error.is_invalid_input(), "{error}");
    assert!(
        error.to_string().contains("`text` was changed, and `vector`, which is made of it, was not: set both"),
        "{error}"
    );
    let sent: Vec<String> = world.faults.events()[before..].iter().map(|event| event.operation.clone()).collect();
    assert_eq!(sent, ["GetItem"]);
    applied!(
        Card::modify("1", |card| {
            card.text = "new".to_owned();
            card.vector = Y;
        }),
        repository
    );
}

#[tokio::test]
async fn a_modify_of_each_item_does_the_same() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    applied!(page().put(), repository);
    let each = Page::scan().modify_each(|page: &mut Page| page.text = "each".to_owned());
    let _ = each.send(repository).await.expect("a run").completed().expect("completed");
    let found = stored(repository).await;
    assert_eq!((found.text.as_str(), found.vector), ("each", None));
}

/// An entity whose subtitle is part of the text and cannot change. It is set after the first revision.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "books")]
#[history_table]
#[index(name = "similar", vector = vector, of(subtitle, text), projection = "keys")]
struct Book {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    subtitle: Option<String>,
    text: String,
    vector: Option<[f32; 2]>,
    #[version]
    version: u64,
}

/// The revision lacks the subtitle, which the item keeps. So the revision's vector does not describe the item's text.
#[tokio::test]
async fn a_rollback_that_keeps_an_immutable_part_of_the_text_removes_the_vector() {
    let world = world::<Book>().await;
    let repository = &world.repository;
    let book = Book { id: "1".to_owned(), subtitle: None, text: "b".to_owned(), vector: Some(X), version: 0 };
    applied!(book.put(), repository);
    applied!(
        Book::modify("1", |book| {
            book.subtitle = Some("s".to_owned());
            book.vector = Some(Y);
        }),
        repository
    );
    applied!(Book::rollback("1", 1u64), repository);
    let found = Book::get("1").send(repository).await.expect("a get").expect("a book");
    assert_eq!((found.subtitle.as_deref(), found.text.as_str(), found.vector), (Some("s"), "b", None));
}

#[tokio::test]
async fn a_modify_refuses_a_partition_that_no_index_can_have() {
    let world = world::<Note>().await;
    let note = Note { id: "1".to_owned(), tenant: "a".to_owned(), text: "text".to_owned(), vector: X, version: 0 };
    applied!(note.create(), &world.repository);
    for tenant in [String::new(), "a".repeat(2049)] {
        let error = Note::modify("1", |note| note.tenant.clone_from(&tenant)).send(&world.repository).await;
        let error = error.expect_err("no index has this key");
        assert!(error.is_invalid_input() && error.to_string().contains("tenant"), "{error}");
    }
    let writes = world.faults.events().iter().filter(|event| event.is_write()).count();
    assert_eq!(writes, 1, "the create alone is sent");
}
