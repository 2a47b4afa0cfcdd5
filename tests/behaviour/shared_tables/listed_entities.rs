//! Queries for several entities whose tables or attribute names differ.

use super::{Account, Customer, Order, Row, customer, shop};
use dyno::{Entities, Entity};
use dyno_tests::{item, s, world};

#[tokio::test]
async fn entities_that_the_repository_has_in_another_table_are_refused() {
    let world = shop().await;
    let repository = world.repository.metered().with_table::<Order>("orders");
    let entities = Customer::query("ada").entities::<Row>().send(&repository).await.map(drop);
    let aggregate = Customer::query("ada").aggregate::<Account>().send(&repository).await.map(drop);
    let stream = Customer::query("ada").entities::<Row>().stream(&repository).try_collect().await.map(drop);
    for error in [entities, aggregate, stream].map(|refused| refused.expect_err("another table")) {
        assert!(error.is_invalid_input(), "{error}");
        let expected = "the query reads the table `shop`, and the repository has `Order` in `orders`";
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert_eq!(repository.usage().requests, 0);
    // A prefix is the same for all of them.
    let prefixed = world.repository.clone().with_table_prefix("test-");
    let error = Customer::query("ada").entities::<Row>().send(&prefixed).await.map(drop).expect_err("no such table");
    assert!(!error.is_invalid_input(), "{error}");
    assert_eq!(customer("ada").id, "ada");
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "media")]
#[sort_key(name = "SK", template = "Book#{id}")]
struct Book {
    #[partition_key]
    shelf: String,
    id: u32,
    title: String,
    /// Not the title.
    name: Option<String>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "media")]
#[sort_key(name = "SK", template = "Film#{id}")]
struct Film {
    #[partition_key]
    shelf: String,
    id: u32,
    #[attribute(alias = "name")]
    title: String,
}

#[derive(Entities, Clone, Debug, PartialEq)]
enum Medium {
    Book(Book),
    Film(Film),
    #[entities(unknown)]
    Other(dyno::Item),
}

/// A film can have its title under the alias. A book's name is another attribute.
#[tokio::test]
async fn each_entity_sees_the_filter_by_its_own_aliases() {
    let world = world::<Book>().await;
    let repository = &world.repository;
    for (key, attributes) in [
        ("Book#1", &[("title", "x"), ("name", "a")][..]),
        ("Book#2", &[("title", "a"), ("name", "x")]),
        ("Film#1", &[("title", "x")]),
        ("Film#2", &[("name", "x")]),
        ("Film#3", &[("name", "a")]),
        ("Song#1", &[("title", "x")]),
        ("Song#2", &[("name", "x")]),
    ] {
        let mut row = item([("shelf", s("1")), ("SK", s(key))]);
        row.extend(attributes.iter().map(|(name, value)| ((*name).to_owned(), s(value))));
        world.write_foreign::<Book>(row).await;
    }
    let keys = |media: Vec<Medium>| {
        let key = |medium: Medium| match medium {
            Medium::Book(book) => format!("Book#{}", book.id),
            Medium::Film(film) => format!("Film#{}", film.id),
            Medium::Other(item) => item["SK"].as_s().expect("a text").clone(),
        };
        media.into_iter().map(key).collect::<Vec<_>>()
    };
    // An unknown item is filtered as the entity of the query.
    let books = Book::query("1").filter(Book::fields().title.eq("x")).entities::<Medium>();
    assert_eq!(keys(books.send(repository).await.expect("a query").items), ["Book#1", "Film#1", "Film#2", "Song#1"]);
    let films = Film::query("1").filter(Film::fields().title.eq("x")).entities::<Medium>();
    let films = films.stream(repository).try_collect().await.expect("a query");
    assert_eq!(keys(films), ["Book#1", "Film#1", "Film#2", "Song#1", "Song#2"]);
    let known = Film::query("1").filter(Film::fields().title.eq("x")).entities::<Medium>().limit(2);
    let page = known.clone().send(repository).await.expect("a query");
    assert_eq!(keys(page.items), ["Book#1", "Film#1"]);
    let page = known.after(page.cursor).send(repository).await.expect("a query");
    assert_eq!(keys(page.items), ["Film#2", "Song#1"]);
}
