//! The tables as a template of CloudFormation.

use super::create_table::properties;
use super::planned_table::PlannedTable;
use super::resource_name::unique_names;
use crate::error::Error;
use aws_sdk_dynamodb::Client;
use serde_json::{Map, Value, json};

/// Returns the template.
pub(super) fn template(client: &Client, tables: &[PlannedTable]) -> Result<Value, Error> {
    let names = unique_names(tables, logical_id)?;
    let (mut resources, mut outputs) = (Map::new(), Map::new());
    for (name, table) in names.into_iter().zip(tables) {
        let resource = resource(client, table)?;
        if resource["Properties"].get("StreamSpecification").is_some() {
            outputs.insert(format!("{name}StreamArn"), json!({ "Value": { "Fn::GetAtt": [name, "StreamArn"] } }));
        }
        resources.insert(name, resource);
    }
    let mut template = json!({ "AWSTemplateFormatVersion": "2010-09-09", "Resources": resources });
    if !outputs.is_empty() {
        template["Outputs"] = Value::Object(outputs);
    }
    Ok(template)
}

/// Returns the name of a table's resource, which has letters and digits only: `OrdersTable`.
pub(super) fn logical_id(table: &str) -> String {
    let words = table.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words = words.map(|word| word[..word.len().min(1)].to_ascii_uppercase() + &word[word.len().min(1)..]);
    words.collect::<String>() + "Table"
}

/// The rule of cfn-lint (as of 1.58) that calls the attributes of a vector index's search schema unused. DynamoDB demands them.
const UNUSED_ATTRIBUTES: &str = "E3039";

fn resource(client: &Client, table: &PlannedTable) -> Result<Value, Error> {
    let request = table.creation(client)?;
    let mut properties = properties(request.as_input());
    if let Some(view) = request.get_stream_specification().as_ref().and_then(|stream| stream.stream_view_type()) {
        properties.insert("StreamSpecification".to_owned(), json!({ "StreamViewType": view.as_str() }));
    }
    if let Some(attribute) = table.plan.ttl {
        let ttl = json!({ "AttributeName": attribute, "Enabled": true });
        properties.insert("TimeToLiveSpecification".to_owned(), ttl);
    }
    let mut resource = Map::new();
    resource.insert("Type".to_owned(), json!("AWS::DynamoDB::Table"));
    // CloudFormation keeps the table of a removed resource. It refuses to replace a table, because the table has a name.
    resource.insert("DeletionPolicy".to_owned(), json!("Retain"));
    resource.insert("UpdateReplacePolicy".to_owned(), json!("Retain"));
    if table.plan.vector_indexes.iter().any(|plan| plan.index.search_attributes().next().is_some()) {
        let ignored = json!({ "cfn-lint": { "config": { "ignore_checks": [UNUSED_ATTRIBUTES] } } });
        resource.insert("Metadata".to_owned(), ignored);
    }
    resource.insert("Properties".to_owned(), Value::Object(properties));
    Ok(Value::Object(resource))
}
