//! Several programs make or complete one table at the same time.

use super::{Earlier, Order, verify};
use dyno::aws_sdk_dynamodb::types::StreamViewType;
use dyno::{Repository, TableOptions};
use dyno_tests::faults::Fault;
use dyno_tests::{World, is_remote, pause, world};

/// DynamoDB's answers to a table change that another program has already made, or is making.
const OVERTAKEN: [(&str, &str, &str); 5] = [
    ("UpdateTable", "ValidationException", "Table already has an enabled stream"),
    (
        "UpdateTable",
        "ValidationException",
        "One or more parameter values were invalid: Index already exists: by_status",
    ),
    (
        "UpdateTable",
        "ResourceInUseException",
        "Attempt to change a resource which is still in use: Index is being created",
    ),
    (
        "UpdateTable",
        "LimitExceededException",
        "Subscriber limit exceeded: Only 1 online index can be created simultaneously",
    ),
    ("UpdateTimeToLive", "ValidationException", "TimeToLive is already enabled"),
];

fn options() -> TableOptions {
    TableOptions::default().stream(StreamViewType::KeysOnly)
}

/// The next request of this operation is refused.
fn refuse(world: &World, (operation, code, message): (&str, &str, &str)) {
    let body = format!(r#"{{"__type":"com.amazonaws.dynamodb.v20120810#{code}","message":"{message}"}}"#);
    world.faults.answer(operation, 400, &body);
}

/// Eight programs, which all send their requests at the same time.
async fn make(repository: &Repository) {
    let makers: Vec<_> = (0..8)
        .map(|_| {
            let repository = repository.clone();
            tokio::spawn(async move { repository.create_table_with::<Order>(&options()).await })
        })
        .collect();
    for maker in makers {
        maker.await.expect("no panic").expect("a table");
    }
    assert_eq!(verify::<Order>(repository, &options()).await, []);
}

#[tokio::test]
async fn concurrent_creations_of_one_table_all_succeed() {
    pause();
    let world = world::<Earlier>().await;
    world.faults.latency_ms(1, 1);
    // The existing table lacks two indexes, a stream and TTL. The other table does not exist.
    make(&world.repository).await;
    make(&world.repository.clone().with_table::<Order>("new-orders")).await;
}

#[tokio::test]
async fn a_table_change_already_applied_by_another_program_is_not_an_error() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    for refusal in OVERTAKEN {
        let world = world::<Earlier>().await;
        refuse(&world, refusal);
        world.repository.create_table_with::<Order>(&options()).await.expect(refusal.2);
        assert_eq!(verify::<Order>(&world.repository, &options()).await, [], "{refusal:?}");
    }
}

#[tokio::test]
async fn a_table_change_with_a_lost_answer_is_not_an_error() {
    pause();
    for change in 1..=4 {
        let world = world::<Earlier>().await;
        world.faults.on_request(change, |event| event.operation.starts_with("Update"), Fault::AnswerLost);
        world.repository.create_table_with::<Order>(&options()).await.expect("completed");
        assert_eq!(world.faults.unmet(), 0);
        assert_eq!(verify::<Order>(&world.repository, &options()).await, [], "change {change}");
    }
}

#[tokio::test]
async fn a_table_change_that_stays_refused_is_an_error() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    let invalid = "One or more parameter values were invalid: no such type";
    for refusal in OVERTAKEN.iter().map(|refusal| (refusal.0, refusal.1, invalid)) {
        let world = world::<Earlier>().await;
        (0..100).for_each(|_| refuse(&world, refusal));
        let error = world.repository.create_table_with::<Order>(&options()).await.expect_err(refusal.1);
        assert!(error.to_string().contains(invalid), "{error}");
    }
    let world = world::<Earlier>().await;
    refuse(&world, ("UpdateTable", "AccessDeniedException", "refused by a fault"));
    let before = world.faults.events().len();
    let error = world.repository.create_table_with::<Order>(&options()).await.expect_err("denied");
    assert!(error.to_string().contains("refused by a fault"), "{error}");
    let sent = world.faults.events().split_off(before).into_iter();
    assert!(sent.map(|event| event.operation.clone()).all(|sent| ["CreateTable", "DescribeTable"].contains(&&*sent)));
}
