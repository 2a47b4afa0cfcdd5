//! The tables that a template describes are those that the entities need: a small interpreter creates them, and `verify_table`
//! finds no difference.

use super::{Account, Article, Order, Parcel, Row, model, repository};
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::types::TimeToLiveSpecification;
use dyno::lock::Lock;
use dyno::model::Model;
use dyno::table::Mismatch;
use dyno::{Entity, Repository, TableOptions};
use dyno_tests::world;
use serde_json::{Value, json};

#[derive(Entity)]
#[entity(table = "unrelated")]
struct Unrelated {
    #[partition_key]
    id: String,
}

/// Creates the tables of a template.
async fn deploy(client: &Client, template: &str) {
    let template: Value = serde_json::from_str(template).expect("JSON");
    for (name, resource) in template["Resources"].as_object().expect("resources") {
        assert_eq!(resource["Type"], "AWS::DynamoDB::Table", "{name}");
        let mut properties = resource["Properties"].clone();
        let ttl = properties.as_object_mut().expect("properties").remove("TimeToLiveSpecification");
        if let Some(stream) = properties.get_mut("StreamSpecification") {
            stream["StreamEnabled"] = json!(true);
        }
        let table = properties["TableName"].as_str().expect("a name").to_owned();
        let body = properties.to_string();
        let create = client.create_table().table_name(&table).customize().mutate_request(move |request| {
            request.headers_mut().insert("content-length", body.len().to_string());
            *request.body_mut() = body.clone().into();
        });
        create.send().await.expect("a table");
        if let Some(ttl) = ttl {
            let ttl = TimeToLiveSpecification::builder()
                .enabled(ttl["Enabled"].as_bool().expect("a flag"))
                .attribute_name(ttl["AttributeName"].as_str().expect("an attribute"));
            let update = client.update_time_to_live().table_name(table);
            update.time_to_live_specification(ttl.build().expect("TTL")).send().await.expect("TTL");
        }
    }
}

#[tokio::test]
async fn the_tables_of_a_template_are_the_tables_that_the_entities_need() {
    let world = world::<Unrelated>().await;
    let client = world.repository.client();
    let repository = Repository::new(client.clone()).with_table_prefix("test-");
    deploy(client, model(&repository).cloudformation().expect("a template").as_str()).await;
    let protected = TableOptions::default().deletion_protection();
    assert_eq!(repository.verify_table_with::<Order>(&protected).await.expect("a comparison").to_string(), "");
    let streamed = TableOptions::default().stream(dyno::aws_sdk_dynamodb::types::StreamViewType::NewAndOldImages);
    let differences = repository.verify_shared_table_with::<Row>(&streamed).await.expect("a comparison");
    assert_eq!(differences.to_string(), "");
    assert_eq!(repository.verify_table::<Account>().await.expect("a comparison").to_string(), "");
    assert_eq!(repository.verify_lane_table().await.expect("a comparison").to_string(), "");
    assert_eq!(repository.verify_request_table().await.expect("a comparison").to_string(), "");
    // A lock works.
    let held = Lock::new("job").acquire(&repository).await.expect("a lock");
    let _released = held.release().await.expect("a release");
}

#[tokio::test]
async fn indexes_of_vectors_and_of_several_attributes_are_those_that_the_entities_need() {
    let repository = repository();
    let model = Model::new(&repository).table::<Article>().table::<Parcel>();
    deploy(repository.client(), model.cloudformation().expect("a template").as_str()).await;
    assert_eq!(repository.verify_table::<Parcel>().await.expect("a comparison").to_string(), "");
    assert_eq!(repository.verify_table::<Article>().await.expect("a comparison").to_string(), "");
}

#[tokio::test]
async fn a_change_in_a_template_is_a_difference() {
    let repository = repository();
    let template = Model::new(&repository).table::<Account>().cloudformation().expect("a template");
    deploy(repository.client(), &template.as_str().replace("\"ttl\"", "\"until\"")).await;
    let found: Vec<_> = repository.verify_table::<Account>().await.expect("a comparison").into_iter().collect();
    let expected = Mismatch::TtlElsewhere { expected: "ttl".to_owned(), found: "until".to_owned() };
    assert_eq!(found.into_iter().map(|difference| difference.what).collect::<Vec<_>>(), [expected]);
}
