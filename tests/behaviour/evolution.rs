//! Rows of older shapes: under older names of attributes, and of older schema versions.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{
    Condition, Entities, Entity, EpochMillis, ErrorKind, Field, Found, Item, Outcome, Reason, Repository, Transaction,
};
use dyno_tests::{World, item, n, pause, s, world};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "films")]
struct Film {
    #[partition_key]
    id: String,
    #[attribute(alias = "name", alias = "label")]
    title: String,
    #[attribute(alias = "n", default)]
    likes: u8,
    #[attribute(alias = "labels")]
    tags: BTreeSet<String>,
    #[attribute(alias = "people", default)]
    cast: Vec<String>,
    #[attribute(alias = "marks", default)]
    scores: BTreeMap<String, u8>,
    #[attribute(alias = "remark", alias = "comment")]
    note: Option<String>,
}

fn film(title: &str) -> Film {
    Film {
        id: "1".to_owned(),
        title: title.to_owned(),
        likes: 0,
        tags: BTreeSet::new(),
        cast: Vec::new(),
        scores: BTreeMap::new(),
        note: None,
    }
}

fn list(elements: &[&str]) -> AttributeValue {
    AttributeValue::L(elements.iter().map(|element| s(element)).collect())
}

/// A film under its older names.
fn older() -> Item {
    item([
        ("id", s("1")),
        ("name", s("Alien")),
        ("n", n(7)),
        ("labels", AttributeValue::Ss(vec!["horror".to_owned()])),
        ("people", list(&["Ripley", "Dallas"])),
        ("marks", AttributeValue::M(item([("go", n(1))]))),
        ("remark", s("seen")),
    ])
}

#[derive(Entity, Debug, PartialEq)]
#[entity(table = "reels")]
struct Reel {
    #[partition_key]
    film: String,
    #[sort_key]
    number: u32,
    #[attribute(alias = "name")]
    label: String,
}

#[derive(Entities, Debug, PartialEq)]
enum Shelf {
    Reel(Reel),
}

#[tokio::test]
async fn a_filter_of_several_entities_looks_under_older_names() {
    pause();
    let world = world::<Reel>().await;
    world.write_foreign::<Reel>(item([("film", s("1")), ("number", n(2)), ("name", s("Alien"))])).await;
    let named = Reel::query("1").filter(Reel::fields().label.eq("Alien")).entities::<Shelf>();
    let found = named.send(&world.repository).await.expect("a query").items;
    assert_eq!(found, [Shelf::Reel(Reel { film: "1".to_owned(), number: 2, label: "Alien".to_owned() })]);
}

fn alien() -> Film {
    Film {
        likes: 7,
        tags: BTreeSet::from(["horror".to_owned()]),
        cast: vec!["Ripley".to_owned(), "Dallas".to_owned()],
        scores: BTreeMap::from([("go".to_owned(), 1)]),
        note: Some("seen".to_owned()),
        ..film("Alien")
    }
}

async fn live(repository: &Repository) -> Option<Film> {
    Film::get("1").consistent().send(repository).await.expect("a get")
}

/// The names of what is stored.
async fn names(world: &World) -> BTreeSet<String> {
    world.stored::<Film>().await.remove(0).into_keys().collect()
}

fn reasons<E, T>(outcome: &Outcome<E, T>) -> Vec<Reason> {
    outcome.refusal().map(|refusal| refusal.reasons().to_vec()).unwrap_or_default()
}

#[tokio::test]
async fn a_value_is_read_under_its_own_name_or_else_under_the_first_alias_there_is() {
    let world = world::<Film>().await;
    for (row, title) in [
        (item([("id", s("1")), ("title", s("own"))]), "own"),
        (item([("id", s("1")), ("name", s("a"))]), "a"),
        (item([("id", s("1")), ("label", s("b"))]), "b"),
        // As a program leaves it that writes under all names.
        (item([("id", s("1")), ("label", s("b")), ("title", s("b")), ("name", s("b"))]), "b"),
    ] {
        world.write_foreign::<Film>(row).await;
        assert_eq!(live(&world.repository).await, Some(film(title)));
    }
    world.write_foreign::<Film>(older()).await;
    assert_eq!(live(&world.repository).await, Some(alien()));
    assert_eq!(Film::scan().send(&world.repository).await.expect("a scan").items, [alien()]);
    let refused = film("new").create().send(&world.repository).await.expect("sent");
    let current = refused.refusal().expect("it is there").current().expect("decodes");
    assert_eq!(current, Some(Found::Live(alien())));
    world.write_foreign::<Film>(item([("id", s("1")), ("label", n(1))])).await;
    let error = Film::get("1").send(&world.repository).await.expect_err("not a title");
    assert_eq!(error.to_string(), "decode of `Film` (id = \"1\"): `label`: expected a string (S), found N");
    world.write_foreign::<Film>(item([("id", s("1"))])).await;
    let error = Film::get("1").send(&world.repository).await.expect_err("no title");
    assert_eq!(error.to_string(), "decode of `Film` (id = \"1\"): `title`: expected a string (S), found no attribute");
}

#[tokio::test]
async fn a_put_leaves_the_older_names_behind() {
    let world = world::<Film>().await;
    world.write_foreign::<Film>(older()).await;
    alien().put().send(&world.repository).await.expect("a put");
    assert_eq!(world.stored::<Film>().await, [alien().to_item().expect("an item")]);
}

/// Every change of a whole attribute takes the value from where it is and leaves it under its own name: sent to a row of
/// older names, it ends as it does on one of the new names.
#[tokio::test]
async fn a_change_moves_what_it_changes() {
    let world = world::<Film>().await;
    let f = Film::fields;
    let changes = || {
        [
            (f().title.set("Aliens"), vec!["name", "label"]),
            (f().title.set_if_absent("Aliens"), vec!["name", "label"]),
            (f().likes.add(2), vec!["n"]),
            (f().likes.increment(2), vec!["n"]),
            (f().likes.decrement(2), vec!["n"]),
            (f().cast.push("Ash"), vec!["people"]),
            (f().cast.extend(["Ash", "Parker"]), vec!["people"]),
            (f().cast.push_unique("Ash"), vec!["people"]),
            (f().note.set("twice"), vec!["remark", "comment"]),
            (f().note.set(None), vec!["remark", "comment"]),
            (f().note.clear(), vec!["remark", "comment"]),
            (f().note.set_if_absent("x"), vec!["remark", "comment"]),
            (f().tags.set(BTreeSet::new()), vec!["labels"]),
        ]
    };
    for ((change, gone), (same, _)) in changes().into_iter().zip(changes()) {
        alien().put().send(&world.repository).await.expect("a put");
        Film::update("1").with(same).send(&world.repository).await.expect("sent").applied().expect("applied");
        let expected = live(&world.repository).await;
        world.write_foreign::<Film>(older()).await;
        let metered = world.repository.metered();
        Film::update("1").with(change).send(&metered).await.expect("sent").applied().expect("applied");
        let usage = metered.usage();
        assert_eq!((usage.requests, usage.write_units), (1, 1.0), "{gone:?}");
        assert_eq!(live(&world.repository).await, expected, "{gone:?}");
        let names = names(&world).await;
        assert!(gone.iter().all(|name| !names.contains(*name)), "{names:?}");
        // What was not changed is where it was.
        assert!(names.contains("marks"), "{names:?}");
    }
}

#[tokio::test]
async fn what_was_moved_does_not_come_back() {
    let world = world::<Film>().await;
    world.write_foreign::<Film>(older()).await;
    let update = |change| Film::update("1").with(change);
    update(Film::fields().note.set("again")).send(&world.repository).await.expect("sent").applied().expect("applied");
    update(Film::fields().note.clear()).send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(live(&world.repository).await, Some(Film { note: None, ..alien() }));
    // Nor after a lost answer.
    world.write_foreign::<Film>(older()).await;
    world.lose_answers(1);
    update(Film::fields().note.clear()).send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(live(&world.repository).await, Some(Film { note: None, ..alien() }));
    // What counts is not sent twice, wherever it counts from.
    world.lose_answers(1);
    let error = update(Film::fields().likes.add(1)).send(&world.repository).await.expect_err("a lost answer");
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(live(&world.repository).await.map(|film| film.likes), Some(8));
}

#[tokio::test]
async fn what_a_change_demands_is_demanded_of_the_value_wherever_it_is() {
    let world = world::<Film>().await;
    world.write_foreign::<Film>(older()).await;
    let f = Film::fields;
    let path = |path: &str| path.to_owned();
    for (change, reason) in [
        (f().likes.add(249), Reason::OutOfRange { path: path("likes") }),
        (f().likes.decrement(8), Reason::OutOfRange { path: path("likes") }),
        (f().cast.push_unique("Dallas"), Reason::Contained { path: path("cast") }),
    ] {
        let outcome = Film::update("1").with(change).send(&world.repository).await.expect("sent");
        assert_eq!(reasons(&outcome), [reason]);
    }
    world.write_foreign::<Film>(item([("id", s("1")), ("name", s("Alien"))])).await;
    let outcome = Film::update("1").with(f().likes.increment(1)).send(&world.repository).await.expect("sent");
    assert_eq!(reasons(&outcome), [Reason::Absent { path: path("likes") }]);
    let update = Film::update("1").with(f().likes.add(1)).send(&world.repository).await.expect("sent");
    update.applied().expect("applied");
    assert_eq!(live(&world.repository).await, Some(Film { likes: 1, ..film("Alien") }));
    assert_eq!(names(&world).await, ["id", "likes", "name"].map(str::to_owned).into());
    // An upsert of what is there is an update of it.
    world.write_foreign::<Film>(older()).await;
    let upsert = Film::update("1").with([f().title.set_if_absent("Aliens"), f().likes.add(1)]).upsert();
    upsert.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(live(&world.repository).await, Some(Film { likes: 8, ..alien() }));
}

#[tokio::test]
async fn a_part_of_what_is_under_an_older_name_is_not_changed() {
    let world = world::<Film>().await;
    let f = Film::fields;
    let changes = || {
        [
            (f().tags.insert("space"), "tags", "labels"),
            (f().tags.remove("horror"), "tags", "labels"),
            (f().cast.remove_value("Dallas"), "cast", "people"),
            (f().cast.remove_at(1, "Dallas"), "cast", "people"),
            (f().cast.replace_at(1, "Dallas", "Ash"), "cast", "people"),
            (f().scores.entry("go").set(5), "scores", "marks"),
        ]
    };
    for (change, attribute, found) in changes() {
        world.write_foreign::<Film>(older()).await;
        let outcome = Film::update("1").with(change).send(&world.repository).await.expect("sent");
        let expected = Reason::Renamed { attribute, found };
        assert!(reasons(&outcome).contains(&expected), "{:?}", reasons(&outcome));
        assert_eq!(world.stored::<Film>().await, [older()]);
        assert_eq!(
            expected.to_string(),
            format!(
                "`{attribute}` is still stored as `{found}`, and a part of it cannot be moved: write the item once"
            )
        );
    }
    // Once written, they can be.
    for (change, ..) in changes() {
        alien().put().send(&world.repository).await.expect("a put");
        Film::update("1").with(change).send(&world.repository).await.expect("sent").applied().expect("applied");
    }
    // With both names, as an older program leaves them, the last element would bring the older value back.
    let mut both = older();
    both.insert("tags".to_owned(), AttributeValue::Ss(vec!["horror".to_owned()]));
    world.write_foreign::<Film>(both).await;
    let outcome = Film::update("1").with(f().tags.remove("horror")).send(&world.repository).await.expect("sent");
    assert_eq!(reasons(&outcome), [Reason::Renamed { attribute: "tags", found: "labels" }]);
    let mut both = older();
    both.insert("tags".to_owned(), AttributeValue::Ss(vec!["space".to_owned()]));
    world.write_foreign::<Film>(both).await;
    let outcome = Film::update("1").with(f().tags.remove("space")).send(&world.repository).await.expect("sent");
    assert_eq!(reasons(&outcome), [Reason::TwoValues { attribute: "tags", found: "labels" }]);
}

/// A program that knows the older names only has updated a row that one had written which knows the newer ones.
#[tokio::test]
async fn two_values_under_the_names_of_one_attribute_are_not_taken_for_one() {
    let world = world::<Film>().await;
    let repository = &world.repository;
    let f = Film::fields;
    let both = || {
        let mut both = alien().to_item().expect("an item");
        both.extend([("n".to_owned(), n(1)), ("people".to_owned(), list(&["Ash"])), ("remark".to_owned(), s("older"))]);
        both
    };
    let two = |attribute, found| Reason::TwoValues { attribute, found };
    for (change, reason) in [
        (f().likes.add(1), two("likes", "n")),
        (f().likes.increment(1), two("likes", "n")),
        (f().likes.decrement(1), two("likes", "n")),
        (f().cast.push("Parker"), two("cast", "people")),
        (f().cast.push_unique("Parker"), two("cast", "people")),
        (f().cast.remove_at(0, "Ripley"), two("cast", "people")),
        (f().note.set_if_absent("x"), two("note", "remark")),
    ] {
        world.write_foreign::<Film>(both()).await;
        let outcome = Film::update("1").with(change).send(repository).await.expect("sent");
        assert_eq!(reasons(&outcome), [reason]);
        assert_eq!(world.stored::<Film>().await, [both()]);
    }
    // Nor by what a condition looks at.
    let update = Film::update("1").condition(f().likes.eq(7)).with(f().title.set("Aliens"));
    assert_eq!(reasons(&update.send(repository).await.expect("sent")), [two("likes", "n")]);
    let put = alien().put().condition(!f().likes.eq(7)).send(repository).await.expect("sent");
    assert_eq!(reasons(&put), [two("likes", "n")]);
    assert_eq!(world.stored::<Film>().await, [both()]);
    // Nor by those that read, which say what to do.
    let error = Film::get("1").send(repository).await.expect_err("two values");
    assert_eq!(
        error.to_string(),
        "decode of `Film` (id = \"1\"): `likes`: expected one value under all of its names, found two, under `likes` and `n`: a program that knows one of them only has written it; set it, or put the item"
    );
    let done = Film::scan().modify_each(|_| ()).send(repository).await.expect("sent");
    assert!(done.completed().expect_err("two values").is_decode());
    assert_eq!(world.stored::<Film>().await, [both()]);
    assert_eq!(
        two("likes", "n").to_string(),
        "`likes` has another value under its alias `n`, where a program has written it that knows one of the names only: set `likes`, or put the item"
    );
    // What is set is one.
    let update = Film::update("1").with([f().likes.set(8), f().note.set("newer")]);
    let update = update.with(f().cast.set(vec!["Ripley".to_owned()]));
    update.send(repository).await.expect("sent").applied().expect("applied");
    let expected = Film { likes: 8, note: Some("newer".to_owned()), cast: vec!["Ripley".to_owned()], ..alien() };
    assert_eq!(live(repository).await, Some(expected.clone()));
    assert_eq!(world.stored::<Film>().await, [expected.to_item().expect("an item")]);
    // Where they are the same, as of a program that writes both, nothing is against it.
    let mut same = alien().to_item().expect("an item");
    same.insert("n".to_owned(), n("7.0"));
    world.write_foreign::<Film>(same).await;
    let update = Film::update("1").condition(f().likes.eq(7)).with(f().likes.add(1));
    update.send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(world.stored::<Film>().await, [Film { likes: 8, ..alien() }.to_item().expect("an item")]);
}

#[tokio::test]
async fn requests_name_what_they_look_at() {
    let world = world::<Film>().await;
    let f = Film::fields;
    let update = Film::update("1").condition(f().note.ne("x")).with([f().likes.add(2), f().title.set("Aliens")]);
    let request = update.request(&world.repository).expect("a request").to_string();
    assert_eq!(
        request.lines().take(4).collect::<Vec<_>>(),
        [
            "UpdateItem films",
            "  key: { id: \"1\" }",
            "  update: SET #likes = if_not_exists(#likes, if_not_exists(#n, :likes_3)) + :likes_4, #title = :title REMOVE #n, #name, #label",
            "  condition: attribute_exists(#id) \
             AND (attribute_not_exists(#likes) OR attribute_not_exists(#n) OR #likes = #n) \
             AND (attribute_not_exists(#note) OR attribute_not_exists(#remark) OR #note = #remark) \
             AND (attribute_not_exists(#note) OR attribute_not_exists(#comment) OR #note = #comment) \
             AND (attribute_not_exists(#remark) OR attribute_not_exists(#comment) OR #remark = #comment) \
             AND ((attribute_not_exists(#likes) AND attribute_not_exists(#n)) \
             OR (#likes <= :likes OR ((attribute_not_exists(#likes) OR attribute_type(#likes, :likes_2)) AND #n <= :n))) \
             AND NOT attribute_type(#likes, :likes_2) AND NOT attribute_type(#n, :n_2) \
             AND ((attribute_exists(#note) AND NOT attribute_type(#note, :note) AND #note <> :note_2) \
             OR ((attribute_not_exists(#note) OR attribute_type(#note, :note)) \
             AND ((attribute_exists(#remark) AND NOT attribute_type(#remark, :remark) AND #remark <> :remark_2) \
             OR ((attribute_not_exists(#remark) OR attribute_type(#remark, :remark)) AND #comment <> :comment))))",
        ]
    );
}

/// Whatever the condition, it holds for a row of older names as it does for the same row of the new ones.
#[tokio::test]
async fn conditions_and_filters_see_a_value_wherever_it_is() {
    let world = world::<Film>().await;
    let f = Film::fields();
    let entry = |name| f.scores.entry::<String, u8>(name);
    let note: &Field<Film, Option<String>> = &f.note;
    let conditions: Vec<Condition<Film>> = vec![
        note.eq("seen"),
        note.eq("x"),
        note.ne("seen"),
        note.ne("x"),
        note.eq(None),
        note.ne(None),
        note.exists(),
        note.not_exists(),
        !note.exists(),
        note.is_in(["seen", "x"]),
        note.begins_with("se"),
        note.between("sa", "sz"),
        note.gt("z"),
        note.size().eq(4),
        note.size().ne(4),
        note.size().gt(9),
        f.tags.contains("horror"),
        !f.tags.contains("horror"),
        f.cast.contains("Ash"),
        entry("go").exists(),
        entry("go").not_exists(),
        entry("no").not_exists(),
        entry("go").eq(1),
        entry("go").ne(1),
        entry("no").ne(1),
        f.likes.ge(7) & !note.eq("x"),
        f.likes.lt(7) | note.eq("seen"),
    ];
    let absent = item([("id", s("1")), ("name", s("Alien")), ("n", n(7))]);
    let other = item([("id", s("1")), ("name", s("Alien")), ("n", n(7)), ("comment", s("seen"))]);
    for condition in conditions {
        let holds = async |row: Item| {
            world.write_foreign::<Film>(row).await;
            let found = Film::scan().filter(condition.clone()).send(&world.repository).await.expect("a scan");
            let put = live(&world.repository).await.expect("there").put().condition(condition.clone());
            let applied = put.send(&world.repository).await.expect("sent").is_applied();
            assert_eq!(found.items.len() == 1, applied, "{condition:?}");
            applied
        };
        for row in [older(), absent.clone(), other.clone()] {
            let moved = Film::from_item(row.clone()).and_then(|film| film.to_item()).expect("an item");
            assert_eq!(holds(row.clone()).await, holds(moved).await, "{condition:?} {row:?}");
        }
    }
}

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

/// The name in two, where there are two.
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
async fn an_older_row_is_upgraded_wherever_it_is_read() {
    let world = world::<Person>().await;
    let repository = &world.repository;
    first_ada().put().send(repository).await.expect("a put");
    assert_eq!(person(repository).await.expect("a get"), Some(ada()));
    assert_eq!(Person::scan().send(repository).await.expect("a scan").items, [ada()]);
    let outcome = ada().create().send(repository).await.expect("sent");
    let current = outcome.refusal().expect("it is there").current().expect("decodes");
    assert_eq!(current, Some(Found::Live(ada())));
    // Reading changes nothing.
    assert_eq!(world.stored::<Person>().await, [first_ada().to_item().expect("an item")]);
    // A put writes the current version, whatever is there.
    let old = ada().put().return_old().send(repository).await.expect("a put").decode().expect("decodes");
    assert_eq!(old, Some(Found::Live(ada())));
    let stored = ada().to_item().expect("an item");
    assert_eq!(stored.get("_v"), Some(&n(2)));
    assert_eq!(world.stored::<Person>().await, std::slice::from_ref(&stored));
    assert_eq!(person(repository).await.expect("a get"), Some(ada()));
    // What is of the current version is not upgraded, though it came by no read.
    assert_eq!(Person::from_item(stored).expect("decodes"), ada());
}

#[tokio::test]
async fn what_cannot_be_upgraded_is_an_error_that_names_it() {
    let world = world::<Person>().await;
    let repository = &world.repository;
    FirstPerson { name: "Ada".to_owned(), ..first_ada() }.put().send(repository).await.expect("a put");
    let error = person(repository).await.expect_err("one name");
    assert!(error.is_decode());
    assert_eq!(
        error.to_string(),
        "decode of `Person` (id = \"1\"): expected a row that `upgrade` takes from schema version 1 to 2, found one that it does not: \"Ada\" is one name"
    );
    for (stored, message) in [
        (
            n(3),
            "`_v`: expected a schema version up to 2, found 3: a newer program wrote it, and this one would lose what it does not know",
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
        // Nothing is made of it by an update either.
        let update = Person::update("1").with(Person::fields().visits.add(1)).send(repository).await.expect("sent");
        assert!(!update.is_applied());
        assert_eq!(world.stored::<Person>().await, [row]);
    }
}

#[tokio::test]
async fn an_update_is_refused_by_a_row_of_another_version() {
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
        "update of `Person` (id = \"1\") was refused: the row is of schema version 1, not 2: `modify` or put it, or update all rows first"
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

    // After a put, it passes; and where there is nothing, an upsert makes a row of the current version.
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
async fn a_row_that_does_not_say_is_of_the_first_version() {
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
    // A program of the first version knows of a second one that it is none of its own.
    let mut newer = numbered.to_item().expect("an item");
    newer.insert("shape".to_owned(), n(2));
    world.write_foreign::<Numbered>(newer).await;
    assert_eq!(reasons(&update().await.expect("sent")), [Reason::Newer { found: 2, current: 1 }]);
    assert!(Numbered::get("1").send(repository).await.expect_err("newer").is_decode());
}

/// As deployed before the next test's newer program: whatever has a condition.
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
async fn a_put_with_a_condition_leaves_a_row_alone_that_a_newer_program_has_written() {
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
    // One without a condition has none.
    row.put().send(repository).await.expect("a put");
    assert_eq!(world.stored::<Numbered>().await, [row.to_item().expect("an item")]);
    row.replace().send(repository).await.expect("sent").applied().expect("applied");

    // The version may have come from the newer program, as with a client's request.
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
    // A deletion mixes no shapes, and what follows it neither.
    let deleted = Draft::delete("1", 2u64).send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(deleted, 3);
    known.create().send(repository).await.expect("sent").applied().expect("applied");
}

/// With all that reads and writes more than one row.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages", schema_version = 3, upgrade = "Self::upgrade")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Page {
    #[partition_key]
    id: String,
    #[attribute(alias = "body")]
    text: String,
    /// From the second version on.
    language: String,
    /// From the third.
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
async fn a_versioned_item_is_upgraded_by_what_loads_it_and_kept_by_what_writes_it() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    world.write_foreign::<Page>(first_page()).await;
    let modify = Page::modify("1", |page| page.text.push('!')).send(repository).await.expect("sent");
    assert_eq!(modify.applied().expect("applied"), page("a b c!", 3, 5));
    let stored = world.stored::<Page>().await.remove(0);
    assert_eq!(stored.get("_v"), Some(&n(3)));
    assert!(!stored.contains_key("body"));
    // What was loaded is not written down by an atomic history, which begins here; older images are upgraded as well.
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
async fn an_upgrade_does_not_change_the_key() {
    let world = world::<Page>().await;
    let mut row = first_page();
    row.insert("moved".to_owned(), n(1));
    world.write_foreign::<Page>(row).await;
    let error = Page::get("1").send(&world.repository).await.expect_err("another key");
    assert_eq!(
        error.to_string(),
        "decode of `Page` (id = \"1\"): expected a row that `upgrade` takes from schema version 1 to 3, found one whose key it changes, which an item has for good"
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
async fn a_group_and_a_ratchet_go_with_older_rows() {
    let world = world::<Review>().await;
    let repository = &world.repository;
    let at = |millis| EpochMillis::new(millis);
    let older = item([("id", s("1")), ("stars", n(3)), ("rated_at", n(10))]);
    world.write_foreign::<Review>(older.clone()).await;
    let rate = |millis| Review::update("1").rated_at(at(millis)).rating(5).send(repository);
    let outdated = Reason::Outdated { found: 1, current: 2 };
    assert_eq!(reasons(&rate(11).await.expect("sent")), std::slice::from_ref(&outdated));
    // An old one is old news, whatever else it is.
    let stale = rate(9).await.expect("sent");
    assert_eq!(reasons(&stale), [outdated, Reason::Stale { attribute: "rated_at", tie: false }]);
    assert_eq!(stale.accept_stale().expect("old news"), None);
    // Of the current version, the group's update moves the value.
    let mut current = older;
    current.insert("_v".to_owned(), n(2));
    world.write_foreign::<Review>(current).await;
    rate(11).await.expect("sent").applied().expect("applied");
    let review = Review { id: "1".to_owned(), rating: 5, rated_at: at(11) };
    assert_eq!(world.stored::<Review>().await, [review.to_item().expect("an item")]);
    // A tombstone says nothing of shapes, and a put over it does.
    Review::delete("1", at(12)).send(repository).await.expect("sent").applied().expect("applied");
    assert!(!world.stored::<Review>().await[0].contains_key("_v"));
    assert_eq!(reasons(&rate(13).await.expect("sent")), [Reason::Deleted]);
    Review { rated_at: at(14), ..review }.put().send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(world.stored::<Review>().await[0].get("_v"), Some(&n(2)));
}

#[test]
fn a_handle_is_known_by_its_own_name() {
    let title: Field<Film, String> = Film::fields().title;
    assert_eq!(title.name(), "title");
}
