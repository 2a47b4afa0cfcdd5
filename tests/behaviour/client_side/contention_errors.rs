//! The error of a transaction that runs out of attempts names its last obstacle.

use super::{Account, account, bank, creates, is_commit};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{ErrorKind, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::pause;
use std::error::Error as _;

/// Another process owns the only lane.
#[tokio::test]
async fn the_error_reports_that_all_lanes_are_in_use() {
    pause();
    let world = bank(0).await;
    let owner = world.process(RetryConfig::disabled());
    owner.faults.on_request(1, is_commit, Fault::DiesBefore);
    assert!(owner.run(creates(&["a"]).send(&owner.repository)).await.is_none(), "it died");
    let few = world.repository.clone().with_lanes(1);
    let plain = creates(&["b"]).send(&few).await.expect_err("no lane");
    let closure = Transaction::interactive(|tx| async move {
        tx.put(account("b", 1).create());
        Ok(())
    });
    let closure = closure.client_side().attempts(2).send(&few).await.expect_err("no lane");
    for (error, attempts) in [(plain, 10), (closure, 2)] {
        assert_eq!(error.kind(), ErrorKind::Contended, "{error}");
        assert!(error.to_string().contains("all 1 lanes of the table `dyno-lanes` are in use"), "{error}");
        assert!(error.to_string().contains(&format!("{attempts} attempts")), "{error}");
        let source = error.source().expect("the last error").to_string();
        assert!(source.contains("all 1 lanes of the table"), "{source}");
    }
    assert_eq!(super::there(&world, &["b"]).await, Vec::<String>::new());
}

/// The transaction loses each attempt to faster writers and meets no error, so its error has no source.
#[tokio::test]
async fn the_error_of_losing_to_faster_writers_has_no_source() {
    pause();
    let world = bank(1).await;
    let other = &world.other();
    let closure = Transaction::interactive(|tx| async move {
        let it = tx.get(Account::get("00000")).await?.ok_or("none")?;
        applied!(Account::update("00000").unchecked().with(Account::fields().balance.add(1)), other);
        tx.put(Account { balance: it.balance + 1, ..it }.put());
        Ok(())
    });
    let error = closure.client_side().attempts(2).send(&world.repository).await.expect_err("others are faster");
    assert_eq!(error.kind(), ErrorKind::Contended, "{error}");
    assert!(error.to_string().contains("other writers changed") && error.source().is_none(), "{error}");
}
