//! Refusals that count, because the rows are still as the closure saw them.

use super::{Account, account, balance, bank, receipt};
use dyno::{Reason, Transaction, TransactionOutcome};

fn reasons<T>(outcome: &TransactionOutcome<T>) -> Vec<(usize, Vec<Reason>)> {
    let refusal = outcome.refusal().expect("a refusal");
    refusal.actions().map(|action| (action.index(), action.reasons().to_vec())).collect()
}

/// The index counts the writes of the closure, and not its reads.
#[tokio::test]
async fn a_refusal_names_the_write_by_its_index() {
    let world = bank(["a", "b", "taken"]).await;
    let open = Transaction::interactive(|tx| async move {
        let mut sender = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        tx.get(Account::get("b")).await?;
        sender.balance -= 10;
        tx.put(sender.put());
        tx.put(account("taken", 10).create());
        Ok(())
    });
    let outcome = open.send(&world.repository).await.expect("sent");
    assert_eq!(reasons(&outcome), [(1, vec![Reason::Exists])]);
    let refusal = outcome.refusal().expect("a refusal");
    let refused = refusal.refusal_of::<Account>(1).expect("the create").current().expect("an account");
    assert_eq!(refused.and_then(dyno::Found::live).expect("it is there").balance, 100);
    assert_eq!(balance(&world, "a").await, Some(100));
}

/// Two writes of one item are sent as one action, so the actions that are sent have other positions than the writes.
#[tokio::test]
async fn a_refusal_after_merged_writes_names_the_write_by_its_index() {
    let world = bank(["a", "taken"]).await;
    world.create_lanes().await;
    let change = || {
        Transaction::interactive(|tx| async move {
            for fee in [10, 5] {
                let mut sender = tx.get(Account::get("a")).await?.ok_or("no such account")?;
                sender.balance -= fee;
                tx.put(sender.put());
            }
            tx.put(account("taken", 10).create());
            tx.put(account("new", 10).create());
            Ok(())
        })
    };
    for change in [change().native(), change().client_side()] {
        let outcome = change.send(&world.repository).await.expect("sent");
        assert_eq!(reasons(&outcome), [(2, vec![Reason::Exists])]);
        let refusal = outcome.refusal().expect("a refusal");
        assert_eq!(refusal.actions().map(dyno::ActionRefusal::key).collect::<Vec<_>>(), [Some("id = \"taken\"")]);
    }
    assert_eq!(balance(&world, "new").await, None);
}

/// A closure that writes one row gets the refusal of that single write, whether it has read the row or not.
#[tokio::test]
async fn a_refused_single_write_reports_its_index_and_reason() {
    let world = bank(["a"]).await;
    for is_read in [false, true] {
        let open = Transaction::interactive(|tx| async move {
            if is_read {
                tx.get(Account::get("a")).await?;
            }
            tx.put(account("a", 1).create());
            Ok(())
        });
        let outcome = open.send(&world.repository).await.expect("sent");
        assert_eq!(reasons(&outcome), [(0, vec![Reason::Exists])]);
    }
}

#[tokio::test]
async fn a_failed_check_refuses_the_whole_transaction() {
    let world = bank(["a", "b"]).await;
    let rich = || Account::check("b").condition(Account::fields().balance.gt(100));
    let open = Transaction::interactive(|tx| async move {
        tx.put(receipt("r", 1).create());
        tx.check(rich());
        Ok(())
    });
    let outcome = open.send(&world.repository).await.expect("sent");
    assert_eq!(reasons(&outcome), [(1, vec![Reason::Condition])]);
    assert_eq!(balance(&world, "r").await, None);
}

/// The condition of a put fails on a row that is still as the closure has read it.
#[tokio::test]
async fn a_failed_condition_on_a_row_that_was_read_is_refused() {
    let world = bank(["a", "b"]).await;
    let fee = Transaction::interactive(|tx| async move {
        let account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        tx.get(Account::get("b")).await?;
        tx.put(account.put().condition(Account::fields().balance.gt(100)));
        Ok(())
    });
    let outcome = fee.send(&world.repository).await.expect("sent");
    assert_eq!(reasons(&outcome), [(0, vec![Reason::Condition])]);
}

/// A version check alone is allowed, although it writes nothing.
#[tokio::test]
async fn a_version_check_can_be_the_only_action() {
    let world = bank(["a"]).await;
    for (version, expected) in [(1_u64, None), (2, Some(Reason::Conflict { expected: 2, found: Some(1) }))] {
        let check = Transaction::interactive(|tx| async move {
            tx.check(Account::check("a").version(version));
            Ok(())
        });
        let outcome = check.send(&world.repository).await.expect("sent");
        let found: Vec<_> = outcome.refusal().into_iter().flat_map(reasons_of).collect();
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
    }
}

fn reasons_of(refusal: &dyno::TransactionRefusal) -> Vec<Reason> {
    refusal.actions().flat_map(|action| action.reasons().to_vec()).collect()
}
