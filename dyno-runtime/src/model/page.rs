//! The tables, entities and access patterns as a page for people, in Markdown.

use super::entity_section::{key_text, section};
use super::markdown::{self, code, codes, text};
use super::option_names::metric;
use super::pattern;
use super::planned_table::PlannedTable;
use crate::error::Error;
use crate::exchange::Request;
use crate::schema::{Index, KeyAttribute, Projected, Schema, Tables};
use crate::table::Plan;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::create_table::builders::CreateTableInputBuilder;
use aws_sdk_dynamodb::types::{Projection, ProjectionType, ScalarAttributeType};

/// Returns the page.
pub(super) fn page(
    title: &str,
    client: &Client,
    tables: &[PlannedTable],
    entities: &[(&'static Schema, Tables)],
    patterns: &[(&str, &Request)],
) -> Result<String, Error> {
    let mut paragraphs = vec![format!("# {}", text(title))];
    for table in tables {
        paragraphs.extend(table_section(client, table, entities)?);
    }
    if !patterns.is_empty() {
        paragraphs.push("## Access patterns".to_owned());
        paragraphs.push(markdown::table(
            ["Pattern", "Operation", "On"],
            patterns.iter().map(|(name, request)| pattern::row(name, request)),
        ));
        paragraphs.extend(patterns.iter().flat_map(|(name, request)| pattern::section(name, request)));
    }
    Ok(paragraphs.join("\n\n") + "\n")
}

fn table_section(
    client: &Client,
    table: &PlannedTable,
    entities: &[(&'static Schema, Tables)],
) -> Result<Vec<String>, Error> {
    let plan = &table.plan;
    let mut paragraphs = vec![format!("## {}", code(&plan.name))];
    let keys = plan.keys.iter().zip(["Partition key", "sort key"]);
    let keys: Vec<_> = keys.map(|((name, kind), role)| format!("{role} {} ({})", code(name), kind.as_str())).collect();
    let properties = properties(table.creation(client)?.as_input());
    let ttl = plan.ttl.map(|attribute| format!(" TTL {}.", code(attribute))).unwrap_or_default();
    paragraphs.push(format!("{}.{ttl} {properties}", keys.join(", ")));
    paragraphs.extend(table.rows.map(str::to_owned));
    paragraphs.extend(side_rows(&plan.name, entities));
    if !plan.indexes.is_empty() {
        paragraphs
            .push(markdown::table(["Index", "Partition key", "Sort key", "Projection"], index_rows(plan, entities)));
    }
    if !plan.vector_indexes.is_empty() {
        let head = ["Vector index", "Vector", "Distance", "Partition", "Filters", "Projection"];
        paragraphs.push(markdown::table(head, vector_rows(plan)));
    }
    let own = entities.iter().filter(|(_, tables)| tables.main == plan.name);
    paragraphs.extend(own.flat_map(|(schema, tables)| section(schema, tables)));
    Ok(paragraphs)
}

/// Returns the properties of a table besides its keys.
fn properties(table: &CreateTableInputBuilder) -> String {
    let billing = table.get_provisioned_throughput().as_ref().map_or("Billed on demand.".to_owned(), |units| {
        format!(
            "Provisioned with {} read units and {} write units a second.",
            units.read_capacity_units(),
            units.write_capacity_units()
        )
    });
    let view = table.get_stream_specification().as_ref().and_then(|stream| stream.stream_view_type());
    let stream = view.map(|view| format!(" Stream {}.", code(view.as_str()))).unwrap_or_default();
    let protection = table.get_deletion_protection_enabled().unwrap_or_default();
    format!("{billing}{stream}{}", if protection { " Protected from deletion." } else { "" })
}

/// Says which rows of entities with other tables are in this table.
fn side_rows(name: &str, entities: &[(&'static Schema, Tables)]) -> Vec<String> {
    let of = |what: &str, is_here: fn(&Tables) -> Option<&String>| {
        let here = entities.iter().filter(|(_, tables)| is_here(tables).is_some_and(|table| table == name));
        let here: Vec<&str> = here.filter(|(_, tables)| tables.main != name).map(|(schema, _)| schema.entity).collect();
        (!here.is_empty()).then(|| format!("Its rows are the {what} of {}.", codes(here)))
    };
    let rows = [
        of("revisions", |tables| tables.history.as_ref()),
        of("idempotency keys", |tables| tables.keys.as_ref()),
        of("guards of unique values", |tables| tables.guards.as_ref()),
    ];
    rows.into_iter().flatten().collect()
}

fn index_rows(plan: &Plan, entities: &[(&'static Schema, Tables)]) -> Vec<[String; 4]> {
    let rows = plan.indexes.iter().map(|index| {
        let local = if index.index.is_local { ", local" } else { "" };
        let keys = |part: fn(&Index) -> &'static [KeyAttribute]| {
            let keys = part(index.index).iter().enumerate();
            let keys = keys.map(|(position, key)| {
                // The entities of a shared table can compose the key of one index from different fields.
                let own = entities.iter().filter(|(_, tables)| tables.main == plan.name).filter_map(|(schema, _)| {
                    let own = schema.indexes.iter().find(|own| own.name == index.index.name)?;
                    let text = key_text(part(own).get(position)?, own.key_fields);
                    (text != key.name).then(|| format!(", {} of {}", code(&text), code(schema.entity)))
                });
                attribute(key) + &own.collect::<String>()
            });
            keys.collect::<Vec<_>>().join("; ")
        };
        let [partition, sort] = [keys(|index| index.partition), keys(|index| index.sort)];
        [code(index.index.name) + local, partition, sort, projected(&index.projection())]
    });
    rows.collect()
}

fn vector_rows(plan: &Plan) -> Vec<[String; 6]> {
    let rows = plan.vector_indexes.iter().map(|plan| {
        let index = plan.index;
        let attributes = |keys: &[KeyAttribute]| keys.iter().map(attribute).collect::<Vec<_>>().join(", ");
        let projection = match index.projection {
            Projected::All => "all attributes".to_owned(),
            Projected::Only([]) => "keys".to_owned(),
            Projected::Only(names) => codes(names.iter().copied()),
        };
        [
            code(index.name),
            format!("{} with {} dimensions", code(index.vector.name), index.vector.dimensions),
            metric(index.metric).to_owned(),
            attributes(index.partition),
            attributes(index.filters),
            projection,
        ]
    });
    rows.collect()
}

fn attribute(key: &KeyAttribute) -> String {
    format!("{} ({})", code(key.name), ScalarAttributeType::as_str(&key.key_type))
}

fn projected(projection: &Projection) -> String {
    match projection.projection_type() {
        Some(ProjectionType::All) => "all attributes".to_owned(),
        Some(ProjectionType::Include) => codes(projection.non_key_attributes().iter().map(String::as_str)),
        _ => "keys".to_owned(),
    }
}
