//! Sets, maps, and members of documents.

use super::{Profile, address, path, profile, stored, texts, with_profile};
use dyno::{Entity, Reason};
use dyno_tests::{World, item, s, world};
use std::collections::BTreeSet;

#[tokio::test]
async fn set_elements_are_inserted_and_removed() {
    let f = Profile::fields;
    check!(f().tags.insert("b") => |p| { p.tags.insert("b".to_owned()); });
    check!(f().tags.insert("a") => |p| { p.tags.insert("a".to_owned()); });
    check!(f().tags.insert_all(["b", "b", "c"]) => |p| p.tags.extend(texts(["b", "c"])));
    check!(f().lucky.insert(7), f().keys.insert(vec![1u8, 2]) => |p| { p.lucky.insert(7); p.keys.insert(vec![1, 2]); });
    check!(f().tags.remove("a"), f().lucky.remove(7) => |p| p.tags.clear());
    check!(f().tags.remove_all(["a", "b"]) => |p| p.tags.clear());
    check!(f().tags.clear() => |p| p.tags.clear());
}

/// An empty set equals an absent attribute in puts, updates, conditions and reads.
#[tokio::test]
async fn an_empty_set_is_an_absent_attribute() {
    let world = with_profile().await;
    let f = Profile::fields;
    let is_absent = async |world: &World| !world.stored::<Profile>().await[0].contains_key("tags");
    assert!(!is_absent(&world).await);
    assert!(update!(world, f().tags.remove("a")).is_applied());
    assert!(is_absent(&world).await, "with its last element, the attribute is gone");
    for condition in [f().tags.eq(BTreeSet::new()), !f().tags.exists(), !f().tags.contains("a")] {
        let update = Profile::update("1").condition(condition).with(f().likes.add(1));
        assert!(update.send(&world.repository).await.expect("an answer").is_applied());
    }
    assert!(update!(world, f().tags.set(BTreeSet::new())).is_applied());
    assert!(is_absent(&world).await);
    assert!(update!(world, f().tags.insert("b")).is_applied());
    let update = Profile::update("1").condition(f().tags.ne(BTreeSet::new())).with(f().tags.set(BTreeSet::new()));
    assert!(update.send(&world.repository).await.expect("an answer").is_applied());
    assert!(is_absent(&world).await);
    assert_eq!(stored(&world).await.tags, BTreeSet::new());
    Profile { tags: BTreeSet::new(), ..profile() }.put().send(&world.repository).await.expect("a put");
    assert!(is_absent(&world).await);
    assert!(update!(world, f().tags.remove("never there")).is_applied());
    assert_eq!(stored(&world).await.tags, BTreeSet::new());
}

#[tokio::test]
async fn map_entries_are_set_added_to_and_cleared() {
    let f = Profile::fields;
    check!(f().scores.entry("go").set(1) => |p| { p.scores.insert("go".to_owned(), 1); });
    check!(f().scores.entry("go").add(1), f().scores.entry("chess").add(1) => |p| {
        p.scores = [("go".to_owned(), 1), ("chess".to_owned(), 4)].into();
    });
    check!(f().scores.entry("a.b[0] #x").set(1) => |p| { p.scores.insert("a.b[0] #x".to_owned(), 1); });
    check!(f().scores.entry("chess").clear(), f().scores.entry("no").clear() => |p| p.scores.clear());
    check!(f().scores.entry("chess").set(None) => |p| p.scores.clear());
    check!(f().scores.entry("chess").set_if_absent(1), f().scores.entry("go").set_if_absent(2) => |p| {
        p.scores.insert("go".to_owned(), 2);
    });
    check_refused!(f().scores.entry("go").increment(1) => Reason::Absent { path: path("scores.go") });
    check_refused!(f().extra.entry("x").set("y") => Reason::Absent { path: path("extra") });
    let world = with_profile().await;
    for (condition, holds) in [
        (f().scores.entry("chess").eq(3), true),
        (f().scores.entry("go").exists(), false),
        (f().scores.entry("chess").gt(3), false),
        (f().address.fields().geo.fields().latitude.lt(50.0), true),
        (f().address.fields().zip.begins_with("75"), true),
        (f().address.fields().tags.contains("old"), true),
        (f().second.fields().city.exists(), false),
    ] {
        let update = Profile::update("1").condition(condition.clone()).with(f().likes.add(1));
        assert_eq!(update.send(&world.repository).await.expect("an answer").is_applied(), holds, "{condition:?}");
    }
}

#[tokio::test]
async fn document_members_are_changed_through_their_own_handles() {
    let f = Profile::fields;
    check!(f().address.fields().city.set("Rome") => |p| p.address.city = "Rome".to_owned());
    check!(f().address.fields().zip.clear() => |p| p.address.zip = None);
    check!(f().address.fields().geo.fields().latitude.set(1.5) => |p| p.address.geo.latitude = 1.5);
    let two = Profile::fields().address.fields();
    check!(two.floors.add(1), two.tags.set(BTreeSet::new()) => |p| { p.address.floors = 4; p.address.tags.clear(); });
    check!(f().second.set(address()) => |p| p.second = Some(address()));
    check_refused!(f().second.fields().city.set("Rome") => Reason::Absent { path: path("second") });
    check_refused!(f().second.fields().geo.fields().latitude.add(1.0) => Reason::Absent { path: path("second.Geo") });
}

/// A custom codec decides the stored form, so the values of changes and conditions go through the codec.
#[tokio::test]
async fn a_custom_codec_encodes_changes_and_conditions() {
    #[expect(clippy::ptr_arg, clippy::unnecessary_wraps, reason = "as a codec's functions are")]
    mod joined {
        use dyno::aws_sdk_dynamodb::types::AttributeValue;

        pub(super) fn encode(list: &Vec<String>) -> Result<AttributeValue, String> {
            Ok(AttributeValue::S(list.join(",")))
        }

        pub(super) fn decode(value: AttributeValue) -> Result<Vec<String>, String> {
            let text = value.as_s().map_err(|_| "no text".to_owned())?;
            Ok(text.split(',').map(str::to_owned).collect())
        }
    }

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "coded")]
    struct Coded {
        #[partition_key]
        id: String,
        #[attribute(with = "joined")]
        list: Option<Vec<String>>,
    }
    let world = world::<Coded>().await;
    Coded { id: "1".to_owned(), list: None }.put().send(&world.repository).await.expect("a put");
    let set = Coded::update("1").with(Coded::fields().list.set(texts(["a", "b"])));
    assert!(set.send(&world.repository).await.expect("an answer").is_applied());
    assert_eq!(world.stored::<Coded>().await, [item([("id", s("1")), ("list", s("a,b"))])]);
    let f = Coded::fields();
    let clear = Coded::update("1").condition(f.list.eq(texts(["a", "b"]))).with(f.list.clear());
    assert!(clear.send(&world.repository).await.expect("an answer").is_applied());
    assert_eq!(world.stored::<Coded>().await, [item([("id", s("1"))])]);
}

#[tokio::test]
async fn an_entry_with_an_empty_key_is_refused_before_the_request() {
    let world = with_profile().await;
    let before = world.repository.usage();
    let f = Profile::fields;
    for update in [
        Profile::update("1").with(f().scores.entry("").set(1)),
        Profile::update("1").condition(f().scores.entry("").exists()).with(f().likes.add(1)),
    ] {
        let error = update.send(&world.repository).await.expect_err("no key");
        assert!(error.is_invalid_input() && error.to_string().contains("key is empty"), "{error}");
    }
    assert_eq!(world.repository.usage(), before);
}
