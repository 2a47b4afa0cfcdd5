//! Who waits, for whom, and for how long.

use super::{Account, account, bank, name};
use dyno::Transaction;
use dyno_tests::faults::Event;
use std::time::Duration;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use futures_util::future::join_all;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn of_64_transactions_on_one_row_all_commit() {
    let world = bank(1).await;
    world.faults.latency(2, 3);
    let processes: Vec<_> = (0..8).map(|_| world.process(RetryConfig::standard()).along()).collect();
    processes.iter().for_each(|process| process.faults.latency(2, 3));
    let all = (0..64_u64).map(|at| {
        let repository = processes[at as usize % 8].repository.clone();
        async move {
            let deposit = Transaction::interactive(|tx| async move {
                let mut account = tx.get(Account::get("00000")).await?.ok_or("no such account")?;
                account.balance += at;
                tx.put(account.put());
                Ok(())
            });
            deposit.by_intents().send(&repository).await.map(|outcome| outcome.applied())
        }
    });
    let begun = Instant::now();
    let failed: Vec<_> = join_all(all).await.into_iter().filter_map(|sent| sent.and_then(|applied| applied).err()).collect();
    assert!(failed.is_empty(), "{} failed: {failed:?}", failed.len());
    let account = Account::get("00000").consistent().send(&world.other()).await.expect("a get").expect("an account");
    assert_eq!((account.balance, account.version), (100 + 63 * 64 / 2, 65));
    println!("64 took {:?}", begun.elapsed());
    for process in &processes { println!("{}", process.faults.events().len()); }
    let _ = (account, name(0), Duration::ZERO, Event::is_any);
}
