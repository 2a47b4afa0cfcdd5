//! Participants in pages, for tickets with more participants than a head holds. A missing page never counts as applied.

use super::{Account, EPOCH, LONG, applied, committed, held, lane, named, parts, stored, with_lanes, write};
use dyno::__private::lanes::take;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{ErrorKind, Item, Sweep};
use dyno_tests::{NOW, World, item, n, pause, s};

const DAY: i64 = 86_400;

/// A lane whose ticket names its participants in this many pages.
fn paged(pages: u64) -> Item {
    let mut head = committed(1, 4, LONG, &[]);
    head.remove("participants");
    head.insert("pages".to_owned(), n(pages));
    head
}

/// A page that its TTL removes after this many seconds.
fn page(at: u64, ids: &[&str], seconds: i64) -> Item {
    item([
        ("lane", s("1")),
        ("part", s(&format!("4/try/{at}"))),
        ("participants", named(ids)),
        ("ttl", n(NOW / 1000 + seconds)),
    ])
}

async fn stored_page(world: &World, at: u64) -> Option<Item> {
    let get = world.other().client().get_item().table_name("dyno-lanes").key("lane", s("1"));
    get.key("part", s(&format!("4/try/{at}"))).send().await.expect("an answer").item
}

fn rows() -> [Item; 2] {
    ["1", "2"].map(|id| held(id, "1/born/4/try", 7))
}

#[tokio::test]
async fn a_take_over_applies_the_participants_of_every_page() {
    pause();
    let world = with_lanes().await;
    write(&world, "accounts", rows()).await;
    write(&world, "dyno-lanes", [paged(2)]).await;
    // Only the list of lanes is read with eventual consistency. All that a lane names is read consistently.
    world.faults.freeze_replica();
    write(&world, "dyno-lanes", [page(0, &["1"], 9 * DAY), page(1, &["2"], 9 * DAY)]).await;
    let mut own = take(&world.repository).await.expect("a lane");
    let next = parts(&own.next_transaction_id().expect("a ticket"));
    assert_eq!((next.0.as_str(), next.2), ("1", EPOCH + 1));
    assert_eq!([stored(&world, "1").await, stored(&world, "2").await], [applied("1", 7), applied("2", 7)]);
    assert!(!lane(&world, 1).await.contains_key("pages"));
}

#[tokio::test]
async fn a_lane_with_a_missing_page_is_neither_taken_over_nor_cleared() {
    pause();
    let world = with_lanes().await;
    write(&world, "accounts", rows()).await;
    write(&world, "dyno-lanes", [paged(2), page(1, &["2"], 15 * DAY)]).await;
    let mut own = take(&world.repository).await.expect("another lane");
    assert_eq!(parts(&own.next_transaction_id().expect("a ticket")).0, "2");
    // The items of the page that exists are applied, and the page is kept.
    assert_eq!([stored(&world, "1").await, stored(&world, "2").await], [rows()[0].clone(), applied("2", 7)]);
    let report = Sweep::new().send(&world.repository).await.expect("swept");
    let [unresolved] = report.unresolved() else { panic!("{report:?}") };
    assert_eq!((unresolved.table(), unresolved.error().kind()), ("dyno-lanes", ErrorKind::LaneMissing));
    assert!(
        unresolved.to_string().contains("the lane `1` lists the items of a committed transaction in pages"),
        "{unresolved}"
    );
    assert_eq!(lane(&world, 1).await, paged(2));
    assert_eq!(stored_page(&world, 1).await, Some(page(1, &["2"], 30 * DAY)));
    // The intent in the first item still names its lane, and the lane shows that the ticket is committed.
    let report = Sweep::new().of::<Account>().send(&world.repository).await.expect("swept");
    assert_eq!((report.rolled_forward(), report.failed()), (1, 1));
    assert_eq!(stored(&world, "1").await, applied("1", 7));
}

/// The first page names an item of a missing table, so it is still needed. The sweep renews a page when half of its lifetime
/// is over.
#[tokio::test]
async fn a_sweep_renews_pages_that_are_still_needed() {
    pause();
    let world = with_lanes().await;
    let elsewhere = item([("table", s("gone")), ("key", list(["id"])), ("items", list(["1"]))]);
    let mut old = page(0, &["1"], 15 * DAY);
    let gone = AttributeValue::L(vec![AttributeValue::M(elsewhere)]);
    old.insert("participants".to_owned(), gone);
    let new = page(1, &["2"], 15 * DAY + 1);
    write(&world, "accounts", rows()).await;
    write(&world, "dyno-lanes", [paged(2), old.clone(), new.clone()]).await;
    for _ in 0..2 {
        let report = Sweep::new().send(&world.repository).await.expect("swept");
        let [unresolved] = report.unresolved() else { panic!("{report:?}") };
        assert_eq!((unresolved.table(), unresolved.error().kind()), ("gone", ErrorKind::TableMissing));
        old.insert("ttl".to_owned(), n(NOW / 1000 + 30 * DAY));
        assert_eq!(
            [stored_page(&world, 0).await, stored_page(&world, 1).await],
            [Some(old.clone()), Some(new.clone())]
        );
    }
    assert_eq!(stored(&world, "2").await, applied("2", 7));
}

fn list(texts: [&str; 1]) -> AttributeValue {
    AttributeValue::L(texts.map(s).into())
}
