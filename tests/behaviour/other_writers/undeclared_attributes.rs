//! Attributes that a command does not change stay as they are.

use super::{Line, Order, State, changed, l, line, m, row, stored};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Item};
use dyno_tests::{item, n, s, world};
use std::collections::{BTreeMap, BTreeSet};

/// The row with another value for this attribute.
fn with(name: &str, value: AttributeValue) -> Item {
    let mut row = row();
    row.insert(name.to_owned(), value);
    row
}

#[tokio::test]
async fn unchanged_attributes_stay_byte_for_byte() {
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
async fn undeclared_members_stay_when_a_declared_member_changes() {
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
    // The stored key has another spelling than the one that dyno would write.
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
async fn undeclared_members_of_an_element_move_with_it() {
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

/// A plain write to a row without a version comes between the read and the write of a `modify`.
#[tokio::test]
async fn a_modify_of_an_unversioned_row_keeps_a_concurrent_write() {
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

/// The program reads two stored entries as one, so a write of the decoded item would lose one of them.
#[tokio::test]
async fn two_spellings_of_one_key_are_an_error_that_names_both() {
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
