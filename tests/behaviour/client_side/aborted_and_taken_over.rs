//! One that comes back when others have gone on, since it was silent for long: they have made its try void, or taken over its
//! lane.

use super::{Account, balances, bank, creates, heads, is_commit, there};
use dyno::__private::lanes::take;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{ErrorKind, Transaction};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::{World, endpoint};

/// Who waited for it has made it void, and has taken its intent away.
#[tokio::test(start_paused = true)]
async fn an_attempt_aborted_by_another_writer_does_not_commit() {
    if endpoint().is_some() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(2).await;
    let owner = world.process(RetryConfig::standard()).along();
    let add = |id: &str, sum| Account::update(id).unchecked().with(Account::fields().balance.add(sum));
    // A read, a look for a lane, the lane and a look at the table; then two intents.
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

/// Somebody takes over the lane `1`; perhaps commits there, and dies before anything of it is applied.
async fn take_over(world: &World, is_committed: bool) {
    let next = world.process(RetryConfig::standard()).along();
    // Which lanes there are is read eventually.
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

/// It was about to commit. It leaves the lane to the other one.
#[tokio::test(start_paused = true)]
async fn an_owner_whose_lane_was_taken_over_commits_on_another_lane() {
    if endpoint().is_some() {
        return; // Time stands still only where the engine is in this process.
    }
    for is_committed in [true, false] {
        let world = bank(0).await;
        let owner = world.process(RetryConfig::standard()).along();
        // A look for a lane, the lane and a look at the table; then two intents.
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

/// Its commit is on its way.
#[tokio::test(start_paused = true)]
async fn a_late_commit_on_a_lane_that_was_taken_over_is_refused() {
    if endpoint().is_some() {
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
    // A clone learns that it was refused, and that it will be: it is sent on another lane.
    transaction.send(&owner.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(there(&world, &["a", "b", "c", "d"]).await, ["a", "b", "c", "d"]);
}
