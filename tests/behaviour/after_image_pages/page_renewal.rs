//! A sweep renews the pages of a committed change until the change is applied.

use super::{DAY, Document, assert_stored, change, delete_page, died, document, made, pages, put_page, text};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{ErrorKind, Item, Sweep, Transaction};
use dyno_tests::witness::is_end;
use dyno_tests::{NOW, World, item, n, pause};

/// A document whose values fill two pages.
fn both(letter: &str, version: u64) -> Document {
    document(3, "", item([("one", text(letter, 180)), ("two", text(letter, 180))]), version)
}

/// Sends a sweep `days` days later. Returns the table and the kind of error of each item that stays unresolved.
async fn sweep(world: &World, days: i64) -> Vec<(String, ErrorKind)> {
    let late = world.process(RetryConfig::disabled());
    late.clock.advance(days * DAY * 1000);
    let report = Sweep::new().send(&late.repository).await.expect("swept");
    report.unresolved().iter().map(|it| (it.table().to_owned(), it.error().kind())).collect()
}

/// One of two pages is missing. Sweeps renew the other page until the missing one is restored.
#[tokio::test]
async fn a_sweep_renews_the_pages_of_a_change_that_it_cannot_apply() {
    pause();
    let world = super::library().await;
    applied!(both("a", 0).create(), &world.repository);
    super::die(&world, Transaction::new().put(both("b", 1).put()).client_side(), is_end).await;
    let [first, second] = <[Item; 2]>::try_from(pages(&world).await).expect("two pages");
    delete_page(&world, &second).await;
    let failed = [("documents".to_owned(), ErrorKind::LaneMissing)];
    let renewed = |days: i64| -> Item {
        let mut page = first.clone();
        page.insert("ttl".to_owned(), n(NOW / 1000 + days * DAY));
        page
    };
    // A sweep renews a page that expires within 15 days, and leaves other pages as they are.
    for (day, ttl) in [(14, 30), (15, 45), (29, 45), (30, 60)] {
        assert_eq!(sweep(&world, day).await, failed, "{day}");
        assert!(pages(&world).await == [renewed(ttl)], "{day}");
    }
    put_page(&world, &second).await;
    assert_eq!(sweep(&world, 31).await, []);
    assert_stored(&world, &both("b", 2), "restored").await;
    // Once the change is applied, sweeps no longer renew its pages.
    assert_eq!(sweep(&world, 50).await, []);
    assert!(pages(&world).await == [renewed(60), second], "no longer kept");
}

/// The table is missing, but can be restored together with its intents. Until then, sweeps renew the pages.
#[tokio::test]
async fn a_sweep_renews_the_pages_of_a_missing_table() {
    pause();
    let world = died(change(), is_end).await;
    let other = world.other();
    let scan = other.client().scan().table_name("documents").send().await.expect("a scan");
    let rows = scan.items.unwrap_or_default();
    other.client().delete_table().table_name("documents").send().await.expect("deleted");
    let gone = ("documents".to_owned(), ErrorKind::TableMissing);
    assert_eq!(sweep(&world, 16).await, [gone.clone(), gone]);
    let [page] = &pages(&world).await[..] else { panic!("one page") };
    assert_eq!(page["ttl"], n(NOW / 1000 + 46 * DAY));
    other.create_table::<Document>().await.expect("restored");
    for row in rows {
        world.write_foreign::<Document>(row).await;
    }
    assert_eq!(sweep(&world, 40).await, []);
    assert_stored(&world, &made(), "restored").await;
}
