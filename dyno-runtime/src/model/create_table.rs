//! The request that creates a table, as JSON. CloudFormation has the same names for the same properties.

use aws_sdk_dynamodb::operation::create_table::builders::CreateTableInputBuilder;
use aws_sdk_dynamodb::types::{
    KeySchemaElement, Projection, ProvisionedThroughput, SearchSchemaElement, Tag, VectorIndex,
};
use serde_json::{Map, Value, json};

/// Returns the properties of a table, without its stream, which the request and CloudFormation write differently.
pub(super) fn properties(table: &CreateTableInputBuilder) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            properties.insert(name.to_owned(), value);
        }
    };
    add("TableName", table.get_table_name().as_ref().map(|name| json!(name)));
    add("BillingMode", table.get_billing_mode().as_ref().map(|mode| json!(mode.as_str())));
    add("KeySchema", table.get_key_schema().as_deref().map(key_schema));
    add(
        "AttributeDefinitions",
        table.get_attribute_definitions().as_ref().map(|definitions| {
            let definition = definitions.iter().map(|definition| {
                json!({
                    "AttributeName": definition.attribute_name(),
                    "AttributeType": definition.attribute_type().as_str(),
                })
            });
            definition.collect()
        }),
    );
    add("ProvisionedThroughput", table.get_provisioned_throughput().as_ref().map(throughput));
    add(
        "GlobalSecondaryIndexes",
        table.get_global_secondary_indexes().as_ref().map(|indexes| {
            let index = indexes.iter().map(|index| {
                let units = index.provisioned_throughput();
                self::index(index.index_name(), index.key_schema(), index.projection(), units)
            });
            index.collect()
        }),
    );
    add(
        "LocalSecondaryIndexes",
        table.get_local_secondary_indexes().as_ref().map(|indexes| {
            let index = indexes
                .iter()
                .map(|index| self::index(index.index_name(), index.key_schema(), index.projection(), None));
            index.collect()
        }),
    );
    add("VectorIndexes", table.get_vector_indexes().as_ref().map(|indexes| indexes.iter().map(vector_index).collect()));
    add("DeletionProtectionEnabled", table.get_deletion_protection_enabled().map(Value::Bool));
    add("Tags", table.get_tags().as_ref().map(|tags| tags.iter().map(tag).collect()));
    properties
}

fn key_schema(keys: &[KeySchemaElement]) -> Value {
    let key =
        keys.iter().map(|key| json!({ "AttributeName": key.attribute_name(), "KeyType": key.key_type().as_str() }));
    key.collect()
}

fn index(
    name: &str,
    keys: &[KeySchemaElement],
    projection: Option<&Projection>,
    units: Option<&ProvisionedThroughput>,
) -> Value {
    let mut index = Map::new();
    index.insert("IndexName".to_owned(), json!(name));
    index.insert("KeySchema".to_owned(), key_schema(keys));
    index.extend(projection.map(|held| ("Projection".to_owned(), self::projection(held))));
    index.extend(units.map(|units| ("ProvisionedThroughput".to_owned(), throughput(units))));
    Value::Object(index)
}

fn projection(projection: &Projection) -> Value {
    let mut held = Map::new();
    held.extend(projection.projection_type().map(|kind| ("ProjectionType".to_owned(), json!(kind.as_str()))));
    if !projection.non_key_attributes().is_empty() {
        held.insert("NonKeyAttributes".to_owned(), json!(projection.non_key_attributes()));
    }
    Value::Object(held)
}

fn throughput(units: &ProvisionedThroughput) -> Value {
    json!({ "ReadCapacityUnits": units.read_capacity_units(), "WriteCapacityUnits": units.write_capacity_units() })
}

fn vector_index(index: &VectorIndex) -> Value {
    let mut made = Map::new();
    made.insert("IndexName".to_owned(), json!(index.index_name()));
    made.extend(
        index
            .vector_attribute()
            .map(|vector| ("VectorAttribute".to_owned(), json!({ "AttributeName": vector.attribute_name() }))),
    );
    if !index.search_schema().is_empty() {
        made.insert("SearchSchema".to_owned(), index.search_schema().iter().map(search_element).collect());
    }
    made.extend(index.projection().map(|held| ("Projection".to_owned(), projection(held))));
    made.insert("Dimensions".to_owned(), json!(index.dimensions()));
    made.insert("DistanceFunction".to_owned(), json!(index.distance_function().as_str()));
    Value::Object(made)
}

fn search_element(element: &SearchSchemaElement) -> Value {
    json!({
        "AttributeName": element.attribute_name(),
        "SearchSchemaElementType": element.search_schema_element_type().as_str(),
    })
}

fn tag(tag: &Tag) -> Value {
    json!({ "Key": tag.key(), "Value": tag.value() })
}
