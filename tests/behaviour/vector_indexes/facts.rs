//! What DynamoDB itself does with vectors: tests of the facts in `docs/internals/facts.md`, with requests of the SDK.

use super::{Article, Picture, article, picture};
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::error::ProvideErrorMetadata;
use dyno::aws_sdk_dynamodb::operation::search_vectors::builders::SearchVectorsFluentBuilder;
use dyno::aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, DeleteVectorIndexAction, KeySchemaElement, KeyType, Projection,
    ProjectionType, ProvisionedThroughput, ReturnConsumedCapacity, ScalarAttributeType, VectorAttributeDefinition,
    VectorCapacity, VectorDistanceFunction, VectorIndex, VectorIndexUpdate,
};
use dyno::{Entity, Item};
use dyno_tests::{Engine, World, differs, item, n, s, world};

const X: [f32; 3] = [1.0, 0.0, 0.0];

fn list(numbers: &[&str]) -> AttributeValue {
    AttributeValue::L(numbers.iter().map(n).collect())
}

async fn articles() -> (World, Client) {
    let world = world::<Article>().await;
    let client = world.client(RetryConfig::disabled());
    (world, client)
}

/// A search of the articles of one tenant.
fn search(client: &Client) -> SearchVectorsFluentBuilder {
    let search = client.search_vectors().table_name("articles").index_name("similar").top_k(10);
    let search = search.set_search_vector(Some(["1", "0", "0"].iter().map(n).collect()));
    search.search_condition_expression("tenant = :t").expression_attribute_values(":t", s("acme"))
}

async fn found(search: SearchVectorsFluentBuilder) -> Vec<Item> {
    let results = search.send().await.expect("a search").search_results.unwrap_or_default();
    results.into_iter().map(|result| result.item.expect("an item")).collect()
}

async fn refusal(search: SearchVectorsFluentBuilder) -> String {
    let error = search.send().await.expect_err("refused");
    assert_eq!(error.code(), Some("ValidationException"));
    error.message().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_write_of_anything_but_such_a_vector_is_refused() {
    let (_world, client) = articles().await;
    let is_ministack = differs(Engine::MiniStack, "a number beyond 32 bits is refused in other words");
    for (vector, expected) in [
        (list(&["1", "0"]), "Expected: 3, Actual: 2"),
        (list(&["1", "0", "0", "0"]), "Expected: 3, Actual: 4"),
        (AttributeValue::L(vec![n(1), s("0"), n(0)]), "Expected: 32-bit floating point number"),
        (list(&["1", "0", "1E39"]), if is_ministack { "Expected: 32-bit floating" } else { "is outside valid range" }),
        (s("1, 0, 0"), "Expected: 32-bit floating point number list"),
        (AttributeValue::Null(true), "Expected: 32-bit floating point number list"),
    ] {
        let put = client.put_item().table_name("articles").item("id", s("1")).item("embedding", vector.clone());
        let error = put.send().await.expect_err("refused");
        assert!(error.message().is_some_and(|message| message.contains(expected)), "{vector:?}: {error:?}");
    }
}

#[tokio::test]
async fn a_write_of_another_type_in_a_partition_or_filter_is_refused() {
    let (_world, client) = articles().await;
    for (name, value) in
        [("tenant", n(1)), ("brand", n(1)), ("language", AttributeValue::Bool(true)), ("tenant", s(""))]
    {
        // The write is refused even without a vector.
        let put = client.put_item().table_name("articles").item("id", s("1")).item(name, value.clone());
        assert!(put.send().await.is_err(), "{name} = {value:?}");
    }
}

#[tokio::test]
async fn an_item_without_the_partition_or_the_vector_is_silently_not_in_the_index() {
    let (world, client) = articles().await;
    let vector = || list(&["1", "0", "0"]);
    for row in [
        item([("id", s("whole")), ("tenant", s("acme")), ("brand", s("x")), ("embedding", vector())]),
        item([("id", s("no filter")), ("tenant", s("acme")), ("embedding", vector())]),
        item([("id", s("no partition")), ("brand", s("x")), ("embedding", vector())]),
        item([("id", s("no vector")), ("tenant", s("acme")), ("brand", s("x"))]),
    ] {
        world.write_foreign::<Article>(row).await;
    }
    let mut ids: Vec<Item> = found(search(&client).projection_expression("id")).await;
    ids.sort_by_key(|item| item["id"].as_s().expect("a text").clone());
    assert_eq!(ids, [item([("id", s("no filter"))]), item([("id", s("whole"))])]);
}

#[tokio::test]
async fn the_vector_is_in_the_results_only_if_it_is_named() {
    let world = world::<Picture>().await;
    picture("a", [0.5, 0.25]).put().send(&world.repository).await.expect("a put");
    let client = world.client(RetryConfig::disabled());
    let search = client.search_vectors().table_name("pictures").index_name("near").top_k(1);
    let search = search.set_search_vector(Some(vec![n(0), n(0)]));
    assert_eq!(found(search.clone()).await, [item([("id", s("a")), ("caption", s("a"))])]);
    let named = found(search.projection_expression("id, vector")).await;
    assert_eq!(named, [item([("id", s("a")), ("vector", list(&["0.5", "0.25"]))])]);
}

#[tokio::test]
async fn what_an_index_does_not_hold_is_left_out_without_an_error() {
    let (world, client) = articles().await;
    article("1", "t", Some(X)).put().send(&world.repository).await.expect("a put");
    let named = found(search(&client).projection_expression("id, body, nowhere")).await;
    assert_eq!(named, [item([("id", s("1"))])]);
}

#[tokio::test]
async fn a_search_takes_one_equality_of_each_attribute_of_its_schema() {
    let (_world, client) = articles().await;
    let with = |condition: &str| search(&client).search_condition_expression(condition);
    let and = |condition: &str| with(&format!("tenant = :t AND {condition}"));
    for range in ["brand > :b", "brand BETWEEN :b AND :b", "begins_with(brand, :b)", "brand <> :b", "brand IN (:b)"] {
        let refused = refusal(and(range).expression_attribute_values(":b", s("x"))).await;
        if range.starts_with("begins") && differs(Engine::MiniStack, "`begins_with` is refused in other words") {
            continue;
        }
        assert!(refused.contains("Invalid comparator used in SearchConditionExpression"), "{range}: {refused}");
    }
    if !differs(Engine::MiniStack, "two conditions of one attribute are served") {
        let twice = refusal(and("tenant = :b").expression_attribute_values(":b", s("x"))).await;
        assert!(twice.contains("one condition per attribute"), "{twice}");
    }
    refusal(and("title = :b").expression_attribute_values(":b", s("x"))).await;
    let without = client.search_vectors().table_name("articles").index_name("similar").top_k(1);
    refusal(without.set_search_vector(Some(vec![n(1), n(0), n(0)]))).await;
}

#[tokio::test]
async fn a_search_has_1_to_100_results_and_as_many_dimensions_as_its_index() {
    let (_world, client) = articles().await;
    for top in [0, 101] {
        refusal(search(&client).top_k(top)).await;
    }
    let other = refusal(search(&client).set_search_vector(Some(vec![n(1)]))).await;
    assert!(other.contains("dimension 1 does not match vector index dimension 3"), "{other}");
}

#[tokio::test]
async fn only_the_costs_of_indexes_show_the_bytes_that_a_write_stores() {
    let (_world, client) = articles().await;
    for (asked, expected) in [(ReturnConsumedCapacity::Total, None), (ReturnConsumedCapacity::Indexes, Some(1024.0))] {
        let put = client.put_item().table_name("articles").item("id", s(asked.as_str())).item("tenant", s("acme"));
        let put = put.item("embedding", list(&["1", "0", "0"])).return_consumed_capacity(asked.clone());
        let capacity = put.send().await.expect("a put").consumed_capacity.expect("its cost");
        let index = capacity.vector_indexes().and_then(|indexes| indexes.get("similar"));
        assert_eq!(index.and_then(VectorCapacity::vector_write_request_bytes), expected, "{asked}");
    }
    let searched = search(&client).return_consumed_capacity(ReturnConsumedCapacity::Total);
    let capacity = searched.send().await.expect("a search").consumed_capacity.expect("its cost");
    let least =
        if differs(Engine::MiniStack, "a search may cost less than 1024 bytes") { 4.0 * 2.0 * 3.0 } else { 1024.0 };
    assert!(capacity.vector_search_request_bytes().is_some_and(|bytes| bytes >= least));
}

/// The index holds 32-bit floats, and the item holds the numbers as they were written.
#[tokio::test]
async fn an_index_holds_numbers_as_32_bit_floats() {
    let world = world::<Picture>().await;
    let client = world.client(RetryConfig::disabled());
    let exact = list(&["0.123456789", "0"]);
    let row = item([("id", s("a")), ("caption", s("a")), ("vector", exact.clone())]);
    world.write_foreign::<Picture>(row).await;
    assert_eq!(world.stored::<Picture>().await[0]["vector"], exact);
    let search = client.search_vectors().table_name("pictures").index_name("near").top_k(1);
    let search = search.set_search_vector(Some(vec![n(0), n(0)])).projection_expression("vector");
    let zero = if differs(Engine::MiniStack, "an index returns whole numbers without `.0`") { "0" } else { "0.0" };
    assert_eq!(found(search).await, [item([("vector", list(&["0.12345679", zero]))])]);
}

/// Returns an index of another vector attribute.
fn another(number: usize) -> VectorIndex {
    let name = format!("vector{number}");
    let attribute = VectorAttributeDefinition::builder().attribute_name(&name).build().expect("an attribute");
    VectorIndex::builder()
        .index_name(name)
        .vector_attribute(attribute)
        .projection(Projection::builder().projection_type(ProjectionType::KeysOnly).build())
        .dimensions(2)
        .distance_function(VectorDistanceFunction::Cosine)
        .build()
        .expect("an index")
}

#[tokio::test]
async fn a_table_has_at_most_5_vector_indexes_and_is_billed_on_demand() {
    let (_world, client) = articles().await;
    for (indexes, billing, is_created) in [
        (5, BillingMode::PayPerRequest, true),
        (6, BillingMode::PayPerRequest, false),
        (1, BillingMode::Provisioned, false),
    ] {
        let id = AttributeDefinition::builder().attribute_name("id").attribute_type(ScalarAttributeType::S).build();
        let key = KeySchemaElement::builder().attribute_name("id").key_type(KeyType::Hash).build();
        let units = ProvisionedThroughput::builder().read_capacity_units(1).write_capacity_units(1).build();
        let create = client
            .create_table()
            .table_name(format!("table{indexes}{billing}"))
            .attribute_definitions(id.expect("a definition"))
            .key_schema(key.expect("a key"))
            .set_provisioned_throughput((billing == BillingMode::Provisioned).then(|| units.expect("units")))
            .billing_mode(billing.clone())
            .set_vector_indexes(Some((0..indexes).map(another).collect()));
        assert_eq!(create.send().await.is_ok(), is_created, "{indexes} {billing}");
    }
}

#[tokio::test]
async fn one_vector_index_is_removed_at_a_time() {
    let (_world, client) = articles().await;
    let delete = || {
        let delete = DeleteVectorIndexAction::builder().index_name("similar").build().expect("an action");
        VectorIndexUpdate::builder().delete(delete).build()
    };
    let both =
        client.update_table().table_name("articles").vector_index_updates(delete()).vector_index_updates(delete());
    let error = both.send().await.expect_err("two at once");
    assert_eq!(error.code(), Some("LimitExceededException"), "{error:?}");
}

/// A vector with as many dimensions as many models have.
#[derive(Entity)]
#[entity(table = "embeddings")]
#[index(name = "near", vector = vector, projection = "keys")]
struct Embedding {
    #[partition_key]
    id: String,
    vector: Box<[f32; 1024]>,
}

#[tokio::test]
async fn a_table_bills_4_bytes_for_each_number_of_a_vector() {
    let world = world::<Embedding>().await;
    let repository = world.repository.metered();
    let numbers: [f32; 1024] =
        std::array::from_fn(|index| 0.123_456 + f32::from(u8::try_from(index % 7).expect("small")));
    Embedding { id: "1".to_owned(), vector: Box::new(numbers) }.put().send(&repository).await.expect("a put");
    // 4096 bytes for the vector, and the names and the key. Each number has 7 digits.
    assert_eq!(repository.usage().write_units, 5.0);
    assert!((4096.0..4200.0).contains(&repository.usage().vector_write_bytes), "{:?}", repository.usage());
}
