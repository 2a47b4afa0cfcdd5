//! An entity with a rest field: the undeclared attributes are read into the field, and written back.

use super::{Open, l, line, m};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Document, Entity, Item};
use dyno_tests::{item, n, s, world};

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

/// An entity with a rest field, and with all attributes that dyno's rules add to an item.
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
async fn a_rest_field_reads_and_writes_undeclared_attributes() {
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

    // A put writes the whole rest.
    found.replace().send(repository).await.expect("sent").applied().expect("applied");
    let mut stored = world.stored::<Kept>().await.remove(0);
    let own = ["_w", "_v", "_type", "version", "GSI1PK"].map(|name| stored.remove(name).expect("a rule's"));
    assert_eq!(own[1..], [n(2), s("Kept"), n(1), s("Label#a")]);
    let mut expected = kept();
    expected.remove("deleted");
    let name = expected.remove("title").expect("a name");
    expected.insert("name".to_owned(), name);
    assert_eq!(stored, expected);

    // The rest can be changed by name. An element that is moved and changed keeps its undeclared members.
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
fn declared_attributes_in_the_rest_are_refused() {
    let open = |name: &str| Open { sku: "s".to_owned(), note: None, rest: item([(name, n(1))]) };
    let of = |rest: Item, open: Vec<Open>, choice: Option<Choice>| {
        Kept { id: 1, label: "a".to_owned(), name: "t".to_owned(), open, choice, rest, version: 0 }.to_item()
    };
    assert!(of(item([("other", n(1))]), vec![open("x")], None).is_ok());
    let message = "the `rest` field has an attribute that the entity declares: set the declared field, and remove the attribute from the rest";
    for name in ["PK", "label", "title", "version", "_w", "_v", "_type", "deleted", "ttl", "GSI1PK"] {
        let error = of(item([(name, n(1)), ("other", n(1))]), Vec::new(), None).expect_err("declared");
        assert!(error.is_invalid_input() && error.to_string().ends_with(&format!("`{name}`: {message}")), "{error}");
    }
    // The field `note` is absent here, but a `note` in the rest would be read as the field.
    let error = of(Item::new(), vec![open("x"), open("note")], None).expect_err("declared");
    assert!(error.to_string().ends_with(&format!("`open[1].note`: {message}")), "{error}");
    let tagged = of(Item::new(), Vec::new(), Some(Choice::Whole(open("kind")))).expect_err("the tag");
    assert!(
        tagged.to_string().contains("`choice.kind`: the variant \"Whole\" has a member with the tag's name"),
        "{tagged}"
    );
}

/// The closure of a `modify` may have read any attribute of a row without a version, so it runs again after a write to any
/// of them.
#[tokio::test]
async fn a_modify_of_the_rest_keeps_a_concurrent_write() {
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
fn a_stream_reports_changes_of_the_rest_to_an_entity_with_a_rest_field() {
    use dyno::stream::{Changed, Event, Record};
    let keys = item([("PK", s("Kept#1"))]);
    let current = Kept::from_item(kept()).and_then(|kept| kept.to_item()).expect("it decodes");
    // A row of an older schema version is compared as a whole anyway.
    for old in [kept(), current] {
        let mut new = old.clone();
        new.insert("other".to_owned(), n(2));
        let record = Record::new(Event::Modify, keys.clone()).with_old_image(old).with_new_image(new);
        let changed = record.change::<Kept>().expect("decodes");
        let Some(Changed::Updated { old, new }) = changed else { panic!("{changed:?}") };
        assert_eq!((old.rest["other"].is_m(), &new.rest["other"]), (true, &n(2)));
    }
}

/// Nothing shows which of the two values is the later one.
#[tokio::test]
async fn two_values_of_one_attribute_are_both_left_unchanged() {
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
    // The same value under both names counts as one value.
    let mut row = kept();
    row.insert("name".to_owned(), s("t"));
    world.write_foreign::<Kept>(row).await;
    Kept::modify(1u32, label).send(repository).await.expect("sent").applied().expect("applied");
    let stored = world.stored::<Kept>().await.remove(0);
    assert_eq!((&stored["name"], stored.get("title"), &stored["label"]), (&s("t"), None, &s("b")));
}
