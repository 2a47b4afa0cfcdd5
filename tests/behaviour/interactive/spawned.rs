//! A closure that borrows, in places where futures must be `Send`: in `tokio::spawn`, and in the handlers of web servers.

use super::{Account, balance, bank, receipt, transfer};
use dyno::command::Tx;
use dyno::{Error, Repository, Transaction};
use std::pin::Pin;
use std::sync::Arc;

/// A handler as a web server takes it.
type Handler = Box<dyn Fn(String, u64) -> Pin<Box<dyn Future<Output = Result<u64, Error>> + Send>> + Send + Sync>;

#[tokio::test]
async fn a_closure_that_borrows_runs_in_a_spawned_task_and_a_handler() {
    let world = bank(["a", "b"]).await;
    let repository = world.repository.clone();
    let task = tokio::spawn(async move {
        let (from, to) = ("a".to_owned(), "b".to_owned());
        transfer(&repository, (&from, &to), 10).await
    });
    assert_eq!(task.await.expect("no panic").expect("sent"), 90);
    let repository = Arc::new(world.repository.clone());
    let handler: Handler = Box::new(move |id, sum| {
        let repository = Arc::clone(&repository);
        Box::pin(async move { deposit(&repository, &id, sum).await })
    });
    assert_eq!(handler("b".to_owned(), 7).await.expect("sent"), 117);
    assert_eq!((balance(&world, "a").await, balance(&world, "b").await), (Some(90), Some(117)));
}

/// A closure with a part in a function of its own, to which it passes the handle.
async fn deposit(repository: &Repository, id: &str, sum: u64) -> Result<u64, Error> {
    let deposit = Transaction::interactive(|tx| async move {
        let left = credit(&tx, id, sum).await?;
        tx.put(receipt(&format!("deposit {sum}"), sum).create());
        Ok(left)
    });
    deposit.send(repository).await?.applied()
}

async fn credit(tx: &Tx, id: &str, sum: u64) -> Result<u64, Error> {
    let Some(mut account) = tx.get(Account::get(id)).await? else { return Ok(0) };
    account.balance += sum;
    tx.put(account.put());
    Ok(account.balance)
}

/// The parts of a closure run concurrently.
#[tokio::test]
async fn reads_of_a_closure_can_run_concurrently() {
    let world = bank(["a", "b", "c"]).await;
    let sum = Transaction::interactive(|tx| async move {
        let get = |id: &'static str| {
            let tx = tx.clone();
            async move { tx.get(Account::get(id)).await }
        };
        let accounts = futures_util::future::try_join_all(["a", "b", "c", "a"].map(get)).await?;
        Ok(accounts.into_iter().flatten().map(|account| account.balance).sum::<u64>())
    });
    assert_eq!(sum.send(&world.repository).await.expect("sent").applied().expect("applied"), 400);
}
