//! Clones that are sent at the same time, where one is further ahead than the other.

use super::{Account, account, balance, bank};
use dyno::{Reason, Transaction};
use dyno_tests::pause;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::sleep;

/// Withdraws the whole balance. The first run begins when the other clone has ended.
macro_rules! withdraw {
    ($runs:expr, $go:expr, $else:expr) => {{
        let (runs, go) = (&$runs, &$go);
        Transaction::interactive(move |tx| async move {
            if runs.fetch_add(1, Ordering::SeqCst) == 0 {
                go.notified().await;
            }
            let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
            if account.balance < 100 {
                return $else;
            }
            account.balance -= 100;
            tx.put(account.put());
            Ok("withdrawn")
        })
    }};
}

/// The commit of the other clone is this clone's own commit, so it is no reason to abort.
#[tokio::test]
async fn a_clone_does_not_abort_because_of_the_other_clone_s_commit() {
    for is_aborted in [true, false] {
        let world = bank(["a"]).await;
        let (runs, go) = (AtomicUsize::new(0), Notify::new());
        let withdraw = withdraw!(runs, go, if is_aborted { Err("not enough".into()) } else { Ok("nothing") });
        let slow = withdraw.clone().send(&world.repository);
        let fast = async {
            let sent = withdraw.send(&world.repository).await;
            go.notify_one();
            sent
        };
        let (slow, fast) = futures_util::future::join(slow, fast).await;
        let sent = [slow, fast].map(|sent| sent.expect("sent").applied().expect("applied"));
        assert_eq!(sent, ["withdrawn"; 2], "{is_aborted}");
        assert_eq!(balance(&world, "a").await, Some(0));
    }
}

/// One clone is refused because of a row that was not read. The request of the other clone is still in flight, and is applied
/// later. A third clone learns this outcome.
#[tokio::test]
async fn a_refused_clone_does_not_forget_the_other_clone_s_request() {
    pause();
    let world = bank(["a", "taken"]).await;
    let credit = Transaction::interactive(|tx| async move {
        tx.update(Account::update("a").unchecked().with(Account::fields().balance.add(10)));
        tx.put(account("taken", 1).create());
        Ok("credited")
    });
    world.faults.slow([(60_000, 0)]);
    let slow = credit.clone().send(&world.repository);
    let fast = async {
        sleep(Duration::from_millis(100)).await;
        let sent = credit.clone().send(&world.repository).await;
        Account::delete("taken", 1).send(&world.other()).await.expect("sent").applied().expect("applied");
        sent
    };
    let (slow, fast) = futures_util::future::join(slow, fast).await;
    let refused = fast.expect("sent");
    let refusal = refused.refusal().expect("it is taken");
    assert_eq!(refusal.actions().map(|action| action.reasons().to_vec()).collect::<Vec<_>>(), [[Reason::Exists]]);
    for sent in [slow, credit.send(&world.repository).await] {
        assert_eq!(sent.expect("sent").applied().expect("applied"), "credited");
    }
    assert_eq!(balance(&world, "a").await, Some(110));
}
