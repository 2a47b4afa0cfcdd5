//! A text and its vector beside ratchets, versions, fences and keys of indexes.

use dyno::{Entity, EpochMillis, Reason};
use dyno_tests::{NOW, world};

/// A group with a text and its vector, and another group.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "listings")]
#[index(name = "similar", vector = vector, of(text), projection = "all")]
struct Listing {
    #[partition_key]
    id: String,
    #[ratchet(guards(text, vector))]
    text_at: EpochMillis,
    text: String,
    vector: Option<[f32; 2]>,
    #[ratchet(guards(price))]
    priced_at: EpochMillis,
    price: u64,
}

#[tokio::test]
async fn a_group_sets_a_text_with_its_vector() {
    let world = world::<Listing>().await;
    let repository = &world.repository;
    let at = EpochMillis::new;
    let listing = Listing {
        id: "1".to_owned(),
        text_at: at(NOW),
        text: "old".to_owned(),
        vector: Some([1.0, 0.0]),
        priced_at: at(NOW),
        price: 1,
    };
    applied!(listing.put(), repository);
    applied!(Listing::update("1").text_at(at(NOW + 1)).text("new").vector(None), repository);
    applied!(Listing::update("1").priced_at(at(NOW + 1)).price(2), repository);
    let found = Listing::get("1").send(repository).await.expect("a get").expect("a listing");
    assert_eq!((found.text.as_str(), found.vector, found.price), ("new", None, 2));
    // A write with the same token comes from the consumer that embeds the text.
    applied!(Listing::update("1").text_at(at(NOW + 1)).text("new").vector(Some([0.0, 1.0])), repository);
    assert_eq!(
        refused!(Listing::update("1").text_at(at(NOW)).text("old").vector(Some([1.0, 0.0])), repository),
        [Reason::Stale { attribute: "text_at", tie: false }]
    );
    let found = Listing::similar([0.0, 1.0]).send(repository).await.expect("a search");
    assert_eq!(found.items[0].item.text, "new");
}

/// An entity with a version, an older name of the text, and a text that can be absent.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
#[index(name = "similar", vector = vector, of(text, tags), projection = "keys")]
struct Note {
    #[partition_key]
    id: String,
    #[attribute(alias = "content")]
    text: Option<String>,
    #[attribute(default)]
    tags: Vec<String>,
    vector: Option<[f32; 2]>,
    #[version]
    version: u64,
}

#[tokio::test]
async fn an_embedding_takes_part_in_the_rule_of_versions() {
    let world = world::<Note>().await;
    let repository = &world.repository;
    let note = |text: &str| Note {
        id: "1".to_owned(),
        text: Some(text.to_owned()),
        tags: Vec::new(),
        vector: None,
        version: 0,
    };
    applied!(note("old").put(), repository);
    let tags = Vec::<String>::new;
    let embed = || Note::embed("1", ("old", tags()), [1.0, 0.0]);
    assert_eq!(refused!(embed().version(7u64), repository), [Reason::Conflict { expected: 7, found: Some(1) }]);
    applied!(embed().version(1u64), repository);
    applied!(embed().unchecked(), repository);
    let found = Note::get("1").send(repository).await.expect("a get").expect("a note");
    assert_eq!((found.vector, found.version), (Some([1.0, 0.0]), 3));
    // A change of any attribute from which the vector is made removes the vector.
    applied!(Note::update("1").version(3u64).with(Note::fields().tags.push("new")), repository);
    let found = Note::get("1").send(repository).await.expect("a get").expect("a note");
    assert_eq!((found.vector, found.tags.len()), (None, 1));
    assert_eq!(
        dyno_tests::reasons(&embed().unchecked().send(repository).await.expect("sent")),
        [Reason::OtherText { attribute: "tags" }]
    );
}

#[tokio::test]
async fn an_embedding_finds_its_text_under_an_alias_or_absent() {
    use dyno_tests::{item, s};
    let world = world::<Note>().await;
    let repository = &world.repository;
    world.write_foreign::<Note>(item([("id", s("1")), ("content", s("old"))])).await;
    let tags = Vec::<String>::new;
    assert_eq!(
        refused!(Note::embed("1", ("new", tags()), [1.0, 0.0]).unchecked(), repository),
        [Reason::OtherText { attribute: "text" }]
    );
    applied!(Note::embed("1", ("old", tags()), [1.0, 0.0]).unchecked(), repository);
    world.write_foreign::<Note>(item([("id", s("2"))])).await;
    applied!(Note::embed("2", (None::<String>, tags()), [1.0, 0.0]).unchecked(), repository);
    assert_eq!(
        refused!(Note::embed("2", ("old", tags()), [1.0, 0.0]).unchecked(), repository),
        [Reason::OtherText { attribute: "text" }]
    );
    // An update that moves the text to its new name and changes it removes the vector.
    let moved = Note::update("1").unchecked().with(Note::fields().text.set("newer"));
    applied!(moved, repository);
    let stored = world.stored::<Note>().await;
    let first = stored.iter().find(|item| item["id"] == s("1")).expect("the first");
    assert!(!first.contains_key("vector") && !first.contains_key("content"), "{first:?}");
}

/// A required vector, whose text is also in the key of another index, together with a further field.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "titles")]
#[index(name = "similar", vector = vector, of(title), projection = "keys")]
#[index(name = "by_title", partition(name = "GSI1PK", template = "T#{title}#{year}"))]
struct Title {
    #[partition_key]
    id: String,
    title: String,
    year: u32,
    vector: [f32; 2],
}

#[tokio::test]
async fn what_is_in_the_key_of_another_index_changes_with_both() {
    let world = world::<Title>().await;
    let repository = &world.repository;
    let title = Title { id: "1".to_owned(), title: "old".to_owned(), year: 1, vector: [1.0, 0.0] };
    title.put().send(repository).await.expect("a put");
    let all = Title::fields().title_and_year_and_vector.set(("new", 2u32, [0.0, 1.0]));
    applied!(Title::update("1").with(all), repository);
    let found = Title::by_title("new", 2u32).send(repository).await.expect("a query").items;
    assert_eq!(found, [Title { id: "1".to_owned(), title: "new".to_owned(), year: 2, vector: [0.0, 1.0] }]);
}
