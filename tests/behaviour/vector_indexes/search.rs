//! What a search finds, and what it sends.

use super::{Article, ArticleSimilar, Hit, Picture, article, picture, soon};
use dyno_tests::{Engine, engine, item, n, s, world};
use std::time::Duration;

const X: [f32; 3] = [1.0, 0.0, 0.0];

#[tokio::test]
async fn a_search_finds_the_closest_items_of_its_partition_first() {
    let world = world::<Article>().await;
    let repository = &world.repository;
    for (id, vector) in [("far", [0.0, 1.0, 0.0]), ("near", [0.9, 0.1, 0.0]), ("same", X), ("behind", [-1.0, 0.0, 0.0])]
    {
        article(id, id, Some(vector)).put().send(repository).await.expect("a put");
    }
    let other = Article { tenant: "other".to_owned(), ..article("other", "other", Some(X)) };
    other.put().send(repository).await.expect("a put");
    article("unembedded", "unembedded", None).put().send(repository).await.expect("a put");
    let found = Article::similar("acme", X).project::<Hit>().send(repository).await.expect("a search");
    let ids: Vec<&str> = found.items.iter().map(|found| found.item.id.as_str()).collect();
    assert_eq!(ids, ["same", "near", "far", "behind"]);
    assert_eq!((found.items[0].score, found.items[2].score, found.items[3].score), (0.0, 1.0, 2.0));
    assert_eq!(found.dropped, 0);
    let found =
        Article::similar("acme", X).within(1.0).top(2).project::<Hit>().send(repository).await.expect("a search");
    let titles: Vec<String> = found.into_iter().map(|found| found.item.title).collect();
    assert_eq!(titles, ["same", "near"]);
    let found = Article::similar("acme", X).within(0.5).project::<Hit>().send(repository).await.expect("a search");
    assert_eq!(found.items.len(), 2);
}

#[tokio::test]
async fn a_search_takes_filters_by_equality() {
    let world = world::<Article>().await;
    let repository = &world.repository;
    let of = |id: &str, brand: &str, language: Option<&str>| Article {
        brand: brand.to_owned(),
        language: language.map(str::to_owned),
        ..article(id, id, Some(X))
    };
    for article in [of("1", "x", Some("de")), of("2", "x", None), of("3", "y", Some("de"))] {
        article.put().send(repository).await.expect("a put");
    }
    let search = Article::similar("acme", X).project::<Hit>();
    let ids = async |search: dyno::command::Search<ArticleSimilar, Hit>| {
        let found = search.send(repository).await.expect("a search");
        let mut ids: Vec<String> = found.into_iter().map(|found| found.item.id).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(search.clone()).await, ["1", "2", "3"]);
    assert_eq!(ids(search.clone().filter(ArticleSimilar::brand("x"))).await, ["1", "2"]);
    let both = search.filter(ArticleSimilar::brand("x")).filter(ArticleSimilar::language("de"));
    assert_eq!(ids(both.clone()).await, ["1"]);
    let request = both.request(repository).expect("a request").to_string();
    assert_eq!(
        request,
        "SearchVectors articles\n  index: similar\n  condition: #tenant = :tenant AND #brand = :brand AND #language = :language\n  projection: #id, #title\n    #brand = brand\n    #id = id\n    #language = language\n    #tenant = tenant\n    #title = title\n    :brand = \"x\"\n    :language = \"de\"\n    :tenant = \"acme\"\n  vector of 3 dimensions, top 10"
    );
}

#[tokio::test]
async fn a_search_reads_whole_items_with_their_vectors_if_the_index_holds_them() {
    let world = world::<Picture>().await;
    let repository = &world.repository;
    let pictures = [picture("a", [0.1, 0.0]), picture("b", [3.0, 4.0])];
    for picture in &pictures {
        picture.put().send(repository).await.expect("a put");
    }
    let found = Picture::near([0.0, 0.0]).send(repository).await.expect("a search");
    let scores: Vec<f64> = found.items.iter().map(|found| found.score).collect();
    assert!((scores[0] - 0.1).abs() < 1e-6 && (scores[1] - 5.0).abs() < 1e-6, "{scores:?}");
    let items: Vec<Picture> = found.into_iter().map(|found| found.item).collect();
    assert_eq!(items, pictures);
}

#[tokio::test]
async fn expired_and_deleted_items_are_not_found() {
    let world = world::<Picture>().await;
    let repository = &world.repository;
    picture("a", [0.0, 0.0]).put().send(repository).await.expect("a put");
    Picture { expires: Some(soon()), ..picture("b", [0.0, 0.1]) }.put().send(repository).await.expect("a put");
    picture("c", [0.0, 0.2]).put().send(repository).await.expect("a put");
    Picture::delete("c").send(repository).await.expect("a delete");
    let found = Picture::near([0.0, 0.0]).send(repository).await.expect("a search");
    assert_eq!((found.items.len(), found.dropped), (2, 0));
    world.clock.advance(61_000);
    let found = Picture::near([0.0, 0.0]).send(repository).await.expect("a search");
    assert_eq!((found.items.len(), found.dropped), (1, 1));
}

#[tokio::test]
async fn a_tombstone_has_no_vector() {
    let world = world::<Article>().await;
    let repository = &world.repository;
    article("1", "1", Some(X)).put().send(repository).await.expect("a put");
    Article::delete("1").send(repository).await.expect("a delete");
    let found = Article::similar("acme", X).project::<Hit>().send(repository).await.expect("a search");
    assert_eq!((found.items.len(), found.dropped), (0, 0));
    article("1", "again", Some(X)).undelete().send(repository).await.expect("sent").applied().expect("undeleted");
    let found = Article::similar("acme", X).project::<Hit>().send(repository).await.expect("a search");
    assert_eq!(found.items[0].item, Hit { id: "1".to_owned(), title: "again".to_owned() });
}

#[tokio::test]
async fn bad_input_is_refused_before_the_request() {
    let world = world::<Article>().await;
    let repository = &world.repository;
    let search = || Article::similar("acme", X).project::<Hit>();
    let before = world.faults.events().len();
    for (search, expected) in [
        (
            Article::similar("acme", [f32::NAN, 0.0, 0.0]).project(),
            "`embedding[0]`: NaN is not a number that DynamoDB can store",
        ),
        (
            Article::similar("acme", [0.0, f32::INFINITY, 0.0]).project(),
            "`embedding[1]`: inf is not a number that DynamoDB can store",
        ),
        (search().top(0), "a search returns 1 to 100 items, and this one asks for 0"),
        (search().top(101), "a search returns 1 to 100 items, and this one asks for 101"),
        (search().within(f64::NAN), "`within` takes a number, and NaN is not one"),
        (Article::similar("", X).project(), "`tenant`: "),
        (
            search().filter(ArticleSimilar::brand("x")).filter(ArticleSimilar::brand("y")),
            "the search asks for `brand` twice",
        ),
    ] {
        let error = search.send(repository).await.expect_err("bad input");
        assert!(error.is_invalid_input() && error.to_string().contains(expected), "{error}");
    }
    assert_eq!(world.faults.events().len(), before);
}

/// An item of another program that the entity cannot read is an error in its place.
#[tokio::test]
async fn an_item_of_another_shape_is_an_error_in_its_place() {
    let world = world::<Article>().await;
    let repository = &world.repository;
    article("1", "1", Some(X)).put().send(repository).await.expect("a put");
    let vector = dyno::aws_sdk_dynamodb::types::AttributeValue::L(vec![n(1), n("0.5"), n(0)]);
    let foreign = item([("id", s("2")), ("tenant", s("acme")), ("title", n(7)), ("embedding", vector)]);
    world.write_foreign::<Article>(foreign).await;
    let search = Article::similar("acme", X).project::<Hit>();
    let error = search.clone().send(repository).await.expect_err("an item of another shape");
    assert!(error.is_decode(), "{error}");
    let found = search.send_each(repository).await.expect("a search");
    let found: Vec<bool> = found.into_iter().map(|found| found.item.is_ok()).collect();
    assert_eq!(found, [true, false]);
}

#[tokio::test]
async fn a_late_search_is_sent_twice() {
    let world = world::<Article>().await;
    dyno_tests::pause();
    article("1", "1", Some(X)).put().send(&world.repository).await.expect("a put");
    world.faults.slow([(100, 0)]);
    let search = Article::similar("acme", X).project::<Hit>().hedge(Duration::from_millis(10));
    assert_eq!(search.send(&world.repository).await.expect("a search").items.len(), 1);
    assert_eq!(world.repository.usage().hedges, 1);
}

#[tokio::test]
async fn searches_and_writes_of_vectors_are_counted_in_bytes() {
    let world = world::<Article>().await;
    let repository = world.repository.metered();
    article("1", "1", Some(X)).put().send(&repository).await.expect("a put");
    let usage = repository.usage();
    assert_eq!((usage.vector_write_bytes, usage.write_units), (1024.0, 1.0));
    let found = Article::similar("acme", X).project::<Hit>().send(&repository).await.expect("a search");
    assert_eq!(found.items.len(), 1);
    let usage = repository.usage();
    // MiniStack counts the bytes of the vectors that it compared, and no least cost.
    let bytes = if engine() == Engine::MiniStack { 24.0 } else { 1024.0 };
    assert_eq!((usage.vector_read_bytes, usage.read_units, usage.requests), (bytes, 0.0, 2));
}
