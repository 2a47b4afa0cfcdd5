//! Filters by attributes that an index does not hold, in requests of the SDK. dyno itself refuses to send them.

use super::orders;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use dyno_tests::{Engine, differs, s};

#[tokio::test]
async fn a_query_whose_filter_names_an_attribute_outside_the_index_is_refused() {
    let world = orders().await;
    let client = world.client(RetryConfig::disabled());
    for (index, key, filter, lacking) in [
        (
            "by_total",
            "Customer#ada",
            "#courier = :a OR attribute_exists(city.#courier) AND #courier <> city",
            "courier, city",
        ),
        ("by_total", "Customer#ada", "size(#courier) IN (:a) AND NOT attribute_exists(SK)", "courier"),
        ("by_order", "Order#000001", "attribute_not_exists(#placed)", "placed"),
        ("by_order", "Order#000001", "contains(placed[0].first_step, :a)", "placed"),
    ] {
        let partition = if index == "by_total" { "PK" } else { "SK" };
        let mut query = client.query().table_name("orders").index_name(index);
        query = query.key_condition_expression(format!("{partition} = :key")).filter_expression(filter);
        query = query.expression_attribute_values(":key", s(key));
        for name in ["courier", "placed"].iter().filter(|name| filter.contains(&format!("#{name}"))) {
            query = query.expression_attribute_names(format!("#{name}"), *name);
        }
        if filter.contains(":a") {
            query = query.expression_attribute_values(":a", s("a"));
        }
        let answer = query.send().await;
        if !differs(Engine::MiniStack, "a filter may name an attribute that the index does not hold") {
            let expected = format!(
                "One or more parameter values were invalid: Secondary index {index} does not project one or more filter attributes: [{lacking}]"
            );
            let error = answer.expect_err("refused");
            assert_eq!((error.code(), error.message()), (Some("ValidationException"), Some(&*expected)));
        }
    }
    let found = world.take_faults_of_requests();
    assert!(found.iter().any(|fault| fault.contains("does not project the filter attribute placed")), "{found:?}");
}

#[tokio::test]
async fn a_filter_by_attributes_of_the_index_is_served() {
    let world = orders().await;
    let client = world.client(RetryConfig::disabled());
    let of = |index: &str| client.query().table_name("orders").index_name(index);
    let by_total = of("by_total").key_condition_expression("PK = :key").filter_expression("attribute_exists(SK)");
    let by_total = by_total.expression_attribute_values(":key", s("Customer#ada"));
    assert_eq!(by_total.send().await.expect("a query").count(), 3);
    // It holds all attributes.
    let by_status = of("by_status").key_condition_expression("#status = :open").filter_expression("courier = :post");
    let by_status = by_status.expression_attribute_names("#status", "status");
    let by_status =
        by_status.expression_attribute_values(":open", s("open")).expression_attribute_values(":post", s("Post"));
    assert_eq!(by_status.send().await.expect("a query").count(), 4);
}
