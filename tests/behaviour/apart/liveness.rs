//! Who waits, for whom, and for how long.

use super::{Account, bank};
use dyno::Transaction;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use futures_util::future::join_all;

#[tokio::test(start_paused = true)]
async fn of_64_transactions_on_one_row_all_commit() {
    let world = bank(1).await;
    let processes: Vec<_> = (0..8).map(|_| world.process(RetryConfig::standard()).along()).collect();
    processes.iter().for_each(|process| process.faults.latency(2, 3));
    let all = (0..64_u64).zip(processes.iter().cycle()).map(|(sum, process)| async move {
        let deposit = Transaction::interactive(|tx| async move {
            let mut account = tx.get(Account::get("00000")).await?.ok_or("no such account")?;
            account.balance += sum;
            tx.put(account.put());
            Ok(())
        });
        deposit.by_intents().send(&process.repository).await?.applied()
    });
    let failed: Vec<_> = join_all(all).await.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{} failed: {failed:?}", failed.len());
    let account = Account::get("00000").consistent().send(&world.other()).await.expect("a get").expect("an account");
    assert_eq!((account.balance, account.version), (100 + 63 * 64 / 2, 65));
}
