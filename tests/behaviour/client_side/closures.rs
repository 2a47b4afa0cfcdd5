//! How long a running closure can block other writers. After three lost attempts, its transaction claims its rows.

use super::{Account, account, balances, bank, name};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::command::Tx;
use dyno::{Error, ErrorKind, Repository, Transaction};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::{is_remote, pause};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The longest wait of a writer: 6 × the lock timeout for closures, one lock timeout more for a lost request, and a pause.
const BOUND: Duration = Duration::from_secs(6 * 5 + 5 + 1);

async fn deposit(repository: &Repository, id: &str, sum: u64) -> Result<(), Error> {
    let update = Account::update(id).unchecked().with(Account::fields().balance.add(sum));
    update.send(repository).await?.applied().map(|_| ())
}

/// Reads the first account, and loses this attempt if it is one of the first three.
async fn read(tx: &Tx, run: usize, other: &Repository) -> Result<Account, Error> {
    let read = tx.get(Account::get(name(0))).await?.expect("it is there");
    if run < 3 {
        deposit(other, &name(0), 1).await?;
    }
    Ok(read)
}

fn is_undo(event: &Event) -> bool {
    event.text().contains("do REMOVE _x if")
}

/// The behaviour of a closure that blocks other writers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Closure {
    /// The closure takes five minutes, once.
    IsSlow,
    /// The same, and the request that releases the claimed row is lost.
    IsNotHeard,
    /// From the fourth run on, the closure takes 25 seconds each time, and loses each attempt.
    LosesAgain,
}

/// Adds 1000 to the first account, with a closure of this behaviour.
async fn add_slowly(slow: &Repository, other: &Repository, closure: Closure) -> Result<(), Error> {
    let runs = AtomicUsize::new(0);
    let transaction = Transaction::interactive(|tx| {
        let run = runs.fetch_add(1, Ordering::SeqCst);
        async move {
            let mut first = read(&tx, run, other).await?;
            match closure {
                Closure::IsSlow | Closure::IsNotHeard if run == 3 => sleep(Duration::from_mins(5)).await,
                Closure::LosesAgain if run >= 3 => {
                    sleep(Duration::from_secs(25)).await;
                    // The transaction claims only the items of its previous attempt, so it has not claimed this account.
                    tx.get(Account::get(name(run))).await?;
                    deposit(other, &name(run), 1).await?;
                }
                _ => {}
            }
            first.balance += 1000;
            tx.put(first.put());
            Ok(())
        }
    });
    transaction.client_side().send(slow).await?.applied()
}

#[tokio::test(start_paused = true)]
async fn no_writer_waits_longer_than_the_bound_whatever_a_closure_does() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    for closure in [Closure::IsSlow, Closure::IsNotHeard, Closure::LosesAgain] {
        fastrand::seed(1);
        let world = bank(10).await;
        let (slow, writer) =
            (world.process(RetryConfig::disabled()).along(), world.process(RetryConfig::standard()).along());
        if closure == Closure::IsNotHeard {
            slow.faults.on_request(1, is_undo, Fault::RequestLost);
        }
        let is_done = AtomicBool::new(false);
        let sent = async {
            let sent = add_slowly(&slow.repository, &world.other(), closure).await;
            is_done.store(true, Ordering::SeqCst);
            sent
        };
        let waits = async {
            let mut longest = Duration::ZERO;
            while !is_done.load(Ordering::SeqCst) {
                sleep(Duration::from_secs(1)).await;
                let begun = Instant::now();
                deposit(&writer.repository, &name(0), 1).await.expect("applied");
                longest = longest.max(begun.elapsed());
            }
            longest
        };
        let (sent, waited) = tokio::join!(sent, waits);
        assert_eq!(sent.is_ok(), closure != Closure::LosesAgain, "{closure:?}: {sent:?}");
        assert!(waited <= BOUND, "{closure:?}: a writer waited for {waited:?}");
        assert!(waited >= Duration::from_secs(20), "{closure:?}: nobody was kept out, {waited:?}");
    }
}

/// How a closure writes its claimed row without the handle `tx`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Past {
    Update,
    Natively,
    ByIntents,
    Interactive,
}

impl Past {
    async fn write(self, repository: &Repository) -> Result<(), Error> {
        let add = Account::update(name(0)).unchecked().with(Account::fields().balance.add(1));
        match self {
            Self::Update => deposit(repository, &name(0), 1).await,
            Self::Natively => {
                let two = Transaction::new().update(add).put(account("n", 1).create()).native();
                two.send(repository).await?.applied().map(|_| ())
            }
            Self::ByIntents => {
                Transaction::new().update(add).client_side().send(repository).await?.applied().map(|_| ())
            }
            Self::Interactive => {
                let nested = Transaction::interactive(|tx| async move {
                    let mut first = tx.get(Account::get(name(0))).await?.ok_or("no such account")?;
                    first.balance += 1;
                    tx.put(first.put());
                    Ok(())
                });
                nested.send(repository).await?.applied()
            }
        }
    }
}

#[tokio::test]
async fn a_closure_that_writes_its_claimed_row_outside_the_transaction_fails_at_once() {
    pause();
    for past in [Past::Update, Past::Natively, Past::ByIntents, Past::Interactive] {
        let world = bank(1).await;
        let (runs, other, repository) = (AtomicUsize::new(0), world.other(), world.repository.clone());
        let begun = Instant::now();
        let transaction = Transaction::interactive(|tx| {
            let (run, other, repository) = (runs.fetch_add(1, Ordering::SeqCst), &other, &repository);
            async move {
                let mut first = read(&tx, run, other).await?;
                if run == 3 {
                    past.write(repository).await?;
                }
                first.balance += 1000;
                tx.put(first.put());
                Ok(())
            }
        });
        let error = transaction.client_side().send(&world.repository).await.expect_err("it waits for itself");
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{past:?}: {error}");
        let message = error.to_string();
        assert!(message.contains("id = \"00000\"") && message.contains("Account"), "{past:?}: {message}");
        assert!(message.contains("keeps all other writers out of this item"), "{past:?}: {message}");
        assert_eq!((runs.into_inner(), begun.elapsed() < Duration::from_secs(5)), (4, true), "{past:?}");
        // Neither the transaction nor the other write is applied, and no intent is left.
        assert_eq!(balances(&world, &["00000"]).await, [("00000".to_owned(), 103)]);
        assert!(world.stored::<Account>().await.iter().all(|item| !item.contains_key("_x")), "{past:?}");
    }
}

/// A task that the closure spawns waits for the claim like any other writer, even if the closure waits for the task. The
/// wait ends when the claim is released.
#[tokio::test(start_paused = true)]
async fn a_task_spawned_by_a_closure_waits_until_the_claim_is_released() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    fastrand::seed(1);
    let world = bank(1).await;
    let process = world.process(RetryConfig::standard()).along();
    let (runs, other, repository) = (AtomicUsize::new(0), world.other(), process.repository.clone());
    let transaction = Transaction::interactive(|tx| {
        let (run, other, repository) = (runs.fetch_add(1, Ordering::SeqCst), &other, repository.clone());
        async move {
            let mut first = read(&tx, run, other).await?;
            if run == 3 {
                let task = tokio::spawn(async move { deposit(&repository, &name(0), 10).await });
                task.await.expect("no panic")?;
            }
            first.balance += 1000;
            tx.put(first.put());
            Ok(())
        }
    });
    let begun = Instant::now();
    transaction.client_side().send(&process.repository).await.expect("sent").applied().expect("applied");
    assert!(begun.elapsed() <= BOUND, "{:?}", begun.elapsed());
    assert_eq!(balances(&world, &["00000"]).await, [("00000".to_owned(), 1113)]);
    assert_eq!(runs.into_inner(), 5, "what the fourth had read was changed meanwhile");
}

/// No run of such a closure could commit, so the closure is not run again.
#[tokio::test]
async fn a_closure_that_runs_for_15_minutes_fails_after_its_first_run() {
    for (millis, is_late) in [(15 * 60 * 1000 - 1, false), (15 * 60 * 1000, true)] {
        let world = bank(1).await;
        let runs = AtomicUsize::new(0);
        let transaction = Transaction::interactive(|tx| {
            let (runs, clock) = (&runs, &world.clock);
            async move {
                let mut first = tx.get(Account::get(name(0))).await?.ok_or("no such account")?;
                runs.fetch_add(1, Ordering::SeqCst);
                clock.advance(millis);
                first.balance += 1;
                tx.put(first.put());
                Ok(())
            }
        });
        let sent = transaction.client_side().send(&world.repository).await;
        assert_eq!((sent.is_err(), runs.into_inner()), (is_late, 1), "{sent:?}");
        let Err(error) = sent else { continue };
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().starts_with("the closure took 900 seconds or more"), "{error}");
        assert_eq!(balances(&world, &["00000"]).await, [("00000".to_owned(), 100)]);
    }
}
