//! Inputs that are too large are refused before a request, without a panic, an overflow, or a minute of computation.

#[cfg(feature = "all")]
mod calls;
mod sizes;

use dyno::{Condition, Document, Entity, Error, ErrorKind};
use dyno_tests::{World, item, n, s, world};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Document, Clone, Debug, PartialEq)]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

#[derive(Document, Clone, Debug, PartialEq)]
enum Chain {
    End,
    Link(Box<Chain>),
    Named { next: Box<Chain> },
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Folder {
    folders: BTreeMap<String, Folder>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Thing {
    #[partition_key]
    id: String,
    number: u32,
    #[attribute(default)]
    tags: BTreeSet<String>,
    #[attribute(default)]
    numbers: BTreeSet<u32>,
    #[attribute(default)]
    scores: BTreeMap<String, u32>,
    tree: Option<Tree>,
    chain: Option<Chain>,
    folder: Option<Folder>,
}

fn thing() -> Thing {
    Thing {
        id: "1".to_owned(),
        number: 1,
        tags: BTreeSet::new(),
        numbers: BTreeSet::new(),
        scores: BTreeMap::new(),
        tree: None,
        chain: None,
        folder: None,
    }
}

async fn with_thing() -> World {
    let world = world::<Thing>().await;
    thing().put().send(&world.repository).await.expect("a put");
    world
}

/// Checks that a command was refused as invalid input, with this message.
fn refused<T: std::fmt::Debug>(result: Result<T, Error>, expected: &str) {
    let error = result.expect_err(expected);
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    assert!(error.to_string().contains(expected), "{error}");
    assert!(error.to_string().len() < 600, "{error}");
}

const MANY: u32 = 100_000;

fn joined(count: u32, join: impl Fn(Condition<Thing>, Condition<Thing>) -> Condition<Thing>) -> Condition<Thing> {
    let field = Thing::fields().number;
    (1..count).map(|number| field.ne(number)).fold(field.ne(0), join)
}

#[tokio::test]
async fn a_condition_of_too_many_terms_is_refused_before_the_request() {
    type Join = fn(Condition<Thing>, Condition<Thing>) -> Condition<Thing>;
    let world = with_thing().await;
    let repository = world.repository.metered();
    let joins: [Join; 4] =
        [|all, next| all | next, |all, next| all & next, |all, next| next | all, |all, next| !(next & all)];
    for join in joins {
        let condition = joined(MANY, join);
        assert!(format!("{condition:?}").len() < 1000);
        refused(Thing::scan().filter(condition.clone()).send(&repository).await, "more than 300 operators");
        let delete = Thing::delete("1").condition(condition);
        refused(delete.send(&repository).await, "more than 300 operators");
    }
    let negated = (0..MANY).fold(Thing::fields().number.eq(1), |condition, _| !condition);
    refused(Thing::scan().filter(negated).send(&repository).await, "more than 300 operators");
    let filters = (0..MANY).fold(Thing::scan(), |scan, number| scan.filter(Thing::fields().number.ne(number)));
    refused(filters.send(&repository).await, "more than 300 operators");
    let delete = Thing::delete("1").condition(Thing::fields().number.eq(1));
    let conditions = (0..MANY).fold(delete, |delete, number| delete.condition(Thing::fields().number.ne(number)));
    refused(conditions.send(&repository).await, "more than 300 operators");
    assert_eq!(repository.usage().requests, 0);
}

#[tokio::test]
async fn a_condition_with_the_most_terms_that_dynamodb_takes_is_sent() {
    let world = with_thing().await;
    for join in [|all, next| all & next, |all: Condition<Thing>, next: Condition<Thing>| next & all] {
        let page = Thing::scan().filter(joined(150, join)).send(&world.repository).await.expect("a scan");
        assert_eq!(page.items, []);
    }
    let one_more = joined(149, |all, next| all | next) & Thing::fields().number.eq(1);
    let page = Thing::scan().filter(one_more).send(&world.repository).await.expect("a scan");
    assert_eq!(page.items, [thing()]);
}

#[tokio::test]
async fn too_many_values_are_refused_before_they_are_rendered() {
    let world = with_thing().await;
    let field = Thing::fields().number;
    refused(Thing::scan().filter(field.is_in(0..u32::MAX)).send(&world.repository).await, "1 to 100 values, not more");
    refused(Thing::scan().filter(field.is_in([0; 0])).send(&world.repository).await, "1 to 100 values, not none");
    let parts = (0..40).map(|part: u32| field.is_in(part * 100..part * 100 + 100));
    let all = parts.reduce(|all, part| all | part).expect("parts");
    refused(Thing::scan().filter(all).send(&world.repository).await, "has 4000 values");
    let long = "x".repeat(300 * 1024);
    let many = (0..9).map(|number| Thing::fields().id.ne(format!("{long}{number}"))).reduce(|all, one| all & one);
    refused(Thing::scan().filter(many.expect("some")).send(&world.repository).await, "DynamoDB accepts 2097152");
    refused(
        Thing::scan().filter(field.eq(1) & Thing::fields().tree.eq(tree(40))).send(&world.repository).await,
        "deep",
    );
}

#[tokio::test]
async fn an_update_of_many_changes_is_refused_before_they_are_compared() {
    let world = with_thing().await;
    let scores = Thing::fields().scores;
    let changes = (0..MANY).map(|number| scores.entry(number.to_string()).set(number));
    let update = Thing::update("1").with(changes.collect::<Vec<_>>());
    refused(update.send(&world.repository).await, "the update has 100000 operators");
    let tags = (0..MANY).map(|number| scores.entry(number.to_string()).clear());
    refused(Thing::update("1").with(tags.collect::<Vec<_>>()).send(&world.repository).await, "the update has 100000");
}

#[tokio::test]
async fn an_update_adds_a_set_of_8000_elements() {
    let world = with_thing().await;
    let update = Thing::update("1").with(Thing::fields().numbers.insert_all((0..8_000).chain(0..8_000)));
    update.send(&world.repository).await.expect("an update").applied().expect("applied");
    let stored = Thing::get("1").send(&world.repository).await.expect("a get").expect("a thing");
    assert_eq!(stored.numbers.len(), 8_000);
    let update = Thing::update("1").with(Thing::fields().numbers.remove_all((1..8_000).rev()));
    update.send(&world.repository).await.expect("an update").applied().expect("applied");
    let stored = Thing::get("1").send(&world.repository).await.expect("a get").expect("a thing");
    assert_eq!(stored.numbers, BTreeSet::from([0]));
}

/// A tree with this many levels of documents, and as many levels of lists.
fn tree(levels: usize) -> Tree {
    (1..levels).fold(Tree { name: "leaf".to_owned(), children: Vec::new() }, |tree, level| Tree {
        name: level.to_string(),
        children: vec![tree],
    })
}

fn chain(links: usize) -> Chain {
    (0..links).fold(Chain::End, |chain, link| match link % 2 {
        0 => Chain::Link(Box::new(chain)),
        _ => Chain::Named { next: Box::new(chain) },
    })
}

fn folder(levels: usize) -> Folder {
    (1..levels)
        .fold(Folder { folders: BTreeMap::new() }, |folder, _| Folder { folders: [("a".to_owned(), folder)].into() })
}

#[tokio::test]
async fn documents_nested_too_deeply_are_refused_before_encoding() {
    let world = with_thing().await;
    // The types' own code clones and drops these values by recursion, which limits their depth here.
    let deep = [
        Thing { tree: Some(tree(2000)), ..thing() },
        Thing { chain: Some(chain(2000)), ..thing() },
        Thing { folder: Some(folder(2000)), ..thing() },
        Thing { tree: Some(tree(17)), ..thing() },
        Thing { chain: Some(chain(22)), ..thing() },
        Thing { folder: Some(folder(17)), ..thing() },
    ];
    for deep in deep {
        refused(deep.put().send(&world.repository).await, "nested more than 31 deep");
    }
    let field = Thing::fields().tree;
    refused(Thing::scan().filter(field.eq(Some(tree(2000)))).send(&world.repository).await, "nested more than 31 deep");
    let update = Thing::update("1").with(field.set(Some(tree(2000))));
    refused(update.send(&world.repository).await, "nested more than 31 deep");
    for fitting in [
        Thing { tree: Some(tree(16)), ..thing() },
        Thing { chain: Some(chain(21)), ..thing() },
        Thing { folder: Some(folder(16)), ..thing() },
    ] {
        fitting.clone().put().send(&world.repository).await.expect("a put");
        let stored = Thing::get("1").send(&world.repository).await.expect("a get");
        assert_eq!(stored, Some(fitting));
    }
}

#[test]
fn items_nested_too_deeply_are_refused_before_decoding() {
    use dyno::aws_sdk_dynamodb::types::AttributeValue;
    let deep = |wrap: fn(AttributeValue) -> AttributeValue| (0..1000).fold(n(1), |value, _| wrap(value));
    let map = |name: &str, value| AttributeValue::M(item([(name, value)]));
    for (name, value) in [
        ("folder", deep(|value| AttributeValue::M(item([("folders", AttributeValue::M(item([("a", value)])))])))),
        ("chain", deep(|value| AttributeValue::M(item([("Link", value)])))),
        (
            "tree",
            map(
                "children",
                deep(|value| AttributeValue::L(vec![AttributeValue::M(item([("name", s("x")), ("children", value)]))])),
            ),
        ),
    ] {
        let stored = item([("id", s("1")), ("number", n(1)), (name, value)]);
        let error = Thing::from_item(stored).expect_err(name).to_string();
        assert!(error.len() < 1000, "{error}");
    }
}
