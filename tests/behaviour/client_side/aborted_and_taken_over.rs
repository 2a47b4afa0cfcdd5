//! A process is silent for long, and then continues its transaction. Meanwhile, another process has aborted the attempt, or
//! has taken over the lane.

use super::{Account, balances, bank, creates, heads, is_commit, there};
use dyno::__private::lanes::take;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{ErrorKind, Transaction};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::{World, is_remote};

/// A writer that waited for the transaction has aborted its attempt and removed its intent. The transaction commits with
/// another attempt.
#[tokio::test(start_paused = true)]
async fn an_attempt_aborted_by_another_writer_does_not_commit() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(2).await;
    let owner = world.process(RetryConfig::standard()).along();
    let add = |id: &str, sum| Account::update(id).unchecked().with(Account::fields().balance.add(sum));
    // Six requests come before the commit: the read of the items, the read of lanes, the creation of a lane,
    // `DescribeTable`, and two intents.
    owner.faults.hold_after(6);
    let (repository, both) = (owner.repository.clone(), vec![add("00000", 10), add("00001", 10)]);
    let sent = tokio::spawn(async move { Transaction::new().update(both).client_side().send(&repository).await });
    owner.faults.held().await;
    add("00000", 1).send(&world.other()).await.expect("sent").applied().expect("applied, after a while");
    owner.faults.release();
    sent.await.expect("no panic").expect("sent").applied().expect("applied, by another try");
    let expected = [("00000", 111), ("00001", 110)].map(|(id, balance)| (id.to_owned(), balance));
    assert_eq!(balances(&world, &["00000", "00001"]).await, expected);
}

/// Another process takes over the lane `1`. If `is_committed`, it also commits there, and dies before it applies any of its
/// changes.
async fn take_over(world: &World, is_committed: bool) {
    let next = world.process(RetryConfig::standard()).along();
    // Processes find lanes by eventually consistent reads, so the replica must be up to date.
    next.faults.thaw_replica();
    next.clock.advance(61_000);
    let repository = next.repository.clone().with_lanes(1);
    if is_committed {
        next.faults.on_request(1, is_commit, Fault::DiesAfter);
        assert!(next.run(creates(&["c", "d"]).send(&repository)).await.is_none(), "it died");
    } else {
        take(&repository).await.expect("the lane");
    }
    assert_eq!(heads(world).await.len(), 1);
}

/// Another process takes over the lane when its owner is about to commit. The owner leaves the lane to that process.
#[tokio::test(start_paused = true)]
async fn an_owner_whose_lane_was_taken_over_commits_on_another_lane() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    for is_committed in [true, false] {
        let world = bank(0).await;
        let owner = world.process(RetryConfig::standard()).along();
        // Five requests come before the commit: the read of lanes, the creation of a lane, `DescribeTable`, and two intents.
        owner.faults.hold_after(5);
        let repository = owner.repository.clone();
        let sent = tokio::spawn(async move { creates(&["a", "b"]).send(&repository).await });
        owner.faults.held().await;
        take_over(&world, is_committed).await;
        owner.faults.release();
        sent.await.expect("no panic").expect("sent").applied().expect("applied, on another lane");
        assert_eq!(owner.faults.events().iter().filter(|event| is_commit(event)).count(), 2);
        let expected: &[_] = if is_committed { &["a", "b", "c", "d"] } else { &["a", "b"] };
        assert_eq!(there(&world, &["a", "b", "c", "d"]).await, expected);
    }
}

/// The commit is still in the network when another process takes over the lane. When it arrives, it is refused.
#[tokio::test(start_paused = true)]
async fn a_late_commit_on_a_lane_that_was_taken_over_is_refused() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    let owner = world.process(RetryConfig::disabled()).along();
    owner.faults.on_request(1, is_commit, Fault::Postponed);
    owner.faults.on_request(1, |event: &Event| event.text().starts_with("GetItem dyno-lanes"), Fault::RequestLost);
    let transaction = creates(&["a", "b"]);
    let error = transaction.clone().send(&owner.repository).await.expect_err("in doubt");
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    take_over(&world, true).await;
    assert_eq!(owner.faults.deliver().await.expect("one is kept").status, 400);
    assert_eq!(there(&world, &["a", "b", "c", "d"]).await, ["c", "d"]);
    // A clone learns that the commit was not applied and never will be, so it commits on another lane.
    transaction.send(&owner.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(there(&world, &["a", "b", "c", "d"]).await, ["a", "b", "c", "d"]);
}
