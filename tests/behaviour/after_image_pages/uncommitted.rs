//! Uncommitted changes with pages: `.uncommitted()` reads show them, and a rollback does not need the pages.

use super::{Document, Title, assert_stored, change, delete_page, died, is_page, library, made, pages, row, small};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{ErrorKind, Repository, Sweep, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::pause;
use dyno_tests::witness::is_commit;
use std::time::Duration;

/// Returns the document as each kind of `.uncommitted()` read shows it.
async fn uncommitted(repository: &Repository) -> Vec<Option<Document>> {
    let first = |documents: Vec<Document>| documents.into_iter().find(|document| document.line == 1);
    let get = || Document::get(("a", 1)).uncommitted();
    let title = get().project::<Title>().send(repository).await.expect("a get").expect("a document").title;
    let of_batch = Document::batch_get([("a", 1), ("a", 2)]).uncommitted().send(repository).await.expect("a batch");
    let found = Document::fields().title.eq(title.clone());
    vec![
        get().send(repository).await.expect("a get"),
        of_batch.into_iter().next().flatten(),
        first(Document::query("a").uncommitted().send(repository).await.expect("a query").items),
        first(Document::query("a").uncommitted().filter(found).send(repository).await.expect("a query").items),
        first(Document::scan().uncommitted().send(repository).await.expect("a scan").items),
    ]
}

#[tokio::test]
async fn an_uncommitted_read_shows_the_whole_pending_change_and_writes_nothing() {
    pause();
    let world = died(change(), is_commit).await;
    let held = row(&world, 1).await;
    world.faults.thaw_replica();
    let shown = uncommitted(&world.repository).await;
    assert!(shown.len() == 5 && shown.iter().all(|shown| *shown == Some(made())));
    for consistent in [false, true] {
        let get = Document::get(("a", 1));
        let get = if consistent { get.consistent() } else { get };
        let shown = get.send(&world.repository).await.expect("a get");
        assert!(shown == Some(super::before()), "{consistent}");
    }
    assert!(row(&world, 1).await == held, "as it was");
}

/// The rollback restores the row byte for byte, whether its pages exist or not.
#[tokio::test]
async fn an_aborted_change_leaves_the_row_byte_for_byte_as_before() {
    pause();
    for is_missing in [false, true] {
        let world = library().await;
        let was = row(&world, 1).await;
        super::die(&world, change(), is_commit).await;
        assert!(row(&world, 1).await != was, "held");
        for page in pages(&world).await.iter().filter(|_| is_missing) {
            delete_page(&world, page).await;
        }
        // Without its pages, an uncommitted change cannot be shown, so `.uncommitted()` reads show the old document.
        world.faults.thaw_replica();
        let shown = uncommitted(&world.repository).await;
        let expected = if is_missing { super::before() } else { made() };
        assert!(shown.iter().all(|shown| shown.as_ref() == Some(&expected)), "{is_missing}");
        let hasty = world.other().with_lock_timeout(Duration::ZERO);
        let report = Sweep::new().of::<Document>().send(&hasty).await.expect("swept");
        assert_eq!((report.rolled_back(), report.aborted(), report.failed()), (2, 1, 0));
        assert!(row(&world, 1).await == was, "{is_missing}: as it was");
    }
}

/// The pages of a dead transaction are missing. A writer of the row rolls the intent back without them.
#[tokio::test]
async fn a_writer_rolls_back_an_intent_whose_pages_are_missing() {
    pause();
    let world = died(change(), is_commit).await;
    for page in pages(&world).await {
        delete_page(&world, &page).await;
    }
    let hasty = world.other().with_lock_timeout(Duration::ZERO);
    let title = Document::update(("a", 1)).version(1).with(Document::fields().title.set("x"));
    applied!(title, &hasty);
    let expected = Document { title: "x".to_owned(), version: 2, ..super::before() };
    assert_stored(&world, &expected, "without pages").await;
}

/// A transaction writes its pages before its intents, so no process finds an intent without pages. If a page fails, the rows
/// are unchanged.
#[tokio::test]
async fn a_failed_page_write_leaves_no_intent() {
    pause();
    for (fault, is_written) in
        [(Fault::RequestLost, false), (Fault::AnswerLost, true), (Fault::ServerError { served: true }, true)]
    {
        let world = library().await;
        let rows = [row(&world, 1).await, row(&world, 2).await];
        let process = world.process(RetryConfig::disabled());
        process.faults.on_request(1, is_page, fault);
        let error = change().send(&process.repository).await.expect_err("no answer");
        assert_ne!(error.kind(), ErrorKind::InvalidInput, "{error}");
        assert_eq!(pages(&world).await.len(), usize::from(is_written), "{fault:?}");
        assert!([row(&world, 1).await, row(&world, 2).await] == rows, "{fault:?}");
        applied!(change(), &process.repository);
        assert_stored(&world, &made(), "the next try").await;
    }
}

/// The process dies at each request in turn. Either nothing of its transaction is applied, or all of it.
#[tokio::test]
async fn a_transaction_dropped_at_any_request_is_all_or_nothing() {
    let mut ends = [0, 0];
    pause();
    for requests in 1.. {
        let world = library().await;
        let process = world.process(RetryConfig::disabled());
        process.faults.dies_of(requests, true);
        let transaction = change().put(small(3, "new").create());
        let done = process.run(transaction.send(&process.repository)).await;
        if done.is_some() {
            break;
        }
        let hasty: Repository = world.other().with_lock_timeout(Duration::ZERO);
        let shown = all(&hasty).await;
        let is_made = shown[0].title == "after";
        ends[usize::from(is_made)] += 1;
        assert_eq!(shown.len(), 2 + usize::from(is_made), "{requests}");
        let expected = if is_made { made() } else { super::before() };
        assert!(shown[0] == expected, "{requests}");
        assert_stored(&world, &expected, &format!("behind {requests}")).await;
    }
    assert!(ends[0] > 4 && ends[1] > 2, "{ends:?}");
}

/// Reads all documents in a transaction, which resolves their intents.
async fn all(repository: &Repository) -> Vec<Document> {
    let reading = Transaction::interactive(|tx| async move {
        let read = tx.batch_get(Document::batch_get([("a", 1), ("a", 2), ("a", 3)])).await?;
        Ok(read.into_iter().flatten().collect::<Vec<Document>>())
    });
    reading.send(repository).await.expect("sent").applied().expect("nothing can be refused")
}
