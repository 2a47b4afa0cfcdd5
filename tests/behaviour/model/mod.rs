//! The files for other tools: what they have, that the tables which they describe are those that the entities need, and that a file
//! which differs is reported.

mod comparison;
mod deployment;
mod errors;
mod lock;
mod page;

use dyno::aws_sdk_dynamodb::types::StreamViewType;
use dyno::local::Engine;
use dyno::model::{Export, Model};
use dyno::{Entities, Entity, EpochSeconds, Repository, TableOptions};

#[derive(Entity)]
#[entity(table = "orders")]
#[tombstone(ttl_days = 7)]
#[history_table(ttl_days = 90)]
#[index(name = "by_status", partition = status, sort = placed_at, projection(total))]
#[index(name = "by_total", local, sort = total)]
struct Order {
    #[partition_key]
    shop: String,
    #[sort_key]
    id: u64,
    status: String,
    total: u64,
    placed_at: i64,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[entity(table = "shop.rows", type_name = "customer")]
#[partition_key(name = "PK", template = "Customer#{id}")]
#[sort_key(name = "SK", template = "Profile")]
#[index(name = "GSI1", query = by_city, partition(name = "GSI1PK", template = "City#{city}"), sort(name = "GSI1SK", template = "Customer#{id}"))]
struct Customer {
    id: String,
    city: String,
    #[unique]
    email: Option<String>,
}

#[derive(Entity)]
#[entity(table = "shop.rows", type_name = "basket")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "Basket#{number:04}")]
#[idempotency(store = "row", window_secs = 86_400)]
struct Basket {
    customer: String,
    number: u32,
    total: u64,
    #[ttl]
    until: Option<EpochSeconds>,
}

#[expect(dead_code, reason = "only the table of the rows is used here")]
#[derive(Entities)]
enum Row {
    Customer(Customer),
    Basket(Basket),
}

#[derive(Entity)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
#[history_table]
struct Account {
    #[partition_key]
    id: u64,
    balance: u64,
    #[version]
    version: u64,
}

/// It has an index whose keys have several attributes.
#[derive(Entity)]
#[entity(table = "parcels")]
#[idempotency(window_secs = 600)]
#[index(name = "by_place", partition(country, city), sort(street, number), projection = "keys")]
struct Parcel {
    #[partition_key]
    id: String,
    country: String,
    city: String,
    street: String,
    number: u32,
}

/// It has a vector index.
#[derive(Entity)]
#[entity(table = "articles")]
#[index(name = "similar", vector = embedding, of(title), partition = tenant, filter(language), metric = "euclidean", projection(title))]
struct Article {
    #[partition_key]
    id: String,
    tenant: String,
    language: String,
    title: String,
    embedding: Option<[f32; 2]>,
}

/// Tables that every engine can create.
fn model(repository: &Repository) -> Model<'_> {
    let model = Model::new(repository).table::<Account>().lane_table().request_table().lock_table();
    let streamed = TableOptions::default().stream(StreamViewType::NewAndOldImages).tag("team", "${shop}");
    let protected = TableOptions::default().provisioned(5, 2).deletion_protection();
    model.shared_table_with::<Row>(&streamed).table_with::<Order>(&protected)
}

fn repository() -> Repository {
    let engine = Engine::in_memory().expect("an engine");
    Repository::new(engine.client()).with_table_prefix("test-")
}

fn assert_same(export: &Export, file: &str) {
    export.same_as(format!("{}/behaviour/model/{file}", env!("CARGO_MANIFEST_DIR"))).expect("the file of the export");
}

#[test]
fn a_template_of_cloudformation_has_each_table_of_the_entities() {
    let repository = repository();
    let model = model(&repository).table::<Parcel>().table::<Article>();
    assert_same(&model.cloudformation().expect("a template"), "cloudformation.json");
}

#[test]
fn a_configuration_of_terraform_has_each_table_of_the_entities() {
    let repository = repository();
    let model = model(&repository).table::<Parcel>();
    assert_same(&model.terraform().expect("a configuration"), "terraform.tf.json");
}

#[test]
fn a_policy_has_the_actions_on_each_table_and_index() {
    let repository = repository().with_table::<Order>("arn:aws:dynamodb:eu-west-1:210987654321:table/orders");
    let model = model(&repository).table::<Article>();
    let policy = model.policy("arn:aws:dynamodb:eu-central-1:123456789012:table/").expect("a policy");
    assert_same(&policy, "policy.json");
}
