//! The recorded requests, attempt by attempt.

use super::{Account, Receipt, bank, receipt, transfer};
use dyno::BatchWrite;
use dyno_tests::faults::{Event, Fault, tally};
use dyno_tests::pause;

#[tokio::test]
async fn requests_are_counted_by_operation_and_table() {
    pause();
    let (_world, process) = bank().await;
    let repository = &process.repository;
    transfer(repository.clone(), 1).await.expect("sent");
    assert_eq!(tally(&process.faults.events()), ["2 GetItem accounts", "1 TransactWriteItems accounts"]);
    let before = process.faults.events().len();
    let written = BatchWrite::new()
        .add(receipt("1").put())
        .add(receipt("2").put())
        .add(receipt("3").put())
        .send(repository)
        .await
        .expect("sent");
    assert!(written.applied().is_ok());
    Receipt::batch_get(["1", "2"]).send(repository).await.expect("sent");
    assert_eq!(Account::scan().send(repository).await.expect("sent").items.len(), 2);
    let events = process.faults.events().split_off(before);
    assert_eq!(tally(&events), ["1 BatchGetItem receipts", "1 BatchWriteItem receipts", "1 Scan accounts"]);
    assert_eq!(events.iter().map(Event::actions).collect::<Vec<_>>(), [3, 2, 1]);
    assert_eq!(events.iter().filter(|event| event.is_write()).count(), 1);
}

#[tokio::test]
async fn each_attempt_is_recorded_with_its_key_and_expressions() {
    pause();
    let (_world, process) = bank().await;
    receipt("1").put().send(&process.repository).await.expect("sent");
    process.faults.lose_answers(1);
    applied!(Receipt::update("1").with(Receipt::fields().sum.set(7)), &process.repository);
    let events = process.faults.events().split_off(1);
    let attempts: Vec<_> = events.iter().map(|event| (event.attempt, event.fault)).collect();
    assert_eq!(attempts, [(1, Fault::AnswerLost), (2, Fault::Served)]);
    for event in &events {
        assert_eq!(event.text(), r#"UpdateItem receipts {id="1"} do SET sum = 7 if attribute_exists(id)"#);
        assert_eq!(event.json()["Key"]["id"]["S"], "1");
    }
}
