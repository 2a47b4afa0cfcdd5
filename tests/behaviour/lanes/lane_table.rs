//! The lane table: how it is created, completed and verified.

use super::{Account, with_lanes};
use dyno::aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType, TableDescription,
};
use dyno::table::Mismatch;
use dyno::{ErrorKind, Sweep, TableOptions};
use dyno_tests::{pause, world};

#[tokio::test]
async fn a_created_lane_table_passes_verification() {
    pause();
    let world = world::<Account>().await;
    let repository = world.repository.clone().with_table_prefix("test-");
    let found = repository.verify_lane_table().await.expect("compared");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].table.as_str(), &found[0].what), ("test-dyno-lanes", &Mismatch::TableMissing));
    repository.create_lane_table().await.expect("made");
    repository.create_lane_table().await.expect("it is there");
    assert_eq!(repository.verify_lane_table().await.expect("compared"), []);
    let described = repository.client().describe_table().table_name("test-dyno-lanes").send().await.expect("a table");
    let table: TableDescription = described.table.expect("a table");
    let keys: Vec<_> = table.key_schema().iter().map(|key| (key.attribute_name(), key.key_type().clone())).collect();
    assert_eq!(keys, [("lane", KeyType::Hash), ("part", KeyType::Range)]);
    let billing = table.billing_mode_summary().and_then(|billing| billing.billing_mode().cloned());
    assert_eq!(billing, Some(BillingMode::PayPerRequest));
    let ttl =
        repository.client().describe_time_to_live().table_name("test-dyno-lanes").send().await.expect("an answer");
    assert_eq!(ttl.time_to_live_description().and_then(|ttl| ttl.attribute_name()), Some("ttl"));
    // A lane table with a configured name does not get the prefix.
    let named = repository.with_lane_table("lanes-of-all");
    named.create_lane_table().await.expect("made");
    assert_eq!(named.verify_lane_table().await.expect("compared"), []);
}

#[tokio::test]
async fn verify_lane_table_compares_the_options() {
    pause();
    let world = with_lanes().await;
    let options = TableOptions::default().deletion_protection();
    let found = world.repository.verify_lane_table_with(&options).await.expect("compared");
    assert!(found.len() == 1 && found[0].what == Mismatch::Unprotected, "{found:?}");
    world.repository.create_lane_table_with(&options).await.expect("completed");
    assert_eq!(world.repository.verify_lane_table_with(&options).await.expect("compared"), []);
}

#[tokio::test]
async fn create_lane_table_refuses_a_table_with_another_key() {
    pause();
    let world = world::<Account>().await;
    let text = |name: &str| {
        AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S).build().expect("one")
    };
    let key = KeySchemaElement::builder().attribute_name("lane").key_type(KeyType::Hash).build().expect("a key");
    let create = world.repository.client().create_table().table_name("dyno-lanes");
    let create = create.billing_mode(BillingMode::PayPerRequest).attribute_definitions(text("lane")).key_schema(key);
    create.send().await.expect("another table");
    let error = world.repository.create_lane_table().await.expect_err("another key");
    assert_eq!(error.kind(), ErrorKind::TableDiffers);
    assert!(
        error.to_string().contains("has the key partition lane (S) instead of partition lane (S), sort part (S)"),
        "{error}"
    );
}

#[tokio::test]
async fn the_error_of_a_missing_lane_table_names_create_lane_table() {
    pause();
    let world = world::<Account>().await;
    let errors = [
        Sweep::new().of::<Account>().send(&world.repository).await.expect_err("no table"),
        dyno::__private::lanes::take(&world.repository).await.expect_err("no table"),
    ];
    for error in errors {
        assert!(error.is_table_missing(), "{error}");
        let text = error.to_string();
        assert!(text.contains("`dyno-lanes`") && text.contains("create_lane_table"), "{error}");
    }
    let nameless = world.repository.clone().with_lane_table("no name");
    assert!(nameless.create_lane_table().await.expect_err("no name").is_invalid_input());
}
