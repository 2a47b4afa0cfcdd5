//! `inspect_table` on a table with rows of other programs: its findings, and how `modify_each` repairs them.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::table::{Finding, Inspection, Remedy, RowFinding};
use dyno::{Document, Entity, EpochMillis, EpochSeconds, Item};
use dyno_tests::{NOW, World, item, n, s, world};
use std::collections::BTreeSet;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "shop", type_name = "Parcel", schema_version = 2, upgrade = "rename")]
#[partition_key(name = "PK", template = "Parcel#{id}")]
#[tombstone(ttl_days = 7)]
#[index(name = "by_city", partition(name = "GSI1PK", template = "City#{city}"))]
struct Parcel {
    id: String,
    city: String,
    grams: u32,
    #[ratchet]
    #[attribute(default)]
    at: EpochMillis,
    seen: Option<chrono::DateTime<chrono::Utc>>,
    #[version]
    version: u64,
}

#[expect(clippy::unnecessary_wraps, reason = "as every upgrade")]
fn rename(item: &mut Item, _from: u32) -> Result<(), std::fmt::Error> {
    if let Some(town) = item.remove("town") {
        item.insert("city".to_owned(), town);
    }
    Ok(())
}

async fn put(world: &World, row: Item) {
    world.repository.client().put_item().table_name("shop").set_item(Some(row)).send().await.expect("a put");
}

fn parcel(id: &str) -> Parcel {
    let at = EpochMillis::new(NOW);
    Parcel { id: id.to_owned(), city: "Bern".to_owned(), grams: 7, at, seen: None, version: 0 }
}

/// A row as dyno stores it, with the attributes of `over` instead of its own, and without those that are `None`.
fn row<const N: usize>(id: &str, over: [(&str, Option<AttributeValue>); N]) -> Item {
    let mut row = parcel(id).to_item().expect("an item");
    row.extend(item([("_type", s("Parcel")), ("_v", n(2)), ("version", n(3)), ("_w", s("0123456789abcdef-"))]));
    for (name, value) in over {
        row.remove(name);
        row.extend(value.map(|value| (name.to_owned(), value)));
    }
    row
}

async fn inspect(world: &World) -> Inspection {
    world.repository.inspect_table::<Parcel>(usize::MAX).await.expect("an inspection")
}

#[tokio::test]
async fn rows_that_dyno_has_written_have_no_findings() {
    let world = world::<Parcel>().await;
    for id in ["1", "2"] {
        parcel(id).create().send(&world.repository).await.expect("sent").applied().expect("applied");
    }
    Parcel::delete("1", EpochMillis::new(NOW + 1), 1u64)
        .send(&world.repository)
        .await
        .expect("sent")
        .applied()
        .expect("applied");
    put(&world, row("3", [("ttl", Some(n(NOW / 1000 - 60)))])).await;
    let inspection = inspect(&world).await;
    let Inspection { rows: 3, is_complete: true, live: 1, deleted: 1, expired: 1, revisions: 0, findings } =
        &inspection
    else {
        panic!("{inspection}")
    };
    assert_eq!(*findings, []);
    assert_eq!(inspection.to_string(), "3 rows: 1 live, 1 deleted, 1 expired, 0 revisions");
    let sample = world.repository.inspect_table::<Parcel>(2).await.expect("an inspection");
    assert_eq!(sample.rows, 2);
    assert!(sample.to_string().starts_with("the first 2 rows: "), "{sample}");
    assert_eq!(world.repository.inspect_table::<Parcel>(0).await.expect("an inspection").rows, 0);
}

#[tokio::test]
async fn every_finding_says_what_has_to_be_done_and_modify_each_does_it() {
    let world = world::<Parcel>().await;
    put(&world, row("text", [("grams", Some(s("7")))])).await;
    put(&world, row("old", [("_v", None), ("city", None), ("town", Some(s("Basel")))])).await;
    put(&world, row("uncounted", [("version", None), ("_w", None)])).await;
    put(&world, row("unindexed", [("GSI1PK", None)])).await;
    put(&world, row("token", [("at", None)])).await;
    put(&world, row("unmarked", [("_type", None)])).await;
    put(&world, row("form", [("seen", Some(s("2024-07-23T21:11:00Z"))), ("grams", Some(n("7.0")))])).await;
    put(&world, row("extra", [("color", Some(s("blue")))])).await;
    put(&world, row("other", [("PK", Some(s("Order#1")))])).await;
    let inspection = inspect(&world).await;
    let what: Vec<_> = inspection.findings.iter().map(|finding| (finding.what.clone(), finding.rows)).collect();
    let [(RowFinding::Unreadable(problem), 1), what @ ..] = &what[..] else { panic!("{inspection}") };
    assert!(problem.contains("grams"), "{problem}");
    assert_eq!(
        what,
        [
            (RowFinding::OlderShape(1), 1),
            (RowFinding::NoVersion("version"), 1),
            (RowFinding::NotInIndex { index: "by_city", attribute: "GSI1PK" }, 1),
            (RowFinding::Undeclared("color".to_owned()), 1),
            (RowFinding::NoToken("at"), 1),
            (RowFinding::NoMark("_type"), 1),
            (RowFinding::OtherForm("seen".to_owned()), 1),
            (RowFinding::OtherEntity("`PK` begins with `Order#`".to_owned()), 1),
        ],
        "{inspection}"
    );
    let of = |example: &str| -> &Finding {
        inspection.findings.iter().find(|finding| finding.example.contains(example)).expect("a finding")
    };
    assert_eq!(of("text").what.remedy(), Remedy::ChangeTheRow);
    assert_eq!(
        of("uncounted").to_string(),
        "1 × has no version in `version`\n  for example PK = \"Parcel#uncounted\": run `modify_each(|_| {})`"
    );
    // `modify_each` cannot read this row, so the test deletes it first.
    world
        .repository
        .client()
        .delete_item()
        .table_name("shop")
        .key("PK", s("Parcel#text"))
        .send()
        .await
        .expect("a delete");
    let progress = Parcel::scan().modify_each(|_| {}).send(&world.repository).await.expect("sent");
    assert!(progress.completed().is_ok());
    let inspection = inspect(&world).await;
    let remedies = [Remedy::Declare, Remedy::Nothing];
    assert!(inspection.findings.iter().all(|finding| remedies.contains(&finding.what.remedy())), "{inspection}");
    assert_eq!(inspection.live, 7, "{inspection}");
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Line {
    sku: String,
    color: Option<String>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "shop")]
#[partition_key(name = "PK", template = "Order#{id}")]
#[tombstone(ttl_days = 7, ttl = "expires")]
struct Order {
    id: String,
    total: u32,
    placed: chrono::DateTime<chrono::Utc>,
    lines: Vec<Line>,
    tags: BTreeSet<String>,
    #[attribute(default)]
    plan: u8,
    #[ttl]
    #[attribute(rename = "expires")]
    expires: Option<EpochSeconds>,
    #[version]
    version: u64,
}

type Attribute = (&'static str, AttributeValue);

/// The attributes of an order as other programs store them, with the findings of each row.
fn findings() -> Vec<(&'static str, Vec<Attribute>, Vec<RowFinding>)> {
    let version = RowFinding::InvalidVersion("version");
    let line = AttributeValue::M(item([("sku", s("a")), ("color", AttributeValue::Null(true)), ("note", s("x"))]));
    vec![
        ("fine", vec![], vec![]),
        ("null version", vec![("version", AttributeValue::Null(true))], vec![version.clone()]),
        ("fraction", vec![("version", n("2.5"))], vec![version]),
        ("soft delete", vec![("deleted", AttributeValue::Bool(true))], vec![RowFinding::DeletedWithData("deleted")]),
        ("flag", vec![("deleted", s("no"))], vec![RowFinding::RuleAttribute("deleted")]),
        ("write id", vec![("_w", s("warehouse-9"))], vec![RowFinding::RuleAttribute("_w")]),
        ("millis", vec![("expires", n(NOW))], vec![RowFinding::TtlNotInSeconds("expires")]),
        ("long ago", vec![("expires", n(1_000_000_000))], vec![RowFinding::ExpiredLongAgo("expires")]),
        (
            "member",
            vec![("lines", AttributeValue::L(vec![line]))],
            vec![RowFinding::UndeclaredMember("lines[].note".to_owned())],
        ),
        ("extra", vec![("color", s("blue"))], vec![RowFinding::Undeclared("color".to_owned())]),
    ]
}

#[tokio::test]
async fn each_attribute_of_other_programs_has_its_finding() {
    let world = world::<Order>().await;
    let order = |id: &str| {
        item([
            ("PK", s(&format!("Order#{id}"))),
            ("total", n(7)),
            ("placed", s("2024-07-23T21:11:00.000000000Z")),
            ("lines", AttributeValue::L(vec![])),
            ("plan", n(0)),
            ("version", n(3)),
            ("_w", s("0123456789abcdef-")),
        ])
    };
    for (id, over, expected) in findings() {
        let mut row = order(id);
        row.extend(over.into_iter().map(|(name, value)| (name.to_owned(), value)));
        let key = row["PK"].clone();
        put(&world, row).await;
        let inspection = world.repository.inspect_table::<Order>(usize::MAX).await.expect("an inspection");
        let found: Vec<_> = inspection.findings.iter().map(|finding| finding.what.clone()).collect();
        assert_eq!(found, expected, "{id}: {inspection}");
        let delete = world.repository.client().delete_item().table_name("shop").key("PK", key);
        delete.send().await.expect("a delete");
    }

    // One inspection finds all attributes of a row that cannot be read, and also its other faults.
    let mut row = order("faults");
    row.extend(item([
        ("total", s("12.50")),
        ("placed", n(1)),
        ("lines", s("none")),
        ("tags", AttributeValue::L(vec![])),
    ]));
    row.extend(item([("legacy", n(1))]));
    row.remove("version");
    row.remove("plan");
    put(&world, row).await;
    let inspection = world.repository.inspect_table::<Order>(usize::MAX).await.expect("an inspection");
    let of = |attribute: &str| {
        let is_of = |what: &RowFinding| matches!(what, RowFinding::Unreadable(text) if text.contains(attribute));
        inspection.findings.iter().filter(|finding| is_of(&finding.what)).count()
    };
    assert_eq!(["total", "placed", "lines", "tags"].map(of), [1; 4], "{inspection}");
    let others = inspection.findings.iter().filter(|finding| !matches!(finding.what, RowFinding::Unreadable(_)));
    let others: Vec<_> = others.map(|finding| finding.what.clone()).collect();
    assert_eq!(others, [RowFinding::NoVersion("version"), RowFinding::Undeclared("legacy".to_owned())], "{inspection}");
}

#[tokio::test]
async fn the_advice_for_an_unreadable_attribute_names_what_fits() {
    let world = world::<Parcel>().await;
    for (value, advice) in [
        (Some(s("7")), "declare its type, use a `with` module or `upgrade`, or change the row"),
        (Some(AttributeValue::Null(true)), "declare an `Option`, or change the row"),
        (None, "declare an `Option`, a `default` or an `alias`, or change the row"),
    ] {
        put(&world, row("unreadable", [("grams", value)])).await;
        let inspection = inspect(&world).await.to_string();
        assert!(inspection.contains("cannot be read: `grams`: ") && inspection.ends_with(advice), "{inspection}");
    }
}

/// The number of findings is limited: beyond a hundred other kinds, the rows share one finding.
#[tokio::test]
async fn rows_of_many_other_kinds_are_one_finding_beyond_a_hundred() {
    let world = world::<Order>().await;
    for number in 0..120 {
        put(&world, item([("PK", s(&format!("{number}-x")))])).await;
    }
    let inspection = world.repository.inspect_table::<Order>(usize::MAX).await.expect("an inspection");
    assert_eq!((inspection.findings.len(), inspection.findings[0].rows), (101, 20), "{inspection}");
}
