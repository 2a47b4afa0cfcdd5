//! Errors that the closure returns, and how its caller sees them.

use super::{Account, account, balance, bank, deposit};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Error, ErrorKind, Repository, Transaction};
use dyno_tests::faults::Fault;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

/// The error type of a handler, which knows nothing of this library but its error type.
#[derive(Debug)]
enum BookError {
    NoSuchAccount,
    TooLittle { left: u64 },
    Database(Error),
}

impl From<Error> for BookError {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

async fn withdraw(repository: &Repository, id: &str, sum: u64) -> Result<u64, BookError> {
    let withdraw = Transaction::try_interactive(|tx| async move {
        let mut account = tx.get(Account::get(id)).await?.ok_or(BookError::NoSuchAccount)?;
        let left = account.balance;
        account.balance = left.checked_sub(sum).ok_or(BookError::TooLittle { left })?;
        tx.put(account.put());
        Ok::<_, BookError>(account.balance)
    });
    Ok(withdraw.send(repository).await?.applied()?)
}

#[tokio::test]
async fn a_caller_matches_on_the_closure_s_own_error_type() {
    let world = bank(["a"]).await;
    assert_eq!(withdraw(&world.repository, "a", 30).await.expect("withdrawn"), 70);
    assert!(matches!(withdraw(&world.repository, "b", 1).await, Err(BookError::NoSuchAccount)));
    assert!(matches!(withdraw(&world.repository, "a", 71).await, Err(BookError::TooLittle { left: 70 })));
    assert_eq!(balance(&world, "a").await, Some(70));
}

/// A database error arrives in the handler's type, and keeps its kind.
#[tokio::test]
async fn a_database_error_is_converted_into_the_closure_s_error_type() {
    let world = bank(["a"]).await;
    let denied = Fault::ErrorCode("AccessDeniedException");
    for faults in [vec![denied, denied], vec![Fault::Served, denied]] {
        world.faults.next(faults);
        let impatient = Repository::new(world.client(RetryConfig::disabled())).with_clock(Arc::clone(&world.clock));
        match withdraw(&impatient, "a", 1).await {
            Err(BookError::Database(error)) => assert_eq!(error.kind(), ErrorKind::Service, "{error:?}"),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(balance(&world, "a").await, Some(100));
}

/// The closure has read rows of two moments, so its error does not count, whatever its type.
#[tokio::test]
async fn a_typed_error_after_an_inconsistent_read_is_not_reported() {
    let world = bank(["a", "b"]).await;
    let other = &world.other();
    let runs = &std::sync::atomic::AtomicUsize::new(0);
    let audit = Transaction::try_interactive(|tx| async move {
        let a = tx.get(Account::get("a")).await?.ok_or(BookError::NoSuchAccount)?;
        if runs.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 {
            deposit(other, "a", 10).await;
            deposit(other, "b", 10).await;
        }
        let b = tx.get(Account::get("b")).await?.ok_or(BookError::NoSuchAccount)?;
        if a.balance < b.balance { Err(BookError::TooLittle { left: a.balance }) } else { Ok(a.balance + b.balance) }
    });
    assert_eq!(audit.send(&world.repository).await.expect("sent").applied().expect("applied"), 220);
    assert_eq!(runs.load(std::sync::atomic::Ordering::SeqCst), 2);
}

/// `E` can be this library's own error. A refusal that the closure passes on is then an outcome, as without an error type.
#[tokio::test]
async fn a_refusal_returned_as_dyno_s_own_error_is_an_outcome() {
    let world = bank(["a"]).await;
    let twice = Transaction::try_interactive(|tx| async move {
        let _ = tx.get(Account::get("a")).await?;
        tx.put(account("a", 1).create());
        let _ = tx.get(Account::get("a")).await?;
        Ok::<_, Error>(())
    });
    let outcome = twice.send(&world.repository).await.expect("an outcome");
    assert!(outcome.refusal().is_some_and(|refusal| refusal.refusal_of::<Account>(0).is_some()), "{outcome:?}");
}

#[derive(Debug, PartialEq)]
struct NoSuchSeat(NotInHall);

#[derive(Debug, PartialEq)]
struct NotInHall;

impl fmt::Display for NoSuchSeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such seat")
    }
}

impl fmt::Display for NotInHall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the hall ends at row 9")
    }
}

impl StdError for NotInHall {}

impl StdError for NoSuchSeat {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.0)
    }
}

/// A log line shows the closure's error once. The error value and its source are available too.
#[tokio::test]
async fn an_aborted_transaction_reports_the_closure_s_error() {
    let world = bank([]).await;
    let book = Transaction::interactive(|_| async move { Err::<(), _>(NoSuchSeat(NotInHall).into()) });
    let error = book.send(&world.repository).await.expect_err("aborted");
    assert_eq!(error.kind(), ErrorKind::Aborted);
    assert_eq!(error.to_string(), "the closure returned an error: no such seat");
    let closure_error = error.closure_error().expect("the closure's");
    assert_eq!(closure_error.downcast_ref(), Some(&NoSuchSeat(NotInHall)));
    assert_eq!(error.source().and_then(|source| source.downcast_ref()), Some(&NotInHall));
    assert_eq!(chain(&error), "the closure returned an error: no such seat: the hall ends at row 9");

    let text = Transaction::interactive(|_| async move { Err::<(), _>("no such payer".into()) });
    let error = text.send(&world.repository).await.expect_err("aborted");
    assert_eq!(error.to_string(), "the closure returned an error: no such payer");
}

/// The error and its sources, as loggers print them.
fn chain(error: &(dyn StdError + 'static)) -> String {
    let sources = std::iter::successors(Some(error), |error: &&(dyn StdError + 'static)| (*error).source());
    sources.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
