//! The cost of many concurrent transactions on one item.

use super::{Account, account, bank, name};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Repository, Transaction};
use dyno_tests::is_remote;
use futures_util::future::join_all;

/// The number of concurrent writers, of transactions that each commits in a round, and of rounds. A round takes from 18.1 to
/// 20.7 requests per commit, at random, so the test averages several rounds.
const WRITERS: usize = 64;
const COMMITS: usize = 4;
const ROUNDS: usize = 8;

/// Adds 1 to an account.
async fn deposit(repository: &Repository, id: &str) {
    let deposit = Transaction::interactive(|tx| async move {
        let mut account = tx.get(Account::get(id)).await?.ok_or("no such account")?;
        account.balance += 1;
        tx.put(account.put());
        Ok(())
    });
    deposit.client_side().send(repository).await.expect("sent").applied().expect("applied");
}

#[tokio::test(start_paused = true)]
async fn sixty_four_writers_of_one_item_send_at_most_20_requests_for_each_commit() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(1).await;
    let processes: Vec<_> = (0..WRITERS).map(|_| world.process(RetryConfig::standard()).along()).collect();
    // The first transaction of a process takes a lane, and reads the keys of indexes.
    for (writer, process) in processes.iter().enumerate() {
        let id = format!("own {writer}");
        account(&id, 0).create().send(&process.repository).await.expect("sent").applied().expect("applied");
        deposit(&process.repository, &id).await;
        process.faults.latency_ms(2, 3);
    }
    let sent = || processes.iter().map(|process| process.faults.events().len()).sum::<usize>();
    let before = sent();
    for round in 0..ROUNDS {
        // The seed is set after `bank`, which also seeds the random numbers.
        fastrand::seed(round as u64);
        let work = processes.iter().map(|process| async {
            for _ in 0..COMMITS {
                deposit(&process.repository, &name(0)).await;
            }
        });
        join_all(work).await;
    }
    let (requests, commits) = (sent() - before, WRITERS * COMMITS * ROUNDS);
    // On an idle machine, the average is about 19. On a busy machine, the engine answers in another order.
    assert!(requests <= 20 * commits, "{requests} requests for {commits} commits");
    let account = Account::get(name(0)).consistent().send(&world.other()).await.expect("a get").expect("an account");
    assert_eq!((account.balance, account.version), (100 + commits as u64, 1 + commits as u64));
}
