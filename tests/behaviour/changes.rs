//! Changes of parts: numbers, lists, sets, maps, members of documents; what each does, and what refuses it.

use dyno::{Document, Entity, EpochMillis, Error, Found, Outcome, Reason, Refusal, Transaction};
use dyno_tests::{World, item, n, pause, s, world};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

#[derive(Document, Clone, Debug, PartialEq)]
#[document(rename_all = "PascalCase")]
struct Address {
    city: String,
    #[attribute(rename = "zip.code")]
    zip: Option<String>,
    floors: u8,
    tags: BTreeSet<String>,
    lines: Vec<String>,
    geo: Geo,
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Geo {
    latitude: f64,
}

#[derive(Document, Clone, Copy, Debug, PartialEq)]
struct Points(i16);

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "profiles")]
struct Profile {
    #[partition_key]
    id: String,
    likes: u64,
    stars: u8,
    balance: i64,
    points: Points,
    ratio: f64,
    huge: u128,
    spare: Option<u32>,
    #[attribute(default = "ten")]
    level: u32,
    friends: Vec<String>,
    notes: Option<Vec<String>>,
    #[attribute(default = "greeting")]
    log: Vec<String>,
    tags: BTreeSet<String>,
    lucky: HashSet<u32>,
    keys: BTreeSet<Vec<u8>>,
    scores: BTreeMap<String, u32>,
    extra: Option<HashMap<String, String>>,
    address: Address,
    second: Option<Address>,
}

fn ten() -> u32 {
    10
}

fn greeting() -> Vec<String> {
    texts(["hello"])
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).into()
}

fn address() -> Address {
    Address {
        city: "Paris".to_owned(),
        zip: Some("75001".to_owned()),
        floors: 3,
        tags: ["old".to_owned()].into(),
        lines: texts(["1 rue"]),
        geo: Geo { latitude: 48.8 },
    }
}

fn profile() -> Profile {
    Profile {
        id: "1".to_owned(),
        likes: 5,
        stars: 250,
        balance: -3,
        points: Points(7),
        ratio: 0.5,
        huge: 1,
        spare: None,
        level: 12,
        friends: texts(["ann", "bob", "ann"]),
        notes: None,
        log: texts(["hello"]),
        tags: ["a".to_owned()].into(),
        lucky: HashSet::new(),
        keys: BTreeSet::new(),
        scores: [("chess".to_owned(), 3)].into(),
        extra: None,
        address: address(),
        second: None,
    }
}

/// A world with the profile in it.
async fn with_profile() -> World {
    let world = world::<Profile>().await;
    profile().put().send(&world.repository).await.expect("a put");
    world
}

async fn stored(world: &World) -> Profile {
    Profile::get("1").consistent().send(&world.repository).await.expect("a get").expect("a profile")
}

/// Sends an update with these changes.
macro_rules! update {
    ($world:expr, $($change:expr),+) => {
        Profile::update("1").with([$($change),+]).send(&$world.repository).await.expect("an answer")
    };
}

/// Updates, and applies the same to the profile as it was; then both must be equal.
macro_rules! check {
    ($($change:expr),+ => |$profile:ident| $expected:expr) => {{
        let world = with_profile().await;
        assert!(update!(world, $($change),+).is_applied());
        let mut $profile = profile();
        let _: () = $expected;
        assert_eq!(stored(&world).await, $profile);
    }};
}

fn reasons<E, T: std::fmt::Debug>(outcome: Outcome<E, T>) -> Vec<Reason> {
    outcome.refusal().map(|refusal: &Refusal<E>| refusal.reasons().to_vec()).expect("a refusal")
}

/// Updates, which is refused for this reason, and changes nothing.
macro_rules! check_refused {
    ($($change:expr),+ => $reason:expr) => {{
        let world = with_profile().await;
        assert_eq!(reasons(update!(world, $($change),+)), [$reason]);
        assert_eq!(stored(&world).await, profile());
    }};
}

fn path(path: &str) -> String {
    path.to_owned()
}

#[tokio::test]
async fn numbers_are_counted() {
    let f = Profile::fields;
    check!(f().likes.add(3) => |p| p.likes = 8);
    check!(f().likes.increment(3) => |p| p.likes = 8);
    check!(f().likes.decrement(5) => |p| p.likes = 0);
    check!(f().balance.add(-4) => |p| p.balance = -7);
    check!(f().balance.decrement(-4) => |p| p.balance = 1);
    check!(f().ratio.add(0.25), f().points.increment(Points(-9)) => |p| { p.ratio = 0.75; p.points = Points(-2); });
    check!(f().spare.add(4) => |p| p.spare = Some(4));
    check!(f().huge.add(10u128.pow(38) - 2) => |p| p.huge = 10u128.pow(38) - 1);
    check!(f().likes.set_if_absent(9), f().spare.set_if_absent(9) => |p| p.spare = Some(9));
    check!(f().spare.set(4), f().likes.add(0) => |p| p.spare = Some(4));
}

/// Beyond it, the item could not be read any more.
#[tokio::test]
async fn a_number_never_leaves_its_type() {
    let f = Profile::fields;
    let out = |place: &str| Reason::OutOfRange { path: path(place) };
    check!(f().stars.add(5) => |p| p.stars = 255);
    check_refused!(f().stars.add(6) => out("stars"));
    check_refused!(f().stars.increment(6) => out("stars"));
    check_refused!(f().likes.decrement(6) => out("likes"));
    check_refused!(f().points.add(Points(i16::MAX)) => out("points"));
    check_refused!(f().points.decrement(Points(i16::MIN)) => out("points"));
    check_refused!(f().balance.add(i64::MIN) => out("balance"));
    check_refused!(f().huge.add(10u128.pow(38) - 1) => out("huge"));
    check_refused!(f().address.fields().floors.add(253) => out("address.Floors"));
    check_refused!(f().spare.increment(1) => Reason::Absent { path: path("spare") });
    check_refused!(f().spare.decrement(0) => Reason::Absent { path: path("spare") });
    let error = Profile::update("1").with(f().huge.add(10u128.pow(38))).send(&with_profile().await.repository).await;
    assert!(error.expect_err("too many digits").to_string().contains("`huge`: "));
}

/// Where an attribute is absent, it is as a reader sees it that it counts.
#[tokio::test]
async fn absent_numbers_and_lists_count_from_their_defaults() {
    let world = with_profile().await;
    let rows = world.stored::<Profile>().await;
    let without = |names: &[&str]| {
        let mut row = rows[0].clone();
        row.retain(|name, _| !names.contains(&name.as_str()));
        row
    };
    let f = Profile::fields;
    world.write_foreign::<Profile>(without(&["level", "log"])).await;
    assert_eq!(stored(&world).await.level, 10);
    assert!(update!(world, f().level.add(3), f().log.push("bye")).is_applied());
    let after = stored(&world).await;
    assert_eq!((after.level, after.log), (13, texts(["hello", "bye"])));
    world.write_foreign::<Profile>(without(&["level", "log"])).await;
    assert_eq!(reasons(update!(world, f().level.increment(1))), [Reason::Absent { path: path("level") }]);
    // The default and this do not fit together: a number must be there, and there is none.
    assert_eq!(reasons(update!(world, f().level.add(u32::MAX))), [Reason::Absent { path: path("level") }]);
    let corrupt = Reason::Corrupt { attribute: "level", expected: "a number (N)", found: "S" };
    let mut foreign = without(&["level"]);
    foreign.insert("level".to_owned(), s("x"));
    world.write_foreign::<Profile>(foreign).await;
    assert_eq!(reasons(update!(world, f().level.increment(1))), [corrupt]);
}

#[tokio::test]
async fn lists_change_by_their_elements() {
    let f = Profile::fields;
    check!(f().friends.push("zoe") => |p| p.friends.push("zoe".to_owned()));
    check!(f().friends.extend(["x", "y"]) => |p| p.friends.extend(texts(["x", "y"])));
    check!(f().notes.push("n") => |p| p.notes = Some(texts(["n"])));
    check!(f().friends.push_unique("zoe") => |p| p.friends.push("zoe".to_owned()));
    check!(f().friends.remove_value("ann") => |p| { p.friends.remove(0); });
    check!(f().friends.remove_value("bob"), f().likes.add(1) => |p| { p.friends.remove(1); p.likes = 6; });
    check!(f().friends.remove_at(2, "ann") => |p| { p.friends.remove(2); });
    check!(f().friends.replace_at(1, "bob", "ben") => |p| p.friends[1] = "ben".to_owned());
    check!(f().address.fields().lines.push("2e") => |p| p.address.lines.push("2e".to_owned()));
    check!(f().address.fields().lines.remove_value("1 rue") => |p| p.address.lines.clear());
    let contained = Reason::Contained { path: path("friends") };
    check_refused!(f().friends.push_unique("bob") => contained);
    check_refused!(f().friends.remove_value("zoe") => Reason::NotContained { path: path("friends") });
    check_refused!(f().notes.remove_value("zoe") => Reason::NotContained { path: path("notes") });
    check_refused!(f().friends.remove_at(1, "ann") => Reason::OtherElement { path: path("friends[1]") });
    check_refused!(f().friends.remove_at(9, "ann") => Reason::OtherElement { path: path("friends[9]") });
    check_refused!(f().friends.replace_at(3, "ann", "x") => Reason::OtherElement { path: path("friends[3]") });
    // Nothing is no change, beside another.
    let none: [&str; 0] = [];
    check!(f().friends.extend(none), f().tags.insert_all(none), f().likes.add(1) => |p| p.likes = 6);
}

#[tokio::test]
async fn an_element_is_found_wherever_it_has_shifted_to() {
    let world = with_profile().await;
    // Between the reading and the update, another writer takes out what is before it.
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let update = Profile::update("1").with(Profile::fields().friends.remove_value("bob"));
    let update = tokio::spawn(async move { update.send(&repository).await });
    world.faults.held().await;
    let other = world.other();
    let shift = Profile::update("1").with(Profile::fields().friends.remove_at(0, "ann")).send(&other).await;
    assert!(shift.expect("a shift").is_applied());
    let before = world.repository.usage().requests;
    world.faults.release();
    assert!(update.await.expect("no panic").expect("an update").is_applied());
    assert_eq!(stored(&world).await.friends, texts(["ann"]));
    // One more, with what the refusal brought; and the reading just now.
    assert_eq!(world.repository.usage().requests - before, 2);
}

#[tokio::test]
async fn what_is_not_there_is_a_refusal_like_any_other() {
    let world = world::<Profile>().await;
    let f = Profile::fields;
    for change in [f().friends.remove_value("x"), f().likes.increment(1), f().address.fields().city.set("x")] {
        assert_eq!(reasons(update!(world, change)), [Reason::Missing]);
    }
    assert_eq!(world.stored::<Profile>().await, []);
}

/// The article's guard, that the list contains the value somewhere, takes out another element.
#[tokio::test]
async fn the_article_s_guard_removes_another_element() {
    let world = with_profile().await;
    let raw = world.repository.client().update_item().table_name("profiles").key("id", s("1"));
    let raw = raw.update_expression("REMOVE friends[0]").condition_expression("contains(friends, :ann)");
    // Its reader saw "ann" at 0; meanwhile somebody put "zoe" there.
    let zoe = Profile::fields().friends.replace_at(0, "ann", "zoe");
    assert!(update!(world, zoe).is_applied());
    raw.expression_attribute_values(":ann", s("ann")).send().await.expect("it passes");
    assert_eq!(stored(&world).await.friends, texts(["bob", "ann"]), "zoe is gone, and ann is not");
}

#[tokio::test]
async fn sets_change_by_their_elements() {
    let f = Profile::fields;
    check!(f().tags.insert("b") => |p| { p.tags.insert("b".to_owned()); });
    check!(f().tags.insert("a") => |p| { p.tags.insert("a".to_owned()); });
    check!(f().tags.insert_all(["b", "b", "c"]) => |p| p.tags.extend(texts(["b", "c"])));
    check!(f().lucky.insert(7), f().keys.insert(vec![1u8, 2]) => |p| { p.lucky.insert(7); p.keys.insert(vec![1, 2]); });
    check!(f().tags.remove("a"), f().lucky.remove(7) => |p| p.tags.clear());
    check!(f().tags.remove_all(["a", "b"]) => |p| p.tags.clear());
    check!(f().tags.clear() => |p| p.tags.clear());
}

/// In put, update, condition and decode.
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
async fn maps_change_by_their_entries() {
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
async fn members_of_documents_have_handles_of_their_own() {
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

/// What borrows cannot tell: places that are only known when the program runs.
#[tokio::test]
async fn overlapping_places_are_refused_before_the_request() {
    let world = with_profile().await;
    let before = world.repository.usage();
    let f = Profile::fields;
    let error = async |changes: Vec<dyno::Change<Profile>>| -> Error {
        let update = Profile::update("1").with(changes);
        update.send(&world.repository).await.expect_err("overlapping")
    };
    let twice = "is changed twice in one update: DynamoDB takes one change of it";
    for (changes, expected) in [
        (vec![f().likes.add(1), f().likes.set(1)], format!("`likes` {twice}")),
        (vec![f().scores.entry("a").set(1), f().scores.entry("a").add(1)], format!("`scores.a` {twice}")),
        (
            vec![f().friends.remove_at(1, "bob"), f().friends.replace_at(1, "bob", "x")],
            format!("`friends[1]` {twice}"),
        ),
        (
            vec![f().address.fields().city.set("x"), f().address.set(address())],
            "`address.City` and `address` are both changed in one update: DynamoDB takes only one of the two, since one \
             is within the other"
                .to_owned(),
        ),
        (
            vec![f().friends.push("x"), f().friends.remove_at(1, "bob")],
            "`friends` and `friends[1]` are both changed in one update: DynamoDB takes only one of the two, since one is \
             within the other"
                .to_owned(),
        ),
    ] {
        assert_eq!(error(changes).await.to_string(), format!("update of `Profile` (id = \"1\"): {expected}"));
    }
    let many = (0..200).map(|index| f().scores.entry(format!("{index}")).add(1)).collect();
    let many = error(many).await.to_string();
    assert!(many.contains("DynamoDB takes"), "{many}");
    assert_eq!(world.repository.usage(), before);
    // Neighbours do not overlap.
    let both = [f().friends.remove_at(0, "ann"), f().friends.replace_at(1, "bob", "x")];
    assert!(Profile::update("1").with(both).send(&world.repository).await.expect("an answer").is_applied());
    assert_eq!(stored(&world).await.friends, texts(["x", "ann"]));
}

#[tokio::test]
async fn an_upsert_is_made_of_what_makes_an_item() {
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
    assert!(error.to_string().contains("could make an item without `hits`"), "{error}");
}

#[tokio::test]
async fn the_request_says_what_each_change_is() {
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
async fn changes_of_several_kinds_go_in_a_tuple() {
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

#[tokio::test]
async fn an_update_that_its_own_element_marks_is_made_once() {
    pause();
    let world = with_profile().await;
    let repository = &world.repository;
    let f = Profile::fields;
    let liked = |id: &str| Profile::update("1").with([f().likes.add(1), f().friends.push_unique(id)]);
    assert!(liked("m1").send(repository).await.expect("an answer").accept_contained().expect("fine").is_some());
    let again = liked("m1").send(repository).await.expect("an answer");
    assert!(again.refusal().is_some_and(Refusal::is_contained) && !again.is_applied());
    assert!(again.accept_contained().expect("made already").is_none());
    assert_eq!(stored(&world).await.likes, 6);
    // Of two elements one is there, so the other is not: something is left to be done.
    let both = Profile::update("1").with([f().friends.push_unique("m1"), f().log.push_unique("m1")]);
    let both = both.send(repository).await.expect("an answer");
    assert!(both.refusal().is_some_and(|refusal| !refusal.is_contained()));
    both.accept_contained().expect_err("not all of it");
    // Something else was against it, too.
    let full = Profile::update("1").with([f().stars.add(99), f().friends.push_unique("m1")]);
    full.send(repository).await.expect("an answer").accept_contained().expect_err("it does not fit");
    let nobody = Profile::update("2").with(f().friends.push_unique("m1"));
    nobody.send(repository).await.expect("an answer").accept_contained().expect_err("nobody");

    // A transaction with a new token is another one to DynamoDB, and this one to the list.
    let transaction = |id: &str| {
        let spent = Profile::update("1").with((f().balance.decrement(1), f().log.push_unique(id)));
        Transaction::new().update(spent).put(Profile { id: id.to_owned(), ..profile() }.create())
    };
    assert!(transaction("t1").send(repository).await.expect("sent").accept_contained().expect("fine").is_some());
    let again = transaction("t1").send(repository).await.expect("sent");
    assert!(again.accept_contained().expect("made already").is_none());
    assert_eq!(stored(&world).await.balance, -4);
    let no_element = Transaction::new().put(profile().create()).send(repository).await.expect("sent");
    no_element.accept_contained().expect_err("it is there");
}

/// A codec of one's own decides what is stored: only that goes through it.
#[tokio::test]
async fn a_field_with_a_codec_is_set_and_cleared_by_it() {
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

/// The refusal has the item that explains it.
#[tokio::test]
async fn a_refused_change_brings_what_is_there() {
    let world = with_profile().await;
    let outcome = update!(world, Profile::fields().likes.decrement(9));
    let current = outcome.refusal().expect("a refusal").current().expect("it decodes");
    assert_eq!(current.and_then(Found::live), Some(profile()));
    assert_eq!(
        outcome.applied().expect_err("a refusal").to_string(),
        "update of `Profile` (id = \"1\"): refused: `likes` would not fit its type any more"
    );
    assert_eq!(world.stored::<Profile>().await[0]["likes"], n(5));
}

/// Another element that is equal can have moved there.
#[tokio::test]
async fn an_element_at_an_index_is_not_replaced_twice() {
    let world = with_profile().await;
    let friends = Profile::fields().friends;
    assert!(update!(world, friends.set(texts(["x", "a", "a"]))).is_applied());
    world.lose_answers(1);
    let replace = Profile::update("1").with(Profile::fields().friends.replace_at(1, "a", "b"));
    assert!(replace.send(&world.repository).await.expect_err("nobody knows").is_outcome_unknown());
    assert_eq!(stored(&world).await.friends, texts(["x", "b", "a"]));
}

#[tokio::test]
async fn only_an_element_that_has_shifted_is_looked_for_again() {
    let world = with_profile().await;
    let before = world.repository.usage().requests;
    let f = Profile::fields;
    let changes = [f().friends.remove_value("ann"), f().log.remove_at(0, "zzz")];
    let outcome = Profile::update("1").with(changes).send(&world.repository).await.expect("an answer");
    assert_eq!(reasons(outcome), [Reason::OtherElement { path: path("log[0]") }]);
    assert_eq!(world.repository.usage().requests - before, 2);
}

#[tokio::test]
async fn what_depends_on_a_reading_has_no_request_to_show() {
    let world = with_profile().await;
    let remove = Profile::update("1").with(Profile::fields().friends.remove_value("ann"));
    let error = remove.request(&world.repository).expect_err("it must be read first");
    assert!(
        error.is_invalid_input() && error.to_string().contains("`remove_value` has no request of its own"),
        "{error}"
    );
}

#[tokio::test]
async fn an_entry_has_a_key() {
    let world = with_profile().await;
    let before = world.repository.usage();
    let f = Profile::fields;
    for update in [
        Profile::update("1").with(f().scores.entry("").set(1)),
        Profile::update("1").condition(f().scores.entry("").exists()).with(f().likes.add(1)),
    ] {
        let error = update.send(&world.repository).await.expect_err("no key");
        assert!(error.is_invalid_input() && error.to_string().contains("empty key"), "{error}");
    }
    assert_eq!(world.repository.usage(), before);
}

/// What an upsert begins with has nothing in it.
#[tokio::test]
async fn an_upsert_of_nothing_says_what_is_not_there() {
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
        assert_eq!(reasons(outcome), [Reason::Absent { path: path(place) }]);
    }
    // A time does not leave its type either.
    let last = EpochMillis::new(i64::MAX);
    let upsert = Shelf::update("1").with(f().until.set(last)).upsert().send(&world.repository).await;
    assert!(upsert.expect("an answer").is_applied());
    let later = Shelf::update("1").with(f().until.add(EpochMillis::new(1))).send(&world.repository).await;
    assert_eq!(reasons(later.expect("an answer")), [Reason::OutOfRange { path: path("until") }]);
}
