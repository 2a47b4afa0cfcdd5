//! The process of a large change dies after the commit. Every other process sees the whole change, or applies it.

use super::{Document, Title, assert_stored, change, delete_page, died, made, pages, put_page, row, small};
use dyno::__private::lanes::take;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Error, ErrorKind, Reason, Repository, Sweep, TransactGet, Transaction};
use dyno_tests::faults::Event;
use dyno_tests::witness::is_end;
use dyno_tests::{World, pause};

/// The kinds of reads that show every committed change.
const READS: [&str; 9] =
    ["get", "part", "batch", "query", "filtered", "scan", "moment", "part of a moment", "transaction"];

/// Returns the document as this kind of read shows it.
async fn read(read: &str, repository: &Repository) -> Result<Option<Document>, Error> {
    let first = |documents: Vec<Document>| documents.into_iter().find(|document| document.line == 1);
    let title = |title: Option<Title>| {
        title.map(|Title { title }| {
            assert_eq!(title, "after");
            made()
        })
    };
    let get = || Document::get(("a", 1));
    Ok(match read {
        "get" => get().consistent().send(repository).await?,
        "part" => title(get().consistent().project::<Title>().send(repository).await?),
        "batch" => {
            let both = Document::batch_get([("a", 2), ("a", 1)]).consistent();
            both.send(repository).await?.pop().flatten()
        }
        "query" => first(Document::query("a").consistent().send(repository).await?.items),
        "filtered" => {
            let filter = Document::fields().title.eq("after");
            first(Document::query("a").consistent().filter(filter).send(repository).await?.items)
        }
        "scan" => first(Document::scan().consistent().send(repository).await?.items),
        "moment" => TransactGet::new((get(), Document::get(("a", 2)))).send(repository).await?.0,
        "part of a moment" => {
            let gets = (get().project::<Title>(), Document::get(("a", 2)));
            title(TransactGet::new(gets).send(repository).await?.0)
        }
        "transaction" => {
            let reading = Transaction::interactive(|tx| async move { Ok(tx.get(Document::get(("a", 1))).await?) });
            reading.send(repository).await?.applied().expect("nothing can be refused")
        }
        other => panic!("{other}"),
    })
}

/// The writes, the take-over and the sweep that apply the whole change.
const OTHERS: [&str; 5] = ["put", "together", "by intents", "adopted", "swept"];

async fn settle(other: &str, world: &World) -> Result<(), Error> {
    let title = || Document::update(("a", 1)).version(1).with(Document::fields().title.set("x"));
    let conflict = [Reason::Conflict { expected: 1, found: Some(2) }];
    let reasons = |outcome: dyno::TransactionOutcome| {
        let refusal = outcome.refusal().and_then(|refusal| refusal.refusal_of::<Document>(0)).expect("refused");
        assert_eq!(refusal.reasons(), conflict);
    };
    let repository = &world.repository;
    let late = || {
        let process = world.process(RetryConfig::disabled());
        process.clock.advance(61_000);
        process
    };
    match other {
        "put" => assert_eq!(dyno_tests::reasons(&title().send(repository).await?), conflict),
        "together" => reasons(Transaction::new().update(title()).send(repository).await?),
        "by intents" => reasons(Transaction::new().update(title()).client_side().send(repository).await?),
        "adopted" => {
            let process = late();
            // Processes find lanes by eventually consistent reads, so the replica must be up to date.
            process.faults.thaw_replica();
            drop(take(&process.repository).await?);
        }
        "swept" => {
            let report = Sweep::new().send(&late().repository).await?;
            assert_eq!((report.rolled_forward(), report.cleared(), report.failed()), (2, 1, 0));
        }
        other => panic!("{other}"),
    }
    Ok(())
}

#[tokio::test]
async fn every_kind_of_read_shows_the_whole_committed_change() {
    pause();
    for case in READS {
        let world = died(change(), is_end).await;
        let metered = world.repository.metered();
        assert!(read(case, &metered).await.expect(case) == Some(made()), "{case}");
        let is_settled = row(&world, 1).await.is_some_and(|row| !row.contains_key("_x"));
        // A projection and a `TransactGet` show the change without applying it.
        assert_eq!(is_settled, !case.contains("part") && case != "moment", "{case}");
        if is_settled {
            assert_stored(&world, &made(), case).await;
        }
        assert!(read("get", &world.repository).await.expect(case) == Some(made()), "{case}");
        assert_stored(&world, &made(), case).await;
    }
}

#[tokio::test]
async fn every_write_take_over_and_sweep_applies_the_whole_committed_change() {
    pause();
    for case in OTHERS {
        let world = died(change(), is_end).await;
        settle(case, &world).await.expect(case);
        assert_stored(&world, &made(), case).await;
    }
}

/// The lane's owner still counts as alive, so the sweep leaves the lane alone. It finds the intents in the items of the
/// table, and applies them.
#[tokio::test]
async fn a_sweep_of_the_table_applies_the_whole_committed_change() {
    pause();
    let world = died(change(), is_end).await;
    let report = Sweep::new().of::<Document>().send(&world.repository).await.expect("swept");
    assert_eq!((report.rolled_forward(), report.cleared(), report.failed()), (2, 0, 0));
    assert_stored(&world, &made(), "swept").await;
}

/// A page of a committed change is missing. Reads and writes report that, and no process discards the change or applies a
/// part of it.
#[tokio::test]
async fn a_missing_page_is_reported_and_the_change_is_not_lost() {
    pause();
    let world = died(change(), is_end).await;
    let (held, page) = (row(&world, 1).await, pages(&world).await.remove(0));
    delete_page(&world, &page).await;
    let named = |error: &Error, case: &str| {
        assert_eq!(error.kind(), ErrorKind::LaneMissing, "{case}: {error}");
        assert!(error.to_string().contains("in pages of its lane `1`"), "{case}: {error}");
    };
    for case in READS {
        named(&read(case, &world.repository).await.expect_err(case), case);
    }
    for case in &OTHERS[..3] {
        named(&settle(case, &world).await.expect_err(case), case);
    }
    // A plain read ignores the intent and returns the old item.
    world.faults.thaw_replica();
    let shown = Document::get(("a", 1)).send(&world.repository).await.expect("a get").expect("a document");
    assert_eq!(shown.title, "before");
    let pending = Document::get(("a", 1)).uncommitted().send(&world.repository).await;
    named(&pending.expect_err("committed"), "uncommitted");
    // The lane cannot be taken over, so the process takes another lane.
    let late = world.process(RetryConfig::disabled());
    late.clock.advance(61_000);
    let own = take(&late.repository).await.expect("another lane").next_transaction_id().expect("a ticket");
    assert!(!own.starts_with("1/"), "{own}");
    for sweep in [Sweep::new(), Sweep::new().of::<Document>()] {
        let report = sweep.send(&late.repository).await.expect("swept");
        assert_eq!(report.cleared(), 0);
        for unresolved in report.unresolved() {
            assert_eq!(unresolved.table(), "documents");
            named(unresolved.error(), "sweep");
        }
        assert!(!report.unresolved().is_empty());
    }
    assert!(row(&world, 1).await == held, "as it was");
    put_page(&world, &page).await;
    assert!(read("get", &world.repository).await.expect("a get") == Some(made()));
    assert_stored(&world, &made(), "restored").await;
}

/// The values of the page are absent, no map, empty, or values of the key or of `_x`. The read returns a decode error, and
/// the row stays as it is.
#[tokio::test]
async fn a_malformed_page_is_a_decode_error_and_changes_nothing() {
    use dyno::aws_sdk_dynamodb::types::AttributeValue::M;
    use dyno_tests::{item, n, s};
    pause();
    let world = died(change(), is_end).await;
    let (held, page) = (row(&world, 1).await, pages(&world).await.remove(0));
    for values in [None, Some(s("")), Some(M(item([]))), Some(M(item([("line", n(2))]))), Some(M(item([("_x", n(2))])))]
    {
        let mut other = page.clone();
        other.remove("set");
        other.extend(values.map(|values| ("set".to_owned(), values)));
        put_page(&world, &other).await;
        let error = read("get", &world.repository).await.expect_err("no values");
        assert_eq!(error.kind(), ErrorKind::Decode, "{error}");
        assert!(row(&world, 1).await == held, "as it was");
    }
}

/// The transaction's own roll forward meets a fault, and may be sent or served twice. The change is applied once.
#[tokio::test]
async fn an_apply_with_a_lost_answer_applies_once() {
    use dyno_tests::faults::Fault;
    let is_apply = |event: &Event| event.text().starts_with("PutItem documents");
    pause();
    for fault in [Fault::RequestLost, Fault::AnswerLost, Fault::ServerError { served: true }, Fault::ServedTwice] {
        let world = super::library().await;
        let process = world.process(RetryConfig::standard());
        process.faults.on_request(1, is_apply, fault);
        applied!(change().put(small(3, "new").create()), &process.repository);
        assert_stored(&world, &made(), &format!("{fault:?}")).await;
        assert_eq!(process.faults.unmet(), 0);
    }
}
