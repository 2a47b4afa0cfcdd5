//! What other programs keep in a row: it stays as it is, at every depth, whatever a command changes beside it.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Document, Entity, Item};
use dyno_tests::{World, item, n, s, world};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Document, Clone, Debug, PartialEq)]
struct Line {
    sku: String,
    quantity: u32,
}

#[derive(Document, Clone, Debug, PartialEq)]
#[document(tag = "kind")]
enum State {
    Open,
    Shipped { by: String, line: Line },
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
struct Order {
    #[partition_key]
    id: String,
    main: Line,
    lines: Vec<Line>,
    by_day: BTreeMap<u32, Line>,
    state: State,
    weight: f64,
    placed: chrono::DateTime<chrono::Utc>,
    tags: BTreeSet<String>,
    note: Option<String>,
    #[version]
    version: u64,
}

fn m<const N: usize>(members: [(&str, AttributeValue); N]) -> AttributeValue {
    AttributeValue::M(item(members))
}

fn l<const N: usize>(elements: [AttributeValue; N]) -> AttributeValue {
    AttributeValue::L(elements.into())
}

/// A line with a member that it does not declare.
fn line(sku: &str, quantity: &str, color: &str) -> AttributeValue {
    m([("sku", s(sku)), ("quantity", n(quantity)), ("color", m([("rgb", l([s(color), AttributeValue::Null(true)]))]))])
}

/// As another program writes it.
fn row() -> Item {
    item([
        ("id", s("1")),
        ("main", line("m", "1", "red")),
        ("lines", l([line("a", "1", "blue"), line("b", "2", "green"), line("c", "3", "white")])),
        ("by_day", m([("01", line("x", "7", "black")), ("2", line("y", "8", "grey"))])),
        ("state", m([("kind", s("Shipped")), ("by", s("sea")), ("line", line("z", "9", "pink")), ("since", n(3))])),
        ("weight", n("0.12345678901234567890123456789")),
        ("placed", s("2026-01-02T03:04:05.000Z")),
        ("tags", AttributeValue::Ss(vec!["t".to_owned()])),
        ("note", AttributeValue::Null(true)),
        ("other", m([("deep", l([m([("x", n("100"))])]))])),
        ("version", n(4)),
        ("_w", s("-x")),
    ])
}

async fn stored(world: &World) -> Item {
    world.stored::<Order>().await.remove(0)
}

/// What is stored after a change of the row, but for the version and the write id.
async fn changed(world: &World, change: impl FnMut(&mut Order) + Send) -> Item {
    world.write_foreign::<Order>(row()).await;
    let order = Order::modify("1", change).send(&world.repository).await.expect("sent").applied().expect("applied");
    let mut stored = stored(world).await;
    assert_eq!(Order::from_item(stored.clone()).expect("an order"), order);
    assert_eq!(stored.insert("version".to_owned(), n(4)), Some(n(5)));
    assert_ne!(stored.insert("_w".to_owned(), s("-x")), Some(s("-x")));
    stored
}

/// The row with another value there.
fn with(name: &str, value: AttributeValue) -> Item {
    let mut row = row();
    row.insert(name.to_owned(), value);
    row
}

#[tokio::test]
async fn what_nobody_changes_stays_to_the_byte() {
    let world = world::<Order>().await;
    assert_eq!(changed(&world, |_| ()).await, row());
    world.write_foreign::<Order>(row()).await;
    let done =
        Order::scan().modify_each(|_| ()).send(&world.repository).await.expect("sent").completed().expect("done");
    assert_eq!((done.changed(), done.unchanged()), (0, 1));
    assert_eq!(stored(&world).await, row());
    let named = |order: &mut Order| order.note = Some("new".to_owned());
    let done = Order::scan().modify_each(named).send(&world.repository).await.expect("sent").completed().expect("done");
    assert_eq!((done.changed(), done.unchanged()), (1, 0));
    let mut expected = with("note", s("new"));
    expected.insert("version".to_owned(), n(5));
    let stored = stored(&world).await;
    expected.insert("_w".to_owned(), stored["_w"].clone());
    assert_eq!(stored, expected);
}

#[tokio::test]
async fn members_that_a_document_does_not_declare_stay_beside_one_that_changes() {
    let world = world::<Order>().await;
    let world = &world;
    assert_eq!(changed(world, |order| order.main.quantity = 5).await, with("main", line("m", "5", "red")));
    let replaced = Line { sku: "n".to_owned(), quantity: 6 };
    assert_eq!(changed(world, move |order| order.main = replaced.clone()).await, with("main", line("n", "6", "red")));
    let lines = changed(world, |order| order.lines[1].quantity = 5).await;
    let expected = l([line("a", "1", "blue"), line("b", "5", "green"), line("c", "3", "white")]);
    assert_eq!(lines, with("lines", expected));
    let shipped = |order: &mut Order| {
        if let State::Shipped { by, line } = &mut order.state {
            *by = "air".to_owned();
            line.quantity += 1;
        }
    };
    let state = m([("kind", s("Shipped")), ("by", s("air")), ("line", line("z", "10", "pink")), ("since", n(3))]);
    assert_eq!(changed(world, shipped).await, with("state", state));
    let open = m([("kind", s("Open")), ("since", n(3))]);
    assert_eq!(changed(world, |order| order.state = State::Open).await, with("state", open));
    // The key is spelled otherwise than the program would.
    let days = changed(world, |order| order.by_day.get_mut(&1).expect("there").quantity = 5).await;
    assert_eq!(days, with("by_day", m([("01", line("x", "5", "black")), ("2", line("y", "8", "grey"))])));
    let gone = changed(world, |order| drop(order.by_day.remove(&1))).await;
    assert_eq!(gone, with("by_day", m([("2", line("y", "8", "grey"))])));
    let tags = changed(world, |order| order.tags.extend(["u".to_owned()])).await;
    let AttributeValue::Ss(mut texts) = tags["tags"].clone() else { panic!("{tags:?}") };
    texts.sort();
    assert_eq!(texts, ["t", "u"]);
}

#[tokio::test]
async fn what_an_element_holds_besides_goes_where_it_goes() {
    type Change = fn(&mut Vec<Line>);
    let world = world::<Order>().await;
    let [a, b, c] = [line("a", "1", "blue"), line("b", "2", "green"), line("c", "3", "white")];
    let new = || m([("sku", s("n")), ("quantity", n(0))]);
    let line_of = || Line { sku: "n".to_owned(), quantity: 0 };
    let cases: [(Change, AttributeValue); 5] = [
        (|lines| lines.reverse(), l([c.clone(), b.clone(), a.clone()])),
        (|lines| drop(lines.remove(0)), l([b.clone(), c.clone()])),
        (|lines| lines.retain(|line| line.quantity != 2), l([a.clone(), c.clone()])),
        (
            |lines| {
                lines.remove(0);
                lines[1].quantity = 9;
            },
            l([b.clone(), line("c", "9", "white")]),
        ),
        (|lines| lines.rotate_left(1), l([b.clone(), c.clone(), a.clone()])),
    ];
    for (change, expected) in cases {
        assert_eq!(changed(&world, move |order| change(&mut order.lines)).await, with("lines", expected));
    }
    let pushed = changed(&world, |order| order.lines.insert(1, line_of())).await;
    assert_eq!(pushed, with("lines", l([a.clone(), new(), b.clone(), c.clone()])));
    let both = changed(&world, |order| {
        order.lines[0].quantity = 7;
        order.lines.push(line_of());
    })
    .await;
    assert_eq!(both, with("lines", l([line("a", "7", "blue"), b, c, new()])));
}

/// A row that no program has counted, changed by one that does not count: between the reading and the writing.
#[tokio::test]
async fn a_change_of_a_row_that_nobody_counts_loses_no_write_of_another() {
    let world = world::<Order>().await;
    for version in [None, Some(n(0))] {
        let uncounted = |quantity: &str| {
            let mut row = with("main", line("m", quantity, "red"));
            row.retain(|name, _| name != "_w" && name != "version");
            row.extend(version.clone().map(|version| ("version".to_owned(), version)));
            row
        };
        world.write_foreign::<Order>(uncounted("1")).await;
        world.faults.hold_after(1);
        let repository = world.repository.clone();
        let modify = Order::modify("1", |order| order.note = Some("new".to_owned()));
        let modify = tokio::spawn(async move { modify.send(&repository).await });
        world.faults.held().await;
        let put = world.other().client().put_item().table_name("orders").set_item(Some(uncounted("2")));
        put.send().await.expect("a put");
        world.faults.release();
        let order = modify.await.expect("no panic").expect("sent").applied().expect("applied");
        assert_eq!((order.main.quantity, order.note.as_deref(), order.version), (2, Some("new"), 1));
        let stored = stored(&world).await;
        assert_eq!(stored["main"], line("m", "2", "red"));
    }
}

/// What is there twice for the program would be there once when it is written back.
#[tokio::test]
async fn names_that_are_one_key_are_an_error_that_names_both() {
    #[derive(Entity, Debug)]
    struct Sets {
        #[partition_key]
        id: String,
        days: BTreeMap<u32, String>,
        ids: BTreeSet<uuid::Uuid>,
        hashed: std::collections::HashMap<uuid::Uuid, u8>,
    }
    let (lower, upper) = ("67e55044-10b1-426f-9247-bb680e5fe0c8", "67E55044-10B1-426F-9247-BB680E5FE0C8");
    let row = |days: AttributeValue, ids: &[&str], hashed: AttributeValue| {
        let ids = AttributeValue::Ss(ids.iter().map(|id| (*id).to_owned()).collect());
        Sets::from_item(item([("id", s("1")), ("days", days), ("ids", ids), ("hashed", hashed)]))
    };
    let fine = || m([("01", s("a")), ("2", s("b"))]);
    let sets = row(fine(), &[upper], m([(upper, n(1))])).expect("one spelling each");
    assert_eq!((sets.days.len(), sets.ids.len(), sets.hashed.len(), sets.id.as_str()), (2, 1, 1, "1"));
    for (row, message) in [
        (
            row(m([("01", s("a")), ("1", s("b"))]), &[lower], m([])),
            r#"`days`: expected one name for each key, "01" or "1", found both"#.to_owned(),
        ),
        (
            row(fine(), &[lower, upper], m([])),
            format!("`ids`: expected one spelling of each element, {upper:?} or {lower:?}, found both"),
        ),
        (
            row(fine(), &[lower], m([(lower, n(1)), (upper, n(1))])),
            format!("`hashed`: expected one name for each key, {upper:?} or {lower:?}, found both"),
        ),
    ] {
        let error = row.expect_err("two of one");
        assert!(error.is_decode() && error.to_string().ends_with(&message), "{error}");
    }
}

/// With a history.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Page {
    #[partition_key]
    id: String,
    text: String,
    main: Option<Line>,
    #[version]
    version: u64,
}

#[tokio::test]
async fn a_rollback_keeps_what_it_does_not_know() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    let row = item([("id", s("1")), ("text", s("a")), ("main", line("m", "1", "red")), ("other", s("then"))]);
    world.write_foreign::<Page>(row).await;
    let change = |text: &'static str| Page::modify("1", move |page: &mut Page| page.text = text.to_owned());
    change("b").send(repository).await.expect("sent").applied().expect("applied");
    let update = repository.client().update_item().table_name("pages").key("id", s("1"));
    let update =
        update.update_expression("SET #other = :now, another = :now").expression_attribute_names("#other", "other");
    update.expression_attribute_values(":now", s("now")).send().await.expect("an update");
    change("c").send(repository).await.expect("sent").applied().expect("applied");
    let back = Page::rollback("1", 1u64).send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!((back.text.as_str(), back.version), ("b", 3));
    let stored = world.stored::<Page>().await.remove(0);
    assert_eq!((&stored["other"], &stored["another"]), (&s("now"), &s("now")));
    assert_eq!(stored["main"], line("m", "1", "red"));
    // Over a deletion nothing is there to be kept: it is as it was.
    Page::delete("1", 3u64).send(repository).await.expect("sent").applied().expect("applied");
    Page::rollback("1", 1u64).send(repository).await.expect("sent").applied().expect("applied");
    let stored = world.stored::<Page>().await.remove(0);
    assert_eq!((&stored["other"], stored.get("another"), &stored["text"]), (&s("then"), None, &s("b")));
}

/// A revision is a whole item, so what is put holds what another program has in the row.
#[tokio::test]
async fn a_change_of_an_item_with_a_history_loses_no_undeclared_attribute_that_is_changed_meanwhile() {
    let world = world::<Page>().await;
    let row = item([("id", s("1")), ("text", s("a")), ("version", n(1)), ("other", s("then"))]);
    world.write_foreign::<Page>(row).await;
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let modify =
        tokio::spawn(async move { Page::modify("1", |page: &mut Page| page.text.push('!')).send(&repository).await });
    world.faults.held().await;
    let other = world.other();
    let update = other.client().update_item().table_name("pages").key("id", s("1"));
    let update = update.update_expression("SET #other = :now").expression_attribute_names("#other", "other");
    update.expression_attribute_values(":now", s("now")).send().await.expect("an update");
    world.faults.release();
    modify.await.expect("no panic").expect("sent").applied().expect("applied");
    let stored = world.stored::<Page>().await.remove(0);
    assert_eq!((&stored["text"], &stored["version"], &stored["other"]), (&s("a!"), &n(2), &s("now")));
}

/// A row that no program has counted, and whose history keeps whole items.
#[tokio::test]
async fn a_rollback_of_a_row_that_nobody_counts_loses_no_write_of_another() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    let page = Page { id: "1".to_owned(), text: "a".to_owned(), main: None, version: 0 };
    page.create().send(repository).await.expect("sent").applied().expect("applied");
    // Another program puts its own item there.
    let foreign = |text: &str| item([("id", s("1")), ("text", s(text)), ("other", s(text))]);
    world.write_foreign::<Page>(foreign("x")).await;
    world.faults.hold_after(2);
    let other = repository.clone();
    let rollback = tokio::spawn(async move { Page::rollback("1", 1u64).send(&other).await });
    world.faults.held().await;
    let put = world.other().client().put_item().table_name("pages").set_item(Some(foreign("y")));
    put.send().await.expect("a put");
    world.faults.release();
    let page = rollback.await.expect("no panic").expect("sent").applied().expect("applied");
    // The numbers go on behind those of the item that was there before.
    assert_eq!((page.text.as_str(), page.version), ("a", 2));
    let stored = world.stored::<Page>().await.remove(0);
    assert_eq!((&stored["text"], &stored["other"]), (&s("a"), &s("y")));
}

/// A document that holds what it does not declare.
#[derive(Document, Clone, Debug, PartialEq)]
struct Open {
    sku: String,
    note: Option<String>,
    #[attribute(rest)]
    rest: Item,
}

#[derive(Document, Clone, Debug, PartialEq)]
#[document(tag = "kind")]
enum Choice {
    Whole(Open),
    Part {
        sku: String,
        #[attribute(rest)]
        rest: Item,
    },
}

/// An entity that does, with all that rules keep in its item.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "kept", type_name = "Kept", schema_version = 2, upgrade = "as_it_is")]
#[partition_key(name = "PK", template = "Kept#{id}")]
#[tombstone(ttl_days = 7)]
#[index(name = "GSI1", query = by_label, partition(name = "GSI1PK", template = "Label#{label}"))]
struct Kept {
    id: u32,
    label: String,
    #[attribute(alias = "title")]
    name: String,
    open: Vec<Open>,
    choice: Option<Choice>,
    #[attribute(rest)]
    rest: Item,
    #[version]
    version: u64,
}

#[allow(clippy::unnecessary_wraps, reason = "what `upgrade` takes")]
fn as_it_is(_: &mut Item, _: u32) -> Result<(), String> {
    Ok(())
}

fn kept() -> Item {
    item([
        ("PK", s("Kept#1")),
        ("label", s("a")),
        ("title", s("t")),
        ("open", l([line("m", "1", "red"), line("n", "2", "blue")])),
        ("choice", m([("kind", s("Whole")), ("sku", s("w")), ("size", n(7))])),
        ("other", m([("deep", l([n(1)]))])),
        ("Label", s("none")),
        ("deleted", AttributeValue::Bool(false)),
    ])
}

#[tokio::test]
async fn the_rest_is_in_hand_and_put_back() {
    let world = world::<Kept>().await;
    let repository = &world.repository;
    world.write_foreign::<Kept>(kept()).await;
    let found = Kept::get(1u32).consistent().send(repository).await.expect("a get").expect("there");
    let rest = item([("other", m([("deep", l([n(1)]))])), ("Label", s("none"))]);
    assert_eq!(found.rest, rest);
    let color = |color: &str| m([("rgb", l([s(color), AttributeValue::Null(true)]))]);
    assert_eq!(found.open[1].rest, item([("quantity", n(2)), ("color", color("blue"))]));
    let Some(Choice::Whole(whole)) = &found.choice else { panic!("{found:?}") };
    assert_eq!(whole.rest, item([("size", n(7))]));

    // A put has all of it.
    found.replace().send(repository).await.expect("sent").applied().expect("applied");
    let mut stored = world.stored::<Kept>().await.remove(0);
    let own = ["_w", "_v", "_type", "version", "GSI1PK"].map(|name| stored.remove(name).expect("a rule's"));
    assert_eq!(own[1..], [n(2), s("Kept"), n(1), s("Label#a")]);
    let mut expected = kept();
    expected.remove("deleted");
    let name = expected.remove("title").expect("a name");
    expected.insert("name".to_owned(), name);
    assert_eq!(stored, expected);

    // It can be changed, by name; an element that is moved and changed keeps what it holds.
    let change = |kept: &mut Kept| {
        kept.rest.remove("Label");
        kept.rest.insert("new".to_owned(), n(5));
        kept.open.reverse();
        for open in &mut kept.open {
            open.sku.push('!');
            open.rest.insert("seen".to_owned(), AttributeValue::Bool(true));
        }
        kept.choice = Some(Choice::Part { sku: "p".to_owned(), rest: item([("size", n(8))]) });
    };
    let changed = Kept::modify(1u32, change).send(repository).await.expect("sent").applied().expect("applied");
    let stored = world.stored::<Kept>().await.remove(0);
    assert_eq!(Kept::from_item(stored.clone()).expect("decodes"), changed);
    assert_eq!((stored.get("Label"), stored.get("new"), stored["other"].is_m()), (None, Some(&n(5)), true));
    let seen = |sku: &str, quantity: u32, of: &str| {
        let seen = ("seen", AttributeValue::Bool(true));
        m([("sku", s(sku)), ("quantity", n(quantity)), ("color", color(of)), seen])
    };
    assert_eq!(stored["open"], l([seen("n!", 2, "blue"), seen("m!", 1, "red")]));
    assert_eq!(stored["choice"], m([("kind", s("Part")), ("sku", s("p")), ("size", n(8))]));
}

#[test]
fn what_is_declared_is_not_in_the_rest() {
    let open = |name: &str| Open { sku: "s".to_owned(), note: None, rest: item([(name, n(1))]) };
    let of = |rest: Item, open: Vec<Open>, choice: Option<Choice>| {
        Kept { id: 1, label: "a".to_owned(), name: "t".to_owned(), open, choice, rest, version: 0 }.to_item()
    };
    assert!(of(item([("other", n(1))]), vec![open("x")], None).is_ok());
    let message = "it is in the rest, and declared: set the field of this name, and take it out of the rest";
    for name in ["PK", "label", "title", "version", "_w", "_v", "_type", "deleted", "ttl", "GSI1PK"] {
        let error = of(item([(name, n(1)), ("other", n(1))]), Vec::new(), None).expect_err("declared");
        assert!(error.is_invalid_input() && error.to_string().ends_with(&format!("`{name}`: {message}")), "{error}");
    }
    // Though it is absent now: it would be read as the field.
    let error = of(Item::new(), vec![open("x"), open("note")], None).expect_err("declared");
    assert!(error.to_string().ends_with(&format!("`open[1].note`: {message}")), "{error}");
    let tagged = of(Item::new(), Vec::new(), Some(Choice::Whole(open("kind")))).expect_err("the tag");
    assert!(tagged.to_string().contains("`choice.kind`: the variant \"Whole\" has a member of this name"), "{tagged}");
}

/// Of a row that nobody counts, all can have been looked at.
#[tokio::test]
async fn a_change_of_one_that_holds_the_rest_loses_no_write_to_the_rest() {
    let world = world::<Kept>().await;
    let repository = world.repository.clone();
    let double = |kept: &mut Kept| {
        let size = kept.rest["size"].as_n().expect("a number").parse::<u32>().expect("whole");
        kept.rest.insert("doubled".to_owned(), n(size * 2));
    };
    let mut row = kept();
    row.insert("size".to_owned(), n(1));
    world.write_foreign::<Kept>(row.clone()).await;
    world.faults.hold_after(1);
    let modify = tokio::spawn(async move { Kept::modify(1u32, double).send(&repository).await });
    world.faults.held().await;
    row.insert("size".to_owned(), n(2));
    let put = world.other().client().put_item().table_name("kept").set_item(Some(row));
    put.send().await.expect("a put");
    world.faults.release();
    let kept = modify.await.expect("no panic").expect("sent").applied().expect("applied");
    assert_eq!((&kept.rest["size"], &kept.rest["doubled"]), (&n(2), &n(4)));
}

#[test]
fn a_stream_tells_changes_of_the_rest_to_who_holds_it() {
    use dyno::stream::{Changed, Event, Record};
    let keys = item([("PK", s("Kept#1"))]);
    let mut new = kept();
    new.insert("other".to_owned(), n(2));
    let record = Record::new(Event::Modify, keys).with_old_image(kept()).with_new_image(new);
    let changed = record.change::<Kept>().expect("decodes");
    let Some(Changed::Updated { old, new }) = changed else { panic!("{changed:?}") };
    assert_eq!((old.rest["other"].is_m(), &new.rest["other"]), (true, &n(2)));
}

/// Which of the two is the later one, nothing says.
#[tokio::test]
async fn two_values_of_one_attribute_are_both_kept() {
    let world = world::<Kept>().await;
    let repository = &world.repository;
    let mut row = kept();
    row.insert("name".to_owned(), s("another"));
    world.write_foreign::<Kept>(row.clone()).await;
    let label = |kept: &mut Kept| kept.label = "b".to_owned();
    let error = Kept::modify(1u32, label).send(repository).await.expect_err("two values");
    assert!(error.is_decode() && error.to_string().contains("title"), "{error}");
    let done = Kept::scan().modify_each(label).send(repository).await.expect("sent");
    assert!(done.completed().is_err_and(|error| error.is_decode()));
    assert_eq!(world.stored::<Kept>().await, [row]);
    // The same twice is one.
    let mut row = kept();
    row.insert("name".to_owned(), s("t"));
    world.write_foreign::<Kept>(row).await;
    Kept::modify(1u32, label).send(repository).await.expect("sent").applied().expect("applied");
    let stored = world.stored::<Kept>().await.remove(0);
    assert_eq!((&stored["name"], stored.get("title"), &stored["label"]), (&s("t"), None, &s("b")));
}
