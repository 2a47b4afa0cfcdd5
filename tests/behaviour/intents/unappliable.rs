//! A committed change that DynamoDB never accepts: an empty text for the key of an index that was created later.

use super::{Account, VERBS, send, stored};
use dyno::aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection, ProjectionType,
    ScalarAttributeType,
};
use dyno::{ErrorKind, Item, Repository};
use dyno_tests::{World, item, lanes, n, s, world};

/// A table with an index that no entity declares.
async fn create_indexed(repository: &Repository) {
    let attribute = |name: &str| {
        let attribute = AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S);
        attribute.build().expect("an attribute")
    };
    let key =
        |name: &str| KeySchemaElement::builder().attribute_name(name).key_type(KeyType::Hash).build().expect("a key");
    let index = GlobalSecondaryIndex::builder().index_name("by_colour").key_schema(key("colour"));
    let index = index.projection(Projection::builder().projection_type(ProjectionType::All).build());
    let create = repository.client().create_table().table_name("indexed").billing_mode(BillingMode::PayPerRequest);
    let create = create.attribute_definitions(attribute("id")).attribute_definitions(attribute("colour"));
    let create = create.key_schema(key("id")).global_secondary_indexes(index.build().expect("an index"));
    create.send().await.expect("a table");
}

/// An account in such a table, with a committed intent.
async fn indexed() -> (World, Repository, Item) {
    let world = world::<Account>().await;
    world.create_lanes().await;
    world.put_head(lanes::committed()).await;
    create_indexed(&world.other()).await;
    let repository = world.repository.clone().with_table::<Account>("indexed");
    let set = item([("balance", n(7)), ("colour", s("")), ("version", n(4)), ("_w", s("1/7"))]);
    let row = lanes::with(stored(), lanes::intent(lanes::TICKET, set));
    let put = world.other().client().put_item().table_name("indexed").set_item(Some(row.clone()));
    put.send().await.expect("it is accepted there");
    (world, repository, row)
}

#[tokio::test]
async fn every_write_over_an_unappliable_change_fails_but_a_get_shows_the_change() {
    let (world, repository, row) = indexed().await;
    for verb in VERBS {
        let error = send(verb, &repository).await.expect_err(verb);
        // `modify` first reads the committed item, and then its write fails.
        assert!(error.kind() == ErrorKind::Service && !error.may_be_applied(), "{verb}: {error}");
        assert!(error.to_string().contains("cannot be applied to the item"), "{verb}: {error}");
        assert_eq!(error.key(), Some("id = \"1\""), "{verb}: {error}");
    }
    let got = Account::get("1").consistent().send(&repository).await.expect("a get").expect("an account");
    assert_eq!((got.balance, got.version, &got.rest["colour"]), (7, 4, &s("")));
    world.faults.thaw_replica();
    assert_eq!(Account::get("1").send(&repository).await.expect("a get").map(|it| it.balance), Some(5));
    let get = world.other().client().get_item().table_name("indexed").key("id", s("1")).send().await;
    assert_eq!(get.expect("a get").item, Some(row));
}
