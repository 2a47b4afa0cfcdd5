//! The calls that the benches measure, with dyno and with the SDK alone, and a client that answers them at once.

pub mod answers;

use self::answers::Answers;
use crate::canned;
use crate::composed;
use crate::customer::{Customer, decode_by_hand, encode_by_hand};
use aws_smithy_types::body::SdkBody;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::operation::put_item::builders::PutItemFluentBuilder;
use dyno::aws_sdk_dynamodb::operation::scan::builders::ScanFluentBuilder;
use dyno::aws_sdk_dynamodb::operation::search_vectors::builders::SearchVectorsFluentBuilder;
use dyno::aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use dyno::aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure};
use dyno::{Entity, Projection, Repository};
use std::hint::black_box;

/// Declares a customer with an attribute at its name, an attribute at its visits, and a version.
macro_rules! customer {
    ($(#[$doc:meta])* $customer:ident; $(name #[$name:meta])? $(visits #[$visits:meta])? $(versioned $version:ident)?) => {
        $(#[$doc])*
        #[derive(Entity, Clone, Debug)]
        #[entity(table = "customers")]
        #[expect(missing_docs, reason = "the fields of `Customer`")]
        pub struct $customer {
            #[partition_key]
            pub id: String,
            $(#[$name])?
            pub name: String,
            pub email: String,
            pub note: Option<String>,
            pub age: u8,
            $(#[$visits])?
            pub visits: u64,
            pub balance: i64,
            pub score: f64,
            pub active: bool,
            pub tags: Vec<String>,
            $(#[version] pub $version: u64,)?
        }
    };
}

customer! {
    /// A customer with a ratchet: a late write does not overwrite a newer one.
    RatchetedCustomer; visits #[ratchet]
}

customer! {
    /// A customer with a version.
    VersionedCustomer; versioned version
}

customer! {
    /// A customer with a sort key.
    SortedCustomer; name #[sort_key]
}

impl RatchetedCustomer {
    /// The customer of [`Customer::sample`].
    #[must_use]
    pub fn sample() -> Self {
        let Customer { id, name, email, note, age, visits, balance, score, active, tags } = Customer::sample();
        Self { id, name, email, note, age, visits, balance, score, active, tags }
    }
}

/// A customer with a vector that describes what the customer likes.
#[derive(Entity, Clone, Debug)]
#[entity(table = "customers")]
#[index(name = "alike", vector = likes, partition = country, projection(name))]
#[expect(missing_docs, reason = "the names say it")]
pub struct VectorCustomer {
    #[partition_key]
    pub id: String,
    pub name: String,
    pub country: String,
    pub likes: [f32; 256],
}

/// The attributes of a customer that a search returns.
#[derive(Projection, Clone, Debug)]
#[projection(of = VectorCustomer, index = VectorCustomerAlike)]
#[expect(missing_docs, reason = "the names say it")]
pub struct AlikeCustomer {
    pub id: String,
    pub name: String,
}

/// Makes the call of this name.
///
/// # Panics
/// The call fails, or no call has this name.
pub async fn call(
    name: &str,
    client: &Client,
    repository: &Repository,
    customer: &Customer,
    ratcheted: &RatchetedCustomer,
) {
    let id = || AttributeValue::S(customer.id.clone());
    match name {
        "put" => customer.put().send(repository).await.expect("a put"),
        "put by hand" => drop(put_by_hand(client, customer).send().await.expect("a put")),
        "ratcheted put" => {
            ratcheted.put().send(repository).await.expect("sent").applied().expect("applied");
        }
        "ratcheted put by hand" => {
            let put = put_by_hand(client, customer)
                .condition_expression("attribute_not_exists(#visits) OR #visits < :visits")
                .expression_attribute_names("#visits", "visits")
                .expression_attribute_values(":visits", AttributeValue::N(customer.visits.to_string()))
                .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
            drop(put.send().await.expect("a put"));
        }
        "get" => drop(black_box(Customer::get(&*customer.id).send(repository).await.expect("a get"))),
        "get by hand" => {
            let get = client.get_item().table_name("customers").key("id", id());
            let get = get.return_consumed_capacity(ReturnConsumedCapacity::Total);
            drop(black_box(get.send().await.expect("a get").item.and_then(decode_by_hand).expect("a customer")));
        }
        "delete" => Customer::delete(&*customer.id).send(repository).await.expect("a delete"),
        "delete by hand" => {
            let delete = client.delete_item().table_name("customers").key("id", id());
            drop(delete.return_consumed_capacity(ReturnConsumedCapacity::Total).send().await.expect("a delete"));
        }
        "update" => {
            let (fields, update) = (Customer::fields(), Customer::update(&*customer.id));
            let update = update.with((fields.name.set("Ada"), fields.visits.add(1), fields.note.clear()));
            update.send(repository).await.expect("sent").applied().expect("applied");
        }
        "update by hand" => drop(update_by_hand(client, customer).send().await.expect("an update")),
        "modify" => {
            let modify = VersionedCustomer::modify(&*customer.id, |customer| {
                customer.visits += 1;
                customer.note = None;
            });
            drop(black_box(modify.send(repository).await.expect("sent").applied().expect("applied")));
        }
        "modify by hand" => drop(black_box(modify_by_hand(client, &customer.id).await)),
        "query of 1" => {
            let page = SortedCustomer::query(&*customer.id).limit(1).send(repository).await.expect("a page");
            assert_eq!(black_box(page.items).len(), 1);
        }
        "query of 1 by hand" => assert_eq!(query_by_hand(client, &customer.id, Some(1)).await, 1),
        "query of 100" => {
            let page = SortedCustomer::query(&*customer.id).send(repository).await.expect("a page");
            assert_eq!(black_box(page.items).len(), 100);
        }
        "query of 100 by hand" => assert_eq!(query_by_hand(client, &customer.id, None).await, 100),
        "scan" => {
            let page = Customer::scan().send(repository).await.expect("a page");
            assert_eq!(black_box(page.items).len(), 100);
        }
        "scan by hand" => {
            let output = scan_by_hand(client).send().await.expect("a page");
            let customers = output.items.unwrap_or_default().into_iter().map(decode_by_hand);
            assert_eq!(black_box(customers.collect::<Option<Vec<_>>>()).map(|all| all.len()), Some(100));
        }
        "search" => {
            let search = VectorCustomer::alike("CH", LIKES).project::<AlikeCustomer>();
            assert_eq!(black_box(search.send(repository).await.expect("a search").items).len(), 10);
        }
        "search by hand" => {
            let output = search_by_hand(client).send().await.expect("a search");
            let found = output.search_results.unwrap_or_default().into_iter().map(|result| {
                let mut item = result.item?;
                let (AttributeValue::S(id), AttributeValue::S(name)) = (item.remove("id")?, item.remove("name")?)
                else {
                    return None;
                };
                Some((AlikeCustomer { id, name }, result.score))
            });
            assert_eq!(black_box(found.collect::<Option<Vec<_>>>()).map(|all| all.len()), Some(10));
        }
        _ => composed::call(name, client, repository).await,
    }
}

/// A put with the SDK alone.
#[must_use]
pub fn put_by_hand(client: &Client, customer: &Customer) -> PutItemFluentBuilder {
    let put = client.put_item().table_name("customers").set_item(Some(encode_by_hand(customer)));
    put.return_consumed_capacity(ReturnConsumedCapacity::Total)
}

fn update_by_hand(client: &Client, customer: &Customer) -> UpdateItemFluentBuilder {
    client
        .update_item()
        .table_name("customers")
        .key("id", AttributeValue::S(customer.id.clone()))
        .update_expression("SET #name = :name, #visits = #visits + :one REMOVE #note")
        .condition_expression("attribute_exists(#id)")
        .expression_attribute_names("#id", "id")
        .expression_attribute_names("#name", "name")
        .expression_attribute_names("#visits", "visits")
        .expression_attribute_names("#note", "note")
        .expression_attribute_values(":name", AttributeValue::S("Ada".to_owned()))
        .expression_attribute_values(":one", AttributeValue::N("1".to_owned()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
}

/// Queries customers with the SDK alone, and returns how many there are.
async fn query_by_hand(client: &Client, id: &str, limit: Option<i32>) -> usize {
    let query = client
        .query()
        .table_name("customers")
        .key_condition_expression("#id = :id")
        .expression_attribute_names("#id", "id")
        .expression_attribute_values(":id", AttributeValue::S(id.to_owned()))
        .set_limit(limit)
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    let items = query.send().await.expect("a page").items.unwrap_or_default();
    let customers: Option<Vec<_>> = items.into_iter().map(decode_by_hand).collect();
    black_box(customers).expect("customers").len()
}

/// Loads a customer, changes it, and writes back what has changed, if no writer has written since. The write id tells after a
/// lost answer whether the write was applied.
async fn modify_by_hand(client: &Client, id: &str) -> Customer {
    let get = client.get_item().table_name("customers").key("id", AttributeValue::S(id.to_owned()));
    let get = get.consistent_read(true).return_consumed_capacity(ReturnConsumedCapacity::Total);
    let mut item = get.send().await.expect("a get").item.expect("an item");
    let version: u64 = item.get("version").and_then(|version| version.as_n().ok()?.parse().ok()).expect("a version");
    let read = item.remove("_w").expect("a write id");
    let mut customer = decode_by_hand(item).expect("a customer");
    customer.visits += 1;
    customer.note = None;
    let written: String = (0..17).map(|_| fastrand::alphanumeric()).collect();
    let update = client
        .update_item()
        .table_name("customers")
        .key("id", AttributeValue::S(id.to_owned()))
        .update_expression("SET #visits = :visits, #version = :next, #w = :written REMOVE #note")
        .condition_expression("#version = :version AND #w = :read")
        .expression_attribute_names("#visits", "visits")
        .expression_attribute_names("#version", "version")
        .expression_attribute_names("#w", "_w")
        .expression_attribute_names("#note", "note")
        .expression_attribute_values(":visits", AttributeValue::N(customer.visits.to_string()))
        .expression_attribute_values(":next", AttributeValue::N((version + 1).to_string()))
        .expression_attribute_values(":version", AttributeValue::N(version.to_string()))
        .expression_attribute_values(":written", AttributeValue::S(written))
        .expression_attribute_values(":read", read)
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    drop(update.send().await.expect("an update"));
    customer
}

/// The vector to search for.
const LIKES: [f32; 256] = [0.125; 256];

fn search_by_hand(client: &Client) -> SearchVectorsFluentBuilder {
    let vector = LIKES.iter().map(|number| AttributeValue::N(number.to_string())).collect();
    client
        .search_vectors()
        .table_name("customers")
        .index_name("alike")
        .search_condition_expression("#country = :country")
        .projection_expression("#id, #name")
        .expression_attribute_names("#country", "country")
        .expression_attribute_names("#id", "id")
        .expression_attribute_names("#name", "name")
        .expression_attribute_values(":country", AttributeValue::S("CH".to_owned()))
        .set_search_vector(Some(vector))
        .top_k(10)
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
}

fn scan_by_hand(client: &Client) -> ScanFluentBuilder {
    client.scan().table_name("customers").return_consumed_capacity(ReturnConsumedCapacity::Total)
}

/// A client whose requests all succeed, and are answered without a connection.
#[must_use]
pub fn client() -> Client {
    let answers = Answers::new();
    let config = canned::config(move |request| {
        let target = request.headers().get("x-amz-target").and_then(|target| target.split('.').next_back());
        SdkBody::from(answers.to(target.unwrap_or_default(), request.body().bytes().unwrap_or_default()))
    });
    Client::from_conf(config.build())
}
