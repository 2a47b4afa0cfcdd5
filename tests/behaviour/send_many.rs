//! `SendMany`: the commands of an input, each for itself, under way at once in a bounded number, and continued from a checkpoint.

use dyno::{Entity, EpochMillis, ErrorKind, InputCheckpoint, Reason, SendMany};
use dyno_tests::faults::Fault;
use dyno_tests::{pause, world};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// An entity with a version.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "invoices")]
struct Invoice {
    #[partition_key]
    id: u64,
    total: u32,
    #[version]
    version: u64,
}

fn invoice(id: u64) -> Invoice {
    Invoice { id, total: 10, version: 0 }
}

/// An entity without rules.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
struct Note {
    #[partition_key]
    id: u64,
    text: String,
}

fn note(id: u64, text: &str) -> Note {
    Note { id, text: text.to_owned() }
}

/// A rating with a ratchet.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: u64,
    #[ratchet]
    at: EpochMillis,
}

#[tokio::test]
async fn outcomes_come_in_the_order_of_the_input() {
    pause();
    let world = world::<Invoice>().await;
    invoice(7).create().send(&world.repository).await.expect("sent").applied().expect("applied");
    world.faults.latency(Duration::from_millis(5), Duration::from_millis(5));
    let taken = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&taken);
    let creates = (0..30).map(move |id| {
        count.fetch_add(1, Ordering::Relaxed);
        invoice(id).create()
    });
    let mut sent = SendMany::new("invoices", creates).concurrency(4).send(&world.repository);
    let mut numbers = Vec::new();
    while let Some(one) = sent.next().await {
        // Nothing is taken ahead of what may be under way.
        assert!(taken.load(Ordering::Relaxed) <= one.number + 5);
        let outcome = one.result.expect("sent");
        assert_eq!(outcome.refusal().is_some_and(|refusal| refusal.reasons() == [Reason::Exists]), one.number == 7);
        numbers.push(one.number);
        assert_eq!(sent.checkpoint().done(), one.number + 1);
    }
    assert_eq!(numbers, (0..30).collect::<Vec<_>>());
    assert_eq!(world.faults.most_in_flight(), 4);
}

/// The first command is slow. The others come before it, and the checkpoint stays before it.
#[tokio::test]
async fn unordered_outcomes_come_as_they_are_ready() {
    pause();
    let world = world::<Note>().await;
    world.faults.delay_next([(Duration::ZERO, Duration::from_secs(1))]);
    let puts = (0..4).map(|id| note(id, "a").put());
    let mut sent = SendMany::new("notes", puts).unordered().concurrency(2).send(&world.repository);
    let mut numbers = Vec::new();
    while let Some(one) = sent.next().await {
        one.result.expect("applied");
        numbers.push(one.number);
        assert_eq!(sent.checkpoint().done(), if one.number == 0 { 4 } else { 0 });
    }
    assert_eq!(numbers, [1, 2, 3, 0]);
    // All are denied, the first one last.
    world.faults.delay_next([(Duration::from_secs(1), Duration::ZERO)]);
    world.faults.next([Fault::ErrorCode("AccessDeniedException"); 4]);
    let puts = (0..4).map(|id| note(id, "b").put());
    let mut denied = SendMany::new("notes", puts).unordered().send(&world.repository);
    let mut numbers = Vec::new();
    while let Some(one) = denied.next().await {
        one.result.expect_err("denied");
        numbers.push(one.number);
        assert_eq!(denied.checkpoint().done(), 0);
    }
    assert_eq!((numbers.len(), numbers.last()), (4, Some(&0)));
    let mut again = SendMany::new("notes", [note(0, "b").put()]).after(denied.checkpoint()).send(&world.repository);
    assert_eq!(again.next().await.map(|one| one.number), Some(0));
}

/// The entity has no rule that would refuse the earlier text. The first request is the slowest.
#[tokio::test]
async fn commands_of_one_item_are_sent_in_order() {
    pause();
    let world = world::<Note>().await;
    let delays = (0..6_u64).map(|number| (Duration::from_millis(100 - 10 * number), Duration::ZERO));
    world.faults.delay_next(delays);
    let puts = ["a", "b", "c"].into_iter().flat_map(|text| [note(1, text).put(), note(2, text).put()]);
    let mut sent = SendMany::new("notes", puts).concurrency(6).unordered().send(&world.repository);
    while let Some(one) = sent.next().await {
        one.result.expect("applied");
    }
    for id in [1, 2] {
        let stored = Note::get(id).consistent().send(&world.repository).await.expect("a get");
        assert_eq!(stored, Some(note(id, "c")));
    }
}

/// Each run dies at one of its requests, before or after the request is served.
#[tokio::test]
async fn an_interrupted_input_continues_from_its_checkpoint() {
    for served in [false, true] {
        let world = world::<Invoice>().await;
        let creates = || (0..12).map(|id| invoice(id).create().accept_equal());
        let mut saved: Option<InputCheckpoint> = None;
        for requests in 1..=4 {
            world.faults.dies_of(requests, served);
            let mut sent = SendMany::new("invoices", creates()).concurrency(3).after(saved).send(&world.repository);
            let read = async {
                while let Some(one) = sent.next().await {
                    one.result.expect("sent").applied().expect("applied or equal");
                    saved = Some(sent.checkpoint().to_string().parse().expect("a checkpoint"));
                }
            };
            tokio::select! {
                () = read => {}
                () = world.faults.stopped() => {}
            }
            drop(sent);
            world.faults.go_on();
        }
        let mut sent = SendMany::new("invoices", creates()).after(saved).send(&world.repository);
        while let Some(one) = sent.next().await {
            one.result.expect("sent").applied().expect("applied or equal");
        }
        assert_eq!(sent.checkpoint().done(), 12);
        let stored = Invoice::scan().consistent().stream(&world.repository).try_collect().await.expect("invoices");
        assert_eq!((stored.len(), stored.iter().all(|invoice| invoice.version == 1)), (12, true));
        // A run behind the end sends nothing.
        let metered = world.repository.metered();
        let mut again = SendMany::new("invoices", creates()).after(sent.checkpoint()).send(&metered);
        assert!(again.next().await.is_none());
        assert_eq!(metered.usage().requests, 0);
    }
}

/// An error of the input or of one item is passed. An error that the next commands would get, too, holds the checkpoint back.
#[tokio::test]
async fn an_error_has_its_place_among_the_outcomes() {
    pause();
    let world = world::<Rating>().await;
    let rating = |id: u64| Rating { id, at: EpochMillis::new(1) }.put();
    let input = || [Ok(rating(0)), Err("line 2 is garbled"), Ok(rating(2)), Ok(rating(3))];
    world.faults.next([Fault::Served, Fault::ErrorCode("AccessDeniedException")]);
    let mut sent = SendMany::new("ratings", input()).concurrency(1).send(&world.repository);
    let mut kinds = Vec::new();
    while let Some(one) = sent.next().await {
        kinds.push(one.result.err().map(|error| error.kind()));
    }
    assert_eq!(kinds, [None, Some(ErrorKind::Aborted), Some(ErrorKind::Service), None]);
    assert_eq!(sent.checkpoint().done(), 2);
    let mut again = SendMany::new("ratings", input()).after(sent.checkpoint()).send(&world.repository);
    let mut numbers = Vec::new();
    while let Some(one) = again.next().await {
        one.result.expect("sent").accept_stale().expect("applied, or as new");
        numbers.push(one.number);
    }
    assert_eq!(numbers, [2, 3]);
    let mut garbled = SendMany::new("ratings", input()).send(&world.repository);
    let error = [garbled.next().await, garbled.next().await].into_iter().flatten().find_map(|one| one.result.err());
    assert_eq!(error.expect("an error").to_string(), "the input returned an error: line 2 is garbled");
}

#[tokio::test]
async fn a_checkpoint_of_another_input_is_refused() {
    let world = world::<Note>().await;
    let metered = world.repository.metered();
    let mut sent = SendMany::new("a.csv", (0..3).map(|id| note(id, "a").put())).send(&metered);
    while let Some(one) = sent.next().await {
        one.result.expect("applied");
    }
    let checkpoint = sent.checkpoint();
    for (input, commands, message) in [
        (
            "b.csv",
            3,
            "the checkpoint belongs to another input: continue with the same input, or commands would be skipped",
        ),
        ("a.csv", 2, "the input has 2 commands, and the checkpoint comes after 3: continue with the same input"),
    ] {
        let puts = (0..commands).map(|id| note(id, "a").put());
        let mut sent = SendMany::new(input, puts).after(checkpoint).send(&metered);
        let error = sent.next().await.expect("an outcome").result.expect_err("refused");
        assert!(error.is_invalid_input());
        assert_eq!(error.to_string(), message);
        assert!(sent.next().await.is_none());
        assert_eq!(sent.checkpoint().done(), if input == "a.csv" { 3 } else { 0 });
    }
    assert_eq!(metered.usage().requests, 3);
    let text = checkpoint.to_string();
    for text in
        ["", "i1", "i1.", "1.x.3", &text.replace("i1.", "i2."), &format!("{text}0x"), &text.replace(".3", ".03")]
    {
        assert!(text.parse::<InputCheckpoint>().expect_err("garbled").is_invalid_input(), "{text}");
    }
}
