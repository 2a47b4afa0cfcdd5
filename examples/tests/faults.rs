//! A test of your own code for each fault: what your program does when DynamoDB, the network, or the program itself fails.

use dyno::local::{Engine, Fault, Faults, Rates, SentRequest, Unprocessed};
use dyno::{BatchWrite, Entity, Error, Repository, Transaction};
use std::time::Duration;
use tokio::time::Instant;

#[derive(Entity, Debug, PartialEq)]
#[entity(table = "accounts")]
struct Account {
    #[partition_key]
    id: String,
    balance: u64,
    #[version]
    version: u64,
}

/// The code under test: adds to an account.
async fn deposit(repository: &Repository, id: &str, sum: u64) -> Result<(), Error> {
    Account::modify(id, |account| account.balance += sum).send(repository).await?.applied()?;
    Ok(())
}

/// The same for two accounts, in one transaction.
async fn deposit_both(repository: &Repository, sum: u64) -> Result<(), Error> {
    let add = |id| Account::update(id).unchecked().with(Account::fields().balance.add(sum));
    Transaction::new().update([add("ada"), add("bob")]).send(repository).await?.applied()?;
    Ok(())
}

/// A bank with two accounts of 100 each, and its network.
async fn bank() -> (Repository, Faults) {
    let faults = Faults::new();
    let engine = Engine::in_memory().expect("an engine");
    let repository = Repository::new(engine.client_with(&faults));
    open(&repository).await;
    (repository, faults)
}

async fn open(repository: &Repository) {
    repository.create_table::<Account>().await.expect("a new table");
    for id in ["ada", "bob"] {
        let account = Account { id: id.to_owned(), balance: 100, version: 0 };
        account.create().send(repository).await.expect("sent").applied().expect("applied");
    }
}

async fn balance(repository: &Repository, id: &str) -> u64 {
    let account = Account::get(id).consistent().send(repository).await.expect("a get");
    account.expect("an account").balance
}

/// The SDK sends the request again, and the deposit counts once.
#[tokio::test(start_paused = true)]
async fn a_passing_fault_is_retried() {
    for fault in [
        Fault::RequestLost,
        Fault::AnswerLost,
        Fault::ConnectionRefused,
        Fault::Throttled,
        Fault::ServerError { served: true },
        Fault::ServerError { served: false },
        Fault::ServedTwice,
    ] {
        let (repository, faults) = bank().await;
        faults.on_request(1, SentRequest::is_write, fault);
        deposit(&repository, "ada", 5).await.expect("deposited");
        assert_eq!((balance(&repository, "ada").await, faults.unmet()), (105, 0), "{fault:?}");
    }
}

/// Another transaction holds an item for a moment.
#[tokio::test(start_paused = true)]
async fn a_conflict_is_retried() {
    let (repository, faults) = bank().await;
    faults.on_request(1, SentRequest::is_write, Fault::Conflict);
    deposit_both(&repository, 5).await.expect("deposited");
    assert_eq!(balance(&repository, "bob").await, 105);
}

/// Two writers meet: the write of the first one is held while the other writes.
#[tokio::test(start_paused = true)]
async fn a_concurrent_deposit_is_not_overwritten() {
    let (engine, faults) = (Engine::in_memory().expect("an engine"), Faults::new());
    let (repository, other) = (Repository::new(engine.client_with(&faults)), Repository::new(engine.client()));
    open(&repository).await;
    faults.hold_after(1); // the read passes, and the write is held
    let first = tokio::spawn({
        let repository = repository.clone();
        async move { deposit(&repository, "ada", 5).await }
    });
    faults.held().await;
    deposit(&other, "ada", 10).await.expect("deposited"); // by another process, which is not held
    faults.release();
    first.await.expect("no panic").expect("deposited");
    assert_eq!(balance(&repository, "ada").await, 115);
}

/// An error that does not pass is reported, and says whether the deposit may have been applied.
#[tokio::test(start_paused = true)]
async fn a_lasting_error_is_reported() {
    for (fault, may_be_applied) in [
        (Fault::ErrorCode("AccessDeniedException"), false),
        (Fault::Unreadable, true),
        (Fault::Proxy { status: 502, served: true }, true),
        (Fault::AnswerLost, true),
    ] {
        let (repository, faults) = bank().await;
        let add = Account::update("ada").unchecked().with(Account::fields().balance.add(5));
        faults.next(std::iter::repeat(fault));
        let error = add.send(&repository).await.expect_err("an error");
        assert_eq!(error.may_be_applied(), may_be_applied, "{error}");
    }
}

/// The network delivers a request again, a minute later.
#[tokio::test(start_paused = true)]
async fn a_late_duplicate_changes_nothing() {
    let (repository, faults) = bank().await;
    faults.on_request(1, SentRequest::is_write, Fault::Duplicated(Duration::from_mins(1)));
    deposit(&repository, "ada", 5).await.expect("deposited");
    faults.settled().await;
    assert_eq!(balance(&repository, "ada").await, 105);
}

/// A request is thought lost, and arrives after the next one.
#[tokio::test(start_paused = true)]
async fn a_late_request_changes_nothing() {
    let (repository, faults) = bank().await;
    faults.on_request(1, SentRequest::is_write, Fault::Postponed);
    deposit(&repository, "ada", 5).await.expect("deposited");
    let delivered = faults.deliver().await.expect("a request");
    assert_eq!(delivered.status, 400, "the condition refuses it: {}", delivered.body);
    assert_eq!(balance(&repository, "ada").await, 105);
}

/// A request that the client has given up arrives a minute later by itself, after the client's retry.
#[tokio::test(start_paused = true)]
async fn a_request_that_arrives_a_minute_late_changes_nothing() {
    let (repository, faults) = bank().await;
    faults.on_request(1, SentRequest::is_write, Fault::Late(Duration::from_mins(1)));
    deposit(&repository, "ada", 5).await.expect("deposited");
    faults.settled().await;
    assert_eq!(balance(&repository, "ada").await, 105);
}

/// The network delivers a served request once more, after another deposit.
#[tokio::test(start_paused = true)]
async fn a_duplicate_after_another_deposit_changes_nothing() {
    let (repository, faults) = bank().await;
    faults.on_request(1, SentRequest::is_write, Fault::DuplicateKept);
    deposit(&repository, "ada", 5).await.expect("deposited");
    deposit(&repository, "ada", 10).await.expect("deposited");
    assert_eq!(faults.deliver().await.expect("a request").status, 400);
    assert_eq!(balance(&repository, "ada").await, 115);
}

/// A process dies, and its last request arrives after another process's deposit.
#[tokio::test(start_paused = true)]
async fn the_last_request_of_a_dead_process_overwrites_nothing() {
    let (repository, faults) = bank().await;
    faults.on_request(1, SentRequest::is_write, Fault::DiesPostponed);
    tokio::select! {
        () = faults.stopped() => {}
        sent = deposit(&repository, "ada", 5) => panic!("it lives: {sent:?}"),
    }
    faults.go_on();
    deposit(&repository, "ada", 10).await.expect("deposited");
    assert_eq!(faults.deliver().await.expect("a request").status, 400);
    assert_eq!(balance(&repository, "ada").await, 110);
}

/// The process dies at each of its requests, before or after it is served. Then another one does the work.
#[tokio::test(start_paused = true)]
async fn a_crash_moves_all_or_nothing() {
    for (fault, expected) in [(Fault::DiesBefore, 100), (Fault::DiesAfter, 105)] {
        let (repository, faults) = bank().await;
        faults.on_request(1, SentRequest::is_any, fault);
        tokio::select! {
            () = faults.stopped() => {}
            sent = deposit_both(&repository, 5) => panic!("it lives: {sent:?}"),
        }
        faults.go_on();
        assert_eq!((balance(&repository, "ada").await, balance(&repository, "bob").await), (expected, expected));
    }
}

/// DynamoDB cancels a transaction, for a reason for each of its actions.
#[tokio::test(start_paused = true)]
async fn a_cancelled_transaction_is_a_refusal() {
    let (repository, faults) = bank().await;
    faults.next([Fault::Cancelled(&["None", "ConditionalCheckFailed"])]);
    let error = deposit_both(&repository, 5).await.expect_err("cancelled");
    assert!(error.is_refused(), "{error}");
}

/// DynamoDB leaves a part of each batch unprocessed.
#[tokio::test(start_paused = true)]
async fn unprocessed_writes_are_sent_again() {
    let (repository, faults) = bank().await;
    repository.create_table::<Note>().await.expect("a new table");
    faults.leave_unprocessed(Unprocessed::Half);
    let notes: BatchWrite = (0..10).map(|id| Note { id }.put()).collect();
    notes.send(&repository).await.expect("sent").applied().expect("applied");
    assert_eq!(Note::scan().consistent().send(&repository).await.expect("a scan").items.len(), 10);
}

#[derive(Entity)]
#[entity(table = "notes")]
struct Note {
    #[partition_key]
    id: u64,
}

/// A slow answer: the hedge is faster.
#[tokio::test(start_paused = true)]
async fn a_hedge_answers_before_a_slow_request() {
    let (repository, faults) = bank().await;
    faults.delay_next([(Duration::from_secs(3), Duration::ZERO)]);
    let begun = Instant::now();
    let account = Account::get("ada").hedge(Duration::from_millis(20)).send(&repository).await.expect("a get");
    assert!(account.is_some() && begun.elapsed() < Duration::from_millis(100));
}

/// An eventually consistent read is answered by a replica that is a second behind.
#[tokio::test(start_paused = true)]
async fn a_balance_is_shown_late_and_never_lost() {
    let (repository, faults) = bank().await;
    let shown = async || Account::get("ada").send(&repository).await.expect("a get").expect("an account").balance;
    faults.replica_lag(Duration::from_secs(1));
    deposit(&repository, "ada", 5).await.expect("deposited"); // it reads consistently
    deposit(&repository, "ada", 5).await.expect("deposited");
    assert_eq!(shown().await, 100);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(shown().await, 110);
}

/// Faults of the network and of the service at random: what was deposited is there.
#[tokio::test(start_paused = true)]
async fn no_deposit_is_lost_under_any_fault() {
    for seed in 0..20 {
        let (repository, faults) = bank().await;
        faults.random(seed, Rates::ALL);
        let (mut least, mut most) = (100, 100);
        for _ in 0..20 {
            match deposit(&repository, "ada", 5).await {
                Ok(()) => (least, most) = (least + 5, most + 5),
                Err(error) => most += if error.may_be_applied() { 5 } else { 0 },
            }
        }
        faults.calm();
        faults.settled().await;
        let balance = balance(&repository, "ada").await;
        assert!((least..=most).contains(&balance), "seed {seed}: {balance}, expected {least} to {most}");
    }
}

/// What was sent: the tables, the attempts and what happened to them.
#[tokio::test(start_paused = true)]
async fn a_deposit_is_a_read_and_a_write() {
    let (repository, faults) = bank().await;
    let before = faults.requests().len();
    faults.on_request(1, SentRequest::is_write, Fault::Throttled);
    deposit(&repository, "ada", 5).await.expect("deposited");
    let sent = faults.requests().split_off(before);
    let sent: Vec<_> = sent.iter().map(|request| (&*request.operation, request.attempt, request.fault)).collect();
    assert_eq!(
        sent,
        [("GetItem", 1, Fault::Served), ("UpdateItem", 1, Fault::Throttled), ("UpdateItem", 2, Fault::Served)]
    );
}

/// An answer that no engine gives.
#[tokio::test(start_paused = true)]
async fn an_unknown_error_is_reported_as_it_is() {
    let (repository, faults) = bank().await;
    faults.answer("GetItem", 400, r#"{"__type":"SomethingNewException","message":"what is this?"}"#);
    let error = Account::get("ada").send(&repository).await.expect_err("an error");
    assert!(error.to_string().contains("SomethingNewException"), "{error}");
}
