//! Keys, tables and indexes change, and whole entities come and go.

use super::{changes, database, impact};
use dyno::Entity;
use dyno::model::{Impact, Model};

/// Declares an entity in a module of its own.
macro_rules! entity {
    ($module:ident, $name:ident, [$($attribute:meta),*] { $($(#[$meta:meta])* $field:ident: $type:ty),* }) => {
        mod $module {
            #[derive(dyno::Entity, Debug)]
            $(#[$attribute])*
            pub(super) struct $name { $($(#[$meta])* pub(super) $field: $type),* }
        }
    };
}

entity!(films, Film, [entity(table = "films")] { #[partition_key] id: String, title: String });
entity!(movies, Film, [entity(table = "movies")] { #[partition_key] id: String, title: String });
entity!(renamed, Movie, [entity(table = "films")] { #[partition_key] id: String, title: String });
entity!(other_key, Film, [entity(table = "films")] { #[partition_key] name: String, title: String });
entity!(number_key, Film, [entity(table = "films")] { #[partition_key] id: u64, title: String });
entity!(template, Film,
    [entity(table = "films"), partition_key(name = "PK", template = "Film#{id}")] { id: String, title: String });
entity!(other_template, Film,
    [entity(table = "films"), partition_key(name = "PK", template = "Movie#{id}")] { id: String, title: String });
entity!(other_field, Film,
    [entity(table = "films"), partition_key(name = "PK", template = "Film#{name}")] { name: String, title: String });
entity!(number, Film,
    [entity(table = "films"), partition_key(name = "PK", template = "Film#{id}")] { id: u64, title: String });
entity!(padded, Film,
    [entity(table = "films"), partition_key(name = "PK", template = "Film#{id:04}")] { id: u64, title: String });
entity!(indexed, Film, [entity(table = "films"), index(name = "by_title", partition = title)]
    { #[partition_key] id: String, title: String });
entity!(otherwise_indexed, Film, [entity(table = "films"), index(name = "by_title", partition = title, projection = "keys")]
    { #[partition_key] id: String, title: String });
entity!(index_template, Film,
    [entity(table = "films"), index(name = "by_title", query = by_title, partition(name = "IPK", template = "T#{title}"))]
    { #[partition_key] id: String, title: String });
entity!(other_index_template, Film,
    [entity(table = "films"), index(name = "by_title", query = by_title, partition(name = "IPK", template = "Title#{title}"))]
    { #[partition_key] id: String, title: String });
entity!(keyed_rows, Film, [entity(table = "films"), idempotency(store = "row", window_secs = 600)]
    { #[partition_key] id: String, title: String });
entity!(renamed_keyed_rows, Movie, [entity(table = "films"), idempotency(store = "row", window_secs = 600)]
    { #[partition_key] id: String, title: String });

/// Checks the impact, and a part of the message.
fn check<Old: Entity, New: Entity>(expected: Impact, part: &str) {
    let changes = changes::<Old, New>();
    assert_eq!(impact(&changes), expected, "{changes:#?}");
    let is_found = changes.iter().any(|change| change.to_string().contains(part));
    assert!(is_found, "{part}: {changes:#?}");
}

#[test]
fn an_item_stays_under_its_key() {
    use Impact::{Breaking, Safe};
    check::<films::Film, other_key::Film>(
        Breaking,
        "films/Film: the partition key was `id (S)`, and is `name (S)`. Stored items",
    );
    check::<films::Film, number_key::Film>(Breaking, "the partition key was `id (S)`, and is `id (N)`");
    check::<films::Film, template::Film>(Breaking, "the partition key was `id (S)`, and is `PK (S) = Film#{text}`");
    check::<template::Film, other_template::Film>(
        Breaking,
        "was `PK (S) = Film#{text}`, and is `PK (S) = Movie#{text}`",
    );
    check::<template::Film, number::Film>(Breaking, "was `PK (S) = Film#{text}`, and is `PK (S) = Film#{number}`");
    check::<number::Film, padded::Film>(Breaking, "was `PK (S) = Film#{number}`, and is `PK (S) = Film#{number:04}`");
    // The name of a field is not stored.
    check::<template::Film, other_field::Film>(
        Safe,
        "safe: films/Film: the fields of the key were `id`, and are `name`",
    );
    check::<films::Film, renamed::Movie>(Safe, "films/Movie: the struct was `Film`");
}

entity!(pair, Film,
    [entity(table = "films"), partition_key(name = "PK", template = "{from}#{to}")] { from: String, to: String, title: String });
entity!(swapped_pair, Film,
    [entity(table = "films"), partition_key(name = "PK", template = "{to}#{from}")] { from: String, to: String, title: String });
entity!(renamed_with_key, Movie, [entity(table = "films")] { #[partition_key] name: String, title: String });

#[test]
fn the_fields_of_a_template_keep_their_order() {
    let part = "the fields of the key were in the order `from`, `to`, and are in the order `to`, `from`";
    check::<pair::Film, swapped_pair::Film>(Impact::Breaking, part);
}

#[test]
fn a_table_keeps_its_key_attributes() {
    check::<films::Film, renamed_with_key::Movie>(
        Impact::Breaking,
        "breaking: films: the table has other key attributes",
    );
}

mod one {
    #[derive(dyno::Entity)]
    #[entity(table = "events")]
    #[partition_key(name = "PK", template = "Order#{id}")]
    pub(super) struct Event {
        id: u64,
    }
}

mod other {
    #[derive(dyno::Entity)]
    #[entity(table = "events")]
    #[partition_key(name = "PK", template = "User#{id}")]
    pub(super) struct Event {
        id: u64,
    }
}

#[expect(dead_code, reason = "only its table is used")]
#[derive(dyno::Entities)]
enum Events {
    One(one::Event),
    Other(other::Event),
}

#[test]
fn entities_of_one_name_in_a_table_are_an_error() {
    let repository = database();
    let error = Model::new(&repository).shared_table::<Events>().schema_lock().expect_err("one name");
    assert!(error.to_string().contains("two entities of the table `events` have the name `Event`"), "{error}");
}

/// The items under the old key are not found.
#[tokio::test]
async fn an_item_under_another_key_is_not_found() {
    let repository = database();
    repository.create_table::<template::Film>().await.expect("a table");
    let film = template::Film { id: "1".to_owned(), title: "Alien".to_owned() };
    film.put().send(&repository).await.expect("a put");
    let found = other_field::Film::get("1").send(&repository).await.expect("a get");
    assert_eq!(found.map(|film| (film.name, film.title)), Some(("1".to_owned(), "Alien".to_owned())));
    assert!(other_template::Film::get("1").send(&repository).await.expect("a get").is_none());
    assert!(padded::Film::get(1u64).send(&repository).await.expect("a get").is_none());
}

#[test]
fn an_entity_stays_in_its_table() {
    check::<films::Film, movies::Film>(Impact::Breaking, "films/Film: the entity is stored in the table `movies` now");
    let repository = database();
    let films = Model::new(&repository).table::<films::Film>();
    let both = Model::new(&repository).table::<films::Film>().table::<movies::Film>();
    let [films, both] = [films, both].map(|model| model.schema_lock().expect("a lock"));
    let added = both.changes_since(&films.to_string()).expect("a file");
    assert_eq!(added.iter().map(ToString::to_string).collect::<Vec<_>>(), ["safe: movies/Film: the entity is new"]);
    let removed = films.changes_since(&both.to_string()).expect("a file");
    assert_eq!(impact(&removed), Impact::Conditional, "{removed:?}");
}

#[test]
fn the_rows_of_idempotency_keys_have_the_name_of_the_struct() {
    check::<keyed_rows::Film, renamed_keyed_rows::Movie>(
        Impact::Conditional,
        "films/Movie: the struct was `Film`. The rows",
    );
}

#[test]
fn an_index_does_not_change() {
    use Impact::{Breaking, Conditional};
    check::<films::Film, indexed::Film>(
        Conditional,
        "films/by_title: the index is new, and its key `title` can be empty",
    );
    check::<indexed::Film, films::Film>(Conditional, "films/by_title: the index is removed");
    check::<indexed::Film, otherwise_indexed::Film>(
        Breaking,
        "films/by_title: the index has other keys, or another projection",
    );
    check::<films::Film, index_template::Film>(
        Conditional,
        "films/Film: the templated key of the index `by_title` is new",
    );
    check::<index_template::Film, other_index_template::Film>(
        Breaking,
        "the key of the index `by_title` was `IPK (S) = T#{text}`",
    );
}

/// The table of the old entity does not serve the new one, and nothing can change that.
#[tokio::test]
async fn a_changed_index_is_a_mismatch_that_stays() {
    let repository = database();
    repository.create_table::<indexed::Film>().await.expect("a table");
    assert!(!repository.verify_table::<index_template::Film>().await.expect("verified").is_empty());
    assert!(repository.create_table::<index_template::Film>().await.is_err());
}
