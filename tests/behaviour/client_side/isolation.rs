//! Isolation: the items that a transaction only reads are unchanged when it commits, and it does not ignore intents in them.

use super::{Account, balances, bank, creates};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{ErrorKind, Repository, Transaction, TransactionOutcome};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::is_remote;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Sets one of two accounts to 0, if both together have at least 200. Returns whether it did.
async fn take(repository: Repository, from: &'static str) -> bool {
    let take = Transaction::interactive(|tx| async move {
        let mut sum = 0;
        for id in ["00000", "00001"] {
            sum += tx.get(Account::get(id)).await?.ok_or("no such account")?.balance;
        }
        if sum >= 200 {
            tx.update(Account::update(from).unchecked().with(Account::fields().balance.set(0)));
        }
        Ok(sum >= 200)
    });
    take.client_side().send(&repository).await.expect("sent").applied().expect("applied")
}

/// Two closures each write an account that the other one only reads. Both place their intents before either validates its
/// reads, and both validate before either commits. Only one of them may take the money.
#[tokio::test(start_paused = true)]
async fn write_skew_between_two_closures_is_prevented() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(2).await;
    let processes = [(); 2].map(|()| world.process(RetryConfig::standard()).along());
    let mut sent = Vec::new();
    for (process, from) in processes.iter().zip(["00000", "00001"]) {
        process.faults.hold_after(2);
        sent.push(tokio::spawn(take(process.repository.clone(), from)));
        process.faults.held().await;
    }
    // First come the read of lanes, the creation of a lane, `DescribeTable` and the intent; then the validation of what was
    // only read.
    for requests in [4, 1] {
        for process in &processes {
            process.faults.hold_after(requests);
            process.faults.held().await;
        }
    }
    for process in &processes {
        process.faults.release();
    }
    let mut taken = 0;
    for sent in sent {
        taken += u64::from(sent.await.expect("no panic"));
    }
    let left: u64 = balances(&world, &["00000", "00001"]).await.into_iter().map(|(_, balance)| balance).sum();
    assert_eq!((taken, left), (1, 100));
}

/// One change is committed but not applied yet, and a second change comes after it. A closure that reads the second change
/// also reads the first.
#[tokio::test(start_paused = true)]
async fn a_closure_reads_a_committed_change_before_its_apply() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(2).await;
    let (reader, writer) =
        (world.process(RetryConfig::standard()).along(), world.process(RetryConfig::standard()).along());
    reader.faults.hold_after(1);
    let repository = reader.repository.clone();
    let read = tokio::spawn(async move {
        let read = Transaction::interactive(|tx| async move {
            let first = tx.get(Account::get("00000")).await?.ok_or("no such account")?;
            let second = tx.get(Account::get("00001")).await?.ok_or("no such account")?;
            Ok((first.balance, second.balance))
        });
        read.send(&repository).await
    });
    reader.faults.held().await;
    // The first change is committed and reported, but cannot be applied for now. The second change comes after it.
    let is_apply = |event: &Event| event.text().starts_with("UpdateItem accounts {id=\"00000\"} do SET _w = _x.set._w");
    writer.faults.on_request(1, is_apply, Fault::ErrorCode("ValidationException"));
    let set = |id| Account::update(id).unchecked().with(Account::fields().balance.set(7));
    let committed = creates(&["new"]).update(set("00000")).send(&writer.repository).await.expect("sent");
    assert_eq!(committed.applied().expect("applied").unapplied(), 1);
    set("00001").send(&writer.repository).await.expect("sent").applied().expect("applied");
    reader.faults.release();
    let seen = read.await.expect("no panic").expect("read");
    assert!(matches!(seen, TransactionOutcome::Applied((7, 7))), "{seen:?}");
}

/// A closure reads a single item and writes nothing. It sees a change that is committed but not applied yet.
#[tokio::test(start_paused = true)]
async fn a_closure_of_one_read_sees_a_committed_change_before_its_apply() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(1).await;
    let is_apply = |event: &Event| event.text().starts_with("UpdateItem accounts {id=\"00000\"} do SET _w = _x.set._w");
    world.faults.on_request(1, is_apply, Fault::ErrorCode("ValidationException"));
    let set = Account::update("00000").unchecked().with(Account::fields().balance.set(7));
    let committed = creates(&["new"]).update(set).send(&world.repository).await.expect("sent");
    assert_eq!(committed.applied().expect("applied").unapplied(), 1);
    let read = Transaction::interactive(|tx| async move {
        let account = tx.get(Account::get("00000")).await?.ok_or("no such account")?;
        Ok(account.balance)
    });
    let seen = read.send(&world.repository).await.expect("read");
    assert!(matches!(seen, TransactionOutcome::Applied(7)), "{seen:?}");
}

/// An error in the middle of a validation is not a conflict: the closure does not run again, and the caller learns the error.
#[tokio::test]
async fn an_error_while_reads_are_validated_is_reported() {
    let world = bank(2).await;
    let process = world.process(RetryConfig::standard());
    let is_validation =
        |event: &Event| event.operation == "BatchGetItem" && event.text().contains("accounts × 1: {id=\"00001\"}");
    process.faults.on_request(1, is_validation, Fault::ErrorCode("AccessDeniedException"));
    let runs = &AtomicUsize::new(0);
    let take = Transaction::interactive(|tx| async move {
        runs.fetch_add(1, Ordering::SeqCst);
        let other = tx.get(Account::get("00001")).await?.ok_or("no such account")?;
        tx.update(Account::update("00000").unchecked().with(Account::fields().balance.add(other.balance)));
        Ok(())
    });
    let error = take.client_side().send(&process.repository).await.expect_err("the validation failed");
    assert_eq!(error.kind(), ErrorKind::Service, "{error:?}");
    assert!(format!("{error:?}").contains("AccessDeniedException"), "{error:?}");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    assert_eq!(
        balances(&world, &["00000", "00001"]).await.into_iter().map(|(_, balance)| balance).collect::<Vec<_>>(),
        [100, 100]
    );
}
