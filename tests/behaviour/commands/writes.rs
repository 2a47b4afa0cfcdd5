//! Puts, updates and deletes: what they do, what they require, and what they return.

use super::{User, user};
use dyno::{Change, Condition, Entity, Found, Outcome, Reason};
use dyno_tests::{World, item, n, reasons, world};
use std::collections::BTreeSet;

async fn live(world: &World) -> Option<User> {
    User::get(1).consistent().send(&world.repository).await.expect("a get")
}

#[tokio::test]
async fn put_overwrites_create_requires_absence_and_replace_requires_an_item() {
    let world = world::<User>().await;
    let repository = &world.repository;
    assert_eq!(live(&world).await, None);
    let replace = user("A").replace().send(repository).await.expect("a replace");
    assert_eq!(reasons(&replace), [Reason::Missing]);
    // An unconditional write has no outcome to look at.
    let () = user("A").put().send(repository).await.expect("a put");
    assert_eq!(live(&world).await, Some(user("A")));
    let create = user("B").create().send(repository).await.expect("a create");
    assert_eq!(reasons(&create), [Reason::Exists]);
    let Outcome::Refused(refusal) = create else { panic!() };
    assert!(refusal.is_existing());
    assert_eq!(refusal.current().expect("decodes"), Some(Found::Live(user("A"))));
    let replace = user("C").replace().send(repository).await.expect("a replace");
    assert!(replace.is_applied());
    let () = User::delete(1).send(repository).await.expect("a delete");
    let () = User::delete(1).send(repository).await.expect("a delete of nothing");
    assert_eq!(live(&world).await, None);
    assert!(user("D").create().send(repository).await.expect("a create").is_applied());
}

#[tokio::test]
async fn updates_change_only_the_attributes_that_they_name() {
    let world = world::<User>().await;
    let repository = &world.repository;
    let outcome = User::update(1).with(User::fields().name.set("B")).send(repository).await.expect("an update");
    assert_eq!(reasons(&outcome), [Reason::Missing]);
    user("A").put().send(repository).await.expect("a put");
    let absent: Option<Change<User>> = None;
    let outcome = User::update(1)
        .with(User::fields().name.set("B"))
        .with([User::fields().note.set("n"), User::fields().logins.set(4)])
        .with(vec![User::fields().tags.set(BTreeSet::new())])
        .with(absent)
        .send(repository)
        .await
        .expect("an update");
    assert!(outcome.is_applied());
    let expected =
        User { name: "B".to_owned(), note: Some("n".to_owned()), logins: 4, tags: BTreeSet::new(), ..user("A") };
    assert_eq!(live(&world).await, Some(expected.clone()));
    // The empty set is stored as an absent attribute.
    assert!(!world.stored::<User>().await[0].contains_key("tags"));
    let outcome = User::update(1).with(User::fields().note.set(None)).send(repository).await.expect("an update");
    assert!(outcome.is_applied());
    let outcome = User::update(1).with(User::fields().tags.clear()).send(repository).await.expect("an update");
    assert!(outcome.is_applied());
    assert_eq!(live(&world).await, Some(User { note: None, ..expected }));
}

#[derive(Entity, Debug, PartialEq)]
#[entity(table = "badges")]
#[partition_key(name = "PK", template = "Site#{site}")]
#[sort_key(name = "SK", template = "Badge#{number:06}")]
#[index(name = "by_number", partition = number, sort = holder)]
struct Badge {
    site: String,
    #[attribute(stored)]
    number: u32,
    holder: String,
}

/// Attributes that are stored beside the key follow from the key, and cannot be set to another value.
#[tokio::test]
async fn an_upsert_stores_the_attributes_derived_from_its_key() {
    let world = world::<Badge>().await;
    let give = |holder: &str| Badge::update(("Bern", 7_u32)).with(Badge::fields().holder.set(holder)).upsert();
    for holder in ["Ada", "Ben"] {
        assert!(give(holder).send(&world.repository).await.expect("an upsert").is_applied());
        let badge = Badge { site: "Bern".to_owned(), number: 7, holder: holder.to_owned() };
        assert_eq!(world.stored::<Badge>().await, [badge.to_item().expect("an item")]);
    }
}

#[tokio::test]
async fn an_upsert_that_could_create_a_partial_item_is_refused() {
    let world = world::<User>().await;
    let upsert = User::update(1).with(User::fields().name.set("A")).upsert();
    let error = upsert.clone().send(&world.repository).await.expect_err("half an item");
    assert!(error.is_invalid_input());
    assert_eq!(
        error.to_string(),
        "update of `User` (id = 1): the upsert could create an item without `logins`, `colours`: set that too, give it a default, or put the whole item"
    );
    let upsert = upsert.with([User::fields().logins.set(1), User::fields().colours.set(vec![])]);
    assert!(upsert.clone().send(&world.repository).await.expect("an update").is_applied());
    assert!(upsert.send(&world.repository).await.expect("an update").is_applied());
    assert_eq!(live(&world).await.map(|user| user.logins), Some(1));
}

#[tokio::test]
async fn impossible_updates_are_refused_before_the_request() {
    let world = world::<User>().await;
    let f = User::fields();
    let before = world.repository.usage();
    let error = User::update(1).send(&world.repository).await.expect_err("no change");
    assert_eq!(
        error.to_string(),
        "update of `User` (id = 1): the update changes nothing: add a change with `with`, as in `.with(fields.name.set(value))`"
    );
    let twice = User::update(1).with(User::fields().name.set("A")).with(User::fields().name.set("B"));
    assert_eq!(
        twice.send(&world.repository).await.expect_err("overlapping").to_string(),
        "update of `User` (id = 1): `name` is changed twice in one update, and DynamoDB accepts one change: combine them"
    );
    let many = (0..200).map(|i| f.name.ne(format!("{i}"))).reduce(|a, b| a & b).expect("many");
    let error = User::update(1).with(User::fields().name.set("A")).condition(many).send(&world.repository).await;
    let error = error.expect_err("too many").to_string();
    assert!(error.contains("the condition has more than 300 operators and functions"), "{error}");
    let long = (0..9).map(|i| f.logins.is_in(i * 100..i * 100 + 100)).reduce(|a, b| a | b).expect("long");
    let error = User::update(1).with(User::fields().name.set("A")).condition(long).send(&world.repository).await;
    let error = error.expect_err("too long").to_string();
    assert!(error.contains("DynamoDB takes 4096"), "{error}");
    let many = f.logins.is_in(0..101);
    let error = user("A").put().condition(many).send(&world.repository).await.expect_err("too many");
    assert!(error.to_string().ends_with("`logins`: `is_in` takes 1 to 100 values, not more"), "{error}");
    assert_eq!(world.repository.usage(), before);
}

#[tokio::test]
async fn condition_operators_match_and_reject_stored_values() {
    let world = world::<User>().await;
    user("Ada").put().send(&world.repository).await.expect("a put");
    let f = User::fields();
    let set = |tag: &str| BTreeSet::from([tag.to_owned()]);
    for (condition, holds) in [
        (f.name.eq("Ada"), true),
        (f.name.eq("ada"), false),
        (f.name.ne("Bob"), true),
        (f.logins.eq(3), true),
        (f.logins.lt(3), false),
        (f.logins.le(3), true),
        (f.logins.gt(2), true),
        (f.logins.ge(4), false),
        (f.logins.between(1, 3), true),
        (f.logins.between(4, 9), false),
        (f.logins.is_in([1, 2, 3]), true),
        (f.name.is_in(["Bob", "Eve"]), false),
        (f.name.begins_with("Ad"), true),
        (f.name.contains("da"), true),
        (f.name.size().eq(3), true),
        (f.tags.contains("a"), true),
        (f.tags.contains("c"), false),
        (f.tags.size().ge(3), false),
        (f.tags.eq(BTreeSet::from(["b".to_owned(), "a".to_owned()])), true),
        (f.tags.eq(set("a")), false),
        (f.colours.contains("red"), true),
        (f.colours.size().lt(2), true),
        (f.note.exists(), false),
        (f.note.not_exists(), true),
        // `None` and the empty set count as absent.
        (f.note.eq(None), true),
        (f.note.ne(None), false),
        (f.tags.eq(BTreeSet::new()), false),
        (f.tags.ne(BTreeSet::new()), true),
        // Every comparison with an absent attribute is false, and its negation is true.
        (f.note.eq("x"), false),
        (f.note.lt("x"), false),
        (!f.note.lt("x"), true),
        (f.id.eq(1), true),
        (f.id.gt(1), false),
        (Condition::item_exists(), true),
        (!Condition::item_exists(), false),
        (f.name.eq("Ada") & f.logins.eq(3), true),
        (f.name.eq("Ada") & f.logins.eq(4), false),
        (f.name.eq("Bob") | f.logins.eq(3), true),
        (!(f.name.eq("Bob") | f.logins.eq(4)) & (f.logins.eq(9) | !f.note.exists()), true),
        (f.name.eq("Bob") & f.logins.eq(3) | f.name.eq("Ada"), true),
        (f.name.eq("Bob") & (f.logins.eq(3) | f.name.eq("Ada")), false),
    ] {
        let put = user("Ada").put().condition(condition.clone());
        let outcome = put.send(&world.repository).await.expect("a put");
        let expected = if holds { vec![] } else { vec![Reason::Condition] };
        assert_eq!(reasons(&outcome), expected, "{condition:?}");
        let delete = User::delete(2).condition(condition);
        // Item 2 does not exist, so few conditions hold. The delete only shows that DynamoDB accepts the condition.
        let _outcome = delete.send(&world.repository).await.expect("a delete");
    }
}

#[tokio::test]
async fn returned_old_and_new_items_are_decoded_on_demand() {
    let world = world::<User>().await;
    let repository = &world.repository;
    let f = User::fields();
    let old = user("A").put().return_old().send(repository).await.expect("a put");
    assert_eq!(old.decode().expect("decodes"), None);
    let old = user("B").put().return_old().condition(f.name.eq("A")).send(repository).await.expect("a put");
    assert_eq!(old.applied().expect("applied").decode().expect("decodes"), Some(Found::Live(user("A"))));
    let update = User::update(1).with(User::fields().name.set("C"));
    let new = update.clone().return_new().send(repository).await.expect("an update").applied().expect("applied");
    assert_eq!(new.decode().expect("decodes"), user("C"));
    let old = update.with(User::fields().logins.set(9)).return_old().send(repository).await.expect("an update");
    assert_eq!(old.applied().expect("applied").decode().expect("decodes"), Some(Found::Live(user("C"))));
    // The old row has another shape. The write is applied, and only decoding the old row fails.
    world.write_foreign::<User>(item([("id", n(1)), ("name", n(7))])).await;
    let old = user("D").put().return_old().send(repository).await.expect("applied");
    assert_eq!(old.item().and_then(|item| item.get("name")), Some(&n(7)));
    assert!(old.decode().expect_err("another shape").is_decode());
    assert_eq!(live(&world).await, Some(user("D")));
    let old = User::delete(1).return_old().send(repository).await.expect("a delete");
    assert_eq!(old.decode().expect("decodes"), Some(Found::Live(user("D"))));
}

#[tokio::test]
async fn between_with_reversed_bounds_is_refused() {
    let world = world::<User>().await;
    let filter = User::fields().logins.between(9, 1);
    let error = User::scan().filter(filter).send(&world.repository).await.expect_err("DynamoDB refuses it");
    assert_eq!(
        error.to_string(),
        "scan of `User`: `logins`: the lower bound of `between` is greater than its upper bound: swap the two"
    );
}
