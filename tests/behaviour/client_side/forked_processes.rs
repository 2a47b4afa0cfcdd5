//! Processes with the same memory, after a fork or a snapshot of a machine: both own the same lane, and count the same
//! numbers.

use super::{bank, creates, heads, is_commit, there};
use dyno::__private::lanes::with_memory_of;
use dyno::ErrorKind;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno_tests::faults::{Event, Fault};
use dyno_tests::process::Process;
use dyno_tests::{World, is_remote};

/// A process that has committed once, and a copy of it.
async fn two(world: &World) -> [Process; 2] {
    // Processes find lanes by eventually consistent reads, so the replica must be up to date.
    world.faults.thaw_replica();
    let one = world.process(RetryConfig::disabled()).along();
    creates(&["first"]).send(&one.repository).await.expect("sent").applied().expect("applied");
    let mut copy = world.process(RetryConfig::standard()).along();
    copy.repository = with_memory_of(copy.repository, &one.repository);
    [one, copy]
}

/// Both processes give their attempts the same number. The random nonce tells the attempts apart.
#[tokio::test(start_paused = true)]
async fn the_commit_of_one_fork_does_not_commit_the_attempt_of_another() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    let [one, copy] = two(&world).await;
    one.faults.on_request(1, is_commit, Fault::DiesBefore);
    assert!(one.run(creates(&["a", "b"]).send(&one.repository)).await.is_none(), "it died");
    creates(&["c", "d"]).send(&copy.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(heads(&world).await.len(), 1);
    assert_eq!(there(&world, &["a", "b", "c", "d"]).await, ["c", "d"], "nobody has committed the others");
}

/// A third process has taken over the lane. The lane row keeps the last commit of the old epoch with the nonce of its
/// attempt, so this commit does not confirm the attempt of the other fork.
#[tokio::test(start_paused = true)]
async fn the_last_commit_of_an_epoch_does_not_confirm_another_fork_s_attempt() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    let [one, copy] = two(&world).await;
    one.faults.on_request(1, is_commit, Fault::RequestLost);
    one.faults.on_request(1, |event: &Event| event.text().starts_with("GetItem dyno-lanes"), Fault::RequestLost);
    let transaction = creates(&["a", "b"]);
    let error = transaction.clone().send(&one.repository).await.expect_err("in doubt");
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    creates(&["c", "d"]).send(&copy.repository).await.expect("sent").applied().expect("applied");
    let next = world.process(RetryConfig::standard()).along();
    next.clock.advance(61_000);
    let sent = creates(&["next"]).send(&next.repository.clone().with_lanes(1)).await;
    sent.expect("sent").applied().expect("applied");
    assert_eq!(there(&world, &["a", "b"]).await, Vec::<String>::new());
    transaction.send(&one.repository).await.expect("sent").applied().expect("applied, on another lane");
    assert_eq!(there(&world, &["a", "b", "c", "d"]).await, ["a", "b", "c", "d"]);
}

/// One fork has a committed change that is not applied yet. A commit of the other fork on the same lane does not discard it.
#[tokio::test(start_paused = true)]
async fn the_commit_of_one_fork_does_not_discard_an_unapplied_commit_of_another() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    let [one, copy] = two(&world).await;
    let is_apply = |event: &Event| event.text().starts_with("UpdateItem accounts {id=\"b\"}");
    one.faults.on_request(1, is_apply, Fault::ErrorCode("ValidationException"));
    let committed = creates(&["a", "b"]).send(&one.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(committed.unapplied(), 1);
    creates(&["c", "d"]).send(&copy.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(there(&world, &["a", "b", "c", "d"]).await, ["a", "b", "c", "d"]);
}

/// Both forks use the same number, but each fork writes its own participant pages.
#[tokio::test(start_paused = true)]
async fn each_fork_writes_its_own_participant_pages() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    let [one, copy] = two(&world).await;
    // Two such keys do not fit into a lane row.
    let long = |name: &str| format!("{name} {}", "x".repeat(2000));
    let ids = ["a", "b", "c", "d"].map(long);
    let [a, b, c, d] = ids.each_ref().map(String::as_str);
    one.faults.on_request(1, is_commit, Fault::DiesAfter);
    assert!(one.run(creates(&[a, b]).send(&one.repository)).await.is_none(), "it died");
    // The copy writes its page before its commit is refused.
    creates(&[c, d]).send(&copy.repository).await.expect("sent").applied().expect("applied");
    // A minute later, another process takes over the lane of the dead process, and commits there.
    let next = world.process(RetryConfig::standard()).along();
    next.clock.advance(61_000);
    let sent = creates(&["next"]).send(&next.repository.clone().with_lanes(1)).await;
    sent.expect("sent").applied().expect("applied");
    assert_eq!(there(&world, &[a, b, c, d]).await, [a, b, c, d]);
}
