//! A paced repository: how many capacity units a second all its commands use together, and which requests are not delayed.

use dyno::command::Scan;
use dyno::lock::Lock;
use dyno::{BatchWrite, Entity, Pace, Repository, Transaction};
use dyno_tests::clock::RunningClock;
use dyno_tests::{World, is_remote, pause, world};
use futures_util::future::join_all;
use std::time::Duration;
use tokio::time::Instant;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
struct Note {
    #[partition_key]
    id: u32,
    text: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: u32,
    balance: u64,
    #[version]
    version: u64,
}

const READ: f64 = 25.0;
const WRITE: f64 = 20.0;

/// A world whose clock runs with the runtime's clock, and that has this many notes of about 1 KB. The second repository is
/// paced.
async fn notes(count: u32) -> (World, Repository) {
    pause();
    let mut world = world::<Note>().await;
    world.repository = world.repository.clone().with_clock(RunningClock::new(Instant::now(), 0));
    for id in 0..count {
        note(id).put().send(&world.repository).await.expect("a put");
    }
    let paced = world.repository.paced(Pace::new().read_units(READ).write_units(WRITE)).metered();
    (world, paced)
}

fn note(id: u32) -> Note {
    Note { id, text: "x".repeat(980) }
}

/// The units a second that this work uses. Nothing waits after the last request, so its units do not count.
async fn rate(paced: &Repository, of_writes: bool, last: f64, work: impl Future<Output = ()>) -> f64 {
    let units = || if of_writes { paced.usage().write_units } else { paced.usage().read_units };
    let (start, before) = (Instant::now(), units());
    work.await;
    (units() - before - last) / start.elapsed().as_secs_f64()
}

#[track_caller]
fn assert_near(rate: f64, pace: f64) {
    assert!((0.9 * pace..=1.05 * pace).contains(&rate), "{rate} units a second, and not {pace}");
}

#[tokio::test]
async fn scans_and_queries_read_small_pages_at_the_pace() {
    if is_remote() {
        return; // Time would pass.
    }
    let (world, paced) = notes(2_000).await;
    let read = rate(&paced, false, 12.5, async {
        let notes: Vec<Note> = Note::scan().stream(&paced).try_collect().await.expect("a scan");
        assert_eq!(notes.len(), 2_000);
    });
    assert_near(read.await, READ);
    let parallel = rate(&paced, false, 12.5, async {
        let notes: Vec<Note> = Note::scan().parallel(4).stream(&paced).try_collect().await.expect("a scan");
        assert_eq!(notes.len(), 2_000);
    });
    // Nothing waits after the last pages of the four segments.
    assert!((0.8 * READ..=1.05 * READ).contains(&parallel.await));
    // A page costs the units of about half a second, and not 128 units.
    let before = paced.usage().read_units;
    let page = Note::scan().send(&paced).await.expect("a page");
    assert!(
        page.cursor.is_some() && (6.0..=14.0).contains(&(paced.usage().read_units - before)),
        "{}",
        page.items.len()
    );
    assert!(Note::scan().send(&world.repository).await.expect("a page").items.len() > 1_000);
    let inspect = rate(&paced, false, 12.5, async {
        assert_eq!(paced.inspect_table::<Note>(usize::MAX).await.expect("an inspection").live, 2_000);
    });
    assert_near(inspect.await, READ);
}

#[tokio::test]
async fn all_kinds_of_writes_keep_the_pace_together() {
    if is_remote() {
        return; // Time would pass.
    }
    let (_world, paced) = notes(400).await;
    let one_by_one = rate(&paced, true, 1.0, async {
        for id in 0..200 {
            note(id).put().send(&paced).await.expect("a put");
        }
    });
    assert_near(one_by_one.await, WRITE);
    let at_once = rate(&paced, true, 0.0, async {
        join_all((0..200).map(|id| note(id).put().send(&paced))).await.into_iter().for_each(|put| put.expect("a put"));
    });
    assert_near(at_once.await, WRITE);
    let batches = rate(&paced, true, 25.0, async {
        for chunk in (0..400).collect::<Vec<_>>().chunks(25) {
            let batch = BatchWrite::new().add_all(chunk.iter().map(|id| note(*id).put()));
            batch.send(&paced).await.expect("sent").applied().expect("all of them");
        }
    });
    assert_near(batches.await, WRITE);
    let transactions = rate(&paced, true, 20.0, async {
        for start in (0..200).step_by(10) {
            let puts: Vec<_> = (start..start + 10).map(|id| note(id).put()).collect();
            let sent = Transaction::new().put(puts).send(&paced).await.expect("sent");
            sent.applied().expect("applied");
        }
    });
    assert_near(transactions.await, WRITE);
    let modified = Box::pin(rate(&paced, true, 1.0, async {
        let change = |note: &mut Note| note.text.replace_range(..1, "y");
        let progress = Scan::<Note>::new().modify_each(change).send(&paced).await.expect("sent");
        assert_eq!(progress.completed().expect("no failure").changed(), 400);
    }));
    assert_near(modified.await, WRITE);
}

#[tokio::test]
async fn idle_time_saves_up_one_second() {
    if is_remote() {
        return; // Time would pass.
    }
    let (_world, paced) = notes(0).await;
    tokio::time::sleep(Duration::from_hours(1)).await;
    let start = Instant::now();
    for id in 0..20 {
        note(id).put().send(&paced).await.expect("a put");
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
    join_all((0..20).map(|id| note(id).put().send(&paced))).await.into_iter().for_each(|put| put.expect("a put"));
    assert!((0.9..1.1).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_future_that_is_dropped_while_it_waits_costs_nothing() {
    if is_remote() {
        return; // Time would pass.
    }
    let (_world, paced) = notes(100).await;
    // The read leaves a debt of four seconds.
    let _notes = batch_get(&paced, 100).await;
    let start = Instant::now();
    for _ in 0..1_000 {
        let get = Note::get(1).send(&paced);
        assert!(tokio::time::timeout(Duration::ZERO, get).await.is_err(), "it waits");
    }
    Note::get(1).send(&paced).await.expect("a get");
    assert!((3.9..4.1).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
}

async fn batch_get(paced: &Repository, count: u32) -> Vec<Option<Note>> {
    Note::batch_get(0..count).consistent().send(paced).await.expect("a batch")
}

#[tokio::test]
async fn a_lock_and_a_transaction_that_has_begun_are_not_delayed() {
    if is_remote() {
        return; // Time would pass.
    }
    let (mut world, _) = notes(100).await;
    world.repository.create_table::<Account>().await.expect("a table");
    world.repository.create_lane_table().await.expect("a table");
    Lock::create_table(&world.repository).await.expect("a table");
    for id in 0..120 {
        let account = Account { id, balance: 10, version: 0 };
        account.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    }
    // The read and the transaction leave debts of minutes.
    world.repository = world.repository.paced(Pace::new().read_units(0.5).write_units(0.5));
    let paced = &world.repository;
    let _notes = batch_get(paced, 100).await;
    let notes: Vec<_> = (0..100).map(|id| note(id).put()).collect();
    Transaction::new().put(notes).send(paced).await.expect("sent").applied().expect("applied");
    let start = Instant::now();
    let held = Lock::new("job").lease(Duration::from_secs(5)).acquire(paced).await.expect("free");
    tokio::select! {
        () = held.drive() => panic!("lost"),
        () = tokio::time::sleep(Duration::from_mins(1)) => {}
    }
    assert!(held.left().is_ok(), "its heartbeats are not delayed");
    let _released = held.release().await.expect("released");
    assert!(start.elapsed() < Duration::from_secs(62), "{:?}", start.elapsed());

    // The debt of 200 units takes 400 s. The transaction waits once, and not before each of its 241 writes.
    let changed: Vec<_> = (0..120).map(|id| Account { id, balance: 11, version: 1 }.put()).collect();
    let before = world.faults.requests().len();
    let sent = Transaction::new().put(changed).send(paced).await.expect("sent");
    assert_eq!(sent.applied().expect("applied").unapplied(), 0);
    assert!(world.faults.requests().len() - before > 240, "it is client-side");
    assert!((380.0..480.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_throttled_request_makes_the_next_wait_a_second_longer() {
    if is_remote() {
        return; // Time would pass.
    }
    let (world, _) = notes(10).await;
    let paced = world.repository.paced(Pace::new().read_units(READ));
    Note::get(1).send(&paced).await.expect("a get");
    world.faults.next([dyno::local::Fault::Throttled; 3]);
    let error = Note::get(1).send(&paced).await.expect_err("throttled");
    assert_eq!(error.kind(), dyno::ErrorKind::Throttled);
    let start = Instant::now();
    Note::get(1).send(&paced).await.expect("a get");
    assert!((0.9..1.1).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_pace_of_nothing_is_refused_before_any_request() {
    if is_remote() {
        return; // Time would pass.
    }
    let (world, _) = notes(0).await;
    let before = world.faults.requests().len();
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let paced = world.repository.paced(Pace::new().read_units(5.0).write_units(rate));
        let error = Note::get(1).send(&paced).await.expect_err("refused");
        assert!(error.is_invalid_input() && error.to_string().contains("the pace is"), "{error}");
    }
    assert_eq!(world.faults.requests().len(), before);
}
