//! Filters apply to the version of the item that the read returns, even if the filtered attribute is not in the projection.

use super::{Change, Entry, Stage, book};
use dyno::Projection;

/// A projection without the attribute that the filter uses.
#[derive(Projection, Debug, PartialEq)]
#[projection(of = Entry)]
struct Number {
    line: u64,
}

#[tokio::test]
async fn a_filter_on_an_unprojected_attribute_applies_to_the_version_shown() {
    for (stage, consistent, uncommitted) in
        [(Stage::Open, 5, 7), (Stage::Void, 5, 7), (Stage::Committed, 7, 7), (Stage::Applied, 7, 7)]
    {
        for sum in [5, 7] {
            let world = book(Change::Update, stage).await;
            let query = || Entry::query("ledger").filter(Entry::fields().sum.eq(sum)).project::<Number>();
            let shown = query().uncommitted().send(&world.repository).await.expect("a query").items;
            assert_eq!(shown, if sum == uncommitted { vec![Number { line: 1 }] } else { Vec::new() }, "{stage:?}");
            let shown = query().consistent().send(&world.repository).await.expect("a query").items;
            assert_eq!(shown, if sum == consistent { vec![Number { line: 1 }] } else { Vec::new() }, "{stage:?}");
        }
    }
}

#[tokio::test]
async fn a_count_is_of_the_items_shown_at_its_level() {
    for (change, stage, counts) in [
        (Change::Create, Stage::Open, [2, 2, 3]),
        (Change::Create, Stage::Committed, [2, 3, 3]),
        (Change::Delete, Stage::Open, [3, 3, 2]),
        (Change::Delete, Stage::Void, [3, 3, 2]),
        (Change::Delete, Stage::Committed, [3, 2, 2]),
    ] {
        let world = book(change, stage).await;
        let query = || Entry::query("ledger");
        let uncommitted = query().uncommitted().count(&world.repository).await.expect("a count");
        let committed = query().count(&world.repository).await.expect("a count");
        let consistent = query().consistent().count(&world.repository).await.expect("a count");
        assert_eq!([committed, consistent, uncommitted], counts, "{change:?}, {stage:?}");
    }
}

/// Only reads that include deleted items return tombstones. No read returns placeholders.
#[tokio::test]
async fn include_deleted_shows_the_tombstones_of_its_level() {
    for (change, stage, lines) in [
        (Change::Create, Stage::Open, ["02", "02", "012"]),
        (Change::Delete, Stage::Open, ["012", "012", "0-2"]),
        (Change::Delete, Stage::Committed, ["012", "0-2", "0-2"]),
        (Change::CreateOverTombstone, Stage::Open, ["0-2", "0-2", "012"]),
        (Change::CreateOverTombstone, Stage::Committed, ["0-2", "012", "012"]),
    ] {
        let world = book(change, stage).await;
        let shown = |page: dyno::Page<dyno::Found<Entry>>| -> String {
            let items = page.items.into_iter();
            items.map(|found| found.live().map_or("-".to_owned(), |entry| entry.line.to_string())).collect()
        };
        let query = || Entry::query("ledger");
        let uncommitted = query().uncommitted().include_deleted().send(&world.repository).await.expect("a query");
        let committed = query().include_deleted().send(&world.repository).await.expect("a query");
        let consistent = query().consistent().include_deleted().send(&world.repository).await.expect("a query");
        assert_eq!([committed, consistent, uncommitted].map(shown), lines, "{change:?}, {stage:?}");
    }
}
