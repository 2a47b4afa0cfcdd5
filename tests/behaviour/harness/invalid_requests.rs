//! A request that DynamoDB refuses is found, whatever the engine answers.

use super::{Account, account};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno_tests::{n, world};

#[tokio::test]
async fn a_request_that_dynamodb_refuses_is_found_in_its_world() {
    let world = world::<Account>().await;
    applied!(account("a", 1, 0).create(), &world.repository);
    assert_eq!(world.take_faults_of_requests(), Vec::<String>::new());
    let client = world.client(RetryConfig::disabled());
    let filter = "((balance = :other)) AND balance = balance";
    let _refused = client
        .scan()
        .table_name("accounts")
        .filter_expression(filter)
        .expression_attribute_values(":n", n(1))
        .send()
        .await;
    let _served = client.get_item().table_name("accounts").expression_attribute_names("#x", "x").send().await;
    let found = world.take_faults_of_requests();
    for fault in ["value used in expression is not defined: :other", "unused in expressions: keys: {:n}", "keys: {#x}"]
    {
        assert!(found.iter().any(|found| found.contains(fault)), "{fault}: {found:?}");
    }
    let unused = client.scan().table_name("accounts").expression_attribute_names("#x", "x").send();
    let _refused = unused.await;
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(world)));
    let message = dropped.expect_err("the test fails").downcast::<String>().expect("a message");
    assert!(message.contains("DynamoDB refuses what was sent") && message.contains("{#x}"), "{message}");
}
