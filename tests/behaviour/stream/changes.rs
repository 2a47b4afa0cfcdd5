//! Images: which changes are changes of the entity, and which are not.

use super::{Order, Rating, Session, image, later, rating, record, session, tombstone, upgrade};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::stream::{Changed, Event, Record};
use dyno::{Document, Entity, Item};
use dyno_tests::{item, n, s};

/// An entity that also has rows of older shapes.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "films", schema_version = 2, upgrade = "upgrade")]
struct Film {
    #[partition_key]
    id: u32,
    #[attribute(alias = "name", alias = "label")]
    title: String,
    minutes: u32,
    place: Option<Place>,
    #[attribute(default = "later")]
    seen: u64,
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Place {
    city: String,
}

fn film(minutes: u32) -> Film {
    Film { id: 1, title: "Alien".to_owned(), minutes, place: None, seen: 0 }
}

/// A film of the first version.
#[expect(clippy::unnecessary_wraps, reason = "as `change` takes it")]
fn older<const N: usize>(attributes: [(&str, AttributeValue); N]) -> Option<Item> {
    let mut older = item([("id", n(1)), ("seen", n(0)), ("name", s("Alien")), ("hours", n(2))]);
    older.extend(item(attributes));
    Some(older)
}

#[test]
fn a_change_of_an_outdated_row_is_reported() {
    let updated = |old, new| Some(Changed::Updated { old, new });
    let alien = film(120);
    let aliens = Film { title: "Aliens".to_owned(), ..alien.clone() };
    // A change under an alias, a row with two of the names, and a change of an attribute that only `upgrade` reads.
    assert_eq!(change(older([]), older([("name", s("Aliens"))])), updated(alien.clone(), aliens.clone()));
    for name in ["title", "label"] {
        let error = record(older([]), older([(name, s("Aliens"))])).change::<Film>().expect_err("two titles");
        assert!(error.is_decode() && error.to_string().contains("`title`: expected one value"), "{error}");
        assert_eq!(change::<Film>(older([]), older([(name, s("Alien"))])), None, "the same twice");
    }
    assert_eq!(change(older([]), older([("hours", n(3))])), updated(alien.clone(), film(180)));
    assert_eq!(change(older([]), Some(image(&aliens))), updated(alien.clone(), aliens));
    // A change under the second alias in a row of the current version.
    let named = |name: &str| {
        let mut named = image(&alien);
        named.remove("title");
        named.insert("label".to_owned(), s(name));
        Some(named)
    };
    assert_eq!(change(named("Alien"), named("It")), updated(alien.clone(), Film { title: "It".to_owned(), ..alien }));
}

#[test]
fn an_upgrade_of_a_row_is_not_a_change() {
    let alien = film(120);
    assert_eq!(change::<Film>(older([]), Some(image(&alien))), None);
    assert_eq!(change::<Film>(older([]), older([("minutes", n(1)), ("more", n(1))])), None);
    // A change of an undeclared attribute in a document is not a change, either.
    let with = |place: [(&str, AttributeValue); 2]| {
        let mut film = image(&alien);
        film.insert("place".to_owned(), AttributeValue::M(item(place)));
        Some(film)
    };
    let (bern, gone) = (("city", s("Bern")), |text| ("zip", s(text)));
    assert_eq!(change::<Film>(with([bern.clone(), gone("3000")]), with([bern, gone("3001")])), None);
    // If a default has another value at each call, a row without the attribute has not changed.
    let bare = |more: &str| {
        let mut bare = image(&alien);
        bare.remove("seen");
        bare.insert("of_another_program".to_owned(), s(more));
        Some(bare)
    };
    assert_eq!(change::<Film>(bare("1"), bare("2")), None);
}

fn change<E: Entity>(old: Option<Item>, new: Option<Item>) -> Option<Changed<E>> {
    record(old, new).change().expect("it decodes")
}

#[test]
fn writing_a_tombstone_is_a_deletion_and_removing_one_is_no_change() {
    let (one, two) = (rating(1, 1), rating(2, 2));
    let (live, newer) = (|| Some(image(&one)), || Some(image(&two)));
    let dead = || Some(tombstone(3));
    assert_eq!(change(None, live()), Some(Changed::Created { new: one.clone() }));
    assert_eq!(change(live(), newer()), Some(Changed::Updated { old: one.clone(), new: two.clone() }));
    let Some(Changed::Deleted { old, tombstone: Some(stone), expired: false }) = change::<Rating>(newer(), dead())
    else {
        panic!("no deletion");
    };
    // The tombstone holds the token of the deletion, for consumers that order deletions, too.
    assert_eq!((old, stone.item().get("at")), (two.clone(), Some(&n(3))));
    assert_eq!(change(dead(), live()), Some(Changed::Created { new: one.clone() }));
    assert_eq!(change::<Rating>(None, dead()), None);
    assert_eq!(change::<Rating>(dead(), Some(tombstone(4))), None);
    assert_eq!(change::<Rating>(dead(), None), None);
    assert_eq!(change(live(), None), Some(Changed::Deleted { old: one, tombstone: None, expired: false }));
}

#[test]
fn a_removal_by_ttl_is_reported_as_expired() {
    let by = |kind: &str, who: &str| record(Some(image(&session(5))), None).with_identity(kind, who);
    for (record, expected) in [
        (by("Service", "dynamodb.amazonaws.com"), true),
        (by("Service", "replication.dynamodb.amazonaws.com"), false),
        (by("AssumedRole", "dynamodb.amazonaws.com"), false),
        (record(Some(image(&session(5))), None), false),
    ] {
        assert_eq!(record.is_expired(), expected);
        let deleted = Changed::Deleted { old: session(5), tombstone: None, expired: expected };
        assert_eq!(record.change::<Session>().expect("decodes"), Some(deleted));
    }
    // An update by the same service is not an expiration.
    let update = record(Some(image(&session(5))), Some(image(&session(6))));
    assert!(!update.with_identity("Service", "dynamodb.amazonaws.com").is_expired());
    // An expired entity counts as existing until its row is removed, so each entity is deleted only once.
    assert_eq!(change(None, Some(image(&session(0)))), Some(Changed::Created { new: session(0) }));
}

#[test]
fn a_change_of_undeclared_attributes_is_no_change() {
    let with = |attribute: &str, value: AttributeValue| {
        let mut item = image(&session(5));
        item.insert(attribute.to_owned(), value);
        Some(item)
    };
    let plain = || Some(image(&session(5)));
    assert_eq!(change::<Session>(plain(), with("unknown", s("x"))), None);
    assert_eq!(change::<Session>(with("_k", s("x")), with("_k", s("y"))), None);
    // The order of the elements of a set is not a change.
    let tags = |tags: [&str; 2]| with("tags", AttributeValue::Ss(tags.map(str::to_owned).into()));
    assert_eq!(change::<Session>(tags(["a", "b"]), tags(["b", "a"])), None);
    assert!(matches!(change::<Session>(plain(), tags(["b", "a"])), Some(Changed::Updated { .. })));
}

#[test]
fn records_of_other_entities_are_skipped() {
    let order = Order { user: "1".to_owned(), number: 7 };
    let of_order = || record(None, Some(image(&order)));
    assert_eq!(of_order().change::<Rating>().expect("no rating"), None);
    assert_eq!(of_order().change().expect("an order"), Some(Changed::Created { new: order.clone() }));
    assert!(of_order().is_of::<Order>() && !of_order().is_of::<Rating>() && !of_order().is_of::<Session>());
    // A key attribute of another type, an empty key, and a key of another template.
    for keys in [item([("id", s("1"))]), item([]), item([("PK", s("User#1"))])] {
        let record = Record::new(Event::Remove, keys);
        assert!(!record.is_of::<Session>() && !record.is_of::<Rating>());
        assert_eq!(record.change::<Session>().expect("no session"), None);
    }
}

#[test]
fn the_error_of_a_record_without_its_image_names_the_view_type() {
    let new = image(&rating(1, 1));
    for (event, which) in [(Event::Insert, "new"), (Event::Modify, "old"), (Event::Remove, "old")] {
        let error = Record::new(event, new.clone()).change::<Rating>().expect_err("keys only");
        assert!(error.is_invalid_input());
        assert_eq!(
            error.to_string(),
            format!(
                "stream change of `Rating` (PK = \"User#1\", SK = \"Movie#A\"): the stream's record has no {which} image: give the table's stream the StreamViewType NEW_AND_OLD_IMAGES"
            )
        );
    }
    // A stream of new images has everything that an insert needs, but not what a modify needs.
    let insert = Record::new(Event::Insert, new.clone()).with_new_image(new.clone());
    assert!(insert.change::<Rating>().expect("an insert").is_some());
    let modify = Record::new(Event::Modify, new.clone()).with_new_image(new);
    assert!(modify.change::<Rating>().is_err());
}

#[test]
fn an_image_that_cannot_be_decoded_is_an_error_with_its_key() {
    let keys = item([("PK", s("User#1")), ("SK", s("Movie#A"))]);
    let error = record(None, Some(keys)).change::<Rating>().expect_err("no rating");
    assert!(error.is_decode());
    assert_eq!(error.key(), Some("PK = \"User#1\", SK = \"Movie#A\""));
}
