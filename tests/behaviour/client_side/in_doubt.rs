//! Lost answers, lanes that other processes own, and dropped futures.

use super::{Account, account, bank, creates, heads, is_commit};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{ErrorKind, Repository, Transaction, TransactionOutcome};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::lanes::LANES;
use dyno_tests::{World, is_remote, item, s};
use std::time::Duration;
use tokio::time::timeout;

fn both() -> Transaction {
    Transaction::new().put([account("a", 1).create(), account("b", 2).create()]).client_side()
}

/// Returns which of the accounts `a` and `b` exist.
async fn there(world: &World) -> Vec<String> {
    super::there(world, &["a", "b"]).await
}

#[tokio::test(start_paused = true)]
async fn a_lost_commit_answer_counts_once() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    world.faults.on_request(1, is_commit, Fault::AnswerLost);
    both().send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!((world.faults.unmet(), there(&world).await), (0, vec!["a".to_owned(), "b".to_owned()]));
}

/// The answer to a commit is lost. The process continues on the same lane after that commit, so its next transaction is not
/// refused there.
#[tokio::test(start_paused = true)]
async fn the_next_transaction_uses_the_same_lane_after_a_lost_commit_answer() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    for retries in [RetryConfig::disabled(), RetryConfig::standard()] {
        let world = bank(0).await;
        let process = world.process(retries);
        process.faults.on_request(1, is_commit, Fault::AnswerLost);
        both().send(&process.repository).await.expect("sent").applied().expect("applied");
        let before = process.faults.events().len();
        let next = Transaction::new().put([account("c", 3).create(), account("d", 4).create()]).client_side();
        next.send(&process.repository).await.expect("sent").applied().expect("applied");
        let sent: Vec<_> = process.faults.events()[before..].iter().map(|event| event.operation.clone()).collect();
        assert_eq!(sent, ["PutItem", "PutItem", "UpdateItem", "UpdateItem", "UpdateItem"]);
        assert_eq!((process.faults.unmet(), heads(&world).await.len()), (0, 1));
    }
}

/// A clone of the transaction reads the lane row to learn whether the first one was committed.
#[tokio::test(start_paused = true)]
async fn a_clone_resent_after_an_unknown_commit_applies_once() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    for fault in [Fault::AnswerLost, Fault::RequestLost, Fault::Postponed] {
        let world = bank(0).await;
        let process = world.process(RetryConfig::disabled()).along();
        let transaction = both();
        process.faults.on_request(1, is_commit, fault);
        process.faults.on_request(
            1,
            |event: &Event| event.text().starts_with("GetItem dyno-lanes"),
            Fault::RequestLost,
        );
        let error = transaction.clone().send(&process.repository).await.expect_err("in doubt");
        assert!(error.may_be_applied() && error.kind() == ErrorKind::Unreachable, "{fault:?}: {error}");
        assert!(error.to_string().contains("send a clone"), "{error}");
        let clone = transaction.send(&process.repository).await;
        clone.expect("sent").applied().expect("applied");
        while process.faults.deliver().await.is_some() {}
        assert_eq!(there(&world).await, ["a", "b"], "{fault:?}");
        assert!(
            world
                .stored::<Account>()
                .await
                .iter()
                .all(|item| !item.contains_key("_x") && item["version"] == dyno_tests::n(1))
        );
    }
}

/// An intent whose answer was lost is removed like a confirmed one. If it arrives later, it is dead, because the lane
/// continues only with a new epoch. Otherwise the next attempt would wait for it as long as its own lane shows signs of
/// life.
#[tokio::test(start_paused = true)]
async fn an_intent_with_a_lost_answer_does_not_block_the_next_attempt() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    for fault in [Fault::AnswerLost, Fault::Postponed] {
        let world = bank(0).await;
        let process = world.process(RetryConfig::disabled()).along();
        process.faults.on_request(2, |event: &Event| event.text().starts_with("PutItem accounts"), fault);
        let transaction = both();
        let error = transaction.clone().send(&process.repository).await.expect_err("no answer");
        assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
        assert_eq!(world.stored::<Account>().await, Vec::new());
        while process.faults.deliver().await.is_some() {}
        assert_eq!(world.stored::<Account>().await.len(), usize::from(fault == Fault::Postponed));
        let sent = timeout(Duration::from_mins(1), transaction.send(&process.repository)).await;
        sent.expect("in time").expect("sent").applied().expect("applied");
        assert_eq!(there(&world).await, ["a", "b"]);
    }
}

/// A process with the same memory has committed again on the lane, so the lane row no longer shows the commit in doubt. The
/// clone reports an unknown outcome, and does not apply the change twice.
#[tokio::test(start_paused = true)]
async fn a_later_commit_on_the_lane_makes_the_outcome_unknown() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(2).await;
    let process = world.process(RetryConfig::disabled()).along();
    process.faults.on_request(1, is_commit, Fault::AnswerLost);
    process.faults.on_request(1, |event: &Event| event.text().starts_with("GetItem dyno-lanes"), Fault::RequestLost);
    let add = |id: &str| Account::update(id).unchecked().with(Account::fields().balance.add(1));
    let transaction = Transaction::new().update([add("00000"), add("00001")]).client_side();
    let error = transaction.clone().send(&process.repository).await.expect_err("in doubt");
    assert!(error.may_be_applied() && error.kind() == ErrorKind::Unreachable, "{error}");
    let expected = ["00000", "00001"].map(|id| (id.to_owned(), 101));
    assert_eq!(super::balances(&world, &["00000", "00001"]).await, expected);
    let mut head = heads(&world).await.remove(0);
    head.insert("committed".to_owned(), dyno_tests::n(2));
    head.insert("try".to_owned(), s("~another"));
    head.retain(|name, _| !["of", "participants"].contains(&name.as_str()));
    world.put_head(head).await;
    let error = transaction.send(&process.repository).await.expect_err("not known");
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
    assert_eq!(super::balances(&world, &["00000", "00001"]).await, expected, "not twice");
}

/// While a commit is in doubt, a later transaction of the process does not replace it in the lane row, so the commit is not
/// lost.
#[tokio::test(start_paused = true)]
async fn a_later_transaction_does_not_discard_a_commit_in_doubt() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    let process = world.process(RetryConfig::disabled()).along();
    process.faults.on_request(1, is_commit, Fault::AnswerLost);
    process.faults.on_request(1, |event: &Event| event.text().starts_with("GetItem dyno-lanes"), Fault::RequestLost);
    let error = both().send(&process.repository).await.expect_err("in doubt");
    assert!(error.may_be_applied() && error.kind() == ErrorKind::Unreachable, "{error}");
    creates(&["c", "d"]).send(&process.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(super::there(&world, &["a", "b", "c", "d"]).await, ["a", "b", "c", "d"], "it was committed");
}

/// After a fork, or from a snapshot of a machine, another process commits the same number on the same lane. The original
/// process does not take that commit for its own.
#[tokio::test(start_paused = true)]
async fn a_commit_by_a_forked_process_is_not_mistaken_for_the_original_s() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    Transaction::new()
        .put(account("first", 1).create())
        .client_side()
        .send(&world.repository)
        .await
        .expect("sent")
        .applied()
        .expect("applied");
    world.faults.hold_after(2);
    let repository = world.repository.clone();
    let sent = tokio::spawn(async move { both().send(&repository).await });
    world.faults.held().await;
    // The other process commits this number first.
    let mut head = heads(&world).await.remove(0);
    head.insert("committed".to_owned(), dyno_tests::n(2));
    head.insert("of".to_owned(), dyno_tests::n(2));
    head.insert("try".to_owned(), s("~another"));
    world.put_head(head).await;
    assert_eq!(there(&world).await, Vec::<String>::new());
    world.faults.release();
    // The original process makes another attempt with another number, and commits that.
    sent.await.expect("no panic").expect("sent").applied().expect("applied");
    assert_eq!(there(&world).await, ["a", "b"]);
    let commits = world.faults.events().iter().filter(|event| is_commit(event)).count();
    assert_eq!(commits, 3);
}

/// Another lane table has a lane of the same name. That lane does not decide the intent.
#[tokio::test(start_paused = true)]
async fn a_lane_of_another_lane_table_does_not_resolve_an_intent() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    let process = world.process(RetryConfig::disabled()).along();
    process.faults.on_request(1, is_commit, Fault::DiesBefore);
    assert!(process.run(both().send(&process.repository)).await.is_none(), "it died");
    // This is the lane table of another service, where the lane `1` has already committed this number.
    let mut head = heads(&world).await.remove(0);
    world.other().client().delete_table().table_name(LANES).send().await.expect("deleted");
    world.create_lanes().await;
    head.insert("born".to_owned(), s("~other"));
    head.insert("committed".to_owned(), dyno_tests::n(1));
    world.put_head(head).await;
    let stored = world.stored::<Account>().await;
    let error = account("a", 5).create().send(&world.other()).await.expect_err("nobody knows");
    assert!(error.is_lane_missing(), "{error}");
    assert_eq!(world.stored::<Account>().await, stored);
    let _ = item([]);
}

/// The lane table was recreated or restored, and has a lane of a name that a process still has in its pool. The process does
/// not commit on it, because it is another lane.
#[tokio::test(start_paused = true)]
async fn a_process_does_not_commit_on_a_recreated_lane() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    let (old, new) = (world.process(RetryConfig::standard()).along(), world.process(RetryConfig::standard()).along());
    creates(&["first"]).send(&old.repository).await.expect("sent").applied().expect("applied");
    world.other().client().delete_table().table_name(LANES).send().await.expect("deleted");
    world.create_lanes().await;
    // The new lane has committed the same number as the old one.
    new.faults.on_request(1, is_commit, Fault::DiesAfter);
    assert!(new.run(both().send(&new.repository)).await.is_none(), "it died");
    let error = creates(&["c", "d"]).send(&old.repository).await.expect_err("its lane is gone");
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
    assert_eq!(there(&world).await, ["a", "b"], "what the other one has committed is not lost");
    // The next transaction uses another lane.
    creates(&["e", "f"]).send(&old.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(super::there(&world, &["e", "f"]).await, ["e", "f"]);
}

/// The lane is deleted after the commit, so no process can know whether the transaction was committed.
#[tokio::test(start_paused = true)]
async fn a_commit_on_a_deleted_lane_has_an_unknown_outcome() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    let (old, new) = (world.process(RetryConfig::disabled()).along(), world.process(RetryConfig::standard()).along());
    creates(&["first"]).send(&old.repository).await.expect("sent").applied().expect("applied");
    old.faults.on_request(1, is_commit, Fault::AnswerLost);
    // Two intents and the commit are sent.
    old.faults.hold_after(3);
    let repository = old.repository.clone();
    let sent = tokio::spawn(async move { both().send(&repository).await });
    old.faults.held().await;
    // A reader has seen one of the two accounts.
    assert_eq!(super::there(&world, &["a"]).await, ["a"]);
    world.other().client().delete_table().table_name(LANES).send().await.expect("deleted");
    world.create_lanes().await;
    creates(&["other"]).send(&new.repository).await.expect("sent").applied().expect("applied");
    old.faults.release();
    let error = sent.await.expect("no panic").expect_err("nobody knows");
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
}

/// A dropped transaction is aborted or committed, as its lane row says. The lane is used again only when the outcome is
/// certain.
#[tokio::test(start_paused = true)]
async fn a_transaction_dropped_at_any_time_is_all_or_nothing() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    for millis in 0..40 {
        let world = bank(0).await;
        let repository: Repository = world.repository.clone();
        world.faults.latency_ms(2, 3);
        let transaction = both();
        let sent = timeout(Duration::from_millis(millis), transaction.clone().send(&repository)).await;
        world.faults.latency_ms(0, 0);
        // The next transaction of this process cannot simply reuse the lane of the dropped one.
        let next = Transaction::new().put(account("next", 1).create()).client_side();
        next.send(&repository).await.expect("sent").applied().expect("applied");
        let found = there(&world).await;
        assert!(found.is_empty() || found == ["a", "b"], "{millis}: {found:?}");
        assert!(sent.is_err() || found.len() == 2, "{millis}");
        // A clone is the same transaction, so it is applied once.
        let outcome = transaction.send(&repository).await.expect("sent");
        assert!(matches!(outcome, TransactionOutcome::Applied(_)), "{millis}: {outcome:?}");
        assert_eq!(there(&world).await, ["a", "b"], "{millis}");
        let stored = world.stored::<Account>().await;
        assert!(stored.len() == 3 && stored.iter().all(|item| !item.contains_key("_x")), "{millis}: {stored:?}");
        // A transaction that is dropped while it creates a lane loses the mark of the lane's owner, so there can be a second
        // lane.
        assert!(heads(&world).await.len() <= 2, "{millis}");
    }
}

/// The transaction assumed that `a` is absent, but found a tombstone. The row with its intent is then no placeholder, so it
/// is not removed.
#[tokio::test(start_paused = true)]
async fn dropping_a_transaction_does_not_remove_a_tombstone() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    account("a", 1).create().send(&world.repository).await.expect("sent").applied().expect("applied");
    Account::delete("a", 1).send(&world.repository).await.expect("sent").applied().expect("applied");
    let process = world.process(RetryConfig::disabled()).along();
    // Two round trips take a lane, and an intent is refused in the third. The next intent is served, but its answer comes
    // too late.
    process.faults.latency_ms(0, 5);
    let transaction = both();
    let sent = timeout(Duration::from_millis(17), transaction.clone().send(&process.repository)).await;
    assert!(sent.is_err(), "dropped");
    process.faults.latency_ms(0, 0);
    let stored = world.stored::<Account>().await;
    let held = stored.iter().find(|item| item["id"] == s("a")).expect("a tombstone");
    assert!(held.contains_key("_x") && held["version"] == dyno_tests::n(2), "{held:?}");
    // The intent stays until the lane continues with a new epoch.
    let sent = timeout(Duration::from_mins(1), transaction.send(&process.repository)).await;
    let committed = sent.expect("in time").expect("sent").applied().expect("applied");
    assert_eq!((committed.version_of::<Account>(0), committed.version_of::<Account>(1)), (Some(3), Some(1)));
}
