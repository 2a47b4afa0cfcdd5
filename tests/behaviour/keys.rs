//! Keys from templates: how they are written and read, which values they refuse, and which items they leave to other
//! entities.

use dyno::{Entity, Error, Projection, Repository};
use dyno_tests::{item, n, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "T#{tenant}#U#{user}")]
#[sort_key(name = "SK", template = "{kind}/{number:06}/{tenant}")]
struct Line {
    tenant: String,
    #[attribute(stored)]
    user: u64,
    kind: char,
    number: u32,
    note: String,
}

fn line(tenant: &str) -> Line {
    Line { tenant: tenant.to_owned(), user: 7, kind: 'x', number: 42, note: "n".to_owned() }
}

fn refused(result: Result<impl Sized, Error>) -> String {
    let error = result.map(|_| ()).expect_err("refused");
    assert!(error.is_invalid_input(), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn keys_of_templates_are_stored_and_read_back() {
    let world = world::<Line>().await;
    line("a").put().send(&world.repository).await.expect("a put");
    let expected = item([
        ("PK", s("T#a#U#7")),
        ("SK", s("x/000042/a")),
        ("note", s("n")),
        // `stored` keeps the field as an attribute, in addition to the key.
        ("user", n(7)),
    ]);
    assert_eq!(world.stored::<Line>().await, [expected]);
    assert_eq!(line("a").key(), ("a".to_owned(), 7, 'x', 42));
    let found = Line::get(("a", 7, 'x', 42)).send(&world.repository).await.expect("a get");
    assert_eq!(found, Some(line("a")));
}

#[tokio::test]
async fn a_value_that_makes_the_key_ambiguous_is_refused_when_written() {
    let world = world::<Line>().await;
    let before = world.repository.usage();
    let message = refused(line("a#U#b").put().send(&world.repository).await);
    assert_eq!(
        message,
        "put of `Line`: `tenant`: the value contains \"#U#\", which follows it in the key template, so the key would be ambiguous: change the value or the template"
    );
    // Together with the text that follows in the template, the value would seem to end too early.
    refused(line("a#U").put().request(&world.repository).and_then(|_| line("a#U#").put().request(&world.repository)));
    refused(Line::get(("x#U#", 7, 'x', 1)).send(&world.repository).await);
    refused(Line::query(("x#U#", 7)).send(&world.repository).await);
    refused(Line::delete(("x#U#", 7, 'x', 1)).send(&world.repository).await);
    assert_eq!(world.repository.usage(), before);
}

#[derive(Entity)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "N#{number:03}")]
struct Signed {
    number: i32,
}

#[tokio::test]
async fn a_number_must_fit_its_width() {
    let world = world::<Line>().await;
    let wide = Line { number: 1_000_000, ..line("a") };
    assert_eq!(
        refused(wide.put().send(&world.repository).await),
        "put of `Line`: `number`: 1000000 does not fit the 6 digits of the key template: use a smaller number"
    );
    assert_eq!(
        refused(Signed { number: -1 }.put().send(&world.repository).await),
        "put of `Signed`: `number`: -1 does not fit the 3 digits of the key template: use a smaller number"
    );
}

#[tokio::test]
async fn a_key_cannot_be_empty_or_too_long() {
    #[derive(Entity, Debug)]
    #[entity(table = "main")]
    struct Plain {
        #[partition_key]
        id: String,
        #[sort_key]
        hash: Vec<u8>,
    }
    let world = world::<Plain>().await;
    let plain = |id: usize, hash: usize| Plain { id: "i".repeat(id), hash: vec![0; hash] };
    assert_eq!(
        refused(plain(0, 1).put().send(&world.repository).await),
        "put of `Plain` (id = \"\", hash = 1 bytes): `id`: a key cannot be empty"
    );
    assert_eq!(
        refused(Plain::get(("1", &[][..])).send(&world.repository).await),
        "get of `Plain`: `hash`: a key cannot be empty"
    );
    assert!(refused(plain(2049, 1).put().send(&world.repository).await).contains("at most 2048"));
    assert!(refused(plain(1, 1025).put().send(&world.repository).await).contains("at most 1024"));
    assert!(refused(Plain::delete(("", &[1][..])).send(&world.repository).await).contains("empty"));
    plain(2048, 1024).put().send(&world.repository).await.expect("as long as can be");
    assert_eq!(
        refused(line("").put().send(&world.repository).await),
        "put of `Line`: `tenant`: it is part of a key or of an index's key, and cannot be empty"
    );
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "USER#{id}")]
#[sort_key(name = "SK", template = "PROFILE")]
struct Profile {
    id: u64,
    name: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "USER#{id}")]
#[sort_key(name = "SK", template = "ORDER#{order}")]
struct Order {
    id: u64,
    order: String,
}

#[tokio::test]
async fn each_entity_of_a_shared_table_reads_only_its_own_items() {
    let world = world::<Profile>().await;
    let repository = &world.repository;
    // Both entities share one table, which exists already.
    repository.create_table::<Order>().await.expect("the same table");
    let profile = Profile { id: 1, name: "A".to_owned() };
    profile.put().send(repository).await.expect("a put");
    for order in ["1", "2"] {
        Order { id: 1, order: order.to_owned() }.put().send(repository).await.expect("a put");
    }
    for foreign in ["PROFILE#old", "ORDER", "ZEBRA#1", "ORDER$"] {
        world.write_foreign::<Profile>(item([("PK", s("USER#1")), ("SK", s(foreign))])).await;
    }
    world.write_foreign::<Profile>(item([("PK", s("TENANT#1")), ("SK", s("ORDER#1"))])).await;
    assert_eq!(Profile::get(1).send(repository).await.expect("a get"), Some(profile.clone()));
    assert_eq!(Profile::query(1).send(repository).await.expect("a query").items, std::slice::from_ref(&profile));
    assert_eq!(Profile::scan().send(repository).await.expect("a scan").items, [profile]);
    let orders = Order::query(1).send(repository).await.expect("a query").items;
    assert_eq!(orders.iter().map(|order| &*order.order).collect::<Vec<_>>(), ["1", "2"]);
    assert_eq!(Order::scan().send(repository).await.expect("a scan").items.len(), 2);
    // An open range ends before the items of the next entity.
    let orders = Order::query(1).sort_ge("2").send(repository).await.expect("a query").items;
    assert_eq!(orders.len(), 1);
    let orders = Order::query(1).sort_lt("2").send(repository).await.expect("a query").items;
    assert_eq!(orders.len(), 1);
}

#[tokio::test]
async fn a_stored_key_in_another_spelling_is_a_decode_error() {
    let world = world::<Profile>().await;
    let repository = &world.repository;
    let foreign = item([("PK", s("USER#01")), ("SK", s("PROFILE")), ("name", s("A"))]);
    world.write_foreign::<Profile>(foreign).await;
    // The key matches the template, but a write of the decoded item would create another item.
    let error = Profile::scan().send(repository).await.expect_err("another spelling");
    assert!(error.is_decode());
    assert_eq!(
        error.to_string(),
        "decode of `Profile` (PK = \"USER#01\", SK = \"PROFILE\"): `PK`: expected \"USER#1\", which its fields make by the template \"USER#{id}\", found \"USER#01\""
    );
}

#[tokio::test]
async fn a_field_in_both_keys_must_agree() {
    let stored = item([("PK", s("T#a#U#7")), ("SK", s("x/000042/b")), ("note", s(""))]);
    let error = Line::from_item(stored).expect_err("two tenants");
    assert_eq!(
        error.to_string(),
        "decode of `Line` (PK = \"T#a#U#7\", SK = \"x/000042/b\"): `tenant`: expected the same value in both keys, \"a\", found \"b\""
    );
    for key in ["x/42/a", "x/000042", "/000042/a", "x/000042/"] {
        let error = Line::from_item(item([("PK", s("T#a#U#7")), ("SK", s(key)), ("note", s(""))]));
        let error = error.expect_err("another form").to_string();
        assert!(error.contains("expected a key like \"{kind}/{number:06}/{tenant}\""), "{error}");
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[sort_key(name = "SK", template = "PROFILE")]
struct Constant {
    #[partition_key]
    id: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[sort_key(name = "SK", template = "Profile#{id}")]
struct Repeated {
    #[partition_key]
    id: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
struct ByUuid {
    #[partition_key]
    id: uuid::Uuid,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "{n:04}")]
struct Padded {
    n: u16,
}

#[test]
fn an_item_under_another_key_is_not_the_entity() {
    let key = |id: &str, sort: &str| item([("id", s(id)), ("SK", s(sort))]);
    assert_eq!(Constant::from_item(key("1", "PROFILE")).expect("decodes"), Constant { id: "1".to_owned() });
    let error = Constant::from_item(key("1", "ORDER#7")).expect_err("another entity's");
    assert_eq!(
        error.to_string(),
        "decode of `Constant`: `SK`: expected \"PROFILE\", which its fields make by the template \"PROFILE\", found \"ORDER#7\""
    );
    assert!(Repeated::from_item(key("1", "Profile#1")).is_ok());
    assert!(Repeated::from_item(key("1", "Profile#2")).is_err());
    // A write of the decoded item would create an item with another key.
    let uuid = "018fffff-0000-7000-8000-000000000000";
    assert!(ByUuid::from_item(item([("id", s(uuid))])).is_ok());
    assert!(ByUuid::from_item(item([("id", s(&uuid.to_uppercase()))])).expect_err("spelling").is_decode());
    assert!(Padded::from_item(item([("PK", s("0007"))])).is_ok());
    assert!(Padded::from_item(item([("PK", s("meta"))])).is_err());
}

#[tokio::test]
async fn a_scan_skips_other_keys_of_the_width_of_a_number() {
    let world = world::<Padded>().await;
    world.write_foreign::<Padded>(item([("PK", s("meta"))])).await;
    Padded { n: 7 }.put().send(&world.repository).await.expect("a put");
    let found = Padded::scan().stream(&world.repository).try_collect().await.expect("a scan");
    assert_eq!(found, [Padded { n: 7 }]);
}

#[tokio::test]
async fn an_upsert_stores_attributes_derived_from_the_key() {
    let world = world::<Line>().await;
    let update = Line::update(("a", 7, 'x', 42)).with(Line::fields().note.set("m")).upsert();
    assert!(update.send(&world.repository).await.expect("an upsert").is_applied());
    let made = Line { note: "m".to_owned(), ..line("a") };
    assert_eq!(world.stored::<Line>().await, [made.to_item().expect("an item")]);
}

/// Another program stores these keys in lower case, and the fields as they are.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "paints")]
#[partition_key(name = "PK", template = "paint#{name}")]
#[sort_key(name = "SK", template = "{number:04}")]
struct Paint {
    #[attribute(stored)]
    name: String,
    #[attribute(stored)]
    number: u32,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Paint)]
struct Shade {
    number: u32,
    name: String,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Profile)]
struct ProfileId {
    id: u64,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = ByUuid)]
struct OnlyUuid {
    id: uuid::Uuid,
}

/// Otherwise a write by the key of the projection would address another item.
#[tokio::test]
async fn a_projection_refuses_the_keys_that_a_whole_read_refuses() {
    let world = world::<Paint>().await;
    let repository = &world.repository;
    let shades = async || Shade::read(repository).await;
    world.write_foreign::<Paint>(item([("PK", s("paint#red")), ("SK", s("0007"))])).await;
    assert_eq!(shades().await.expect("from before it was stored"), [Shade { number: 7, name: "red".to_owned() }]);
    let row = |name, number| item([("PK", s("paint#red")), ("SK", s("0007")), ("name", name), ("number", number)]);
    world.write_foreign::<Paint>(row(s("red"), n(7))).await;
    assert_eq!(shades().await.expect("the same"), [Shade { number: 7, name: "red".to_owned() }]);
    for (name, number, expected) in [
        (s("Red"), n(7), "`name`: expected the value in the key, \"red\", found \"Red\""),
        (s("red"), n(8), "`number`: expected the value in the key, 7, found 8"),
    ] {
        world.write_foreign::<Paint>(row(name, number)).await;
        let error = shades().await.expect_err("another value").to_string();
        assert!(error.ends_with(expected), "{error}");
    }

    let world = dyno_tests::world::<Profile>().await;
    world.write_foreign::<Profile>(item([("PK", s("USER#01")), ("SK", s("PROFILE")), ("name", s("A"))])).await;
    let error = Profile::scan().project::<ProfileId>().send(&world.repository).await.expect_err("another spelling");
    let expected = "`PK`: expected \"1\" for `id`, as dyno writes it, found \"01\"";
    assert!(error.to_string().ends_with(expected), "{error}");

    let world = dyno_tests::world::<ByUuid>().await;
    let uuid = "67E55044-10B1-426F-9247-BB680E5FE0C8";
    world.write_foreign::<ByUuid>(item([("id", s(uuid))])).await;
    let error = ByUuid::scan().project::<OnlyUuid>().send(&world.repository).await.expect_err("another spelling");
    assert!(error.to_string().contains("`id`: expected the key as dyno writes it"), "{error}");
    world.write_foreign::<ByUuid>(item([("id", s(&uuid.to_lowercase()))])).await;
}

impl Shade {
    async fn read(repository: &Repository) -> Result<Vec<Self>, Error> {
        Ok(Paint::scan().project::<Self>().send(repository).await?.items)
    }
}

#[tokio::test]
async fn a_stored_key_field_that_differs_from_the_key_is_a_decode_error() {
    let world = world::<Paint>().await;
    let row =
        |name: &str, number| item([("PK", s("paint#red")), ("SK", s("0007")), ("name", s(name)), ("number", number)]);
    let red = Paint { name: "red".to_owned(), number: 7 };
    // The key pads the number and the attribute does not. They are compared as numbers.
    let exponent = dyno::aws_sdk_dynamodb::types::AttributeValue::N("0.7E1".to_owned());
    for number in [n(7), exponent] {
        assert_eq!(Paint::from_item(row("red", number)).expect("decodes"), red);
    }
    let key_alone = item([("PK", s("paint#red")), ("SK", s("0007"))]);
    assert_eq!(Paint::from_item(key_alone).expect("from before it was stored"), red);
    let error = Paint::from_item(row("Red", n(7))).expect_err("another name");
    assert!(error.to_string().ends_with("`name`: expected the value in the key, \"red\", found \"Red\""), "{error}");
    let error = Paint::from_item(row("red", n(8))).expect_err("another number");
    assert!(error.to_string().ends_with("`number`: expected the value in the key, 7, found 8"), "{error}");
    let error = Paint::from_item(row("red", s("7"))).expect_err("another type");
    assert!(error.to_string().contains("`number`: expected"), "{error}");
    // An item that cannot be read is not overwritten.
    world.write_foreign::<Paint>(row("Red", n(7))).await;
    let done = Paint::scan().modify_each(|_| {}).send(&world.repository).await.expect("a pass");
    assert_eq!((done.changed(), done.failures().len()), (0, 1));
    assert_eq!(world.stored::<Paint>().await, [row("Red", n(7))]);
}
