//! Transactions that claim rows with a history after three lost attempts. The history records each version of an item once,
//! wherever the process dies, and whenever a request arrives.

use super::is_application;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, Repository, Sweep, Transaction, TransactionOutcome};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::witness::{is_commit, is_place};
use dyno_tests::{World, is_remote, pause, world};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The number of attempts that the transaction loses to other writers before it claims its rows.
const LOST: u32 = 3;

/// The tests that hold for every kind of history.
macro_rules! kinds {
    ($($kind:ident $(#[$attribute:meta])*;)*) => {$(
        mod $kind {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "notes")]
            $(#[$attribute])*
            #[tombstone(ttl_days = 7)]
            #[transactional]
            struct Note {
                #[partition_key]
                folder: String,
                #[sort_key]
                name: String,
                text: String,
                #[version]
                version: u64,
            }

            fn note(name: &str, text: &str, version: u64) -> Note {
                Note { folder: "f".to_owned(), name: name.to_owned(), text: text.to_owned(), version }
            }

            /// The notes `a` of version 1, and `d`, which is deleted.
            async fn notes() -> World {
                let world = world::<Note>().await;
                world.create_lanes().await;
                let other = world.other();
                applied!(note("a", "one", 0).create(), &other);
                applied!(note("d", "one", 0).create(), &other);
                applied!(Note::delete(("f", "d"), 1u64), &other);
                world
            }

            /// Changes `a`, and creates `b` as well as `d`, which has a tombstone. Another writer changes `a` in each of the
            /// first `LOST` runs. Returns the outcome and the number of runs.
            async fn change(repository: Repository, other: Repository) -> (TransactionOutcome<()>, u32) {
                let (runs, others) = (AtomicU32::new(0), &other);
                let count = &runs;
                let change = Transaction::interactive(|tx| async move {
                    let found: Note = tx.get(Note::get(("f", "a"))).await?.ok_or("no note")?;
                    let run = count.fetch_add(1, Ordering::SeqCst);
                    if run < LOST {
                        applied!(note("a", &format!("other {run}"), found.version).put(), others);
                    }
                    tx.put(Note { text: "mine".to_owned(), ..found }.put());
                    tx.put([note("b", "mine", 0).create(), note("d", "mine", 0).create()]);
                    Ok(())
                });
                let changed = change.client_side().send(&repository).await.expect("sent");
                (changed, runs.load(Ordering::SeqCst))
            }

            async fn timeline(world: &World, name: &str) -> Vec<String> {
                let revisions = Note::revisions(("f", name)).send(&world.other()).await.expect("revisions").items;
                let texts = revisions.iter().map(|revision| {
                    let text = revision.decode().expect("decodes").map_or("-".to_owned(), |note| note.text);
                    format!("{} {text}", revision.version())
                });
                texts.collect()
            }

            /// Checks by consistent reads that either all three notes have the transaction's text, or none has it. Returns
            /// whether they do.
            async fn check_all_or_nothing(world: &World, case: &str) -> bool {
                let other = world.other();
                let mut is_mine = Vec::new();
                for name in ["a", "b", "d"] {
                    let found = Note::get(("f", name)).consistent().send(&other).await.expect("a get");
                    is_mine.push(found.is_some_and(|note| note.text == "mine"));
                }
                assert!(is_mine.iter().all(|it| *it == is_mine[0]), "{case}: {is_mine:?}");
                is_mine[0]
            }

            async fn check_histories(world: &World, is_applied: bool, case: &str) {
                let before = ["4 other 2", "3 other 1", "2 other 0", "1 one"].map(str::to_owned).to_vec();
                let [mut a, mut b, mut d] = [before, vec![], ["2 -", "1 one"].map(str::to_owned).to_vec()];
                if is_applied {
                    a.insert(0, "5 mine".to_owned());
                    b.insert(0, "1 mine".to_owned());
                    d.insert(0, "3 mine".to_owned());
                }
                for (name, expected) in [("a", a), ("b", b), ("d", d)] {
                    assert_eq!(timeline(world, name).await, expected, "{case} {name}");
                }
            }

            /// Checks that a sweep leaves no intent and complete histories, and that another writer can continue. Returns
            /// whether the transaction was applied.
            async fn check_end(world: &World, case: &str) -> bool {
                let sweeper = world.process(RetryConfig::standard());
                sweeper.clock.advance(60 * 60 * 1000);
                let report = Sweep::new().of::<Note>().send(&sweeper.repository).await.expect("a sweep");
                assert_eq!((report.failed(), report.overwritten()), (0, &[][..]), "{case}: {report:?}");
                assert!(world.stored::<Note>().await.iter().all(|row| !row.contains_key("_x")), "{case}");
                let is_applied = check_all_or_nothing(world, case).await;
                check_histories(world, is_applied, case).await;
                let (a, other) = (if is_applied { 5 } else { 4 }, world.other());
                applied!(note("a", "next", a).put(), &other);
                assert_eq!(timeline(world, "a").await[0], format!("{} next", a + 1), "{case}");
                is_applied
            }

            /// Returns the requests of a transaction without faults, and the number of requests before its first claim.
            async fn requests() -> (Vec<Event>, usize) {
                let world = notes().await;
                let process = world.process(RetryConfig::disabled());
                let (changed, runs) = change(process.repository.clone(), world.other()).await;
                assert!(changed.is_applied() && runs == LOST + 1, "{changed:?} {runs}");
                assert_eq!(process.faults.events().iter().filter(|event| is_commit(event)).count(), 1);
                check_histories(&world, true, "dry").await;
                assert!(check_end(&world, "dry").await);
                let events = process.faults.events();
                // The last run places three claims, and then three intents.
                let places: Vec<_> = (0..events.len()).filter(|at| is_place(&events[*at])).collect();
                let claim = places[places.len() - 6];
                (events, claim)
            }

            #[tokio::test]
            async fn a_claimed_row_gets_each_revision_once() {
                pause();
                let (events, claim) = requests().await;
                assert!(events[claim..].iter().filter(|event| is_application(event)).count() >= 3, "{events:#?}");
            }

            /// The process dies at each of its writes from the first claim on. The write is served before that, or arrives
            /// later. Either all of the transaction is applied, or nothing.
            #[tokio::test]
            async fn a_crash_after_a_claim_leaves_all_or_nothing() {
                pause();
                let (events, claim) = requests().await;
                let mut applied = 0;
                for at in (claim..events.len()).filter(|at| events[*at].is_write()) {
                    for fault in [Fault::DiesAfter, Fault::DiesPostponed] {
                        let case = format!("{fault:?} {at}: {:?}", events[at]);
                        let world = notes().await;
                        let process = world.process(RetryConfig::disabled());
                        process.faults.on_request(at + 1, Event::is_any, fault);
                        let work = change(process.repository.clone(), world.other());
                        assert!(process.run(work).await.is_none(), "{case}: it died");
                        let was_applied = check_all_or_nothing(&world, &case).await;
                        if fault == Fault::DiesPostponed {
                            process.faults.deliver().await;
                            let is_applied = check_all_or_nothing(&world, &case).await;
                            assert!(is_applied || !was_applied, "{case}: what was applied stays");
                        }
                        applied += u32::from(check_end(&world, &case).await);
                    }
                }
                assert!(applied > 0, "it is committed in some of them");
            }

            /// A duplicate of each write from the first claim on arrives after the transaction has ended. No item and no
            /// history changes.
            #[tokio::test]
            async fn a_request_delivered_again_after_a_claim_changes_nothing() {
                pause();
                let (events, claim) = requests().await;
                for at in (claim..events.len()).filter(|at| events[*at].is_write()) {
                    let case = format!("{at}: {:?}", events[at]);
                    let world = notes().await;
                    let process = world.process(RetryConfig::disabled());
                    process.faults.on_request(at + 1, Event::is_any, Fault::DuplicateKept);
                    let (changed, _) = change(process.repository.clone(), world.other()).await;
                    assert!(changed.is_applied(), "{case}");
                    let before = world.stored::<Note>().await;
                    process.faults.deliver().await;
                    let mut after = world.stored::<Note>().await;
                    after.retain(|row| !before.contains(row));
                    // A late claim or intent can be in its row again. It is dead, and the next process that meets it removes
                    // it.
                    assert!(after.iter().all(|row| row.contains_key("_x") && is_place(&events[at])), "{case} {after:?}");
                    assert!(check_end(&world, &case).await, "{case}");
                }
            }
        }
    )*};
}

kinds! {
    atomic #[history_table];
    ordered_in_the_same_table #[history_table(mode = "ordered", layout = "same_table")];
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[history_table]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Page {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

fn page(text: &str, version: u64) -> Page {
    Page { id: "1".to_owned(), text: text.to_owned(), version }
}

/// Reads the page and changes it. Another writer changes the page in each of the first `LOST` runs. Returns the number of
/// runs.
async fn rewrite(repository: Repository, other: Repository) -> u32 {
    let (runs, others) = (AtomicU32::new(0), &other);
    let count = &runs;
    let rewrite = Transaction::interactive(|tx| async move {
        let found: Page = tx.get(Page::get("1")).await?.ok_or("no page")?;
        if count.fetch_add(1, Ordering::SeqCst) < LOST {
            applied!(page("other", found.version).put(), others);
        }
        tx.put(Page { text: "mine".to_owned(), ..found }.put());
        Ok(())
    });
    rewrite.client_side().send(&repository).await.expect("sent").applied().expect("applied");
    runs.load(Ordering::SeqCst)
}

async fn one_page() -> World {
    let world = world::<Page>().await;
    world.create_lanes().await;
    applied!(page("one", 0).create(), &world.other());
    world
}

/// While the transaction reads histories, it keeps its claim alive, so a writer that waits for the row does not abort it as
/// dead.
#[tokio::test(start_paused = true)]
async fn a_claim_is_kept_alive_while_its_histories_are_read() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let dry = one_page().await;
    let process = dry.process(RetryConfig::standard()).along();
    assert_eq!(rewrite(process.repository.clone(), dry.other()).await, LOST + 1);
    let is_look = |event: &Event| event.operation == "BatchGetItem" && event.text().contains("pages-history");
    let events = process.faults.events();
    let looks: Vec<usize> = (0..events.len()).filter(|at| is_look(&events[*at])).collect();
    let [.., last] = looks[..] else { panic!("{events:#?}") };
    assert_eq!(looks.len(), 4, "one for each run: {events:#?}");
    let world = one_page().await;
    let process = world.process(RetryConfig::standard()).along();
    // The last read of the history takes longer than the lock timeout of a waiting writer.
    let slow = Duration::from_secs(12).as_millis();
    let times = [(0, 0)].repeat(last).into_iter().chain([(u64::try_from(slow).expect("a number"), 0)]);
    process.faults.slow(times);
    let rewriting = tokio::spawn(rewrite(process.repository.clone(), world.other()));
    while process.faults.events().len() <= last {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let waiter = world.process(RetryConfig::standard()).along();
    let modify = Page::modify("1", |page| page.text = format!("{}, then the waiter's", page.text));
    applied!(modify, &waiter.repository);
    assert_eq!(rewriting.await.expect("no panic"), LOST + 1);
    let left = Page::get("1").send(&world.other()).await.expect("a get").expect("a page");
    assert_eq!(left.text, "mine, then the waiter's");
}
