//! Rows written by other programs, with undeclared attributes at any depth. A command keeps everything that it does not
//! change, byte for byte.

use dyno::aws_sdk_dynamodb::primitives::Blob;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Document, Entity, Item};
use dyno_tests::{World, item, n, s, world};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Document, Clone, Debug, PartialEq)]
struct Line {
    sku: String,
    quantity: u32,
    weight: Option<f64>,
}

#[derive(Document, Clone, Debug, PartialEq)]
#[document(tag = "kind")]
enum State {
    Open,
    Shipped { line: Line },
}

/// An entity with a version.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
struct Order {
    #[partition_key]
    id: String,
    main: Line,
    lines: Vec<Line>,
    by_day: BTreeMap<u32, Line>,
    by_time: BTreeMap<chrono::DateTime<chrono::Utc>, Line>,
    state: State,
    placed: chrono::DateTime<chrono::Utc>,
    tags: BTreeSet<String>,
    note: Option<String>,
    #[version]
    version: u64,
}

/// An entity of the same table, without a version and with fewer attributes.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
struct Loose {
    #[partition_key]
    id: String,
    main: Line,
    lines: Vec<Line>,
    note: Option<String>,
}

impl Line {
    fn more(&mut self) {
        self.quantity += 1;
    }
}

fn number() -> impl Strategy<Value = AttributeValue> {
    let numbers = ["0", "7", "-1.5", "0.12345678901234567890123456789", "123456789012345678901234567890", "1E-100"];
    proptest::sample::select(numbers.to_vec()).prop_map(n)
}

fn text() -> impl Strategy<Value = String> {
    proptest::sample::select(vec!["a", "b", "größe", "2026-01-02T03:04:05.000Z", "", "sku", "#x.y"])
        .prop_map(str::to_owned)
}

fn name() -> impl Strategy<Value = String> {
    proptest::sample::select(vec!["Sku", "quantities", "x", "a.b", "größe", "_z", "01", "#n", "kinds", "Note"])
        .prop_map(str::to_owned)
}

/// Any value.
fn value() -> impl Strategy<Value = AttributeValue> {
    let texts = proptest::collection::btree_set("[a-c]{1,2}", 1..4);
    let leaf = prop_oneof![
        number(),
        text().prop_map(|text| s(&text)),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null(true)),
        proptest::collection::vec(any::<u8>(), 0..4).prop_map(|bytes| AttributeValue::B(Blob::new(bytes))),
        texts.clone().prop_map(|texts| AttributeValue::Ss(texts.into_iter().collect())),
        texts.prop_map(|texts| AttributeValue::Bs(texts.into_iter().map(Blob::new).collect())),
        proptest::collection::btree_set(0i32..99, 1..4)
            .prop_map(|numbers| AttributeValue::Ns(numbers.iter().map(ToString::to_string).collect())),
    ];
    leaf.prop_recursive(4, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(AttributeValue::L),
            proptest::collection::hash_map(name(), inner, 0..4).prop_map(AttributeValue::M),
        ]
    })
}

/// Attributes that the entity does not declare.
fn others() -> impl Strategy<Value = Item> {
    proptest::collection::hash_map(name(), value(), 0..3)
}

fn line() -> impl Strategy<Value = AttributeValue> {
    let weight = proptest::option::of(prop_oneof![number(), Just(AttributeValue::Null(true))]);
    (text(), 0u32..3, weight, others()).prop_map(|(sku, quantity, weight, mut line)| {
        line.extend(item([("sku", s(&sku)), ("quantity", n(quantity))]));
        line.extend(weight.map(|weight| ("weight".to_owned(), weight)));
        AttributeValue::M(line)
    })
}

/// Gives each line its own `sku`, so that the declared attributes distinguish the lines.
fn numbered(mut lines: Vec<AttributeValue>) -> Vec<AttributeValue> {
    for (number, line) in lines.iter_mut().enumerate() {
        if let AttributeValue::M(line) = line {
            line.insert("sku".to_owned(), s(&number.to_string()));
        }
    }
    lines
}

fn days() -> impl Strategy<Value = AttributeValue> {
    let names = proptest::sample::select(vec!["1", "01", "2", "3.0"]).prop_map(str::to_owned);
    proptest::collection::hash_map(names, line(), 0..3).prop_map(AttributeValue::M)
}

const TIMES: [&str; 3] = ["2026-01-02T03:04:05.000Z", "2026-01-03T04:04:05+01:00", "2026-01-03T03:04:05Z"];

/// The last two names are the same time, so a map with both of them does not decode.
fn times() -> impl Strategy<Value = AttributeValue> {
    let names = proptest::sample::select(TIMES.to_vec()).prop_map(str::to_owned);
    proptest::collection::hash_map(names, line(), 0..3).prop_map(AttributeValue::M)
}

fn state() -> impl Strategy<Value = AttributeValue> {
    (any::<bool>(), line(), others()).prop_map(|(open, line, mut state)| {
        state.insert("kind".to_owned(), s(if open { "Open" } else { "Shipped" }));
        state.insert("line".to_owned(), line);
        AttributeValue::M(state)
    })
}

/// A row that another program can have written. In some rows, one attribute does not fit the entity.
fn row() -> impl Strategy<Value = Item> {
    let lines = proptest::collection::vec(line(), 0..5).prop_map(|lines| AttributeValue::L(numbered(lines)));
    let placed = proptest::sample::select(vec!["2026-01-02T03:04:05.000Z", "2026-01-02T04:04:05+01:00"]);
    let version = proptest::option::of(prop_oneof![Just(0u64), Just(5)]);
    let wrong =
        proptest::option::weighted(0.2, (proptest::sample::select(vec!["main", "lines", "note", "tags"]), value()));
    let note = proptest::option::of(prop_oneof![text().prop_map(|text| s(&text)), Just(AttributeValue::Null(true))]);
    (line(), lines, days(), times(), state(), placed, version, note, wrong, others()).prop_map(
        |(main, lines, days, times, state, placed, version, note, wrong, mut row)| {
            row.extend(item([("id", s("1")), ("main", main), ("lines", lines), ("by_day", days)]));
            row.extend(item([("by_time", times), ("state", state), ("placed", s(placed))]));
            row.extend(version.map(|version| ("version".to_owned(), n(version))));
            row.extend(note.map(|note| ("note".to_owned(), note)));
            row.extend(wrong.map(|(name, value)| (name.to_owned(), value)));
            row
        },
    )
}

/// Returns the value with its sets sorted, because a set in DynamoDB has no order.
fn ordered(value: &AttributeValue) -> AttributeValue {
    use AttributeValue::{Bs, L, M, Ns, Ss};
    match value.clone() {
        Ss(mut set) => {
            set.sort();
            Ss(set)
        }
        Ns(mut set) => {
            set.sort();
            Ns(set)
        }
        Bs(mut set) => {
            set.sort_by_key(|element| element.as_ref().to_vec());
            Bs(set)
        }
        L(elements) => L(elements.iter().map(ordered).collect()),
        M(members) => M(members.iter().map(|(name, member)| (name.clone(), ordered(member))).collect()),
        other => other,
    }
}

/// Returns the stored row without `version` and `_w`, which each write of an entity with a version changes.
async fn stored(world: &World) -> Item {
    let mut rows = world.stored::<Order>().await;
    assert_eq!(rows.len(), 1);
    let mut row = rows.remove(0);
    row.retain(|name, _| name != "version" && name != "_w");
    row.iter().map(|(name, value)| (name.clone(), ordered(value))).collect()
}

/// Sends each change with `modify_each` and with `modify`, and checks the stored row. If the row does not decode, both
/// commands fail, and the row stays as it is.
macro_rules! check {
    ($entity:ident, $world:ident, $row:ident; $($change:expr => $expected:expr;)*) => {$(
        let is_readable = $entity::from_item($row.clone()).is_ok();
        let is_done = [
            check!($world, $row, is_readable, $expected, {
                let sent = $entity::scan().modify_each($change).send(&$world.repository).await.expect("sent");
                sent.completed().map(drop)
            }),
            check!($world, $row, is_readable, $expected, {
                let sent = $entity::modify("1", $change).send(&$world.repository).await;
                sent.map(|outcome| drop(outcome.applied().expect("applied")))
            }),
        ];
        assert_eq!(is_done, [is_readable; 2], "{:?}", $row);
    )*};
    ($world:ident, $row:ident, $is_readable:ident, $expected:expr, $send:expr) => {{
        $world.write_foreign::<Order>($row.clone()).await;
        let before = stored($world).await;
        let sent: Result<(), dyno::Error> = $send;
        assert!(sent.as_ref().err().is_none_or(dyno::Error::is_decode), "{sent:?}");
        let expected = if $is_readable { $expected(before) } else { before };
        assert_eq!(stored($world).await, expected, "{}", stringify!($expected));
        sent.is_ok()
    }};
}

fn unchanged(row: Item) -> Item {
    row
}

fn noted(mut row: Item) -> Item {
    row.insert("note".to_owned(), s("new"));
    row
}

/// Returns the row with a changed list.
fn listed(mut row: Item, change: impl FnOnce(&mut Vec<AttributeValue>)) -> Item {
    if let Some(AttributeValue::L(lines)) = row.get_mut("lines") {
        change(lines);
    }
    row
}

/// Returns the row with the quantity of this line raised by 1.
fn more(mut row: Item, at: impl FnOnce(&mut Item) -> Option<&mut AttributeValue>) -> Item {
    if let Some(AttributeValue::M(line)) = at(&mut row) {
        let quantity = line["quantity"].as_n().expect("a number").parse::<u32>().expect("whole");
        line.insert("quantity".to_owned(), n(quantity + 1));
    }
    row
}

fn last(row: &mut Item) -> Option<&mut AttributeValue> {
    match row.get_mut("lines") {
        Some(AttributeValue::L(lines)) => lines.last_mut(),
        _ => None,
    }
}

fn first_time(row: &mut Item) -> Option<&mut AttributeValue> {
    match row.get_mut("by_time") {
        Some(AttributeValue::M(times)) => times.get_mut(*TIMES.iter().find(|time| times.contains_key(**time))?),
        _ => None,
    }
}

/// Returns the line of day 1, whose name in the map is `1` or `01`.
fn first_day(row: &mut Item) -> Option<&mut AttributeValue> {
    match row.get_mut("by_day") {
        Some(AttributeValue::M(days)) => {
            let name = ["1", "01"].into_iter().find(|name| days.contains_key(*name))?;
            days.get_mut(name)
        }
        _ => None,
    }
}

fn shipped(row: &mut Item) -> Option<&mut AttributeValue> {
    match row.get_mut("state") {
        Some(AttributeValue::M(state)) if state.get("kind") == Some(&s("Shipped")) => state.get_mut("line"),
        _ => None,
    }
}

/// Checks that refused writes leave the row as it is.
async fn of_refusals(world: &World, row: &Item) {
    let repository = &world.repository;
    world.write_foreign::<Order>(row.clone()).await;
    let before = world.stored::<Order>().await;
    let refuse = |_: &mut Order| Err::<(), _>("not this one");
    assert!(Order::modify("1", refuse).send(repository).await.is_err());
    assert!(Order::scan().modify_each(refuse).send(repository).await.expect("sent").completed().is_err());
    let update = Order::update("1").version(9u64).with(Order::fields().note.set("new"));
    assert!(!update.send(repository).await.expect("sent").is_applied());
    assert!(!Order::delete("1", 9u64).send(repository).await.expect("sent").is_applied());
    let update = Loose::update("1").with(Loose::fields().note.set("new")).condition(Loose::fields().id.eq("2"));
    assert!(!update.send(repository).await.expect("sent").is_applied());
    if let Ok(order) = Order::from_item(row.clone()) {
        let newer = Order { version: 9, ..order };
        assert!(!newer.put().send(repository).await.expect("sent").is_applied());
        assert!(!newer.replace().send(repository).await.expect("sent").is_applied());
        assert!(!newer.create().send(repository).await.expect("sent").is_applied());
    }
    assert_eq!(world.stored::<Order>().await, before);
}

async fn of_one_that_counts(world: &World, row: &Item) {
    check! { Order, world, row;
        |_| () => unchanged;
        |order| order.note = Some("new".to_owned()) => noted;
        |order| order.main.more() => |row| more(row, |row| row.get_mut("main"));
        |order| if let State::Shipped { line } = &mut order.state { line.more() } => |row| more(row, shipped);
        |order| if let Some(line) = order.by_day.get_mut(&1) { line.more() } => |row| more(row, first_day);
        |order| order.by_time.values_mut().take(1).for_each(Line::more) => |row| more(row, first_time);
        |order| if let Some(line) = order.lines.last_mut() { line.more() } => |row| more(row, last);
        |order| order.lines.reverse() => |row| listed(row, |lines| lines.reverse());
        |order| order.lines.truncate(1) => |row| listed(row, |lines| lines.truncate(1));
    }
}

async fn of_one_that_does_not(world: &World, row: &Item) {
    for change in [false, true] {
        world.write_foreign::<Order>(row.clone()).await;
        let before = world.stored::<Order>().await.remove(0);
        let note = |loose: &mut Loose| loose.note = if change { Some("new".to_owned()) } else { loose.note.take() };
        let sent = Loose::scan().modify_each(note).send(&world.repository).await.expect("sent").completed();
        let expected = if change && sent.is_ok() { noted(before) } else { before };
        assert_eq!(sent.is_ok(), Loose::from_item(row.clone()).is_ok());
        assert_eq!(world.stored::<Order>().await, [expected]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn commands_keep_unchanged_attributes_byte_for_byte(row in row()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let world = world::<Order>().await;
            of_refusals(&world, &row).await;
            of_one_that_counts(&world, &row).await;
            of_one_that_does_not(&world, &row).await;
        });
    }
}
