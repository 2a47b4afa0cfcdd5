//! Which transactions and writers wait for others, and for how long.

use super::{Account, account, bank, is_commit, name};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Repository, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::is_remote;
use futures_util::future::join_all;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn all_of_64_transactions_on_one_row_commit() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    fastrand::seed(1);
    let world = bank(1).await;
    let processes: Vec<_> = (0..8).map(|_| world.process(RetryConfig::standard()).along()).collect();
    for process in &processes {
        process.faults.latency_ms(2, 3);
    }
    let all = (0..64_u64).zip(processes.iter().cycle()).map(|(sum, process)| async move {
        let deposit = Transaction::interactive(|tx| async move {
            let mut account = tx.get(Account::get("00000")).await?.ok_or("no such account")?;
            account.balance += sum;
            tx.put(account.put());
            Ok(())
        });
        deposit.client_side().send(&process.repository).await?.applied()
    });
    let failed: Vec<_> = join_all(all).await.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{} failed: {failed:?}", failed.len());
    let account = Account::get("00000").consistent().send(&world.other()).await.expect("a get").expect("an account");
    assert_eq!((account.balance, account.version), (100 + 63 * 64 / 2, 65));
}

/// Adds 1 to both accounts, one after the other.
async fn both(repository: &Repository, [first, second]: [&str; 2]) -> Result<(), dyno::Error> {
    let both = Transaction::interactive(|tx| async move {
        for id in [first, second] {
            let mut account = tx.get(Account::get(id)).await?.ok_or("no such account")?;
            account.balance += 1;
            tx.put(account.put());
        }
        Ok(())
    });
    both.client_side().send(repository).await?.applied()
}

#[tokio::test(start_paused = true)]
async fn transactions_over_rows_in_opposite_orders_do_not_deadlock() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    fastrand::seed(1);
    let world = bank(2).await;
    let processes: Vec<_> = (0..2).map(|_| world.process(RetryConfig::standard()).along()).collect();
    // The clocks are an hour apart, so the same process goes first in every conflict. The other process still commits.
    processes[1].clock.advance(3_600_000);
    for process in &processes {
        process.faults.latency_ms(2, 3);
    }
    let rows = [["00000", "00001"], ["00001", "00000"]];
    let all = processes.iter().zip(rows).map(|(process, rows)| async move {
        for _ in 0..20 {
            both(&process.repository, rows).await.expect("sent");
        }
    });
    join_all(all).await;
    let account = Account::get("00001").consistent().send(&world.other()).await.expect("a get").expect("an account");
    assert_eq!((account.balance, account.version), (140, 41));
}

/// The first writer that meets a dead transaction waits for its lock timeout. The next writer does not wait.
#[tokio::test(start_paused = true)]
async fn only_the_first_writer_waits_for_a_dead_transaction() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    fastrand::seed(1);
    let world = bank(2).await;
    let (dead, next) = (world.process(RetryConfig::disabled()).along(), world.process(RetryConfig::standard()).along());
    dead.faults.on_request(1, is_commit, Fault::DiesBefore);
    assert!(dead.run(both(&dead.repository, ["00000", "00001"])).await.is_none());
    let deposit = async |id: &str| {
        let begun = Instant::now();
        let update = Account::update(id).version(1).with(Account::fields().balance.add(1));
        update.send(&next.repository).await.expect("sent").applied().expect("applied");
        begun.elapsed()
    };
    let (first, second) = (deposit("00000").await, deposit("00001").await);
    assert!(first >= Duration::from_secs(5) && first < Duration::from_millis(6_500), "{first:?}");
    assert!(second < Duration::from_millis(100), "{second:?}");
}

/// Of two transactions that began in the same millisecond, the one with the smaller transaction ID goes first, so all
/// processes agree on the order. It aborts the other one, which is dead, after a short grace. The one with the larger ID
/// waits for its lock timeout.
#[tokio::test(start_paused = true)]
async fn of_two_transactions_from_one_moment_the_one_with_the_smaller_id_goes_first() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    for is_smaller in [true, false] {
        fastrand::seed(1);
        let world = bank(2).await;
        let (dead, next) =
            (world.process(RetryConfig::disabled()).along(), world.process(RetryConfig::standard()).along());
        let deposit = |id: &'static str| {
            let update = Account::update(id).unchecked().with(Account::fields().balance.add(1));
            Transaction::new().update(update).client_side()
        };
        // A transaction ID begins with its lane. The process that commits first has the first lane.
        if is_smaller {
            deposit("00001").send(&next.repository).await.expect("sent").applied().expect("applied");
        }
        // `next` has read the row, and has no transaction ID yet, when the other process locks the row.
        next.faults.hold_after(1);
        let repository = next.repository.clone();
        let sent = tokio::spawn(async move { deposit("00000").send(&repository).await });
        next.faults.held().await;
        dead.faults.on_request(1, is_commit, Fault::DiesBefore);
        assert!(dead.run(deposit("00000").send(&dead.repository)).await.is_none());
        let begun = Instant::now();
        next.faults.release();
        sent.await.expect("no panic").expect("sent").applied().expect("applied");
        let waited = begun.elapsed();
        let expected = if is_smaller { 100..1_000 } else { 5_000..12_000 };
        assert!(expected.contains(&waited.as_millis()), "{is_smaller}: {waited:?}");
    }
}

/// A transaction that takes longer than the lock timeout of other writers repeatedly shows that it is alive, so it is not
/// aborted.
#[tokio::test(start_paused = true)]
async fn a_slow_transaction_is_not_aborted_as_dead() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    fastrand::seed(1);
    let world = bank(0).await;
    let creates: Vec<_> = (0..600).map(|at| account(&name(at), 100).create()).collect();
    Transaction::new().put(creates).send(&world.repository).await.expect("sent").applied().expect("applied");
    let (slow, other) =
        (world.process(RetryConfig::standard()).along(), world.process(RetryConfig::standard()).along());
    // Six rounds of intents take longer than the lock timeout of a writer that meets the first intent.
    slow.faults.latency_ms(700, 700);
    let balance = || Account::fields().balance.add(1);
    let updates: Vec<_> = (0..600).map(|at| Account::update(name(at)).version(1).with(balance())).collect();
    let all = Transaction::new().update(updates);
    let waits = async {
        // The first intents were placed a moment ago, and the last ones will be placed in 7 seconds.
        tokio::time::sleep(Duration::from_secs(8)).await;
        let update = Account::update(name(0)).version(2).with(balance());
        update.send(&other.repository).await.expect("sent").applied().expect("behind it, it is the second")
    };
    let (all, _) = tokio::join!(all.send(&slow.repository), waits);
    all.expect("sent").applied().expect("applied");
    let tries = slow.faults.events().iter().filter(|event| is_commit(event)).count();
    assert_eq!(tries, 1, "it was made void by nobody");
}

/// A transaction that began earlier waits only for a moment. A transaction that began later waits until its lock timeout ends.
#[tokio::test(start_paused = true)]
async fn an_earlier_transaction_waits_less_than_a_later_one() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    for is_earlier in [true, false] {
        fastrand::seed(1);
        let world = bank(2).await;
        let (dead, other) =
            (world.process(RetryConfig::disabled()).along(), world.process(RetryConfig::standard()).along());
        // The other transaction has begun, and waits before its first request.
        other.faults.hold_after(0);
        if !is_earlier {
            // By the clocks, the other transaction begins later.
            other.clock.advance(1000);
        }
        let repository = other.repository.clone();
        let sent = tokio::spawn(async move { both(&repository, ["00000", "00001"]).await });
        other.faults.held().await;
        tokio::time::sleep(Duration::from_millis(10)).await;
        dead.faults.on_request(1, is_commit, Fault::DiesBefore);
        assert!(dead.run(both(&dead.repository, ["00000", "00001"])).await.is_none());
        let begun = Instant::now();
        other.faults.release();
        sent.await.expect("no panic").expect("sent");
        let (waited, lock_timeout) = (begun.elapsed(), Duration::from_secs(5));
        assert_eq!(waited < Duration::from_secs(2), is_earlier, "{waited:?}");
        assert_eq!(waited >= lock_timeout, !is_earlier, "{waited:?}");
    }
}

/// The number of rows of the large transaction.
const ROWS: usize = 400;

/// A transaction of many rows competes with a stream of small writes. After some lost attempts, it claims its rows and
/// commits.
#[tokio::test(start_paused = true)]
async fn a_large_transaction_commits_among_a_stream_of_small_writes() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    fastrand::seed(1);
    let world = bank(ROWS).await;
    let (large, small) =
        (world.process(RetryConfig::standard()).along(), world.process(RetryConfig::standard()).along());
    for process in [&large, &small] {
        process.faults.latency_ms(2, 3);
    }
    let is_done = AtomicBool::new(false);
    let stream = async {
        let mut count = 0_u64;
        while !is_done.load(Ordering::Relaxed) {
            let some = (0..10).map(|_| fastrand::usize(..ROWS)).map(|at| async move { name(at) });
            let updates = some.map(|id| async {
                let update = Account::update(id.await).unchecked().with(Account::fields().balance.add(1));
                update.send(&small.repository).await.expect("sent").applied().expect("applied");
            });
            count += join_all(updates).await.len() as u64;
        }
        count
    };
    let all = Transaction::interactive(|tx| async move {
        let accounts = tx.batch_get(Account::batch_get((0..ROWS).map(name))).await?;
        for mut account in accounts.into_iter().flatten() {
            account.balance += 1000;
            tx.put(account.put());
        }
        Ok(())
    });
    let large = async {
        let sent = all.send(&large.repository).await;
        is_done.store(true, Ordering::Relaxed);
        sent.expect("sent").applied().expect("applied");
    };
    let (count, ()) = tokio::join!(stream, large);
    let stored = world.stored::<Account>().await;
    let sum: u64 =
        stored.iter().map(|item| item["balance"].as_n().expect("a number").parse::<u64>().expect("whole")).sum();
    assert_eq!(sum, ROWS as u64 * 1100 + count);
}
