//! Transactions with pages and without faults: their results, and the requests that they send.

use super::{Document, after, assert_stored, before, change, document, library, made, pages, row, small, text};
use dyno::{Item, Transaction};
use dyno_tests::faults::Event;
use dyno_tests::{Engine, NOW, differs, item, n, pause, s};

/// Returns each write as its operation and its table.
fn writes(events: &[Event]) -> Vec<String> {
    let writes = events.iter().filter(|event| event.is_write());
    writes.map(|event| event.text().split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
}

#[tokio::test]
async fn a_change_of_250_kb_in_a_300_kb_row_is_written_by_a_page_and_a_put() {
    pause();
    let world = library().await;
    let line = |line| Document::update(("a", line)).unchecked().with(Document::fields().title.set("x"));
    applied!(Transaction::new().update(line(2)).client_side(), &world.repository);
    let metered = world.repository.metered();
    let before = world.faults.events().len();
    let only = Transaction::new().put(after().put()).client_side();
    let committed = only.send(&metered).await.expect("sent").applied().expect("applied");
    assert_eq!((committed.version_of::<Document>(0), committed.unapplied()), (Some(2), 0));
    assert_stored(&world, &made(), "applied").await;
    let events = world.faults.events().split_off(before);
    let operations: Vec<_> = events.iter().map(|event| event.operation.as_str()).collect();
    // The read of the item, the page, the intent, the commit, the read of the row with its intent, and the put of the whole
    // item.
    assert_eq!(operations, ["BatchGetItem", "PutItem", "UpdateItem", "UpdateItem", "GetItem", "PutItem"]);
    let tables = ["dyno-lanes", "documents", "dyno-lanes", "documents"];
    assert_eq!(
        writes(&events),
        ["PutItem", "UpdateItem", "UpdateItem", "PutItem"]
            .iter()
            .zip(tables)
            .map(|(operation, table)| format!("{operation} {table}"))
            .collect::<Vec<_>>()
    );
    let usage = metered.usage();
    // Read units: 76 for each of two reads of the row of 300 KB. Write units: 251 for the page, 301 for each of two writes
    // of the row, and 1 for the commit.
    let read = if differs(Engine::MiniStack, "a read costs one unit, whatever its size") { 1.0 } else { 152.0 };
    assert_eq!((usage.read_units, usage.write_units), (read, 251.0 + 301.0 + 301.0 + 1.0));
    let [page] = &pages(&world).await[..] else { panic!("one page") };
    assert_eq!(page["ttl"], n(NOW / 1000 + 30 * super::DAY));
    let set = page["set"].as_m().expect("a map");
    assert!(!set.contains_key("kept") && !set.contains_key("gone") && set["one"] == after().rest["one"]);
}

/// A change that fits into the row beside the old values has no page. A slightly larger change has one.
#[tokio::test]
async fn a_change_that_fits_into_the_row_has_no_page() {
    for kilobytes in [199, 201] {
        let world = library().await;
        let of = |letter, version| document(3, "", item([("text", text(letter, kilobytes))]), version);
        applied!(of("a", 0).create(), &world.repository);
        applied!(Transaction::new().put(of("b", 1).put()).client_side(), &world.repository);
        assert_eq!(pages(&world).await.len(), usize::from(kilobytes > 200), "{kilobytes}");
        assert_stored(&world, &of("b", 2), "applied").await;
    }
}

#[tokio::test]
async fn pages_are_split_between_attributes() {
    let world = library().await;
    let of = |letter: &str, version| {
        document(3, "", item([("one", text(letter, 180)), ("two", text(letter, 180))]), version)
    };
    applied!(of("a", 0).create(), &world.repository);
    applied!(Transaction::new().put(of("b", 1).put()).client_side(), &world.repository);
    assert_stored(&world, &of("b", 2), "applied").await;
    let pages = pages(&world).await;
    let names = |page: &Item| {
        let mut names: Vec<_> = page["set"].as_m().expect("a map").keys().cloned().collect();
        names.sort();
        names
    };
    assert_eq!(pages.iter().map(names).collect::<Vec<_>>(), [vec!["one"], vec!["_w", "two", "version"]]);
}

/// The item is almost as large as DynamoDB allows. It does not fit into its placeholder, so its values go to pages.
#[tokio::test]
async fn an_item_of_almost_400_kb_is_created() {
    let world = library().await;
    for is_tombstone in [false, true] {
        let line = 3 + u64::from(is_tombstone);
        let version = if is_tombstone {
            applied!(small(line, "old").create(), &world.repository);
            applied!(Document::delete(("a", line), 1), &world.repository);
            2
        } else {
            0
        };
        let last = "x".repeat(400 * 1024 - 200 * 1024 - 130);
        let rest = || item([("one", text("a", 200)), ("two", s(&last))]);
        let create = Transaction::new().put(document(line, "new", rest(), 0).create()).client_side();
        applied!(create, &world.repository);
        assert_stored(&world, &document(line, "new", rest(), version + 1), "created").await;
        assert_eq!(pages(&world).await.len(), 2 + 4 * usize::from(is_tombstone), "both pages are written anew");
        // The intent of a delete does not fit beside the item, so only a single delete can remove it.
        let delete = || Document::delete(("a", line), version + 1);
        let error =
            Transaction::new().delete(delete()).client_side().send(&world.repository).await.expect_err("no room");
        assert!(
            error.is_invalid_input()
                && error.to_string().contains("the stored item with the transaction's pending change"),
            "{error}"
        );
        applied!(delete(), &world.repository);
    }
}

/// A closure changes 250 KB of a document that it has read, and creates a small one. One page holds the large change.
#[tokio::test]
async fn a_large_change_of_a_closure_is_written_by_a_page() {
    let world = library().await;
    let change = Transaction::interactive(|tx| async move {
        let mut document: Document = tx.get(Document::get(("a", 1))).await?.ok_or("none")?;
        (document.rest, document.title) = (after().rest, after().title);
        tx.put(document.put());
        tx.put(small(3, "new").create());
        Ok(())
    });
    change.client_side().send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_stored(&world, &made(), "applied").await;
    assert_eq!(pages(&world).await.len(), 1);
}

/// Two actions on one row make the transaction invalid, and a concurrent change of the small item refuses it. Both times,
/// the large item stays unchanged.
#[tokio::test]
async fn a_refusal_of_another_item_leaves_the_large_item_unchanged() {
    let world = library().await;
    let was = row(&world, 1).await;
    let both = change().put(small(2, "new").create());
    assert!(both.send(&world.repository).await.is_err_and(|error| error.is_invalid_input()), "twice the same row");
    applied!(Document::update(("a", 2)).unchecked().with(Document::fields().title.set("other")), &world.repository);
    assert!(!change().send(&world.repository).await.expect("sent").is_applied());
    assert!(row(&world, 1).await == was, "as it was");
    assert_eq!(before().title, "before");
}
