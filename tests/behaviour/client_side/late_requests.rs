//! Requests that arrive late, after other transactions have written the items.

use super::{Account, account, balances, bank, creates, is_commit};
use dyno::Transaction;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::command::Update;
use dyno_tests::faults::{Event, Fault};
use dyno_tests::{World, is_remote};

fn add(id: &str, sum: u64) -> Update<Account> {
    Account::update(id).unchecked().with(Account::fields().balance.add(sum))
}

/// A late apply belongs to its own intent. It does not apply the uncommitted intent of another transaction.
#[tokio::test(start_paused = true)]
async fn a_late_apply_does_not_apply_another_transaction_s_intent() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    let (one, other) = (world.process(RetryConfig::standard()).along(), world.process(RetryConfig::standard()).along());
    let is_apply = |event: &Event| event.text().starts_with("UpdateItem accounts {id=\"b\"}");
    one.faults.on_request(1, is_apply, Fault::DuplicateKept);
    creates(&["a", "b"]).send(&one.repository).await.expect("sent").applied().expect("applied");
    other.faults.on_request(1, is_commit, Fault::DiesBefore);
    let both = Transaction::new().update([add("a", 10), add("b", 10)]).client_side();
    assert!(other.run(both.send(&other.repository)).await.is_none(), "it died");
    assert_eq!(one.faults.deliver().await.expect("one is kept").status, 400);
    assert_eq!(balances(&world, &["a", "b"]).await, [("a".to_owned(), 1), ("b".to_owned(), 1)]);
}

/// A late rollback removes only its own intent. The change that another transaction has committed meanwhile stays.
#[tokio::test(start_paused = true)]
async fn a_late_rollback_does_not_remove_another_transaction_s_intent() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    for is_new in [false, true] {
        let world: World = bank(2).await;
        let (one, other) =
            (world.process(RetryConfig::disabled()).along(), world.process(RetryConfig::standard()).along());
        let of = |sum: u64| {
            let all = Transaction::new().client_side();
            if is_new { all.put(account("a", sum).create()) } else { all.update(add("00000", sum)) }
        };
        let id = if is_new { "a" } else { "00000" };
        let is_undo = move |event: &Event| {
            let text = event.text();
            event.operation == "DeleteItem" || text.starts_with("UpdateItem accounts") && text.contains("do REMOVE _x")
        };
        one.faults.on_request(1, is_undo, Fault::Postponed);
        // The second create is refused, because its account exists.
        let refused = of(7).put(account("00001", 1).create()).send(&one.repository).await.expect("sent");
        assert!(refused.refusal().is_some());
        other.faults.on_request(1, is_commit, Fault::DiesAfter);
        let committed = of(10).put(account("b", 1).create());
        assert!(other.run(committed.send(&other.repository)).await.is_none(), "it died");
        assert_eq!(one.faults.deliver().await.expect("one is kept").status, 400, "{is_new}");
        let balance = if is_new { 10 } else { 110 };
        assert_eq!(balances(&world, &[id, "b"]).await, [(id.to_owned(), balance), ("b".to_owned(), 1)]);
    }
}
