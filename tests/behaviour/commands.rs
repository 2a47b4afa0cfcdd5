//! Puts, updates and deletes of an entity without rules; conditions; what commands return; requests shown and sent by
//! hand.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Change, Condition, Entity, Found, Outcome, Reason, Request};
use dyno_tests::{World, item, n, s, world};
use std::collections::BTreeSet;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
struct User {
    #[partition_key]
    id: u64,
    name: String,
    note: Option<String>,
    logins: u32,
    tags: BTreeSet<String>,
    colours: Vec<String>,
}

fn user(name: &str) -> User {
    User {
        id: 1,
        name: name.to_owned(),
        note: None,
        logins: 3,
        tags: ["a".to_owned(), "b".to_owned()].into(),
        colours: vec!["red".to_owned()],
    }
}

fn reasons<E, T>(outcome: &Outcome<E, T>) -> Vec<Reason> {
    outcome.refusal().map(|refusal| refusal.reasons().to_vec()).unwrap_or_default()
}

async fn live(world: &World) -> Option<User> {
    User::get(1).consistent().send(&world.repository).await.expect("a get")
}

#[tokio::test]
async fn put_create_replace_delete() {
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
async fn updates_change_what_they_name() {
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
    // None and the empty set went.
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

/// What is kept of the key besides is known from it, and cannot be set to anything else.
#[tokio::test]
async fn an_upsert_keeps_what_is_stored_of_its_key() {
    let world = world::<Badge>().await;
    let give = |holder: &str| Badge::update(("Bern", 7_u32)).with(Badge::fields().holder.set(holder)).upsert();
    for holder in ["Ada", "Ben"] {
        assert!(give(holder).send(&world.repository).await.expect("an upsert").is_applied());
        let badge = Badge { site: "Bern".to_owned(), number: 7, holder: holder.to_owned() };
        assert_eq!(world.stored::<Badge>().await, [badge.to_item().expect("an item")]);
    }
}

#[tokio::test]
async fn an_upsert_makes_a_whole_item_or_none() {
    let world = world::<User>().await;
    let upsert = User::update(1).with(User::fields().name.set("A")).upsert();
    let error = upsert.clone().send(&world.repository).await.expect_err("half an item");
    assert!(error.is_invalid_input());
    assert_eq!(
        error.to_string(),
        "update of `User` (id = 1): the upsert could make an item without `logins`, `colours`: set that too, give it a default, or put the whole item"
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
        "update of `User` (id = 1): `name` is changed twice in one update: DynamoDB takes one change of it"
    );
    let many = (0..200).map(|i| f.name.ne(format!("{i}"))).reduce(|a, b| a & b).expect("many");
    let error = User::update(1).with(User::fields().name.set("A")).condition(many).send(&world.repository).await;
    let error = error.expect_err("too many").to_string();
    assert!(error.contains("the condition has more than 300 operators and functions"), "{error}");
    let long = (0..5).map(|i| f.logins.is_in(i * 100..i * 100 + 100)).reduce(|a, b| a | b).expect("long");
    let error = User::update(1).with(User::fields().name.set("A")).condition(long).send(&world.repository).await;
    let error = error.expect_err("too long").to_string();
    assert!(error.contains("DynamoDB takes 4096"), "{error}");
    let many = f.logins.is_in(0..101);
    let error = user("A").put().condition(many).send(&world.repository).await.expect_err("too many");
    assert!(error.to_string().ends_with("`logins`: `is_in` takes 1 to 100 values, not more"), "{error}");
    assert_eq!(world.repository.usage(), before);
}

#[tokio::test]
async fn conditions_hold_or_do_not() {
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
        // None and the empty set are absence.
        (f.note.eq(None), true),
        (f.note.ne(None), false),
        (f.tags.eq(BTreeSet::new()), false),
        (f.tags.ne(BTreeSet::new()), true),
        // Every comparison with what is absent is false, and its negation true.
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
        // Nothing is there, so only what absence satisfies holds; that it runs is what is asked.
        let _outcome = delete.send(&world.repository).await.expect("a delete");
    }
}

#[tokio::test]
async fn the_old_and_the_new_item_come_back_and_are_decoded_on_demand() {
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
    // A row of another shape: the write is applied, and only the reading of the old row fails.
    world.write_foreign::<User>(item([("id", n(1)), ("name", n(7))])).await;
    let old = user("D").put().return_old().send(repository).await.expect("applied");
    assert_eq!(old.item().and_then(|item| item.get("name")), Some(&n(7)));
    assert!(old.decode().expect_err("another shape").is_decode());
    assert_eq!(live(&world).await, Some(user("D")));
    let old = User::delete(1).return_old().send(repository).await.expect("a delete");
    assert_eq!(old.decode().expect("decodes"), Some(Found::Live(user("D"))));
}

#[tokio::test]
async fn a_request_can_be_shown_changed_and_sent_by_hand() {
    let world = world::<User>().await;
    let repository = &world.repository;
    let f = User::fields();
    let before = repository.usage();
    let update = User::update(1)
        .with([User::fields().name.set("B"), User::fields().note.clear(), User::fields().logins.set(3)])
        .condition(f.logins.eq(3) | f.logins.is_in([4, 5]))
        .return_new();
    let request = update.request(repository).expect("a request");
    assert_eq!(
        request.to_string(),
        "UpdateItem users
  key: { id: 1 }
  update: SET #name = :name, #logins = :logins REMOVE #note
  condition: attribute_exists(#id) AND (#logins = :logins OR #logins IN (:logins_2, :logins_3))
    #id = id
    #logins = logins
    #name = name
    #note = note
    :logins = 3
    :logins_2 = 4
    :logins_3 = 5
    :name = \"B\""
    );
    assert_eq!(
        User::get(1).consistent().request(repository).expect("a request").to_string(),
        "GetItem users\n  key: { id: 1 }\n  consistent"
    );
    assert_eq!(
        User::scan()
            .limit(5)
            .filter(f.tags.contains("x"))
            .segment(1, 2)
            .request(repository)
            .expect("a request")
            .to_string(),
        "Scan users\n  filter: contains(#tags, :tags)\n    #tags = tags\n    :tags = \"x\"\n  limit 5, segment 1, segments 2"
    );
    assert_eq!(
        User::delete(1).condition(f.name.size().gt(2)).request(repository).expect("a request").to_string(),
        "DeleteItem users\n  key: { id: 1 }\n  condition: size(#name) > :name\n    #name = name\n    :name = 2"
    );
    let Request::Put(put) = user("A").create().request(repository).expect("a request") else { panic!() };
    assert_eq!(repository.usage(), before, "nothing was sent");
    let put = put.item("extra", AttributeValue::Bool(true));
    put.send_with(repository.client()).await.expect("sent by hand");
    assert_eq!(world.stored::<User>().await[0].get("extra"), Some(&AttributeValue::Bool(true)));
    // The requests are the same every time.
    assert_eq!(update.request(repository).expect("a request").to_string(), request.to_string());
}

#[derive(Entity, Debug)]
#[entity(table = "users")]
struct Odd {
    #[partition_key]
    id: u64,
    #[attribute(rename = "user-id")]
    user: String,
    #[attribute(rename = "a.b")]
    dotted: String,
    #[attribute(rename = "größe")]
    size: u8,
    #[attribute(rename = "Timestamp")]
    reserved: u8,
    #[attribute(rename = "n")]
    short: u8,
}

#[tokio::test]
async fn every_name_and_value_travels_as_a_placeholder() {
    let world = world::<Odd>().await;
    let f = Odd::fields();
    let odd = Odd { id: 1, user: "u".to_owned(), dotted: "d".to_owned(), size: 1, reserved: 2, short: 3 };
    let all = f.user.eq("u") & f.dotted.eq("d") & f.size.eq(1) & f.reserved.eq(2) & f.short.eq(3);
    odd.put().send(&world.repository).await.expect("a put");
    let update = Odd::update(1)
        .with([
            Odd::fields().user.set("x"),
            Odd::fields().dotted.set("y"),
            Odd::fields().size.set(7),
            Odd::fields().reserved.set(8),
            Odd::fields().short.set(9),
        ])
        .condition(all);
    assert!(update.send(&world.repository).await.expect("an update").is_applied());
    let expected =
        item([("id", n(1)), ("user-id", s("x")), ("a.b", s("y")), ("größe", n(7)), ("Timestamp", n(8)), ("n", n(9))]);
    assert_eq!(world.stored::<Odd>().await, [expected]);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
struct Generic<T> {
    #[partition_key]
    id: u64,
    body: T,
    more: Vec<T>,
}

#[tokio::test]
async fn an_entity_may_be_generic() {
    let world = world::<Generic<String>>().await;
    let generic = Generic { id: 1, body: "x".to_owned(), more: vec!["y".to_owned()] };
    generic.put().send(&world.repository).await.expect("a put");
    let update = Generic::<String>::update(1).with(Generic::<String>::fields().body.set("z"));
    assert!(update.send(&world.repository).await.expect("an update").is_applied());
    let found = Generic::<String>::get(1).send(&world.repository).await.expect("a get");
    assert_eq!(found.map(|found| found.body), Some("z".to_owned()));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "generic")]
#[tombstone(ttl_days = 7)]
struct Ratcheted<T, const N: usize> {
    #[partition_key]
    id: String,
    body: T,
    bytes: [u8; N],
    #[ratchet]
    at: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "generic")]
struct Undeletable<T: dyno::Value> {
    #[partition_key]
    id: String,
    body: T,
    #[ratchet]
    at: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "generic")]
#[tombstone(ttl_days = 7)]
struct Grouped<T> {
    #[partition_key]
    id: String,
    body: T,
    #[ratchet(guards(body))]
    at: u64,
}

#[tokio::test]
async fn a_ratcheted_entity_may_be_generic() {
    let world = world::<Ratcheted<String, 2>>().await;
    let repository = &world.repository;
    let one = Ratcheted { id: "1".to_owned(), body: "x".to_owned(), bytes: [1, 2], at: 10 };
    one.put().send(repository).await.expect("a put").applied().expect("applied");
    assert_eq!(Ratcheted::<String, 2>::get("1").send(repository).await.expect("a get"), Some(one));
    let delete = Ratcheted::<String, 2>::delete("1", 11u64).send(repository).await.expect("a delete");
    assert_eq!(reasons(&delete), []);
    let other = Undeletable { id: "2".to_owned(), body: 7u8, at: 1 };
    other.put().send(repository).await.expect("a put").applied().expect("applied");
    let third = Grouped { id: "3".to_owned(), body: 7u8, at: 1 };
    third.put().send(repository).await.expect("a put").applied().expect("applied");
    let update = Grouped::<u8>::update("3").at(2u64).body(8).send(repository).await.expect("an update");
    assert_eq!(reasons(&update), []);
}

#[tokio::test]
async fn nothing_is_between_two_values_of_which_the_first_is_the_greater() {
    let world = world::<User>().await;
    let filter = User::fields().logins.between(9, 1);
    let error = User::scan().filter(filter).send(&world.repository).await.expect_err("DynamoDB refuses it");
    assert_eq!(
        error.to_string(),
        "scan of `User`: `logins`: nothing is between two values of which the first is the greater"
    );
}
