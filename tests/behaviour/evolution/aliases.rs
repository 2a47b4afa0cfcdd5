//! Aliases, the older names of attributes: which values are read, and what a change does with them.

use super::{Film, alien, film, list, live, names, older};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, ErrorKind, Field, Found, Reason};
use dyno_tests::{item, n, reasons, s, world};
use std::collections::BTreeSet;

#[tokio::test]
async fn a_value_is_read_under_its_own_name_or_else_under_its_first_alias() {
    let world = world::<Film>().await;
    for (row, title) in [
        (item([("id", s("1")), ("title", s("own"))]), "own"),
        (item([("id", s("1")), ("name", s("a"))]), "a"),
        (item([("id", s("1")), ("label", s("b"))]), "b"),
        // A program that writes under all names has left this row.
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
async fn a_put_removes_the_values_under_aliases() {
    let world = world::<Film>().await;
    world.write_foreign::<Film>(older()).await;
    alien().put().send(&world.repository).await.expect("a put");
    assert_eq!(world.stored::<Film>().await, [alien().to_item().expect("an item")]);
}

/// Every change of a whole attribute takes the value from the alias and stores it under the attribute's own name. On a row
/// with older names, it has the same result as on a row with the new names.
#[tokio::test]
async fn a_change_of_a_whole_attribute_moves_its_value_from_the_alias() {
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
        // An attribute that was not changed keeps its older name.
        assert!(names.contains("marks"), "{names:?}");
    }
}

#[tokio::test]
async fn a_cleared_attribute_does_not_return_from_an_alias() {
    let world = world::<Film>().await;
    world.write_foreign::<Film>(older()).await;
    let update = |change| Film::update("1").with(change);
    update(Film::fields().note.set("again")).send(&world.repository).await.expect("sent").applied().expect("applied");
    update(Film::fields().note.clear()).send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(live(&world.repository).await, Some(Film { note: None, ..alien() }));
    // The value does not return after a lost response either.
    world.write_foreign::<Film>(older()).await;
    world.lose_answers(1);
    update(Film::fields().note.clear()).send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(live(&world.repository).await, Some(Film { note: None, ..alien() }));
    // An `add` is not sent again after a lost response, even if it reads the old value from an alias.
    world.lose_answers(1);
    let error = update(Film::fields().likes.add(1)).send(&world.repository).await.expect_err("a lost answer");
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(live(&world.repository).await.map(|film| film.likes), Some(8));
}

#[tokio::test]
async fn a_change_of_a_part_of_a_value_under_an_alias_is_refused() {
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
                "`{attribute}` is still stored under its alias `{found}`, so a part of it cannot be changed: write the whole item once"
            )
        );
    }
    // After a put of the item, the changes are applied.
    for (change, ..) in changes() {
        alien().put().send(&world.repository).await.expect("a put");
        Film::update("1").with(change).send(&world.repository).await.expect("sent").applied().expect("applied");
    }
    // The row has both names, as an older program leaves it. Without the last element of `tags`, a read would return the older
    // value of `labels`.
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

/// A newer program has written the row, and then a program that knows only the older names has updated it.
#[tokio::test]
async fn different_values_under_a_name_and_its_alias_are_refused() {
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
    // A condition on such an attribute is refused too.
    let update = Film::update("1").condition(f().likes.eq(7)).with(f().title.set("Aliens"));
    assert_eq!(reasons(&update.send(repository).await.expect("sent")), [two("likes", "n")]);
    let put = alien().put().condition(!f().likes.eq(7)).send(repository).await.expect("sent");
    assert_eq!(reasons(&put), [two("likes", "n")]);
    assert_eq!(world.stored::<Film>().await, [both()]);
    // Reads fail, with an error that says what to do.
    let error = Film::get("1").send(repository).await.expect_err("two values");
    assert_eq!(
        error.to_string(),
        "decode of `Film` (id = \"1\"): `likes`: expected one value under all of its names, found different ones under `likes` and `n`: decide which is right, and set the field, or put the item"
    );
    let done = Film::scan().modify_each(|_| ()).send(repository).await.expect("sent");
    assert!(done.completed().expect_err("two values").is_decode());
    assert_eq!(world.stored::<Film>().await, [both()]);
    assert_eq!(
        two("likes", "n").to_string(),
        "`likes` has another value under its alias `n`, because a program that knows only one of the names wrote it: set `likes`, or put the item"
    );
    // A `set` writes one value, and removes the others.
    let update = Film::update("1").with([f().likes.set(8), f().note.set("newer")]);
    let update = update.with(f().cast.set(vec!["Ripley".to_owned()]));
    update.send(repository).await.expect("sent").applied().expect("applied");
    let expected = Film { likes: 8, note: Some("newer".to_owned()), cast: vec!["Ripley".to_owned()], ..alien() };
    assert_eq!(live(repository).await, Some(expected.clone()));
    assert_eq!(world.stored::<Film>().await, [expected.to_item().expect("an item")]);
    // Equal values, as from a program that writes under both names, are accepted.
    let mut same = alien().to_item().expect("an item");
    same.insert("n".to_owned(), n("7.0"));
    world.write_foreign::<Film>(same).await;
    let update = Film::update("1").condition(f().likes.eq(7)).with(f().likes.add(1));
    update.send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(world.stored::<Film>().await, [Film { likes: 8, ..alien() }.to_item().expect("an item")]);
}

#[test]
fn a_field_handle_has_the_own_name_of_its_attribute() {
    let title: Field<Film, String> = Film::fields().title;
    assert_eq!(title.name(), "title");
}
