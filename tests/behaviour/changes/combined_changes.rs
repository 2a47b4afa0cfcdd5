//! Several changes in one update: the request that they make, and the reasons for which they are refused.

use super::{Profile, address, path, profile, stored, texts, with_profile};
use dyno::{Entity, EpochMillis, Error, Found, Reason, Transaction};
use dyno_tests::{n, reasons, world};
use std::collections::BTreeMap;

/// The compiler cannot detect overlapping changes, because places such as map keys are known only at run time.
#[tokio::test]
async fn overlapping_changes_are_refused_before_the_request() {
    let world = with_profile().await;
    let before = world.repository.usage();
    let f = Profile::fields;
    let error = async |changes: Vec<dyno::Change<Profile>>| -> Error {
        let update = Profile::update("1").with(changes);
        update.send(&world.repository).await.expect_err("overlapping")
    };
    let twice = "is changed twice in one update, and DynamoDB accepts one change: combine them";
    for (changes, expected) in [
        (vec![f().likes.add(1), f().likes.set(1)], format!("`likes` {twice}")),
        (vec![f().scores.entry("a").set(1), f().scores.entry("a").add(1)], format!("`scores.a` {twice}")),
        (vec![f().friends.remove_at(1, "bob"), f().friends.replace_at(1, "bob", "x")], format!("`friends[1]` {twice}")),
        (
            vec![f().address.fields().city.set("x"), f().address.set(address())],
            "`address.City` and `address` are both changed in one update, and one contains the \
             other: change only one of them"
                .to_owned(),
        ),
        (
            vec![f().friends.push("x"), f().friends.remove_at(1, "bob")],
            "`friends` and `friends[1]` are both changed in one update, and one contains the \
             other: change only one of them"
                .to_owned(),
        ),
    ] {
        assert_eq!(error(changes).await.to_string(), format!("update of `Profile` (id = \"1\"): {expected}"));
    }
    let many = (0..200).map(|index| f().scores.entry(format!("{index}")).add(1)).collect();
    let many = error(many).await.to_string();
    assert!(many.contains("DynamoDB accepts"), "{many}");
    assert_eq!(world.repository.usage(), before);
    // Neighbours do not overlap.
    let both = [f().friends.remove_at(0, "ann"), f().friends.replace_at(1, "bob", "x")];
    assert!(Profile::update("1").with(both).send(&world.repository).await.expect("an answer").is_applied());
    assert_eq!(stored(&world).await.friends, texts(["x", "ann"]));
}

#[tokio::test]
async fn an_upsert_that_could_create_a_partial_item_is_refused() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "counters")]
    struct Counter {
        #[partition_key]
        id: String,
        hits: u64,
        seen: Vec<String>,
        at: EpochMillis,
    }
    let world = world::<Counter>().await;
    let f = Counter::fields;
    let at = EpochMillis::new(1);
    let upsert = || Counter::update("1").with([f().hits.add(2), f().seen.push("x"), f().at.set(at)]).upsert();
    assert!(upsert().send(&world.repository).await.expect("an answer").is_applied());
    assert!(upsert().send(&world.repository).await.expect("an answer").is_applied());
    let counter = Counter::get("1").consistent().send(&world.repository).await.expect("a get");
    assert_eq!(counter, Some(Counter { id: "1".to_owned(), hits: 4, seen: texts(["x", "x"]), at }));
    let error = Counter::update("2").with([f().hits.increment(2), f().seen.push("x"), f().at.set(at)]).upsert();
    let error = error.send(&world.repository).await.expect_err("it does not make an item");
    assert!(error.to_string().contains("could create an item without `hits`"), "{error}");
}

#[tokio::test]
async fn each_change_has_its_update_and_condition_expression() {
    let world = with_profile().await;
    let f = Profile::fields;
    for (change, update, condition) in [
        (f().likes.add(1), "ADD #likes :likes_2", "attribute_not_exists(#likes) OR #likes <= :likes"),
        (f().likes.increment(1), "SET #likes = #likes + :likes_2", "#likes <= :likes"),
        (f().likes.decrement(1), "SET #likes = #likes - :likes", "#likes >= :likes"),
        (f().ratio.increment(1.0), "SET #ratio = #ratio + :ratio_2", "attribute_type(#ratio, :ratio)"),
        (f().likes.set_if_absent(1), "SET #likes = if_not_exists(#likes, :likes)", ""),
        (
            f().friends.push_unique("x"),
            "SET #friends = list_append(if_not_exists(#friends, :friends_2), :friends_3)",
            "NOT contains(#friends, :friends)",
        ),
        (f().friends.remove_at(1, "x"), "REMOVE #friends[1]", "#friends[1] = :friends"),
        (f().tags.insert("x"), "ADD #tags :tags_2", "NOT attribute_type(#tags, :tags)"),
        (f().tags.remove("x"), "DELETE #tags :tags_2", "NOT attribute_type(#tags, :tags)"),
        (f().scores.entry("x").set(1), "SET #scores.#x = :scores_2", "attribute_type(#scores, :scores)"),
        (f().address.fields().zip.clear(), "REMOVE #address.#n", "attribute_type(#address, :address)"),
    ] {
        let request = Profile::update("1").with(change).request(&world.repository).expect("a request");
        let dyno::Request::Update(request) = request else { panic!("{request:?}") };
        assert_eq!(request.get_update_expression().as_deref(), Some(update));
        let expected = match condition {
            "" => "attribute_exists(#id)".to_owned(),
            condition if condition.contains(" OR ") => format!("attribute_exists(#id) AND ({condition})"),
            condition => format!("attribute_exists(#id) AND {condition}"),
        };
        assert_eq!(request.get_condition_expression().as_deref(), Some(expected.as_str()));
    }
}

#[tokio::test]
async fn a_tuple_combines_changes_of_several_types() {
    let world = with_profile().await;
    let f = Profile::fields();
    let maybe = Some(f.stars.set(1));
    let update = Profile::update("1").with((
        f.likes.add(1),
        f.friends.remove_value("bob"),
        [f.level.set(3), f.balance.add(3)],
        maybe,
        vec![f.tags.insert("b")],
        (f.spare.set(4), f.notes.push("x")),
    ));
    update.send(&world.repository).await.expect("an answer").applied().expect("applied");
    let expected = Profile {
        likes: 6,
        friends: texts(["ann", "ann"]),
        level: 3,
        balance: 0,
        stars: 1,
        tags: ["a".to_owned(), "b".to_owned()].into(),
        spare: Some(4),
        notes: Some(texts(["x"])),
        ..profile()
    };
    assert_eq!(stored(&world).await, expected);
}

/// The refusal contains the stored item, which explains it.
#[tokio::test]
async fn a_refused_change_returns_the_stored_item() {
    let world = with_profile().await;
    let outcome = update!(world, Profile::fields().likes.decrement(9));
    let current = outcome.refusal().expect("a refusal").current().expect("it decodes");
    assert_eq!(current.and_then(Found::live), Some(profile()));
    assert_eq!(
        outcome.applied().expect_err("a refusal").to_string(),
        "update of `Profile` (id = \"1\"): refused: the new `likes` would not fit its type"
    );
    assert_eq!(world.stored::<Profile>().await[0]["likes"], n(5));
}

#[tokio::test]
async fn remove_value_has_no_request_to_show() {
    let world = with_profile().await;
    let remove = Profile::update("1").with(Profile::fields().friends.remove_value("ann"));
    let error = remove.request(&world.repository).expect_err("it must be read first");
    assert!(
        error.is_invalid_input() && error.to_string().contains("`remove_value` needs the element's place"),
        "{error}"
    );
}

/// An upsert of an absent item starts from an empty item. A change that needs a stored attribute is refused with its name.
#[tokio::test]
async fn an_upsert_of_an_absent_item_names_the_missing_attribute() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "shelves")]
    struct Shelf {
        #[partition_key]
        id: String,
        books: Option<BTreeMap<String, u32>>,
        spare: Option<u32>,
        until: Option<EpochMillis>,
    }
    let world = world::<Shelf>().await;
    let f = Shelf::fields;
    for (update, place) in [
        (Shelf::update("1").with(f().books.entry("x").set(1)), "books"),
        (Shelf::update("1").condition(f().books.not_exists()).with(f().spare.increment(1)), "spare"),
    ] {
        let outcome = update.upsert().send(&world.repository).await.expect("an answer");
        assert_eq!(reasons(&outcome), [Reason::Absent { path: path(place) }]);
    }
    // A time cannot leave the range of its type either.
    let last = EpochMillis::new(i64::MAX);
    let upsert = Shelf::update("1").with(f().until.set(last)).upsert().send(&world.repository).await;
    assert!(upsert.expect("an answer").is_applied());
    let later = Shelf::update("1").with(f().until.add(EpochMillis::new(1))).send(&world.repository).await;
    assert_eq!(reasons(&later.expect("an answer")), [Reason::OutOfRange { path: path("until") }]);
}

/// An update whose only change is empty, as of no elements, changes nothing. Like its condition alone, it requires a live item.
#[tokio::test]
async fn an_update_of_nothing_only_requires_the_item() {
    let f = Profile::fields;
    let none: [&str; 0] = [];
    check!(f().tags.insert_all(none) => |p| p.likes = 5);
    check!(f().tags.remove_all(none) => |p| p.likes = 5);
    check!(f().friends.extend(none), f().tags.insert_all(none) => |p| p.likes = 5);
    let world = world::<Profile>().await;
    let update = || Profile::update("1").with(f().tags.insert_all(none));
    assert_eq!(reasons(&update().send(&world.repository).await.expect("an answer")), [Reason::Missing]);
    assert_eq!(world.stored::<Profile>().await, []);
    // In a transaction, it is a check.
    let other = Profile { id: "2".to_owned(), ..profile() };
    let both = || Transaction::new().update(update()).put(other.put());
    let refused = both().send(&world.repository).await.expect("an answer");
    let refusal = refused.refusal().expect("there is no item");
    assert_eq!(refusal.refusal_of::<Profile>(0).expect("the update").reasons(), [Reason::Missing]);
    profile().put().send(&world.repository).await.expect("a put");
    both().send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(world.stored::<Profile>().await.len(), 2);
    let new = update().return_new().send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(new.decode().expect("a profile"), profile());
    // Without any change, an update is a mistake, and so is an upsert that could only create an item of its key alone.
    let error = Profile::update("1").send(&world.repository).await.expect_err("no change");
    assert!(error.to_string().contains("the update changes nothing"), "{error}");
}

/// Readable placeholders give way to short ones where an expression would be too long for DynamoDB.
#[tokio::test]
async fn a_request_is_made_short_before_it_is_refused_as_too_long() {
    let world = with_profile().await;
    let f = Profile::fields;
    let name = |number: u16| format!("a_name_of_{number:020}");
    let scores = (0..100).map(|number| f().scores.entry(name(number)).set(u32::from(number)));
    let update = Profile::update("1").with(scores.collect::<Vec<_>>());
    let text = update.request(&world.repository).expect("a request").to_string();
    assert!(text.contains("#1.#2 = :1") || text.contains("#0.#1 = :0"), "{text}");
    assert!(update.send(&world.repository).await.expect("an answer").is_applied());
    assert_eq!(stored(&world).await.scores.len(), profile().scores.len() + 100);
    let values = (0..100).map(|number| number * 2 + 1);
    let found = Profile::scan().filter(f().scores.entry(name(7)).is_in(values)).send(&world.repository).await;
    assert_eq!(found.expect("a scan").items.len(), 1);
    let too_long = (0..295).map(|number| f().scores.entry(name(number)).set(u32::from(number)));
    let error = Profile::update("1").with(too_long.collect::<Vec<_>>()).send(&world.repository).await;
    let error = error.expect_err("too long");
    assert!(error.is_invalid_input() && error.to_string().contains("DynamoDB takes 4096"), "{error}");
}
