//! The properties of a new table, and the effects of table options.

use super::{Earlier, Order, described, verify};
use dyno::aws_sdk_dynamodb::types::{BillingMode, StreamViewType, TableDescription};
use dyno::table::Mismatch;
use dyno::{Entity, TableOptions};
use dyno_tests::world;

/// An entity of the same table that needs only the key.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
struct Part {
    #[partition_key]
    shop: String,
    #[sort_key]
    id: u64,
}

#[tokio::test]
async fn a_created_table_has_no_differences() {
    let world = world::<Order>().await;
    let repository = &world.repository;
    let before = world.faults.events().len();
    assert_eq!(repository.verify_table::<Order>().await.expect("a comparison"), []);
    let operations: Vec<_> =
        world.faults.events().split_off(before).into_iter().map(|event| event.operation.clone()).collect();
    assert_eq!(operations, ["DescribeTable", "DescribeTimeToLive"]);
    // A table may have more than the entity needs.
    assert_eq!(repository.verify_table::<Part>().await.expect("a comparison"), []);
    // An attribute that an index lacks is a difference.
    let lacks = ["customer", "status", "placed_at"].map(str::to_owned).into();
    assert_eq!(
        verify::<Earlier>(repository, &TableOptions::default()).await,
        [Mismatch::IndexLacks { index: "by_total".to_owned(), attributes: lacks }]
    );
    // A second `create_table` changes nothing.
    let before = world.faults.events().len();
    repository.create_table::<Order>().await.expect("nothing to do");
    let events = world.faults.events().split_off(before);
    assert!(
        events.iter().all(|event| event.operation == "CreateTable" || event.operation.starts_with("Describe")),
        "{events:?}"
    );
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
#[index(name = "by_place", partition(country, city), sort(street, number))]
#[index(name = "by_city", partition = city, sort(street, number))]
struct Address {
    #[partition_key]
    shop: String,
    #[sort_key]
    id: u64,
    country: String,
    city: String,
    street: String,
    number: u32,
}

#[tokio::test]
async fn keys_of_several_attributes_are_created_and_verified() {
    let world = world::<Part>().await;
    let repository = &world.repository;
    repository.create_table::<Address>().await.expect("two indexes");
    assert_eq!(repository.verify_table::<Address>().await.expect("a comparison"), []);
    let keys = described(repository, "orders").await;
    let keys = keys.global_secondary_indexes().iter().map(|index| index.key_schema().len()).collect::<Vec<_>>();
    assert_eq!(keys.iter().sum::<usize>(), 7);
}

#[tokio::test]
async fn table_options_apply_to_a_new_table() {
    let world = world::<Order>().await;
    let repository = world.repository.clone().with_table::<Order>("other-orders");
    let options = TableOptions::default()
        .provisioned(3, 2)
        .stream(StreamViewType::NewAndOldImages)
        .deletion_protection()
        .tag("team", "films");
    repository.create_table_with::<Order>(&options).await.expect("a table");
    assert_eq!(verify::<Order>(&repository, &options).await, []);
    let table = described(&repository, "other-orders").await;
    let units = table.provisioned_throughput().expect("units");
    assert_eq!((units.read_capacity_units(), units.write_capacity_units()), (Some(3), Some(2)));
    let on_demand = |table: &TableDescription| {
        let summary = table.billing_mode_summary();
        summary.and_then(|summary| summary.billing_mode()) == Some(&BillingMode::PayPerRequest)
    };
    assert!(!on_demand(&table) && on_demand(&described(&repository, "orders").await));
    let delete = repository.client().delete_table().table_name("other-orders").send().await;
    assert!(delete.is_err(), "it is protected");
    let stream = table.stream_specification().expect("a stream");
    assert_eq!(stream.stream_view_type(), Some(&StreamViewType::NewAndOldImages));
}
