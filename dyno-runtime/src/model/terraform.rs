//! The tables as a configuration of Terraform, in JSON.

use super::planned_table::PlannedTable;
use super::resource_name::unique_names;
use crate::error::Error;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{KeySchemaElement, KeyType, Projection, ProvisionedThroughput};
use serde_json::{Map, Value, json};

/// Returns the configuration.
pub(super) fn configuration(client: &Client, tables: &[PlannedTable]) -> Result<Value, Error> {
    let names = unique_names(tables, resource_name)?;
    let resources = names.into_iter().zip(tables).map(|(name, table)| Ok((name, resource(client, table)?)));
    let resources: Map<String, Value> = resources.collect::<Result<_, Error>>()?;
    let mut configuration = json!({ "resource": { "aws_dynamodb_table": resources } });
    escape(&mut configuration);
    Ok(configuration)
}

/// Escapes what begins a template: in JSON, Terraform evaluates each string as a template.
fn escape(value: &mut Value) {
    match value {
        Value::String(text) => *text = text.replace("${", "$${").replace("%{", "%%{"),
        Value::Array(values) => values.iter_mut().for_each(escape),
        Value::Object(members) => members.values_mut().for_each(escape),
        _ => {}
    }
}

/// Returns the name of a table's resource: it has letters, digits, `_` and `-`, and does not begin with a digit or `-`.
fn resource_name(table: &str) -> String {
    let name = table.replace('.', "_");
    if name.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-') { format!("_{name}") } else { name }
}

fn resource(client: &Client, table: &PlannedTable) -> Result<Value, Error> {
    let request = table.creation(client)?;
    let input = request.as_input();
    if let Some(vector) = table.plan.vector_indexes.first() {
        return Err(Error::invalid(format!(
            "the table `{}` has the vector index `{}`, which Terraform's provider cannot create yet: use `create_table` or CloudFormation for this table",
            table.plan.name, vector.index.name
        )));
    }
    let mut resource = Map::new();
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            resource.insert(name.to_owned(), value);
        }
    };
    let keys = input.get_key_schema().as_deref().unwrap_or_default();
    let units = input.get_provisioned_throughput().as_ref();
    add("name", Some(json!(table.plan.name)));
    add("billing_mode", input.get_billing_mode().as_ref().map(|mode| json!(mode.as_str())));
    add("hash_key", key(keys, &KeyType::Hash));
    add("range_key", key(keys, &KeyType::Range));
    add("read_capacity", units.map(|units| json!(units.read_capacity_units())));
    add("write_capacity", units.map(|units| json!(units.write_capacity_units())));
    add(
        "attribute",
        input.get_attribute_definitions().as_ref().map(|definitions| {
            let definition = definitions.iter().map(|definition| {
            json!({ "name": definition.attribute_name(), "type": definition.attribute_type().as_str() })
        });
            definition.collect()
        }),
    );
    add(
        "global_secondary_index",
        input.get_global_secondary_indexes().as_ref().map(|indexes| {
            let index = indexes.iter().map(|index| {
                let mut made = global_index(index.key_schema(), index.provisioned_throughput());
                made.insert("name".to_owned(), json!(index.index_name()));
                made.extend(held(index.projection()));
                Value::Object(made)
            });
            index.collect()
        }),
    );
    add(
        "local_secondary_index",
        input.get_local_secondary_indexes().as_ref().map(|indexes| {
            let index = indexes.iter().map(|index| {
                let mut made = held(index.projection());
                made.insert("name".to_owned(), json!(index.index_name()));
                made.extend(key(index.key_schema(), &KeyType::Range).map(|key| ("range_key".to_owned(), key)));
                Value::Object(made)
            });
            index.collect()
        }),
    );
    let ttl = table.plan.ttl.map(|attribute| json!({ "attribute_name": attribute, "enabled": true }));
    add("ttl", ttl);
    let view = input.get_stream_specification().as_ref().and_then(|stream| stream.stream_view_type());
    add("stream_enabled", view.map(|_| json!(true)));
    add("stream_view_type", view.map(|view| json!(view.as_str())));
    add("deletion_protection_enabled", input.get_deletion_protection_enabled().map(Value::Bool));
    add(
        "tags",
        input
            .get_tags()
            .as_ref()
            .map(|tags| Value::Object(tags.iter().map(|tag| (tag.key().to_owned(), json!(tag.value()))).collect())),
    );
    add("lifecycle", Some(json!({ "prevent_destroy": true })));
    Ok(Value::Object(resource))
}

/// Returns the attribute of this part of the key.
fn key(keys: &[KeySchemaElement], part: &KeyType) -> Option<Value> {
    keys.iter().find(|key| key.key_type() == part).map(|key| json!(key.attribute_name()))
}

/// Returns the key and the units of a global index. Its key can have several attributes of each part.
fn global_index(keys: &[KeySchemaElement], units: Option<&ProvisionedThroughput>) -> Map<String, Value> {
    let key =
        |key: &KeySchemaElement| json!({ "attribute_name": key.attribute_name(), "key_type": key.key_type().as_str() });
    let mut index = Map::new();
    index.insert("key_schema".to_owned(), keys.iter().map(key).collect());
    index.extend(units.map(|units| ("read_capacity".to_owned(), json!(units.read_capacity_units()))));
    index.extend(units.map(|units| ("write_capacity".to_owned(), json!(units.write_capacity_units()))));
    index
}

/// Returns the attributes that an index holds.
fn held(projection: Option<&Projection>) -> Map<String, Value> {
    let mut held = Map::new();
    let Some(projection) = projection else { return held };
    held.extend(projection.projection_type().map(|kind| ("projection_type".to_owned(), json!(kind.as_str()))));
    if !projection.non_key_attributes().is_empty() {
        held.insert("non_key_attributes".to_owned(), json!(projection.non_key_attributes()));
    }
    held
}
