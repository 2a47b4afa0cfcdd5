//! What cannot be exported.

use super::{Account, Article, Customer, Order, Row, repository};
use dyno::model::Model;
use dyno::{Entity, Error, ErrorKind, TableOptions};

#[derive(Entity)]
#[entity(table = "orders")]
struct WithOtherKey {
    #[partition_key]
    number: u64,
}

#[derive(Entity)]
#[entity(table = "shop.rows")]
#[partition_key(name = "PK", template = "Line#{id}")]
#[sort_key(name = "SK", template = "Line")]
struct Line {
    id: String,
}

#[derive(Entity)]
struct WithoutTable {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[entity(table = "Orders")]
struct Lookalike {
    #[partition_key]
    id: String,
}

fn message(error: Error) -> String {
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    error.to_string()
}

fn conflict(model: Model<'_>) -> String {
    let message = message(model.cloudformation().expect_err("an error"));
    // Every export has the error.
    let of_policy = model.policy("arn:aws:dynamodb:*:*:table/").expect_err("an error").to_string();
    assert_eq!((model.terraform().expect_err("an error").to_string(), of_policy), (message.clone(), message.clone()));
    message
}

#[test]
fn two_entities_of_one_table_must_be_added_together() {
    let repository = repository();
    assert_eq!(
        conflict(Model::new(&repository).table::<Order>().table::<WithOtherKey>()),
        "`Order` and `WithOtherKey` are both stored in the table `test-orders`: put them into one `#[derive(Entities)]` enum, and add it with `shared_table`"
    );
    assert_eq!(
        conflict(Model::new(&repository).shared_table::<Row>().table::<Line>()),
        "`Customer` and `Line` are both stored in the table `test-shop.rows`: put them into one `#[derive(Entities)]` enum, and add it with `shared_table`"
    );
    // The entities of the enum are compared.
    assert!(Model::new(&repository).shared_table::<Row>().table::<Customer>().cloudformation().is_ok());
    assert!(Model::new(&repository).table::<Customer>().shared_table::<Row>().cloudformation().is_ok());
}

#[test]
fn a_table_with_two_keys_or_ttl_attributes_is_an_error() {
    let repository = repository().with_history_table::<Account>("test-orders");
    assert_eq!(
        conflict(Model::new(&repository).table::<Order>().table::<Account>()),
        "the table `test-orders` has the keys `shop` and `id` for one entity or rule, and `_key` and `_version` for another: name another table for one of them"
    );
    let repository = super::repository().with_unique_table::<Customer>("test-shop.rows-idempotency");
    assert!(Model::new(&repository).shared_table::<Row>().cloudformation().is_ok());
    let repository = super::repository().with_history_table::<Order>("both").with_history_table::<Account>("both");
    assert!(Model::new(&repository).table::<Order>().table::<Account>().cloudformation().is_ok());
}

#[test]
fn a_table_with_different_options_is_an_error() {
    let repository = repository();
    let protected = TableOptions::default().deletion_protection();
    assert_eq!(
        conflict(Model::new(&repository).table::<Order>().table_with::<Order>(&protected)),
        "the table `test-orders` is added twice with different options: give both the same"
    );
}

#[test]
fn a_model_without_tables_is_an_error() {
    assert_eq!(conflict(Model::new(&repository())), "the model has no tables: add them with `table`");
}

/// All services share the lane table, so only one of them has it in its files.
#[test]
fn the_policy_of_a_transactional_entity_has_the_lane_table() {
    let repository = repository();
    let policy = |model: Model<'_>| model.policy("arn:aws:dynamodb:*:*:table/").expect("a policy");
    let alone = Model::new(&repository).table::<Account>();
    assert!(!alone.cloudformation().expect("a template").as_str().contains("lanes"));
    assert_eq!(policy(alone), policy(Model::new(&repository).table::<Account>().lane_table()));
}

#[test]
fn an_entity_can_be_added_twice() {
    let repository = repository();
    let model = || Model::new(&repository).table::<Order>().table::<Article>();
    let once = model().cloudformation().expect("a template");
    assert_eq!(model().table::<Order>().table::<Article>().cloudformation().expect("a template"), once);
}

#[test]
fn an_entity_without_a_table_is_an_error() {
    let repository = repository();
    assert_eq!(
        conflict(Model::new(&repository).table::<WithoutTable>().table::<Order>()),
        "`WithoutTable` has no table: write `#[entity(table = \"…\")]` on it, or name the table with `Repository::with_table::<WithoutTable>`"
    );
}

#[test]
fn tables_that_a_file_cannot_name_are_an_error() {
    let repository = repository().with_table::<Account>("arn:aws:dynamodb:eu-west-1:210987654321:table/accounts");
    let error = Model::new(&repository).table::<Account>().cloudformation().expect_err("an error");
    assert_eq!(
        message(error),
        "the table `arn:aws:dynamodb:eu-west-1:210987654321:table/accounts` is named by its ARN, so it exists in one account and region: name it without the ARN for this file"
    );
    let repository = super::repository().with_table_prefix("");
    let both = Model::new(&repository).table::<Order>().table::<Lookalike>();
    assert_eq!(
        message(both.cloudformation().expect_err("an error")),
        "the tables `orders` and `Orders` would both be `OrdersTable` in this file: write them into two files, each for a stack of its own"
    );
    assert!(both.terraform().is_ok());
}

#[test]
fn invalid_options_are_an_error() {
    let repository = repository();
    let none = Model::new(&repository).table_with::<Order>(&TableOptions::default().provisioned(0, 1));
    assert_eq!(
        message(none.terraform().expect_err("an error")),
        "a table cannot be provisioned with 0 read units and 1 write units: give at least 1 of each"
    );
    let provisioned = TableOptions::default().provisioned(1, 1);
    let vectors = Model::new(&repository).table_with::<Article>(&provisioned);
    assert_eq!(
        message(vectors.cloudformation().expect_err("an error")),
        "the table `test-articles` has the vector index `similar`, and DynamoDB bills such tables on demand only: leave `provisioned` out"
    );
}

#[test]
fn terraform_cannot_create_a_vector_index() {
    let repository = repository();
    let error = Model::new(&repository).table::<Article>().terraform().expect_err("an error");
    assert_eq!(
        message(error),
        "the table `test-articles` has the vector index `similar`, which Terraform's provider cannot create yet: use `create_table` or CloudFormation for this table"
    );
}

#[test]
fn a_policy_needs_the_arn_of_the_tables() {
    let repository = repository();
    let model = Model::new(&repository).table::<Account>();
    for wrong in ["", "arn:aws:dynamodb:*:*:table/orders", "arn:aws:s3:*:*:table/", "arn:aws:dynamodb::*:table/", "*"] {
        assert_eq!(
            message(model.policy(wrong).expect_err("an error")),
            format!(
                "`{wrong}` is not the beginning of table ARNs: expected `arn:aws:dynamodb:<region>:<account>:table/`"
            )
        );
    }
}
