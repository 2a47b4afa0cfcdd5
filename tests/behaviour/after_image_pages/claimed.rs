//! Transactions that claim a row after three lost attempts, and whose change then does not fit into the row, so that it goes
//! to a page.

use super::{Document, after, assert_stored, before, is_page, library, pages, row, small};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Repository, Sweep, Transaction};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::witness::is_place;
use dyno_tests::{World, pause};
use std::sync::atomic::{AtomicU32, Ordering};

/// The number of attempts that the transaction loses to other writers before it claims its rows.
const LOST: u32 = 3;

/// Changes 250 KB of the large document, and the title of a small one. Another writer changes the title of the large
/// document in each of the first `LOST` runs. Returns the number of runs.
async fn change(repository: Repository, other: Repository) -> u32 {
    let (runs, others) = (AtomicU32::new(0), &other);
    let count = &runs;
    let change = Transaction::interactive(|tx| async move {
        let found: Document = tx.get(Document::get(("a", 1))).await?.ok_or("no document")?;
        let run = count.fetch_add(1, Ordering::SeqCst);
        if run < LOST {
            let title = Document::fields().title.set(format!("other {run}"));
            applied!(Document::update(("a", 1)).unchecked().with(title), others);
        }
        tx.put(Document { version: found.version, ..after() }.put());
        tx.update(Document::update(("a", 2)).version(1).with(Document::fields().title.set("after")));
        Ok(())
    });
    change.client_side().send(&repository).await.expect("sent").applied().expect("applied");
    runs.load(Ordering::SeqCst)
}

/// Checks that either both documents have the transaction's values, or neither has them. Returns whether the transaction is
/// applied.
async fn check_all_or_nothing(world: &World, case: &str) -> bool {
    let other = world.other();
    let mut titles = Vec::new();
    for line in [1, 2] {
        let found = Document::get(("a", line)).consistent().send(&other).await.expect("a get");
        titles.push(found.map(|document| document.title).unwrap_or_default());
    }
    let is_applied = titles[0] == "after";
    let expected = if is_applied { ["after", "after"] } else { ["other 2", "before"] };
    assert_eq!(titles, expected, "{case}");
    is_applied
}

/// Checks that a sweep leaves both rows complete, and that another writer can then change the large one. Returns whether the
/// transaction is applied.
async fn check_end(world: &World, case: &str) -> bool {
    let sweeper = world.process(RetryConfig::standard());
    sweeper.clock.advance(60 * 60 * 1000);
    let report = Sweep::new().of::<Document>().send(&sweeper.repository).await.expect("a sweep");
    assert_eq!((report.failed(), report.overwritten()), (0, &[][..]), "{case}: {report:?}");
    let is_applied = check_all_or_nothing(world, case).await;
    let (large, little) = if is_applied {
        (Document { version: 5, ..after() }, Document { version: 2, ..small(2, "after") })
    } else {
        (
            Document { version: 4, title: "other 2".to_owned(), ..before() },
            Document { version: 1, ..small(2, "before") },
        )
    };
    assert_stored(world, &large, case).await;
    assert_stored(world, &little, case).await;
    let title = Document::update(("a", 1)).version(large.version).with(Document::fields().title.set("next"));
    applied!(title, &world.other());
    is_applied
}

/// Returns the requests of a transaction without faults, and the position of the page that its last run writes.
async fn requests() -> (Vec<Event>, usize) {
    let world = library().await;
    let process = world.process(RetryConfig::disabled());
    assert_eq!(change(process.repository.clone(), world.other()).await, LOST + 1);
    assert!(check_end(&world, "dry").await);
    let events = process.faults.events();
    let page = events.iter().rposition(is_page).expect("a page");
    // The claims of both rows come before the page, and the intents come after it.
    let places = |events: &[Event]| events.iter().filter(|event| is_place(event)).count();
    assert!(places(&events[..page]) >= 2 && places(&events[page..]) >= 1, "{events:#?}");
    (events, page)
}

#[tokio::test]
async fn a_crash_after_a_claim_leaves_a_large_item_whole() {
    pause();
    let (events, page) = requests().await;
    let mut applied = 0;
    for at in (page..events.len()).filter(|at| events[*at].is_write()) {
        for fault in [Fault::DiesAfter, Fault::DiesPostponed] {
            let case = format!("{fault:?} {at}: {}", events[at].operation);
            let world = library().await;
            let process = world.process(RetryConfig::disabled());
            process.faults.on_request(at + 1, Event::is_any, fault);
            let work = change(process.repository.clone(), world.other());
            assert!(process.run(work).await.is_none(), "{case}: it died");
            let was_applied = check_all_or_nothing(&world, &case).await;
            if fault == Fault::DiesPostponed {
                process.faults.deliver().await;
                assert!(check_all_or_nothing(&world, &case).await || !was_applied, "{case}");
            }
            applied += u32::from(check_end(&world, &case).await);
        }
    }
    assert!(applied > 0, "it is committed in some of them");
}

/// A duplicate of each write from the page on arrives after the transaction has ended. Pages and rows stay as they are,
/// except that a late prewrite can put its dead intent back into a row.
#[tokio::test]
async fn a_page_or_an_intent_delivered_again_changes_nothing() {
    pause();
    let (events, page) = requests().await;
    for at in (page..events.len()).filter(|at| events[*at].is_write()) {
        let case = format!("{at}: {}", events[at].operation);
        let world = library().await;
        let process = world.process(RetryConfig::disabled());
        process.faults.on_request(at + 1, Event::is_any, Fault::DuplicateKept);
        change(process.repository.clone(), world.other()).await;
        let before = [row(&world, 1).await, row(&world, 2).await];
        let pages_before = pages(&world).await;
        process.faults.deliver().await;
        let after = [row(&world, 1).await, row(&world, 2).await];
        assert!(before == after || is_place(&events[at]), "{case}");
        assert!(pages(&world).await == pages_before, "{case}");
        assert!(check_end(&world, &case).await, "{case}");
    }
}
