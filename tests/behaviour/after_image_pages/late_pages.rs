//! Pages that arrive late, or twice.

use super::{DAY, Document, assert_stored, change, delete_page, is_page, library, made, pages, row};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Item, Sweep, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::{NOW, is_remote, n, pause};
use std::time::Duration;

/// A page has expired long after its transaction, and then a duplicate of it arrives. No process reads the duplicate, which
/// expires again.
#[tokio::test]
async fn a_page_delivered_again_after_its_ttl_changes_nothing() {
    pause();
    let world = library().await;
    let process = world.process(RetryConfig::disabled());
    process.faults.on_request(1, is_page, Fault::DuplicateKept);
    applied!(change(), &process.repository);
    let [page] = &pages(&world).await[..] else { panic!("one page") };
    delete_page(&world, page).await;
    let was = [row(&world, 1).await, row(&world, 2).await];
    assert!(process.faults.deliver().await.is_some(), "once more");
    assert!(pages(&world).await == [page.clone()], "with the TTL that it had");
    assert_eq!(page["ttl"], n(NOW / 1000 + 30 * DAY));
    // A sweep finds nothing to resolve and no page to renew. Later transactions on the lane use other page names.
    let title = || Document::update(("a", 1)).unchecked().with(Document::fields().title.set("x"));
    let late = world.process(RetryConfig::disabled());
    late.clock.advance(31 * DAY * 1000);
    let report = Sweep::new().of::<Document>().send(&late.repository).await.expect("swept");
    assert_eq!((report.rolled_forward(), report.rolled_back(), report.failed()), (0, 0, 0));
    assert!([row(&world, 1).await, row(&world, 2).await] == was && pages(&world).await == [page.clone()]);
    applied!(Transaction::new().update(title()).client_side(), &late.repository);
    let expected = Document { title: "x".to_owned(), version: 3, ..made() };
    assert_stored(&world, &expected, "another").await;
}

/// A page arrives after its process has died, and after another process has applied the same change. No intent refers to the
/// late page, so it changes nothing.
#[tokio::test]
async fn a_page_that_arrives_after_its_attempt_was_aborted_is_ignored() {
    pause();
    let world = library().await;
    let process = world.process(RetryConfig::disabled());
    process.faults.on_request(1, is_page, Fault::DiesPostponed);
    assert!(process.run(change().send(&process.repository)).await.is_none(), "it died");
    applied!(change(), &world.repository);
    let was = row(&world, 1).await;
    assert!(process.faults.deliver().await.is_some(), "late");
    assert_eq!(pages(&world).await.len(), 2);
    assert!(row(&world, 1).await == was, "as it was");
    assert_stored(&world, &made(), "applied").await;
}

/// Pages have the same limit as intents: a lost page is not sent again when the attempt began 15 minutes ago.
#[tokio::test(start_paused = true)]
async fn a_lost_page_of_an_attempt_older_than_15_minutes_is_not_resent() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = library().await;
    let process = world.process(RetryConfig::standard());
    process.faults.on_request(1, is_page, Fault::RequestLost);
    // Four requests come before the page: the read of the item, the read of lanes, the creation of a lane, and
    // `DescribeTable`.
    process.faults.hold_after(4);
    let repository = process.repository.clone();
    let only = || Transaction::new().put(super::after().put()).client_side();
    let sent = tokio::spawn(async move { only().send(&repository).await });
    tokio::time::timeout(Duration::from_mins(1), process.faults.held()).await.expect("it comes to the page");
    process.clock.advance(15 * 60 * 1000);
    process.faults.release();
    let error = sent.await.expect("no panic").expect_err("too old");
    let events = process.faults.events();
    let sent = events.iter().filter(|event| is_page(event));
    assert_eq!(sent.map(|event| event.attempt).collect::<Vec<_>>(), [1], "{error}");
    assert_eq!(pages(&world).await, Vec::<Item>::new());
    applied!(only(), &process.repository);
    assert_stored(&world, &made(), "the next").await;
}
