//! What cannot be exported.

use super::{Account, Article, Order, repository};
use dyno::model::Model;
use dyno::{Entity, EpochSeconds, Error, ErrorKind, TableOptions};

#[derive(Entity)]
#[entity(table = "orders")]
struct WithOtherKey {
    #[partition_key]
    number: u64,
}

#[derive(Entity)]
#[entity(table = "accounts")]
struct WithOtherTtl {
    #[partition_key]
    id: u64,
    #[ttl]
    until: Option<EpochSeconds>,
}

#[derive(Entity)]
#[entity(table = "orders")]
#[index(name = "by_status", partition = status)]
struct WithOtherIndex {
    #[partition_key]
    shop: String,
    #[sort_key]
    id: u64,
    status: String,
}

#[derive(Entity)]
#[entity(table = "articles")]
#[index(name = "similar", vector = embedding, of(title))]
struct WithOtherVector {
    #[partition_key]
    id: String,
    title: String,
    embedding: Option<[f32; 3]>,
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
fn entities_that_need_different_tables_of_one_name_are_an_error() {
    let repository = repository();
    let orders = || Model::new(&repository).table::<Order>();
    assert_eq!(conflict(orders().table::<WithOtherKey>()), "two entities need the table `test-orders` with other keys");
    assert_eq!(
        conflict(orders().table::<WithOtherIndex>()),
        "two entities need the table `test-orders` with different indexes `by_status`"
    );
    assert_eq!(
        conflict(Model::new(&repository).table::<Account>().table::<WithOtherTtl>()),
        "two entities need the table `test-accounts` with the TTL attributes `ttl` and `until`"
    );
    assert_eq!(
        conflict(Model::new(&repository).table::<Article>().table::<WithOtherVector>()),
        "two entities need the table `test-articles` with different indexes `similar`"
    );
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
        "the tables `orders` and `Orders` would both be `OrdersTable` in this file: export them in two models"
    );
    assert!(both.terraform().is_ok());
}

#[test]
fn invalid_options_are_an_error() {
    let repository = repository();
    let none = Model::new(&repository).options(TableOptions::default().provisioned(0, 1)).table::<Order>();
    assert_eq!(
        message(none.terraform().expect_err("an error")),
        "a table cannot be provisioned with 0 read units and 1 write units: give at least 1 of each"
    );
    let provisioned = TableOptions::default().provisioned(1, 1);
    let vectors = Model::new(&repository).options(provisioned).table::<Article>();
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
                "`{wrong}` is not the ARN of tables up to their names: expected `arn:aws:dynamodb:<region>:<account>:table/`"
            )
        );
    }
}
